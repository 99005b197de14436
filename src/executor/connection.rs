//! One peer: its frames in, its acks out, and how it can end.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::net::{RecvFlags, SendFlags};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;
use tokio::time::{Instant, Sleep, sleep};

use super::hot_path::HotPath;
use super::outbox::Outbox;
use super::spin;
use super::stop::StopSignal;
use crate::measure::rate_limit::RateLimit;
use crate::wire::FrameBuffer;

/// How long a stopping daemon goes on offering a peer its last acks.
const LAST_ACKS: Duration = Duration::from_secs(1);

/// Frames a peer may have handled in one turn before the others get theirs.
const TURN_FRAMES: u32 = 64;

static OVERSIZE: RateLimit = RateLimit::new(RateLimit::WARNINGS);
static STALLED: RateLimit = RateLimit::new(RateLimit::WARNINGS);

/// How a peer is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// By asking again and again.
    pub(super) spin: bool,
    /// How long it may leave its acks unread.
    pub(super) stall: Duration,
}

/// Serves one peer until it is gone, broken, stalled, or the daemon stops.
pub(super) async fn serve(stream: UnixStream, hot_path: &HotPath, stop: &StopSignal, patience: Patience) {
    let Patience { spin, stall } = patience;
    let mut connection = Connection {
        stream,
        hot_path,
        spin,
        stall,
        input: FrameBuffer::new(),
        outbox: Outbox::default(),
        readable: true,
        peer_gone: false,
        stalled: None,
        turn: 0,
    };
    let waker = poll_fn(|cx| Poll::Ready(cx.waker().clone())).await;
    let _registration = stop.register(&waker);
    connection.run(stop).await;
}

enum Event {
    Read(usize),
    Closed,
    Wrote(usize),
    PeerGone,
    Stalled,
    Stop,
}

struct Connection<'a> {
    stream: UnixStream,
    hot_path: &'a HotPath,
    spin: bool,
    stall: Duration,
    input: FrameBuffer,
    outbox: Outbox,
    /// More frames may come: the peer hasn't closed its side and sent nothing that can't be split into frames.
    readable: bool,
    /// The peer can't be written to any more. What it sent is still handled.
    peer_gone: bool,
    /// Runs while the peer isn't read because of its unread acks.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Frames handled since the peer last had nothing to offer or gave the others a turn.
    turn: u32,
}

impl Connection<'_> {
    async fn run(&mut self, stop: &StopSignal) {
        loop {
            self.handle_frames(|outbox, turn| !outbox.is_full() && turn < TURN_FRAMES);
            if self.turn >= TURN_FRAMES {
                self.turn = 0;
                tokio::task::yield_now().await;
                continue;
            }
            self.hot_path.rest();
            if !self.readable && self.outbox.is_empty() {
                return;
            }
            let event = poll_fn(|cx| {
                let event = self.poll_event(cx, stop);
                if event.is_pending() {
                    self.turn = 0;
                }
                event
            });
            match event.await {
                Event::Read(count) => self.input.advance(count),
                Event::Closed => self.close_input(),
                Event::Wrote(count) => {
                    self.outbox.advance(count);
                    self.stalled = None;
                }
                Event::PeerGone => self.lose_peer(),
                Event::Stalled => {
                    self.hot_path.counters.stalled_peers.add(1);
                    if let Some(suppressed) = STALLED.admit() {
                        let unread = self.outbox.unsent().len();
                        tracing::warn!(suppressed, unread, "a peer that doesn't read its acks was closed");
                    }
                    return;
                }
                Event::Stop => return self.finish().await,
            }
        }
    }

    fn poll_event(&mut self, cx: &mut Context<'_>, stop: &StopSignal) -> Poll<Event> {
        if stop.is_stopping() {
            return Poll::Ready(Event::Stop);
        }
        if !self.outbox.is_empty()
            && let Poll::Ready(written) = Pin::new(&mut self.stream).poll_write(cx, self.outbox.chunk())
        {
            return Poll::Ready(match written {
                Ok(count) => Event::Wrote(count),
                Err(_) => Event::PeerGone,
            });
        }
        if self.readable && !self.outbox.is_full() {
            if self.spin {
                return spin::poll_recv(&self.stream, self.input.spare(), cx).map(|read| match read {
                    Ok(count) if count > 0 => Event::Read(count),
                    _ => Event::Closed,
                });
            }
            let mut spare = ReadBuf::new(self.input.spare());
            return Pin::new(&mut self.stream).poll_read(cx, &mut spare).map(|read| match read {
                Ok(()) if !spare.filled().is_empty() => Event::Read(spare.filled().len()),
                _ => Event::Closed,
            });
        }
        let deadline = self.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(deadline)));
        stalled.as_mut().poll(cx).map(|()| self.at_deadline())
    }

    /// The time is up, unless the peer took something after all: Linux calls a Unix socket writable only once most of its
    /// buffer is free, so a peer that reads a little is found out only by writing.
    fn at_deadline(&self) -> Event {
        match rustix::net::send(&self.stream, self.outbox.chunk(), SendFlags::DONTWAIT | SendFlags::NOSIGNAL)
        {
            Ok(count) if count > 0 => Event::Wrote(count),
            _ => Event::Stalled,
        }
    }

    /// Handles the whole frames at hand for as long as `go_on` says so of the outbox and the turn.
    fn handle_frames(&mut self, go_on: impl Fn(&Outbox, u32) -> bool) {
        let Self { stream, hot_path, input, outbox, peer_gone, turn, .. } = self;
        while go_on(outbox, *turn) {
            match input.next_frame() {
                Ok(Some(body)) => {
                    *turn = turn.saturating_add(1);
                    hot_path.frame(body, |ack| {
                        if *peer_gone {
                            hot_path.counters.ack_undelivered.add(1);
                        } else if let Err(Gone) = deliver(stream, outbox, ack) {
                            *peer_gone = true;
                            hot_path.counters.ack_undelivered.add(outbox.abandon());
                        }
                    });
                }
                Ok(None) => return,
                Err(oversize) => {
                    hot_path.counters.oversize.add(1);
                    if let Some(suppressed) = OVERSIZE.admit() {
                        tracing::warn!(suppressed, "{oversize}; its connection is closed");
                    }
                    self.readable = false;
                    *input = FrameBuffer::new();
                    return;
                }
            }
        }
    }

    fn close_input(&mut self) {
        self.readable = false;
        self.hot_path.counters.truncated.add(u64::from(self.input.holds_partial_frame()));
    }

    fn lose_peer(&mut self) {
        self.peer_gone = true;
        self.hot_path.counters.ack_undelivered.add(self.outbox.abandon());
    }

    /// The daemon stops: one last read, every whole frame handled, the acks offered for a while.
    async fn finish(&mut self) {
        if self.readable
            && !self.outbox.is_full()
            // Not through the runtime, which may not have heard yet that there is something to read.
            && let Ok((_, count)) = rustix::net::recv(&self.stream, self.input.spare(), RecvFlags::DONTWAIT)
        {
            self.input.advance(count);
        }
        self.handle_frames(|_, _| true);
        self.hot_path.rest();
        if self.readable {
            self.close_input();
        }
        let deadline = Instant::now() + LAST_ACKS;
        while !self.outbox.is_empty() {
            let written = tokio::time::timeout_at(deadline, self.stream.writable()).await;
            match written.map(|_| self.stream.try_write(self.outbox.unsent())) {
                Ok(Ok(count)) => self.outbox.advance(count),
                Ok(Err(error)) if error.kind() == io::ErrorKind::WouldBlock => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }
}

/// However it ends, also when it is cut off: acks still unsent are counted.
impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.lose_peer();
    }
}

/// The peer can't be written to any more.
struct Gone;

/// Writes an ack, or queues what the socket has no room for.
fn deliver(stream: &UnixStream, outbox: &mut Outbox, ack: &[u8]) -> Result<(), Gone> {
    let written = if outbox.is_empty() { stream.try_write(ack) } else { Ok(0) };
    match written {
        Ok(count) if count == ack.len() => Ok(()),
        Ok(count) => {
            outbox.push(ack);
            outbox.advance(count);
            Ok(())
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
            outbox.push(ack);
            Ok(())
        }
        Err(_) => {
            outbox.push(ack);
            Err(Gone)
        }
    }
}
