//! What a reader counts beside the records it hands out.

use std::fmt;

/// How many line numbers are kept of each kind of trouble.
pub const KEPT_LINES: usize = 5;

/// Why a line is no record. A line with several faults counts for the first of them, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BadLine {
    /// As long as the reader's limit or longer; its content was not looked at.
    TooLong,
    /// Nothing in it.
    Empty,
    /// Fewer than two tabs.
    NoTwoTabs,
    /// The first column is not a time: digits only, and within an `i64`.
    BadTime,
    /// The second column is none of the words that are known.
    UnknownKind,
}

impl BadLine {
    /// All of them, in the order in which reports name them.
    pub const ALL: [Self; 5] =
        [Self::TooLong, Self::Empty, Self::NoTwoTabs, Self::BadTime, Self::UnknownKind];

    /// A word for it in machine-readable reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::Empty => "empty",
            Self::NoTwoTabs => "no_two_tabs",
            Self::BadTime => "bad_time",
            Self::UnknownKind => "unknown_venue",
        }
    }
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "too long",
            Self::Empty => "empty",
            Self::NoTwoTabs => "fewer than two tabs",
            Self::BadTime => "bad receive time",
            Self::UnknownKind => "unknown venue",
        })
    }
}

/// How often something happened, and where first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    count: u64,
    first: [u64; KEPT_LINES],
}

impl Tally {
    pub(super) fn count(&mut self, line: u64) {
        if let Some(place) = usize::try_from(self.count).ok().and_then(|index| self.first.get_mut(index)) {
            *place = line;
        }
        self.count += 1;
    }

    /// How often.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.count
    }

    /// The first lines it happened in, counted from 1; at most [`KEPT_LINES`].
    #[must_use]
    pub fn first_lines(&self) -> &[u64] {
        let kept = usize::try_from(self.count).unwrap_or(KEPT_LINES).min(KEPT_LINES);
        &self.first[..kept]
    }
}

/// The lines of it, as a report names them: `line 3`, `lines 3, 9`, `lines 3, 9, 11, 12, 14, ...`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.count == 1 { "line " } else { "lines " })?;
        for (index, line) in self.first_lines().iter().enumerate() {
            write!(f, "{}{line}", if index == 0 { "" } else { ", " })?;
        }
        if self.count > KEPT_LINES as u64 {
            f.write_str(", ...")?;
        }
        Ok(())
    }
}

/// Lines that are no records, by why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BadLines {
    of_kind: [Tally; BadLine::ALL.len()],
}

impl BadLines {
    pub(super) fn count(&mut self, kind: BadLine, line: u64) {
        self.of_kind[kind as usize].count(line);
    }

    /// Those of one kind.
    #[must_use]
    pub const fn of(&self, kind: BadLine) -> &Tally {
        &self.of_kind[kind as usize]
    }

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.of_kind.iter().map(Tally::total).sum()
    }
}

/// In one line: `2 fewer than two tabs (lines 3, 9), 1 unknown venue (line 4)`; nothing when there are none.
impl fmt::Display for BadLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let there = BadLine::ALL.into_iter().filter(|&kind| self.of(kind).total() > 0);
        for (index, kind) in there.enumerate() {
            let tally = self.of(kind);
            write!(f, "{}{} {kind} ({tally})", if index == 0 { "" } else { ", " }, tally.total())?;
        }
        Ok(())
    }
}

/// What a reader has seen so far. `lines = records + bad.total()`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// Lines, the last one also when it has no LF.
    pub lines: u64,
    /// Lines that are records.
    pub records: u64,
    /// Lines that are not.
    pub bad: BadLines,
    /// Bytes of these lines, unpacked, their LFs included.
    pub bytes: u64,
    /// Records received earlier than the record before them says it was.
    pub backwards: Tally,
    /// The largest of these steps back, ns.
    pub largest_step_back_ns: i64,
    /// The earliest receive time of a record, ns since the Unix epoch.
    pub earliest_ns: Option<i64>,
    /// The latest one.
    pub latest_ns: Option<i64>,
    /// The last line has no LF: the file was cut, or its writer is still at it. Such a line counts like any other.
    pub ends_without_lf: bool,
}
