//! What happened on the socket side; every loss has a counter.

use std::cell::Cell;

use crate::fire::FireCounters;

/// A count kept by the one thread that serves the sockets.
#[derive(Debug, Default)]
pub struct Count(Cell<u64>);

impl Count {
    pub(super) fn add(&self, more: u64) {
        self.0.set(self.0.get() + more);
    }

    /// The count so far.
    pub fn get(&self) -> u64 {
        self.0.get()
    }
}

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// The socket side's counters.
        #[derive(Debug, Default)]
        pub struct Counters {
            $($(#[$doc])* pub $name: Count,)+
        }

        impl Counters {
            fn pairs(&self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name.get())),+].into_iter()
            }
        }
    };
}

counters! {
    /// Whole frames received.
    frames,
    /// Frames that decoded.
    accepted,
    /// Frames refused with a rejected ack.
    rejected,
    /// Connections accepted.
    connections,
    /// Connections of another user, closed unread.
    refused_peer,
    /// Failed accepts: descriptors exhausted, or a peer that was gone already.
    accept_errors,
    /// Connections that ended inside a frame.
    truncated,
    /// Frames that announced a body above the limit; each closes its connection.
    oversize,
    /// Acks that could not be delivered because the peer was gone.
    ack_undelivered,
    /// Peers closed because they left their acks unread for too long.
    stalled_peers,
    /// Connections lost to a panic; always a bug.
    internal_errors,
}

/// How many of the counters, the frames' own, stand before the fires' in the exit line.
const FRAME_COUNTERS: usize = 3;

impl Counters {
    /// The exit line, `key=value` pairs: the frames, what became of the fires, everything else.
    pub(super) fn line(&self, fires: &FireCounters) -> String {
        let pairs: Vec<String> = self.pairs().map(|(name, count)| format!("{name}={count}")).collect();
        let (frames, others) = pairs.split_at(FRAME_COUNTERS);
        format!("{} {fires} {}", frames.join(" "), others.join(" "))
    }
}
