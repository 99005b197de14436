//! Writing to stderr without waiting for whoever should read it: the daemon's one thread must not stop because nobody
//! drains a pipe or a terminal.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{FileType, OFlags};
use rustix::net::SendFlags;

/// Longest line that is written, bytes; up to this length a pipe takes a line whole or not at all.
const MAX_LINE_BYTES: usize = 4_096;

/// How stderr can be written to without blocking.
enum Channel {
    /// A file description of our own, so that the flag on it isn't our parent's too.
    Own(File),
    /// A socket, which can't be opened anew.
    Socket,
    /// Neither can be had, say because stderr belongs to another user: asked first whether it is ready. Or a regular file,
    /// which always is, and whose end a description of our own wouldn't move for whoever writes after us.
    Shared,
}

static CHANNEL: OnceLock<Channel> = OnceLock::new();

/// Writes a line, giving a reader `patience` to make room; `false` when the line, or a part of it, was dropped.
pub(super) fn write(line: &[u8], patience: Duration) -> bool {
    let channel = CHANNEL.get_or_init(open);
    let mut cut;
    let mut rest = line;
    if line.len() > MAX_LINE_BYTES {
        let mut end = MAX_LINE_BYTES - 1;
        while line[end] & 0xc0 == 0x80 {
            end -= 1;
        }
        cut = line[..end].to_vec();
        cut.push(b'\n');
        rest = &cut;
    }
    let deadline = Instant::now() + patience;
    while !rest.is_empty() {
        match attempt(channel, rest) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() || !becomes_ready(left) {
                    return false;
                }
            }
            Err(_) => return false,
        }
    }
    true
}

fn open() -> Channel {
    let regular = |stat: rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    if rustix::fs::fstat(io::stderr()).is_ok_and(regular) {
        return Channel::Shared;
    }
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    match File::options().append(true).custom_flags(flags).open("/proc/self/fd/2") {
        Ok(file) => Channel::Own(file),
        Err(_) if rustix::net::sockopt::socket_type(io::stderr()).is_ok() => Channel::Socket,
        Err(_) => Channel::Shared,
    }
}

fn attempt(channel: &Channel, bytes: &[u8]) -> io::Result<usize> {
    match channel {
        Channel::Own(file) => (&mut &*file).write(bytes),
        Channel::Socket => {
            Ok(rustix::net::send(io::stderr(), bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?)
        }
        Channel::Shared => {
            let mut stderr = io::stderr().lock();
            if !becomes_ready(Duration::ZERO) {
                return Err(ErrorKind::WouldBlock.into());
            }
            stderr.write(bytes)
        }
    }
}

fn becomes_ready(within: Duration) -> bool {
    let stderr = io::stderr();
    let mut fds = [PollFd::new(&stderr, PollFlags::OUT)];
    let limit = Timespec::try_from(within).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
    rustix::event::poll(&mut fds, Some(&limit)).is_ok_and(|count| count == 1)
}
