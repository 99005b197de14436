//! Polymarket's messages (CLOB, market channel): books, changes of them in three forms, trades, ticks, best prices.
//!
//! A message is one event or an array of them, of which each is judged on its own. YES and NO tokens are markets of their own
//! here: which belong together only a registry knows.

mod event;
mod hash;
mod predicted;

use event::{Entry, Event, Level};
use hash::Hashed;

use super::basis_figure;
use super::figure::{self, Figure, Unfit};
use super::json::{Buffer, Field, Scanner, Text};
use super::model::{
    Change, Fault, Hashes, Ignored, LeftOut, Message, Model, Price, Scale, Side, Size, Verdict,
};

/// Reads one message; see [`super::parse::parse`].
#[inline]
pub(super) fn parse<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Verdict {
    if predicted::events(payload, model, message).is_some() {
        return Verdict::Ok;
    }
    if model == Model::Exact && is_keep_alive(payload) {
        return Verdict::Ignored(Ignored::KeepAlive);
    }
    general(payload, model, message).unwrap_or_else(Verdict::Malformed)
}

fn is_keep_alive(payload: &[u8]) -> bool {
    matches!(payload.trim_ascii(), b"" | b"PING" | b"PONG")
}

fn general<'p>(payload: &'p [u8], model: Model, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let mut scanner = Scanner::of_bytes(payload)?;
    let mut tally = Tally::default();
    if scanner.peek() == Some(b'[') {
        scanner.array(|scanner| {
            tally.take(element(scanner, model, message)?);
            Ok(())
        })?;
    } else {
        tally.take(element(&mut scanner, model, message)?);
    }
    scanner.finish()?;
    Ok(tally.verdict(model))
}

/// What the elements of a message came to.
#[derive(Default)]
struct Tally {
    ok: bool,
    ignored: Option<Ignored>,
    fault: Option<Fault>,
}

impl Tally {
    fn take(&mut self, judged: Result<Verdict, Fault>) {
        match judged {
            Ok(Verdict::Ignored(why)) => _ = self.ignored.get_or_insert(why),
            Ok(_) => self.ok = true,
            Err(fault) => _ = self.fault.get_or_insert(fault),
        }
    }

    fn verdict(&self, model: Model) -> Verdict {
        let understood = self.ok || self.ignored.is_some();
        match self.fault {
            // To the reference one bad event spoils the message.
            Some(fault) if model == Model::Exact && understood => Verdict::Partial(fault),
            Some(fault) => Verdict::Malformed(fault),
            None if self.ok => Verdict::Ok,
            None => Verdict::Ignored(self.ignored.unwrap_or(Ignored::Empty)),
        }
    }
}

/// Judges the element at hand, of which nothing stays in the message if it is bad; the outer fault is that of broken JSON.
fn element<'p>(
    scanner: &mut Scanner<'p>,
    model: Model,
    message: &mut Message<'p>,
) -> Result<Result<Verdict, Fault>, Fault> {
    let Some(event) = Event::read(scanner)? else {
        return Ok(match model {
            Model::Exact => Err(Fault::NotAMessage),
            Model::Basis => Ok(Verdict::Ignored(Ignored::Unknown)),
        });
    };
    let (updates, hashes, left_out): (usize, Hashes, LeftOut) =
        (message.updates.len(), message.hashes, message.left_out);
    let judged = judge(&event, model, message);
    if judged.is_ok() {
        // Of several events the latest tells when the message was sent.
        message.venue_time_ns = message.venue_time_ns.max(event.time_ns());
    } else {
        message.updates.truncate(updates);
        (message.hashes, message.left_out) = (hashes, left_out);
    }
    Ok(judged)
}

fn judge<'p>(event: &Event<'p>, model: Model, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let Some(kind) = event.event_type.if_string() else {
        return Ok(Verdict::Ignored(Ignored::Unknown));
    };
    match (kind.decoded(&mut Buffer::new()), model) {
        ("book", _) => book(event, model, message),
        ("price_change", Model::Exact) => price_change(event, message),
        ("price_change", Model::Basis) => basis_price_change(event, message),
        ("last_trade_price", Model::Exact) => last_trade_price(event, message),
        ("tick_size_change", Model::Exact) => tick_size_change(event, message),
        ("best_bid_ask", Model::Exact) => best_bid_ask(event, message),
        ("last_trade_price" | "tick_size_change" | "best_bid_ask" | "new_market" | "market_resolved", _) => {
            Ok(Verdict::Ignored(Ignored::OfNoInterest))
        }
        _ => Ok(Verdict::Ignored(Ignored::Unknown)),
    }
}

fn book<'p>(event: &Event<'p>, model: Model, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let market = event.asset_id.string()?.raw;
    if model == Model::Exact && event.bids.is_absent() && event.asks.is_absent() && event.unknown_container {
        // Not an empty book, but sides that go by other names.
        return Ok(Verdict::Ignored(Ignored::Unknown));
    }
    message.push(market, Change::Clear);
    for (levels, side) in [(event.bids, Side::Bid), (event.asks, Side::Ask)] {
        let levels = if model == Model::Exact { levels.unless_null() } else { levels };
        if levels.is_absent() {
            continue;
        }
        levels.array()?.array(|scanner| {
            let level = Level::read(scanner)?;
            let (price_text, size_text) = (level.price.string()?, level.size.string()?);
            let price = price(price_text, model);
            let size = match model {
                Model::Exact => figure::signed_contracts(size_text.decoded(&mut Buffer::new())),
                Model::Basis => size(size_text, model),
            };
            if model == Model::Exact && size.is_ok_and(|size| size <= 0) && price.is_ok() {
                message.left_out.without_size += 1;
                return Ok(());
            }
            message.push_or_count(market, figure::set(side, price, size))
        })?;
    }
    if let Some(hashed) = hashed(event, model) {
        hashed.count(&mut message.hashes);
    }
    Ok(Verdict::Ok)
}

/// The snapshot as its hash has it, if it carries one.
fn hashed<'p>(event: &Event<'p>, model: Model) -> Option<Hashed<'p>> {
    let hash = event.hash.if_string()?.raw;
    if model == Model::Exact && hash.is_empty() {
        return None;
    }
    let raw = |field: Field<'p>| field.if_string().map(|text| text.raw);
    let min_order_size = raw(event.min_order_size).filter(|_| model == Model::Exact);
    Some(Hashed {
        hash,
        market: raw(event.market),
        asset_id: raw(event.asset_id),
        timestamp: raw(event.timestamp),
        bids: event.bids.if_array(),
        asks: event.asks.if_array(),
        min_order_size,
        tick_size: raw(event.tick_size),
        last_trade_price: raw(event.last_trade_price),
    })
}

fn price_change<'p>(event: &Event<'p>, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let left_out = message.left_out;
    let updates = message.updates.len();
    event.each_entry(|entry| level_of(entry, message))?;
    // The best prices hold once all of the event is applied.
    event.each_entry(|entry| {
        let market = entry.asset_id.string()?.raw;
        match best(entry.best_bid, entry.best_ask) {
            Ok(None) => Ok(()),
            Ok(Some(best)) => message.push_or_count(market, Ok(best)),
            Err(unfit) => message.left_out.count(unfit),
        }
    })?;
    let said = message.updates.len() > updates || message.left_out != left_out;
    Ok(if said { Verdict::Ok } else { Verdict::Ignored(Ignored::Empty) })
}

/// An entry's level; without a size it has only the best prices to tell.
fn level_of<'p>(entry: &Entry<'p>, message: &mut Message<'p>) -> Result<(), Fault> {
    let market = entry.asset_id.string()?.raw;
    let side = side(entry.side.string()?)?;
    let price = price(entry.price.string()?, Model::Exact);
    match entry.size.optional_string()? {
        Some(text) => message.push_or_count(market, figure::set(side, price, size(text, Model::Exact))),
        None => price.map(drop).or_else(|unfit| message.left_out.count(unfit)),
    }
}

fn basis_price_change<'p>(event: &Event<'p>, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let mut said = false;
    event.price_changes.array()?.array(|scanner| {
        let entry = Entry::read(scanner)?;
        let market = entry.asset_id.string()?.raw;
        let (price_text, size_text) = (entry.price.string()?, entry.size.string()?);
        let (price, size) = (price(price_text, Model::Basis), size(size_text, Model::Basis));
        said = true;
        message.push_or_count(market, figure::set(side(entry.side.string()?)?, price, size))
    })?;
    Ok(if said { Verdict::Ok } else { Verdict::Ignored(Ignored::Empty) })
}

fn last_trade_price<'p>(event: &Event<'p>, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let market = event.asset_id.string()?.raw;
    let price = price(event.price.string()?, Model::Exact);
    let taker = event.side.optional_string()?.map(side).transpose()?;
    let trade = match event.size.optional_string()? {
        None => price.map(|price| (price, None)),
        Some(text) => {
            figure::both(price, size(text, Model::Exact)).map(|(price, size)| (price, Some(Size(size))))
        }
    };
    let trade = trade.map(|(price, size)| Change::Trade { price: Price(price), size, taker });
    message.push_or_count(market, trade).map(|()| Verdict::Ok)
}

fn tick_size_change<'p>(event: &Event<'p>, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let market = event.asset_id.string()?.raw;
    let tick = figure::inner_probability(event.new_tick_size.string()?.decoded(&mut Buffer::new()));
    let tick = tick.map(|tick| Change::TickSize { tick: Price(tick) });
    message.push_or_count(market, tick).map(|()| Verdict::Ok)
}

fn best_bid_ask<'p>(event: &Event<'p>, message: &mut Message<'p>) -> Result<Verdict, Fault> {
    let market = event.asset_id.string()?.raw;
    let change = best(event.best_bid, event.best_ask).and_then(|best| best.ok_or(Fault::MissingField.into()));
    message.push_or_count(market, change).map(|()| Verdict::Ok)
}

/// The best prices, if both are told. An empty side is a bid of 0, an ask of a dollar, or an empty text.
fn best(bid: Field<'_>, ask: Field<'_>) -> Result<Option<Change>, Unfit> {
    let (bid, ask) = (bid.unless_null(), ask.unless_null());
    if bid.is_absent() || ask.is_absent() {
        return Ok(None);
    }
    let (nothing, dollar) = (0, Scale::PREDICTION.dollar().0);
    let read = |field: Field<'_>, nobody: i64| match field.string()?.decoded(&mut Buffer::new()) {
        "" => Ok(nobody),
        text => figure::probability(text),
    };
    let (bid, ask) = figure::both(read(bid, nothing), read(ask, dollar))?;
    let quoted = |price: i64, nobody: i64| (price != nobody).then_some(Price(price));
    Ok(Some(Change::Best { bid: quoted(bid, nothing), ask: quoted(ask, dollar) }))
}

fn side(word: Text<'_>) -> Result<Side, Fault> {
    match word.decoded(&mut Buffer::new()) {
        "BUY" => Ok(Side::Bid),
        "SELL" => Ok(Side::Ask),
        _ => Err(Fault::BadWord),
    }
}

fn price(text: Text<'_>, model: Model) -> Figure {
    let mut buffer = Buffer::new();
    let text = text.decoded(&mut buffer);
    match model {
        Model::Exact => figure::probability(text),
        Model::Basis => basis_figure::probability(text),
    }
}

fn size(text: Text<'_>, model: Model) -> Figure {
    let mut buffer = Buffer::new();
    let text = text.decoded(&mut buffer);
    match model {
        Model::Exact => figure::contracts(text),
        Model::Basis => basis_figure::contracts(text),
    }
}
