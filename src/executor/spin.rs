//! Waiting without blocking, for people with a core to spare.

use std::io;
use std::task::{Context, Poll};

use rustix::io::Errno;
use rustix::net::RecvFlags;
use tokio::net::UnixStream;

/// Keeps the runtime from ever blocking: each turn polls the sockets and comes back.
pub(crate) async fn spin() {
    loop {
        tokio::task::yield_now().await;
    }
}

/// Reads without asking first whether there is something, which saves a frame one call; is polled again at once when
/// there isn't.
pub(crate) fn poll_recv(
    stream: &UnixStream,
    room: &mut [u8],
    cx: &mut Context<'_>,
) -> Poll<io::Result<usize>> {
    match rustix::net::recv(stream, room, RecvFlags::DONTWAIT) {
        Ok((_, count)) => Poll::Ready(Ok(count)),
        Err(Errno::AGAIN | Errno::INTR) => {
            cx.waker().wake_by_ref();
            Poll::Pending
        }
        Err(error) => Poll::Ready(Err(error.into())),
    }
}
