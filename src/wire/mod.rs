//! The wire protocol, schema version 4: length-prefixed JSON frames between the poller and the executor.
//!
//! The encoder's bytes are `orjson.dumps`'s, the decoder accepts what `orjson.loads` followed by the reference's
//! dataclass accepts (less four stricter rules, see [`Rule`]), and a refusal carries the reference's own text.
//!
//! * [`frame`]: splitting a byte stream into frames;
//! * [`message`]: what travels in them;
//! * [`encode`] and [`decode`]: the two directions.

pub mod decode;
pub(crate) mod digits;
pub mod encode;
pub mod frame;
mod general;
pub mod message;
pub(crate) mod nesting;
mod number;
mod predicted;
mod refusal;
pub(crate) mod scan;
mod schema;
pub(crate) mod syntax;
pub(crate) mod text;

pub use decode::Decoder;
pub use frame::{FrameBuffer, MAX_FRAME_BYTES, OversizeFrame};
pub use message::{Direction, PriceRange, Status, WakeAck, WakeMessage};
pub use refusal::{MAX_REASON_BYTES, Position, Refusal, Rule, SyntaxError};
