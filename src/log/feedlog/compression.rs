//! What a capture is packed with: told by its first bytes when it is read, by its name when it is written.

use std::fmt;
use std::path::Path;

/// How a capture is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip (RFC 1952), of one member or several.
    Gzip,
    /// Zstandard (RFC 8878), of one frame or several.
    Zstd,
}

impl Compression {
    /// What a file of that name is to be packed with: `.gz` and `.zst`, in any case.
    #[must_use]
    pub fn of_name(path: &Path) -> Self {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("gz") => Self::Gzip,
            Some(extension) if extension.eq_ignore_ascii_case("zst") => Self::Zstd,
            _ => Self::None,
        }
    }

    /// What a name that says so ends with.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        })
    }
}

/// A way to pack that isn't unpacked here, and the program that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Foreign {
    pub(super) name: &'static str,
    /// The command in front of a file's name that prints what it holds.
    pub(super) unpack: &'static str,
}

/// Longest of the beginnings below, bytes.
pub(super) const MAGIC_BYTES: usize = 6;

/// What the first bytes of a file say; a capture that isn't packed begins with a digit.
pub(super) fn of_beginning(first: &[u8]) -> Result<Compression, Foreign> {
    let begins = |magic: &[u8]| first.starts_with(magic);
    let skippable = first.len() >= 4 && first[0] & 0xf0 == 0x50 && first[1..4] == [0x2a, 0x4d, 0x18];
    match () {
        () if begins(&[0x1f, 0x8b]) => Ok(Compression::Gzip),
        () if begins(&[0x28, 0xb5, 0x2f, 0xfd]) || skippable => Ok(Compression::Zstd),
        () if begins(&[0xfd, b'7', b'z', b'X', b'Z', 0]) => Err(Foreign { name: "xz", unpack: "xz -dc" }),
        () if begins(b"BZh") => Err(Foreign { name: "bzip2", unpack: "bzip2 -dc" }),
        () if begins(&[0x04, 0x22, 0x4d, 0x18]) => Err(Foreign { name: "lz4", unpack: "lz4 -dc" }),
        () if begins(b"PK\x03\x04") => Err(Foreign { name: "zip", unpack: "unzip -p" }),
        () => Ok(Compression::None),
    }
}
