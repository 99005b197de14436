//! The daemon's place in the file system: a lock, and a socket that has its name only while it listens.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

/// Longest path a Unix socket can be bound to or connected at on Linux, bytes.
pub const MAX_SOCKET_PATH_BYTES: usize = 107;

/// Connections the kernel holds for us until they are accepted.
pub(super) const BACKLOG: i32 = 1_024;

/// Only the owner may connect, and only the owner may read the lock.
const OWNER_ONLY: Mode = Mode::from_raw_mode(0o600);

/// Why the daemon could not take its place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// The kernel would cut the path or refuse it.
    #[error("the socket path is {length} bytes long and the limit is {MAX_SOCKET_PATH_BYTES}; choose a shorter one: {}", path.display())]
    PathTooLong {
        /// The path given.
        path: PathBuf,
        /// Its length, bytes.
        length: usize,
    },
    /// The path doesn't end in a file name.
    #[error("{} names no file; give the path of a socket, such as /run/wakeline/wake.sock", path.display())]
    NoFileName {
        /// The path given.
        path: PathBuf,
    },
    /// Another wakeline holds the lock.
    #[error("another wakeline{} serves {}; stop it first or choose another path", of_pid(*pid), path.display())]
    Locked {
        /// The socket's path.
        path: PathBuf,
        /// The holder, if its lock file says so.
        pid: Option<u32>,
    },
    /// Another program answers at the path.
    #[error("another executor{} answers at {}; stop it first or choose another path", of_pid(*pid), path.display())]
    Answered {
        /// The socket's path.
        path: PathBuf,
        /// The listener, as the kernel knows it.
        pid: Option<u32>,
    },
    /// Something that isn't ours to remove stands at the path.
    #[error("{} is {found}, not a socket, and is left alone; move it away or choose another path", path.display())]
    Occupied {
        /// The socket's path.
        path: PathBuf,
        /// What stands there.
        found: &'static str,
    },
    /// Something that can't be a lock file stands in its place.
    #[error("{} is no regular file and is left alone; move it away or choose another socket path", path.display())]
    LockOccupied {
        /// The lock file's path.
        path: PathBuf,
    },
    /// Something appeared at the path while the socket was being made.
    #[error("something appeared at {} while the socket was being made; see what it is and start again", path.display())]
    Raced {
        /// The socket's path.
        path: PathBuf,
    },
    /// A step failed.
    #[error("can't {step} {}: {source}; check the path, its owner and its permissions", path.display())]
    Io {
        /// What was being done.
        step: &'static str,
        /// To what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

fn of_pid(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

/// A socket's path, with the lock that makes it ours.
#[derive(Debug)]
pub struct Endpoint {
    path: PathBuf,
    directory: OwnedFd,
    name: OsString,
    /// Device and inode of the socket, once it has its name.
    published: Option<(u64, u64)>,
    /// Held for as long as the endpoint lives; closing it frees the lock.
    _lock: File,
}

impl Endpoint {
    /// Takes the lock and clears a stale socket away.
    ///
    /// # Errors
    /// [`EndpointError`]; nothing at `path` has been touched then.
    pub fn claim(path: &Path) -> Result<Self, EndpointError> {
        let length = path.as_os_str().len();
        if length > MAX_SOCKET_PATH_BYTES {
            return Err(EndpointError::PathTooLong { path: path.into(), length });
        }
        // `run/` and `run/.` name a directory, though a path's last component is `run` either way.
        let name = path.file_name().filter(|name| path.as_os_str().as_bytes().ends_with(name.as_bytes()));
        let name = name.ok_or_else(|| EndpointError::NoFileName { path: path.into() })?;
        let directory = open_directory(path)?;
        // Before the lock file is made, so that a refused path gets none beside it.
        check_place(path, &directory, name)?;
        let lock = take_lock(path)?;
        clear_stale(path, &directory, name)?;
        Ok(Self { path: path.into(), directory, name: name.to_owned(), published: None, _lock: lock })
    }

    /// Puts a listening, non-blocking socket of mode 0600 at the path.
    ///
    /// # Errors
    /// [`EndpointError`]; nothing new is at the path then.
    pub fn publish(&mut self) -> Result<UnixListener, EndpointError> {
        let listener = publish(&self.path, &self.directory, &self.name)?;
        let stat = stat_of(&self.directory, &self.name).map_err(io_error("look at", &self.path))?;
        self.published = Some(identity(&stat));
        Ok(listener)
    }

    /// Unlinks the path if it is still the socket put there; the lock is held until the endpoint is dropped.
    pub fn withdraw(&mut self) {
        let published = self.published.take();
        if published.is_some()
            && published == stat_of(&self.directory, &self.name).ok().as_ref().map(identity)
        {
            // A failure leaves a socket that refuses connections: the next start clears it away.
            let _ = rustix::fs::unlinkat(&self.directory, &self.name, AtFlags::empty());
        }
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.withdraw();
    }
}

fn identity(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}

fn stat_of(directory: impl AsFd, name: &OsStr) -> rustix::io::Result<Stat> {
    rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
}

fn io_error<E: Into<io::Error>>(step: &'static str, path: &Path) -> impl Fn(E) -> EndpointError {
    move |source| EndpointError::Io { step, path: path.into(), source: source.into() }
}

fn open_directory(path: &Path) -> Result<OwnedFd, EndpointError> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(parent)
        .map_err(io_error("create the directory", parent))?;
    rustix::fs::open(parent, OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(io_error("open the directory", parent))
}

/// The exclusive lock on `PATH.lock`, which holds our pid for people. The file is never unlinked: a second daemon could
/// otherwise lock a file that no longer has a name.
fn take_lock(path: &Path) -> Result<File, EndpointError> {
    let mut lock_path = path.as_os_str().to_owned();
    lock_path.push(".lock");
    let lock_path = PathBuf::from(lock_path);
    let failed = io_error("write the lock file", &lock_path);
    let mut lock = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(OWNER_ONLY.bits())
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32)
        .open(&lock_path)
        .map_err(io_error("open the lock file", &lock_path))?;
    if !lock.metadata().map_err(&failed)?.is_file() {
        return Err(EndpointError::LockOccupied { path: lock_path.clone() });
    }
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Whoever holds the lock may not have written its pid yet.
            let _ = lock.take(32).read_to_string(&mut holder);
            return Err(EndpointError::Locked { path: path.into(), pid: holder.trim().parse().ok() });
        }
        Err(TryLockError::Error(source)) => return Err(io_error("lock", &lock_path)(source)),
    }
    // Whatever the umask made of it: the next start has to be able to open it.
    lock.set_permissions(Permissions::from_mode(OWNER_ONLY.bits())).map_err(&failed)?;
    lock.set_len(0).map_err(&failed)?;
    lock.rewind().map_err(&failed)?;
    lock.write_all(format!("{}\n", std::process::id()).as_bytes()).map_err(&failed)?;
    Ok(lock)
}

/// What stands at the path, if it is a socket; anything else is refused.
fn check_place(path: &Path, directory: &OwnedFd, name: &OsStr) -> Result<Option<Stat>, EndpointError> {
    let stat = match stat_of(directory, name) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(io_error("look at", path)(error)),
    };
    let found = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Socket => return Ok(Some(stat)),
        FileType::RegularFile => "a regular file",
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a FIFO",
        _ => "a device",
    };
    Err(EndpointError::Occupied { path: path.into(), found })
}

/// Unlinks what a dead executor left at the path, and refuses anything else that stands there.
fn clear_stale(path: &Path, directory: &OwnedFd, name: &OsStr) -> Result<(), EndpointError> {
    let Some(stat) = check_place(path, directory, name)? else { return Ok(()) };
    let probe = socket().map_err(io_error("make a socket for", path))?;
    // By the path itself, which is known to fit; a long name would not fit behind that of the directory's descriptor.
    let address = SocketAddrUnix::new(path).map_err(io_error("name", path))?;
    match rustix::net::connect(&probe, &address) {
        Err(Errno::CONNREFUSED)
            if stat_of(directory, name).is_ok_and(|now| identity(&now) != identity(&stat)) =>
        {
            Err(EndpointError::Raced { path: path.into() })
        }
        Err(Errno::CONNREFUSED) => rustix::fs::unlinkat(directory, name, AtFlags::empty())
            .map_err(io_error("remove the stale socket", path)),
        Ok(()) => {
            let pid = rustix::net::sockopt::socket_peercred(&probe).ok();
            let pid = pid.and_then(|credentials| credentials.pid.as_raw_nonzero().get().try_into().ok());
            Err(EndpointError::Answered { path: path.into(), pid })
        }
        // Its backlog is full: it listens, so it lives.
        Err(Errno::AGAIN) => Err(EndpointError::Answered { path: path.into(), pid: None }),
        Err(error) => Err(io_error("find out who listens at", path)(error)),
    }
}

/// Binds under a temporary name, listens, and only then moves the socket to its name: whoever sees the path can connect.
fn publish(path: &Path, directory: &OwnedFd, name: &OsStr) -> Result<UnixListener, EndpointError> {
    let socket = socket().map_err(io_error("make a socket for", path))?;
    // Linux gives the file the mode of the socket's own inode, so it has its mode before it has any name.
    rustix::fs::fchmod(&socket, OWNER_ONLY).map_err(io_error("set the mode of", path))?;
    let temporary = temporary_name(name);
    // Under the lock this name is ours: what stands there was left by a daemon killed at this very place.
    let _ = rustix::fs::unlinkat(directory, &temporary, AtFlags::empty());
    let address = address_in(directory, &temporary).map_err(io_error("name", path))?;
    rustix::net::bind(&socket, &address).map_err(io_error("bind", path))?;
    let published = check_mode(directory, &temporary)
        .and_then(|()| rustix::net::listen(&socket, BACKLOG))
        .map_err(io_error("listen at", path))
        .and_then(|()| name_without_replacing(path, directory, &temporary, name));
    if published.is_err() {
        let _ = rustix::fs::unlinkat(directory, &temporary, AtFlags::empty());
    }
    published.map(|()| UnixListener::from(socket))
}

fn name_without_replacing(
    path: &Path,
    directory: &OwnedFd,
    temporary: &OsStr,
    name: &OsStr,
) -> Result<(), EndpointError> {
    let renamed = rustix::fs::renameat_with(directory, temporary, directory, name, RenameFlags::NOREPLACE);
    let renamed = match renamed {
        // A file system without the flag: a link never replaces anything either.
        Err(Errno::INVAL | Errno::NOSYS) => {
            rustix::fs::linkat(directory, temporary, directory, name, AtFlags::empty())
                .and_then(|()| rustix::fs::unlinkat(directory, temporary, AtFlags::empty()))
        }
        renamed => renamed,
    };
    renamed.map_err(|error| match error {
        Errno::EXIST => EndpointError::Raced { path: path.into() },
        error => io_error("put the socket at", path)(error),
    })
}

/// The umask, or a file system with ideas of its own about modes, may have changed it; then it is set anew, before the
/// socket gets the name others know.
fn check_mode(directory: &OwnedFd, name: &OsStr) -> rustix::io::Result<()> {
    let mode = Mode::from_raw_mode(stat_of(directory, name)?.st_mode);
    if mode != OWNER_ONLY {
        return rustix::fs::chmodat(directory, name, OWNER_ONLY, AtFlags::empty());
    }
    Ok(())
}

fn socket() -> rustix::io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
}

/// The address of a short name in an open directory; the directory's own path doesn't count against the limit.
fn address_in(directory: &OwnedFd, name: &OsStr) -> rustix::io::Result<SocketAddrUnix> {
    let mut address = format!("/proc/self/fd/{}/", directory.as_raw_fd()).into_bytes();
    address.extend_from_slice(name.as_bytes());
    SocketAddrUnix::new(address)
}

/// A short name that only the holder of `name`'s lock uses.
fn temporary_name(name: &OsStr) -> OsString {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    format!(".wakeline-{:016x}", hasher.finish()).into()
}
