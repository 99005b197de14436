//! The second column of captures that hold one book rather than several venues.

/// What a record of a book's recording is, as `book-verify` reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BookRecord {
    /// A Binance `depthUpdate`, without the envelope of a combined stream.
    Diff,
    /// The REST image to join the diffs to.
    Snapshot,
    /// A later REST image to compare with.
    ValidationSnapshot,
}

impl BookRecord {
    /// All of them, in the order in which reports name them.
    pub const ALL: [Self; 3] = [Self::Diff, Self::Snapshot, Self::ValidationSnapshot];

    /// The word a capture has for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Diff => "diff",
            Self::Snapshot => "snapshot",
            Self::ValidationSnapshot => "validation_snapshot",
        }
    }

    /// What a capture's word stands for: lower case, nothing around it.
    #[must_use]
    pub fn of_name(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().as_bytes() == name)
    }
}
