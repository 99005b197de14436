//! The one entry to the venues' parsers.

use super::model::{Message, Model, Venue, Verdict};
use super::{binance, coinbase, kalshi, polymarket};

/// Reads one message of a venue: a pure function of the payload's bytes, which may be any.
///
/// What the payload says is left in `message`, in whose place it stands: whatever `message` held is dropped, its buffer is used. A
/// malformed payload leaves nothing; one that is ignored leaves no update, but its clock and its place in a numbering where it
/// has them. A malformed one doesn't have such a place even if it can be read, so that the next number shows the gap.
///
/// Figures are read on the scale of [`Model::scale`]. A level that is finer or larger is left out and counted in
/// [`Message::left_out`]; a figure beyond what the venue can mean (a probability above a dollar) is a fault.
pub fn parse<'p>(venue: Venue, payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Verdict {
    message.reset();
    let verdict = match venue {
        Venue::Kalshi => kalshi::parse(payload, model, message),
        Venue::Polymarket => polymarket::parse(payload, model, message),
        Venue::Binance => binance::parse(payload, model, message),
        Venue::Coinbase => coinbase::parse(payload, model, message),
    };
    if matches!(verdict, Verdict::Malformed(_)) {
        message.reset();
    }
    verdict
}
