//! All books of a recording: for each event one book of each venue, in the YES frame, and for each coin one of each
//! venue.

use super::book::Effect;
use super::health::Suspicion;
use super::instruments::{MAX_COINS, MarketIndex, Names, Target, is_symbol, unescaped};
use super::model::{Change, Message, Model, Price, Sequence, Side, Venue};
use super::registry::{Instrument, Registry};
use super::state::{Market, Numbering, Owner};
use super::subscriptions::{Continuity, SequenceCounts, Subscriptions};
use super::yes_frame::fold;

/// What became of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// Updates that went to a market.
    pub applied: usize,
    /// Updates of markets that nobody knows.
    pub unmapped: usize,
    /// Those of them that say something of a book.
    pub unmapped_deltas: usize,
    /// Updates that weren't applied, since the whole message came before.
    pub repeated: usize,
    /// What its number meant, if it had one.
    pub continuity: Option<Continuity>,
    /// Whether something was lost before it: a hole in the numbering, or, in the reference's model, also a first delta
    /// without a snapshot, for which the book was voided (counted among the updates).
    pub gap: bool,
    /// Whether it changed a book that isn't sound now.
    pub unsound: bool,
}

/// What happened to names that became no market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NameCounts {
    /// Updates of coins beyond [`MAX_COINS`].
    pub no_room: u64,
    /// Updates of names that can't be a coin's.
    pub no_symbol: u64,
}

/// A removal within the message that is being applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Removal {
    target: Target,
    side: Side,
    price: Price,
}

/// How many removals of a message are remembered, to know those that only repeat them of the other token.
const REMEMBERED: usize = 64;

/// The most levels that all books together have room for, unless told otherwise: some 300 MB.
pub const MAX_ROOM: usize = 16 << 20;

/// Markets by name, and what is known of each.
///
/// Feed it messages with [`Self::take`]. It allocates nothing once all markets were seen and their books have been as
/// deep as they get.
#[derive(Debug)]
pub struct Books {
    model: Model,
    names: Names,
    declared: Vec<Instrument>,
    with_coins: bool,
    coins: usize,
    markets: Vec<Market>,
    events: Vec<[Option<MarketIndex>; Venue::ALL.len()]>,
    subscriptions: Subscriptions,
    touched: Vec<MarketIndex>,
    /// What all books have room for, in levels.
    room: usize,
    most_room: usize,
    removals: Vec<Removal>,
    name_counts: NameCounts,
}

impl Books {
    /// Empty books of all events of a registry; those of coins are made when they are first heard of.
    #[must_use]
    pub fn new(registry: &Registry, model: Model) -> Self {
        let mut books = Self {
            model,
            names: Names::default(),
            declared: registry.instruments().to_vec(),
            with_coins: true,
            coins: 0,
            markets: Vec::new(),
            events: Vec::with_capacity(registry.events().len()),
            subscriptions: Subscriptions::new(model),
            touched: Vec::new(),
            room: 0,
            most_room: MAX_ROOM,
            removals: Vec::with_capacity(REMEMBERED),
            name_counts: NameCounts::default(),
        };
        for (place, event) in registry.events().iter().enumerate() {
            books.events.push([None; Venue::ALL.len()]);
            let names = [
                (Venue::Kalshi, &event.kalshi, false),
                (Venue::Polymarket, &event.polymarket_yes, false),
                (Venue::Polymarket, &event.polymarket_no, true),
            ];
            for (venue, name, folded) in names {
                let Some(name) = name else { continue };
                let market = match books.event_market(place, venue) {
                    Some(market) => market,
                    None => {
                        let scale = model.scale(venue);
                        let market = Market::new(venue, Owner::Event(place), &event.id, scale, scale);
                        let Some(market) = books.add(market) else { continue };
                        books.events[place][venue as usize] = Some(market);
                        market
                    }
                };
                books.names.insert(venue, name, Target { market, folded });
            }
        }
        books
    }

    /// The same without coins: all that Binance and Coinbase say is unmapped, as in the reference's replay.
    #[must_use]
    pub fn without_coins(mut self) -> Self {
        self.with_coins = false;
        self
    }

    /// The same with another limit than [`MAX_ROOM`]. A book that grows when there is no more room is given up: it is
    /// empty, and suspect until its next snapshot.
    #[must_use]
    pub fn with_room(mut self, levels: usize) -> Self {
        self.most_room = levels;
        self
    }

    fn add(&mut self, market: Market) -> Option<MarketIndex> {
        let index = MarketIndex(u32::try_from(self.markets.len()).ok()?);
        self.markets.push(market);
        Some(index)
    }

    /// Takes in a message that isn't malformed, also one that was ignored: it may carry a number. When it returns, all
    /// of it was applied, and [`Self::touched`] says to what.
    ///
    /// A malformed message must not be shown: what was lost with it is a hole in the numbering, and found as such.
    pub fn take(&mut self, venue: Venue, message: &Message<'_>, recv_ns: i64) -> Taken {
        self.begin();
        let mut taken = Taken::default();
        let numbering = self.number(message.sequence, &mut taken);
        if self.is_repeated(venue, message, taken.continuity) {
            taken.repeated = message.updates.len();
            return taken;
        }
        if self.model == Model::Basis && venue == Venue::Kalshi {
            self.judge_as_the_reference(message, &mut taken);
        }
        // The levels of a snapshot share one name, and mostly one text.
        let mut latest: Option<(&str, Option<Target>)> = None;
        for update in &message.updates {
            let target = match latest {
                Some((name, target)) if std::ptr::eq(name, update.market) => target,
                _ => self.resolve(venue, update.market),
            };
            latest = Some((update.market, target));
            match target {
                Some(target) => {
                    self.apply(target, update.change, numbering);
                    taken.applied += 1;
                }
                None => {
                    taken.unmapped += 1;
                    taken.unmapped_deltas += usize::from(update.change.is_delta());
                }
            }
        }
        if message.left_out.finer_than_scale + message.left_out.out_of_range > 0 {
            self.mark_incomplete(numbering);
        }
        self.end(recv_ns, &mut taken);
        taken
    }

    fn begin(&mut self) {
        for MarketIndex(index) in self.touched.drain(..) {
            if let Some(market) = self.markets.get_mut(index as usize) {
                market.touched = false;
            }
        }
        self.removals.clear();
    }

    fn number(&mut self, sequence: Option<Sequence>, taken: &mut Taken) -> Numbering {
        let Some(sequence) = sequence else { return Numbering::None };
        let (continuity, epoch) = self.subscriptions.see(sequence);
        taken.continuity = Some(continuity);
        taken.gap = matches!(continuity, Continuity::Gap { .. });
        epoch.map_or(Numbering::NotFollowed, Numbering::Epoch)
    }

    /// Whether all of a message was applied before.
    fn is_repeated(&mut self, venue: Venue, message: &Message<'_>, continuity: Option<Continuity>) -> bool {
        if continuity == Some(Continuity::Repeated) {
            return true;
        }
        let (Some(ids), Some(first)) = (message.update_ids, message.updates.first()) else { return false };
        if !matches!(first.change, Change::Set { .. }) {
            return false;
        }
        let Some(target) = self.resolve(venue, first.market) else { return false };
        self.market_mut(target.market).is_some_and(|market| !market.continues(ids))
    }

    /// The reference's parser of Kalshi sees a gap also in the first delta of a market without a snapshot, and on a gap
    /// voids the book of this market alone.
    fn judge_as_the_reference(&mut self, message: &Message<'_>, taken: &mut Taken) {
        let Some(first) = message.updates.first() else { return };
        let is_snapshot = first.change == Change::Clear;
        taken.gap |= self.subscriptions.is_first_delta(first.market, is_snapshot);
        if !taken.gap || is_snapshot {
            return;
        }
        match self.resolve(Venue::Kalshi, first.market) {
            Some(Target { market, .. }) => {
                taken.applied += 1;
                if let Some(market) = self.market_mut(market) {
                    market.void_book();
                }
            }
            None => {
                taken.unmapped += 1;
                taken.unmapped_deltas += 1;
            }
        }
    }

    /// What a venue's name stands for, as it is between the quotes of a message; a coin is made when it is first asked
    /// for. `None` for what the registry doesn't have, and for coins that are too many or have odd names: see
    /// [`Self::name_counts`].
    pub fn resolve(&mut self, venue: Venue, name: &str) -> Option<Target> {
        if let Some(target) = self.names.find(venue, name) {
            return Some(target);
        }
        self.resolve_other(venue, name)
    }

    #[cold]
    fn resolve_other(&mut self, venue: Venue, name: &str) -> Option<Target> {
        let unescaped = unescaped(name);
        let name = unescaped.as_deref().unwrap_or(name);
        if unescaped.is_some()
            && let Some(target) = self.names.find(venue, name)
        {
            return Some(target);
        }
        if venue.is_prediction() || !self.with_coins {
            return None;
        }
        if !is_symbol(name) {
            self.name_counts.no_symbol += 1;
            return None;
        }
        if self.coins >= MAX_COINS {
            self.name_counts.no_room += 1;
            return None;
        }
        let read = self.model.scale(venue);
        let declared = self.declared.iter().find(|coin| coin.venue == venue && coin.symbol == name);
        // The reference has one scale for all.
        let scale = declared.filter(|_| self.model == Model::Exact).map_or(read, |coin| coin.scale);
        let market = self.add(Market::new(venue, Owner::Coin, name, read, scale))?;
        self.coins += 1;
        let target = Target { market, folded: false };
        self.names.insert(venue, name, target);
        Some(target)
    }

    fn apply(&mut self, target: Target, change: Change, numbering: Numbering) {
        let Some(market) = self.markets.get_mut(target.market.get()) else { return };
        if !market.touched {
            market.touched = true;
            self.touched.push(target.market);
        }
        let change = if target.folded { fold(change, market.scale().dollar()) } else { change };
        let Some(effect) = market.apply(change, numbering) else { return };
        let Change::Set { side, price, .. } = change else { return };
        let removal = Removal { target, side, price };
        match effect {
            Effect::NotThere => {
                let folded = !target.folded;
                let mirrored = Removal { target: Target { folded, ..target }, ..removal };
                if self.removals.contains(&mirrored) {
                    market.count_mirrored();
                    return;
                }
            }
            Effect::Removed => {}
            Effect::Put | Effect::BelowZero | Effect::NoRoom => return,
        }
        if self.removals.len() < REMEMBERED {
            self.removals.push(removal);
        }
    }

    /// The message said more than its updates hold.
    fn mark_incomplete(&mut self, numbering: Numbering) {
        for &MarketIndex(index) in &self.touched {
            if let Some(market) = self.markets.get_mut(index as usize) {
                market.mark_incomplete();
            }
        }
        if let Numbering::Epoch(epoch) = numbering
            && self.touched.is_empty()
        {
            self.subscriptions.lose(epoch);
        }
    }

    fn end(&mut self, recv_ns: i64, taken: &mut Taken) {
        for &MarketIndex(index) in &self.touched {
            if let Some(market) = self.markets.get_mut(index as usize) {
                market.count_room(&mut self.room, self.most_room);
                let unsound = market.end_message(recv_ns, &self.subscriptions);
                taken.unsound |= unsound && self.model == Model::Exact;
            }
        }
    }

    /// The markets that the latest message said something of, in its order.
    #[must_use]
    pub fn touched(&self) -> &[MarketIndex] {
        &self.touched
    }

    /// A market; of another instance's index, whatever stands at its place, if anything does.
    #[must_use]
    pub fn market(&self, index: MarketIndex) -> Option<&Market> {
        self.markets.get(index.get())
    }

    fn market_mut(&mut self, index: MarketIndex) -> Option<&mut Market> {
        self.markets.get_mut(index.get())
    }

    /// All markets: first those of the events, in the registry's order, then those of coins as they were first heard
    /// of.
    pub fn markets(&self) -> impl Iterator<Item = (MarketIndex, &Market)> {
        (0..).map(MarketIndex).zip(&self.markets)
    }

    /// An event's market at a venue; the event is its place in the registry.
    #[must_use]
    pub fn event_market(&self, event: usize, venue: Venue) -> Option<MarketIndex> {
        self.events.get(event)?[venue as usize]
    }

    /// Whether a market's book is what the venue has, as far as can be known: if it isn't, it must publish no signal.
    /// The reference has no such notion, so in its model every book is.
    #[must_use]
    pub fn is_sound(&self, index: MarketIndex) -> bool {
        self.model == Model::Basis
            || self.market(index).is_some_and(|market| market.is_sound(&self.subscriptions))
    }

    /// Everything that speaks against a market's book; nothing does exactly if it is sound.
    pub fn suspicions(&self, index: MarketIndex) -> impl Iterator<Item = Suspicion> + use<> {
        let market = self.market(index).filter(|_| self.model == Model::Exact);
        market.map(|market| market.suspicions(&self.subscriptions)).into_iter().flatten()
    }

    /// What Kalshi's numbers meant.
    #[must_use]
    pub const fn sequence_counts(&self) -> SequenceCounts {
        self.subscriptions.counts()
    }

    /// What happened to names that became no market.
    #[must_use]
    pub const fn name_counts(&self) -> NameCounts {
        self.name_counts
    }
}
