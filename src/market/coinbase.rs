//! Coinbase Exchange's messages (`level2`, `ticker`): snapshots and changes of books, best prices.

use super::coin;
use super::figure;
use super::json::{Buffer, Field, Scanner};
use super::model::{Change, Fault, Ignored, Message, Model, Side, Verdict};
use super::time;

/// Reads one message; see [`super::parse::parse`].
#[inline]
pub(super) fn parse<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Verdict {
    general(payload, model, message).unwrap_or_else(Verdict::Malformed)
}

fn general<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let Some(fields) = Fields::read(payload)? else {
        return match model {
            Model::Exact => Err(Fault::NotAMessage),
            Model::Basis => Ok(Verdict::Ignored(Ignored::Unknown)),
        };
    };
    let mut buffer = Buffer::new();
    let Some(kind) = fields.kind.if_string().map(|kind| kind.decoded(&mut buffer)) else {
        return Ok(Verdict::Ignored(Ignored::Unknown));
    };
    let read = match kind {
        "snapshot" => snapshot,
        "l2update" => l2update,
        "ticker" => ticker,
        other => return Ok(Verdict::Ignored(ignored(other))),
    };
    let product = match (fields.product_id.string(), model) {
        (Err(_), Model::Basis) => return Ok(Verdict::Ignored(Ignored::Unknown)),
        (product, _) => product?.raw,
    };
    let time = fields.time.if_string();
    message.venue_time_ns = time.and_then(|time| time::of_rfc3339(time.decoded(&mut Buffer::new())));
    read(&fields, product, model, message)
}

fn ignored(kind: &str) -> Ignored {
    match kind {
        "subscriptions" => Ignored::Reply,
        "error" => Ignored::VenueError,
        "heartbeat" => Ignored::KeepAlive,
        "match" | "last_match" | "received" | "open" | "done" | "change" | "activate" | "status"
        | "auction" | "rfq_match" => Ignored::OfNoInterest,
        _ => Ignored::Unknown,
    }
}

fn snapshot<'p>(
    fields: &Fields<'p>,
    product: &'p str,
    model: Model,
    message: &mut Message<'p>,
) -> Result<Verdict, Fault> {
    if model == Model::Exact && fields.bids.is_absent() && fields.asks.is_absent() && fields.unknown_container
    {
        // Not an empty book, but sides that go by other names.
        return Ok(Verdict::Ignored(Ignored::Unknown));
    }
    message.push(product, Change::Clear);
    for (levels, side) in [(fields.bids, Side::Bid), (fields.asks, Side::Ask)] {
        let empty = match model {
            Model::Exact => levels.unless_null().is_absent(),
            Model::Basis => levels.if_array().is_none(),
        };
        if empty {
            continue;
        }
        levels.array()?.array(|scanner| match coin::level(side, scanner.tuple()?, model) {
            Ok(Change::Set { size, .. }) if size.0 == 0 && model == Model::Exact => {
                message.left_out.without_size += 1;
                Ok(())
            }
            level => message.push_or_count(product, level),
        })?;
    }
    Ok(Verdict::Ok)
}

fn l2update<'p>(
    fields: &Fields<'p>,
    product: &'p str,
    model: Model,
    message: &mut Message<'p>,
) -> Result<Verdict, Fault> {
    let mut said = false;
    fields.changes.array()?.array(|scanner| {
        said = true;
        let [side, price, size] = scanner.tuple()?;
        let side = match side.string()?.decoded(&mut Buffer::new()) {
            "buy" => Side::Bid,
            "sell" => Side::Ask,
            _ => return Err(Fault::BadWord),
        };
        message.push_or_count(product, coin::level(side, [price, size], model))
    })?;
    Ok(if said { Verdict::Ok } else { Verdict::Ignored(Ignored::Empty) })
}

/// The best prices, where the ticker has sizes beside them.
fn ticker<'p>(
    fields: &Fields<'p>,
    product: &'p str,
    model: Model,
    message: &mut Message<'p>,
) -> Result<Verdict, Fault> {
    let best = [fields.best_bid, fields.best_bid_size, fields.best_ask, fields.best_ask_size];
    let [Some(bid), Some(bid_size), Some(ask), Some(ask_size)] = best.map(|field| field.if_string()) else {
        return Ok(Verdict::Ignored(Ignored::OfNoInterest));
    };
    for (side, price, size) in [(Side::Bid, bid, bid_size), (Side::Ask, ask, ask_size)] {
        let price = coin::price(price.decoded(&mut Buffer::new()), model);
        let size = coin::size(size.decoded(&mut Buffer::new()), model);
        let change = match model {
            Model::Exact => figure::touch(side, price, size),
            Model::Basis => figure::set(side, price, size),
        };
        message.push_or_count(product, change)?;
    }
    Ok(Verdict::Ok)
}

/// The members of a message, of all types together.
#[derive(Debug, Default)]
struct Fields<'p> {
    kind: Field<'p>,
    product_id: Field<'p>,
    time: Field<'p>,
    bids: Field<'p>,
    asks: Field<'p>,
    changes: Field<'p>,
    best_bid: Field<'p>,
    best_bid_size: Field<'p>,
    best_ask: Field<'p>,
    best_ask_size: Field<'p>,
    /// Whether a member that nobody here knows may hold a side of a book.
    unknown_container: bool,
}

impl<'p> Fields<'p> {
    /// Checks the whole message; `None` if it is no object.
    fn read(payload: &'p [u8]) -> Result<Option<Self>, Fault> {
        let mut fields = Self::default();
        let object = Scanner::document(payload, |scanner, key| {
            let value = scanner.value()?;
            match fields.field(key.decoded(&mut Buffer::new())) {
                Some(field) => field.put(value),
                None => fields.unknown_container |= value.is_container(),
            }
            Ok(())
        })?;
        Ok(object.then_some(fields))
    }

    fn field(&mut self, key: &str) -> Option<&mut Field<'p>> {
        Some(match key {
            "type" => &mut self.kind,
            "product_id" => &mut self.product_id,
            "time" => &mut self.time,
            "bids" => &mut self.bids,
            "asks" => &mut self.asks,
            "changes" => &mut self.changes,
            "best_bid" => &mut self.best_bid,
            "best_bid_size" => &mut self.best_bid_size,
            "best_ask" => &mut self.best_ask,
            "best_ask_size" => &mut self.best_ask_size,
            _ => return None,
        })
    }
}
