//! The capture format `.feedlog`: one message a line.
//!
//! ```text
//! <receive time, ns since the Unix epoch> TAB <venue> TAB <the venue's message, byte for byte> LF
//! ```
//!
//! - [`Reader`]: lends record after record out of its buffer, plain or unpacked; counts what isn't a record
//!   ([`Counts`], [`BadLine`]) and says at the end how far it came ([`FeedlogError`]).
//! - [`Writer`]: the same lines, packed by the file's name, under a name of its own until the file is whole.
//! - [`Merge`], [`Slicer`]: several captures as one, one as several.
//! - [`Check`]: what a capture holds and what is wrong with it.
//! - `line`: one line. `unpack`: gzip and zstd on the way in. `output`: the file on the way out. `message`: the type of a message.
//!
//! ```
//! use wakeline::log::feedlog::Reader;
//! use wakeline::market::Venue;
//!
//! let capture = b"1790000000000000000\tkalshi\t{\"type\":\"ok\"}\nno record\n";
//! let mut reader = Reader::new("a capture", capture.as_slice());
//! while let Some((venue, record)) = reader.next_of_venue()? {
//!     assert_eq!((venue, record.recv_ns), (Venue::Kalshi, 1_790_000_000_000_000_000));
//!     assert_eq!(record.payload, b"{\"type\":\"ok\"}");
//! }
//! assert_eq!((reader.counts().records, reader.counts().bad.total()), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod compression;
mod counts;
mod error;
mod kind;
mod line;
mod merge;
mod message;
mod output;
mod reader;
mod slice;
mod unpack;
mod writer;

pub use check::{Check, KindTally};
pub use compression::Compression;
pub use counts::{BadLine, BadLines, Counts, KEPT_LINES, Tally};
pub use error::{FeedlogError, Refusal, WriteError};
pub use kind::BookRecord;
pub use line::Record;
pub use merge::Merge;
pub use message::{ARRAY_OF_MANY_TYPES, KEEP_ALIVE, NO_TYPE, NOT_JSON};
pub use output::{OutputFile, Unfinished};
pub use reader::{BASIS_LINE_BYTES, MAX_LINE_BYTES, Reader, open};
pub use slice::{Cuts, Slice, Slicer};
pub use writer::{Writer, Written, without_line_ends};
