//! Which file is at a path, and on what kind of file system.
//!
//! Inserts into a file that was deleted or replaced succeed silently, so the writer compares device and inode of the
//! path with those of the file it opened.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Device and inode of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// The file at `path`, symlinks followed; `None` when nothing is there.
    pub(super) fn at(path: &Path) -> io::Result<Option<Self>> {
        // Never open the file to look at it: closing any descriptor of it drops SQLite's POSIX locks in this process.
        match std::fs::metadata(path) {
            Ok(metadata) => Ok(Some(Self { device: metadata.dev(), inode: metadata.ino() })),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// The name of a file system on which WAL's shared memory can't be trusted across hosts, by `statfs` magic number.
///
/// FUSE is in the list though some FUSE file systems are local: the warning costs a line.
pub(super) const fn network_file_system(magic: u64) -> Option<&'static str> {
    Some(match magic & 0xffff_ffff {
        0x6969 => "NFS",
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB/CIFS",
        0x6573_5546 => "FUSE",
        0x0102_1997 => "9P",
        0x00c3_6400 => "Ceph",
        0x0bd0_0bd0 => "Lustre",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x786f_4256 => "VirtualBox shared folder",
        0x7461_636f => "OCFS2",
        0x0116_1970 => "GFS2",
        0x4750_4653 => "GPFS",
        _ => return None,
    })
}

/// [`network_file_system`] of the file at `path`; `None` also when it can't be told.
pub(super) fn network_file_system_at(path: &Path) -> Option<&'static str> {
    network_file_system(rustix::fs::statfs(path).ok()?.f_type as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_told_from_local_ones() {
        assert_eq!(network_file_system(0x6969), Some("NFS"));
        assert_eq!(network_file_system(0xff53_4d42), Some("SMB/CIFS"));
        assert_eq!(
            network_file_system(0xff53_4d42_u32 as i32 as i64 as u64),
            Some("SMB/CIFS"),
            "sign-extended"
        );
        for (name, magic) in
            [("ext4", 0xef53), ("tmpfs", 0x0102_1994), ("xfs", 0x5846_5342), ("btrfs", 0x9123_683e)]
        {
            assert_eq!(network_file_system(magic), None, "{name}");
        }
    }

    #[test]
    fn a_replaced_file_has_another_identity() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        assert_eq!(FileId::at(&path).unwrap(), None);
        std::fs::write(&path, "1").unwrap();
        let first = FileId::at(&path).unwrap();
        assert!(first.is_some());
        let other = directory.path().join("b");
        std::fs::write(&other, "2").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_ne!(FileId::at(&path).unwrap(), first);
        assert_eq!(FileId::at(&path.join("below-a-file")).unwrap(), None);
    }
}
