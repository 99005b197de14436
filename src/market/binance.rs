//! Binance's messages (streams, combined or not): diffs of books and best prices.

mod event;
mod predicted;

use event::{Event, Root};

use super::coin;
use super::figure::{self, Unfit};
use super::json::{Buffer, Text};
use super::model::{Change, Fault, Ignored, Message, Model, Side, UpdateIds, Verdict};
use super::time;

/// Reads one message; see [`super::parse::parse`].
#[inline]
pub(super) fn parse<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Verdict {
    if predicted::event(payload, model, message).is_some() {
        return Verdict::Ok;
    }
    general(payload, model, message).unwrap_or_else(Verdict::Malformed)
}

fn general<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let Some(root) = Root::read(payload)? else {
        return match model {
            Model::Exact => Err(Fault::NotAMessage),
            Model::Basis => Ok(Verdict::Ignored(Ignored::Unknown)),
        };
    };
    let event = root.event()?;
    let mut buffer = Buffer::new();
    let kind = event.kind.if_string().map(|kind| kind.decoded(&mut buffer));
    let best = [event.bid, event.bid_size, event.ask, event.ask_size].map(|field| field.if_string());
    let Some(symbol) = event.symbol.if_string().map(|symbol| symbol.raw) else {
        let must_have_one =
            matches!(kind, Some("depthUpdate" | "bookTicker")) || best.iter().all(Option::is_some);
        return match model {
            Model::Exact if must_have_one => Err(Fault::MissingField),
            _ => Ok(Verdict::Ignored(event.without_symbol())),
        };
    };
    message.venue_time_ns = event.time_ms.if_unsigned().and_then(time::of_ms);
    match (kind, best) {
        (Some("depthUpdate"), _) => depth_update(event, symbol, model, message),
        // To the reference whatever has these is a book ticker.
        (kind, [Some(bid), Some(bid_size), Some(ask), Some(ask_size)])
            if model == Model::Basis || matches!(kind, None | Some("bookTicker")) =>
        {
            book_ticker(symbol, [(Side::Bid, bid, bid_size), (Side::Ask, ask, ask_size)], model, message)
        }
        (Some("bookTicker"), _) if model == Model::Exact => Err(Fault::MissingField),
        (Some(kind), _) => Ok(Verdict::Ignored(ignored(kind))),
        (None, _) => Ok(Verdict::Ignored(Ignored::Unknown)),
    }
}

fn ignored(kind: &str) -> Ignored {
    match kind {
        "trade" | "aggTrade" | "kline" | "24hrTicker" | "24hrMiniTicker" | "1hTicker" | "4hTicker"
        | "1dTicker" | "avgPrice" | "bookTicker" => Ignored::OfNoInterest,
        _ => Ignored::Unknown,
    }
}

fn depth_update<'p>(
    event: &Event<'p>,
    symbol: &'p str,
    model: Model,
    message: &mut Message<'p>,
) -> Result<Verdict, Fault> {
    if let (Some(first), Some(last)) = (event.first_id.if_unsigned(), event.last_id.if_unsigned()) {
        message.update_ids = Some(UpdateIds { first, last });
    }
    let mut said = false;
    for (levels, side) in [(event.bid, Side::Bid), (event.ask, Side::Ask)] {
        let empty = match model {
            Model::Exact => levels.unless_null().is_absent(),
            Model::Basis => levels.if_array().is_none(),
        };
        if empty {
            continue;
        }
        levels.array()?.array(|scanner| {
            said = true;
            let level = coin::level(side, scanner.tuple()?, model);
            message.push_or_count(symbol, level.map_err(|unfit| strict(unfit, model)))
        })?;
    }
    Ok(if said { Verdict::Ok } else { Verdict::Ignored(Ignored::Empty) })
}

/// The best prices: apart from any book, but to the reference they are all of it.
fn book_ticker<'p>(
    symbol: &'p str,
    best: [(Side, Text<'p>, Text<'p>); 2],
    model: Model,
    message: &mut Message<'p>,
) -> Result<Verdict, Fault> {
    if model == Model::Basis {
        message.push(symbol, Change::Clear);
    }
    for (side, price, size) in best {
        let price = coin::price(price.decoded(&mut Buffer::new()), model);
        let size = coin::size(size.decoded(&mut Buffer::new()), model);
        let change = match model {
            Model::Exact => figure::touch(side, price, size),
            Model::Basis => figure::set(side, price, size),
        };
        message.push_or_count(symbol, change.map_err(|unfit| strict(unfit, model)))?;
    }
    Ok(Verdict::Ok)
}

/// The reference has no figure of Binance's that it leaves out.
fn strict(unfit: Unfit, model: Model) -> Unfit {
    match (unfit, model) {
        (Unfit::OutOfRange, Model::Basis) => Unfit::Fault(Fault::BadNumber),
        _ => unfit,
    }
}
