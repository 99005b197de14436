//! Kalshi's messages (`trade-api/ws/v2`): books, trades and tickers, in either generation of their fields, and replies to commands.
//!
//! Both sides of a book are bids, of the YES and of the NO contract; a NO bid at p is folded into the YES ask at a dollar less p.
//! A message belongs to the generation of dollar strings if it has one of their fields, whatever it holds: fields of whole cents may
//! stand beside them, as 0.

mod frame;
mod predicted;

use frame::{Body, Frame};

use super::figure::{self, Figure, Unfit};
use super::json::{Buffer, Field};
use super::model::{
    Change, Fault, Ignored, Message, Model, Price, Scale, SequenceKind, Side, Size, Venue, Verdict,
};

/// Reads one message; see [`super::parse::parse`].
#[inline]
pub(super) fn parse<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Verdict {
    if predicted::delta(payload, model, message).is_some() {
        return Verdict::Ok;
    }
    general(payload, model, message).unwrap_or_else(Verdict::Malformed)
}

fn general<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let Some(frame) = Frame::read(payload)? else {
        return match model {
            Model::Exact => Err(Fault::NotAMessage),
            Model::Basis => Ok(Verdict::Ignored(Ignored::Unknown)),
        };
    };
    let Some(kind) = frame.kind.if_string() else {
        message.sequence = frame.sequence(SequenceKind::Other).filter(|_| model == Model::Exact);
        return Ok(Verdict::Ignored(Ignored::Unknown));
    };
    let mut buffer = Buffer::new();
    let kind = kind.decoded(&mut buffer);
    let verdict = match (kind, model) {
        ("orderbook_snapshot", _) => snapshot(frame.body()?, model, message)?,
        ("orderbook_delta", _) => delta(frame.body()?, model, message)?,
        ("trade", Model::Exact) => trade(frame.body()?, message)?,
        ("ticker", Model::Exact) => ticker(frame.body()?, message)?,
        _ => Verdict::Ignored(ignored(kind)),
    };
    if let Ok(body) = frame.body() {
        message.venue_time_ns = body.time_ns();
    }
    message.sequence = match (kind, verdict) {
        ("orderbook_snapshot", Verdict::Ok) => frame.sequence(SequenceKind::Snapshot),
        ("orderbook_delta", _) => frame.sequence(SequenceKind::Delta),
        // In the reference only books have a place in the numbering.
        _ if model == Model::Basis => None,
        _ => frame.sequence(SequenceKind::Other),
    };
    Ok(verdict)
}

/// Why a message that isn't read is none the worse for it. Types are in the singular where their channels are in the plural.
fn ignored(kind: &str) -> Ignored {
    match kind {
        "subscribed" | "unsubscribed" | "ok" => Ignored::Reply,
        "error" => Ignored::VenueError,
        "trade"
        | "ticker"
        | "fill"
        | "user_order"
        | "market_position"
        | "market_lifecycle_v2"
        | "event_lifecycle"
        | "event_fee_update"
        | "order_group_updates"
        | "communications"
        | "cfbenchmarks_value"
        | "pyth_value" => Ignored::OfNoInterest,
        _ => Ignored::Unknown,
    }
}

fn snapshot<'p>(body: &Body<'p>, model: Model, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let market = body.market_ticker.string()?.raw;
    let dollars =
        model == Model::Exact && !(body.yes_dollars_fp.is_absent() && body.no_dollars_fp.is_absent());
    let (yes, no) = if dollars { (body.yes_dollars_fp, body.no_dollars_fp) } else { (body.yes, body.no) };
    if model == Model::Exact && yes.is_absent() && no.is_absent() && body.unknown_book {
        // Not an empty book, but sides that go by other names.
        return Ok(Verdict::Ignored(Ignored::Unknown));
    }
    message.push(market, Change::Clear);
    for (bids, side) in [(yes, Side::Bid), (no, Side::Ask)] {
        let bids = if model == Model::Exact { bids.unless_null() } else { bids };
        if bids.is_absent() {
            continue;
        }
        bids.array()?.array(|scanner| {
            let fields = scanner.tuple()?;
            let level = if dollars { level_in_dollars(fields) } else { level_in_cents(fields, model) };
            match level {
                Ok((_, 0)) => message.left_out.without_size += 1,
                Ok((price, size)) => {
                    let price = folded(side, price, model);
                    message.push(market, Change::Set { side, price, size: Size(size) });
                }
                Err(unfit) => message.left_out.count(unfit)?,
            }
            Ok(())
        })?;
    }
    Ok(Verdict::Ok)
}

/// A level of whole cents and whole contracts.
fn level_in_cents([price, size]: [Field<'_>; 2], model: Model) -> Result<(i64, i64), Unfit> {
    let size = match size.integer()? {
        ..0 => return Err(Fault::BadNumber.into()),
        size => figure::whole(size, model.scale(Venue::Kalshi).size_decimals),
    };
    figure::both(cents(price, model), size)
}

/// A level of a dollar string and a string of contracts.
fn level_in_dollars([price, size]: [Field<'_>; 2]) -> Result<(i64, i64), Unfit> {
    let size = size.string()?;
    figure::both(dollars(price), figure::contracts(size.decoded(&mut Buffer::new())))
}

fn delta<'p>(body: &Body<'p>, model: Model, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let market = body.market_ticker.string()?.raw;
    let side = match body.side.string()?.decoded(&mut Buffer::new()) {
        "yes" => Side::Bid,
        "no" => Side::Ask,
        _ => return Err(Fault::BadWord),
    };
    let in_dollars = model == Model::Exact && !(body.price_dollars.is_absent() && body.delta_fp.is_absent());
    let (price, change) = if in_dollars {
        let change = body.delta_fp.string()?;
        (dollars(body.price_dollars), figure::signed_contracts(change.decoded(&mut Buffer::new())))
    } else {
        let change = body.delta.integer()?;
        (cents(body.price, model), figure::whole(change, model.scale(Venue::Kalshi).size_decimals))
    };
    let change = figure::both(price, change).map(|(price, change)| Change::Add {
        side,
        price: folded(side, price, model),
        change: Size(change),
    });
    message.push_or_count(market, change)?;
    Ok(Verdict::Ok)
}

fn trade<'p>(body: &Body<'p>, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let market = body.market_ticker.string()?.raw;
    let in_dollars = !(body.yes_price_dollars.is_absent() && body.count_fp.is_absent());
    let (price, size) = if in_dollars {
        let size = body.count_fp.optional_string()?;
        let size = size.map(|size| figure::contracts(size.decoded(&mut Buffer::new())));
        (dollars(body.yes_price_dollars), size)
    } else {
        let size = body.count.optional_integer()?.map(|count| match count {
            ..0 => Err(Fault::BadNumber.into()),
            count => figure::whole(count, Scale::PREDICTION.size_decimals),
        });
        (cents(body.yes_price, Model::Exact), size)
    };
    let taker = taker(body)?;
    let trade = match size {
        None => price.map(|price| (price, None)),
        Some(size) => figure::both(price, size).map(|(price, size)| (price, Some(Size(size)))),
    };
    let trade = trade.map(|(price, size)| Change::Trade { price: Price(price), size, taker });
    message.push_or_count(market, trade)?;
    Ok(Verdict::Ok)
}

/// The side of who took, by the newest field that says so: who buys NO sells YES.
fn taker(body: &Body<'_>) -> Result<Option<Side>, Fault> {
    for (field, bid, ask) in [
        (body.taker_book_side, "bid", "ask"),
        (body.taker_outcome_side, "yes", "no"),
        (body.taker_side, "yes", "no"),
    ] {
        let Some(word) = field.optional_string()? else { continue };
        let mut buffer = Buffer::new();
        let word = word.decoded(&mut buffer);
        return match word {
            _ if word == bid => Ok(Some(Side::Bid)),
            _ if word == ask => Ok(Some(Side::Ask)),
            _ => Err(Fault::BadWord),
        };
    }
    Ok(None)
}

/// A ticker's best prices; the older form has no sizes beside them, and says nothing that a touch can hold.
fn ticker<'p>(body: &Body<'p>, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let market = body.market_ticker.string()?.raw;
    let sides = [
        (Side::Bid, body.yes_bid_dollars, body.yes_bid_size_fp),
        (Side::Ask, body.yes_ask_dollars, body.yes_ask_size_fp),
    ];
    let mut touched = false;
    for (side, price, size) in sides {
        let (Some(price), Some(size)) = (price.optional_string()?, size.optional_string()?) else { continue };
        touched = true;
        let price = figure::probability(price.decoded(&mut Buffer::new()));
        let size = figure::contracts(size.decoded(&mut Buffer::new()));
        // Nobody can quote nothing or a whole dollar: these stand for an empty side.
        let nobody = price.is_ok_and(|price| price == 0 || price == Scale::PREDICTION.dollar().0);
        let size = if nobody { size.map(|_| 0) } else { size };
        message.push_or_count(market, figure::touch(side, price, size))?;
    }
    Ok(if touched { Verdict::Ok } else { Verdict::Ignored(Ignored::OfNoInterest) })
}

/// A price of whole cents, of which there are 1 to 99.
fn cents(field: Field<'_>, model: Model) -> Figure {
    match field.integer()? {
        cents @ 1..=99 => Ok(cents * (model.scale(Venue::Kalshi).dollar().0 / 100)),
        _ => Err(Fault::BadNumber.into()),
    }
}

/// A price in a dollar string.
fn dollars(field: Field<'_>) -> Figure {
    figure::inner_probability(field.string()?.decoded(&mut Buffer::new()))
}

/// The YES side's price of a bid of either side.
#[inline]
fn folded(side: Side, price: i64, model: Model) -> Price {
    match side {
        Side::Bid => Price(price),
        Side::Ask => Price(model.scale(Venue::Kalshi).dollar().0 - price),
    }
}
