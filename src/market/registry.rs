//! The contract registry: which ticker and which tokens are the same event.
//!
//! A TOML file of `[[event]]` tables, each with `id` and, as far as there are any, `kalshi` (a market ticker),
//! `polymarket_token` (the YES token), `polymarket_no_token` and `basket` (a group of outcomes that exclude each
//! other). `description` and `polymarket_market` are for people. `[[instrument]]` tables declare the scale of a coin:
//! `venue`, `symbol`, and `price_decimals` and `size_decimals` from 0 to 8, each 8 if left out.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::model::{Scale, Venue};
pub use super::registry_error::{Problem, RegistryError, RegistryFault};

/// Largest file that is read: some fifteen thousand events.
pub const MAX_REGISTRY_BYTES: u64 = 8 << 20;

const EVENT_KEYS: &str =
    "id, kalshi, polymarket_token, polymarket_no_token, basket, description, polymarket_market";
const INSTRUMENT_KEYS: &str = "venue, symbol, price_decimals, size_decimals";

/// One outcome in the world, and the markets where it is traded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Our name of it.
    pub id: String,
    /// Kalshi's market ticker.
    pub kalshi: Option<String>,
    /// Polymarket's token that pays if it comes true.
    pub polymarket_yes: Option<String>,
    /// Polymarket's token that pays if it doesn't.
    pub polymarket_no: Option<String>,
    /// Place of its basket in [`Registry::baskets`].
    pub basket: Option<usize>,
}

/// Outcomes of which at most one comes true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basket {
    /// Our name of it.
    pub id: String,
    /// Places in [`Registry::events`], in the file's order; two at least.
    pub members: Vec<usize>,
}

/// The scale that was declared for a coin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instrument {
    /// Binance or Coinbase.
    pub venue: Venue,
    /// The venue's name of it.
    pub symbol: String,
    /// What its prices and sizes count.
    pub scale: Scale,
}

/// What a registry file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Registry {
    events: Vec<Event>,
    baskets: Vec<Basket>,
    dropped_baskets: Vec<String>,
    instruments: Vec<Instrument>,
}

impl Registry {
    /// What the file at `path` says.
    ///
    /// # Errors
    /// A file that can't be read, is above [`MAX_REGISTRY_BYTES`], or has a fault.
    pub fn load(path: &Path) -> Result<Self, RegistryError> {
        let mut bytes = Vec::new();
        let read =
            File::open(path).and_then(|file| file.take(MAX_REGISTRY_BYTES + 1).read_to_end(&mut bytes));
        read.map_err(|source| RegistryError::Read { path: path.to_owned(), source })?;
        if bytes.len() as u64 > MAX_REGISTRY_BYTES {
            return Err(RegistryError::TooLarge { path: path.to_owned(), limit: MAX_REGISTRY_BYTES });
        }
        Self::from_toml(&bytes).map_err(|fault| RegistryError::Fault { path: path.to_owned(), fault })
    }

    /// What a file's text says.
    ///
    /// # Errors
    /// The first fault in it.
    pub fn from_toml(text: &[u8]) -> Result<Self, RegistryFault> {
        let lines = Lines(text);
        let text =
            std::str::from_utf8(text).map_err(|error| lines.fault(error.valid_up_to(), Problem::NotUtf8))?;
        let root = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            lines.fault(at, Problem::NotToml(error.message().escape_debug().to_string()))
        })?;
        let mut reader = Reader { lines, faults: Vec::new() };
        let registry = reader.registry(root.get_ref());
        match reader.faults.into_iter().min_by_key(|(at, _)| *at) {
            Some((at, problem)) => Err(lines.fault(at, problem)),
            None => Ok(registry),
        }
    }

    /// All events, in the file's order.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The baskets with two members or more, in the order of their first ones.
    #[must_use]
    pub fn baskets(&self) -> &[Basket] {
        &self.baskets
    }

    /// Baskets of a single event, which say nothing and are left out; in the file's order.
    #[must_use]
    pub fn dropped_baskets(&self) -> &[String] {
        &self.dropped_baskets
    }

    /// The declared coins, in the file's order.
    #[must_use]
    pub fn instruments(&self) -> &[Instrument] {
        &self.instruments
    }

    /// What to subscribe to at Kalshi, in the file's order.
    pub fn kalshi_tickers(&self) -> impl Iterator<Item = &str> {
        self.events.iter().filter_map(|event| event.kalshi.as_deref())
    }

    /// What to subscribe to at Polymarket, in the file's order: the YES tokens, with which the venue sends the NO
    /// tokens' changes.
    pub fn polymarket_tokens(&self) -> impl Iterator<Item = &str> {
        self.events.iter().filter_map(|event| event.polymarket_yes.as_deref())
    }
}

/// Lines of a text, by offset.
#[derive(Clone, Copy)]
struct Lines<'t>(&'t [u8]);

impl Lines<'_> {
    fn line(self, at: usize) -> usize {
        let before = self.0.get(..at).unwrap_or(self.0);
        1 + before.iter().filter(|&&byte| byte == b'\n').count()
    }

    fn fault(self, at: usize, problem: Problem) -> RegistryFault {
        RegistryFault { line: self.line(at), problem }
    }
}

/// A name, and where it stands.
type Name<'t> = (&'t str, usize);

/// Where a ticker or token stood first, and under which key.
type Mapped<'t> = BTreeMap<&'t str, (&'static str, usize)>;

/// Collects all faults, since a table's keys don't come in the file's order.
struct Reader<'t> {
    lines: Lines<'t>,
    faults: Vec<(usize, Problem)>,
}

impl<'t> Reader<'t> {
    fn registry(&mut self, root: &'t DeTable<'_>) -> Registry {
        let mut registry = Registry::default();
        for (key, value) in root {
            let at = key.span().start;
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("event", value) => self.events(value, at, &mut registry),
                ("instrument", value) => self.instruments(value, at, &mut registry),
                (key, DeValue::Table(_)) => self.fault(at, Problem::UnknownTable(key.to_owned())),
                (key, DeValue::Array(list)) if list.iter().any(|one| one.get_ref().is_table()) => {
                    self.fault(at, Problem::UnknownTable(key.to_owned()));
                }
                (key, _) => self.fault(at, Problem::OutsideTable(key.to_owned())),
            }
        }
        registry
    }

    fn fault(&mut self, at: usize, problem: Problem) {
        self.faults.push((at, problem));
    }

    /// The tables of a list, each with its offset.
    fn tables<'v>(
        &mut self,
        name: &'static str,
        value: &'v DeValue<'_>,
        at: usize,
    ) -> Vec<(&'v DeTable<'v>, usize)> {
        let Some(list) = value.as_array() else {
            let problem = match value {
                DeValue::Table(_) => Problem::NotAList(name),
                _ => Problem::OutsideTable(name.to_owned()),
            };
            self.fault(at, problem);
            return Vec::new();
        };
        let mut tables = Vec::with_capacity(list.len());
        for one in list.iter() {
            match one.get_ref().as_table() {
                Some(table) => tables.push((table, one.span().start)),
                None => self.fault(one.span().start, Problem::NotAList(name)),
            }
        }
        tables
    }

    fn events(&mut self, value: &'t DeValue<'_>, at: usize, registry: &mut Registry) {
        let (mut ids, mut tickers, mut tokens) = (BTreeMap::new(), Mapped::new(), Mapped::new());
        // By name: place among those seen, in the order of their first members.
        let mut baskets: BTreeMap<&str, usize> = BTreeMap::new();
        let mut grouped: Vec<Basket> = Vec::new();
        for (table, at) in self.tables("event", value, at) {
            let faults = self.faults.len();
            let [mut id, mut kalshi, mut yes, mut no, mut basket] = [None; 5];
            for (key, value) in table {
                let place = match key.get_ref().as_ref() {
                    "id" => &mut id,
                    "kalshi" => &mut kalshi,
                    "polymarket_token" => &mut yes,
                    "polymarket_no_token" => &mut no,
                    "basket" => &mut basket,
                    "description" | "polymarket_market" => continue,
                    other => {
                        let problem = Problem::UnknownKey { key: other.to_owned(), known: EVENT_KEYS };
                        self.fault(key.span().start, problem);
                        continue;
                    }
                };
                *place = self.name(key.get_ref(), value);
            }
            match id {
                Some((id, at)) => {
                    if let Some(first) = ids.insert(id, at) {
                        let first_line = self.lines.line(first);
                        self.fault(at, Problem::RepeatedId { id: id.to_owned(), first_line });
                    }
                }
                // Where something else is wrong, such as a key that may be meant for it, that is what is told.
                None if self.faults.len() > faults => {}
                None => self.fault(at, Problem::Missing { table: "an [[event]]", key: "id" }),
            }
            self.map(&mut tickers, "kalshi", kalshi);
            self.map(&mut tokens, "polymarket_token", yes);
            self.map(&mut tokens, "polymarket_no_token", no);
            let basket = basket.map(|(name, _)| {
                *baskets.entry(name).or_insert_with(|| {
                    grouped.push(Basket { id: name.to_owned(), members: Vec::new() });
                    grouped.len() - 1
                })
            });
            if let Some(basket) = basket.and_then(|basket| grouped.get_mut(basket)) {
                basket.members.push(registry.events.len());
            }
            let owned = |name: Option<Name<'_>>| name.map(|(name, _)| name.to_owned());
            registry.events.push(Event {
                id: owned(id).unwrap_or_default(),
                kalshi: owned(kalshi),
                polymarket_yes: owned(yes),
                polymarket_no: owned(no),
                basket: None,
            });
        }
        for basket in grouped {
            if basket.members.len() < 2 {
                registry.dropped_baskets.push(basket.id);
                continue;
            }
            for &member in &basket.members {
                if let Some(event) = registry.events.get_mut(member) {
                    event.basket = Some(registry.baskets.len());
                }
            }
            registry.baskets.push(basket);
        }
    }

    /// A string that can be a name.
    fn name<'v>(&mut self, key: &str, value: &'v Spanned<DeValue<'_>>) -> Option<Name<'v>> {
        let at = value.span().start;
        let Some(name) = value.get_ref().as_str() else {
            let found = value.get_ref().type_str();
            self.fault(at, Problem::NotAString { key: key.to_owned(), found });
            return None;
        };
        if name.trim().is_empty() {
            self.fault(at, Problem::Empty(key.to_owned()));
            return None;
        }
        if name.chars().any(|char| char == '\\' || char == '"' || char.is_control()) {
            self.fault(at, Problem::OddName { key: key.to_owned(), name: name.to_owned() });
            return None;
        }
        Some((name, at))
    }

    fn map<'v>(&mut self, mapped: &mut Mapped<'v>, key: &'static str, name: Option<Name<'v>>) {
        let Some((name, at)) = name else { return };
        let Some((first_key, first)) = mapped.insert(name, (key, at)) else { return };
        let (name, first_line) = (name.to_owned(), self.lines.line(first));
        self.fault(
            at,
            if first_key == key {
                Problem::MappedTwice { key, name, first_line }
            } else {
                Problem::TwoRoles { name, key, first_key, first_line }
            },
        );
    }

    fn instruments(&mut self, value: &'t DeValue<'_>, at: usize, registry: &mut Registry) {
        let mut declared = BTreeMap::new();
        for (table, at) in self.tables("instrument", value, at) {
            let faults = self.faults.len();
            let (mut venue, mut symbol, mut scale) = (None, None, Scale::COIN);
            for (key, value) in table {
                let place = match key.get_ref().as_ref() {
                    "venue" => &mut venue,
                    "symbol" => &mut symbol,
                    "price_decimals" => {
                        self.decimals(key.get_ref(), value, &mut scale.price_decimals);
                        continue;
                    }
                    "size_decimals" => {
                        self.decimals(key.get_ref(), value, &mut scale.size_decimals);
                        continue;
                    }
                    other => {
                        let problem = Problem::UnknownKey { key: other.to_owned(), known: INSTRUMENT_KEYS };
                        self.fault(key.span().start, problem);
                        continue;
                    }
                };
                *place = self.name(key.get_ref(), value);
            }
            for (key, name) in [("venue", venue), ("symbol", symbol)] {
                if name.is_none() && self.faults.len() == faults {
                    self.fault(at, Problem::Missing { table: "an [[instrument]]", key });
                }
            }
            let (Some((venue, venue_at)), Some((symbol, at))) = (venue, symbol) else { continue };
            let Some(venue) = Venue::of_name(venue.as_bytes()).filter(|venue| !venue.is_prediction()) else {
                self.fault(venue_at, Problem::NoCoins(venue.to_owned()));
                continue;
            };
            if let Some(first) = declared.insert((venue, symbol), at) {
                let first_line = self.lines.line(first);
                self.fault(at, Problem::RepeatedInstrument { symbol: symbol.to_owned(), first_line });
            }
            registry.instruments.push(Instrument { venue, symbol: symbol.to_owned(), scale });
        }
    }

    fn decimals(&mut self, key: &str, value: &Spanned<DeValue<'_>>, places: &mut u8) {
        let integer = value.get_ref().as_integer().filter(|integer| integer.radix() == 10);
        match integer.and_then(|integer| integer.as_str().parse().ok()) {
            Some(read @ 0..=8) => *places = read,
            _ => self.fault(value.span().start, Problem::BadDecimals(key.to_owned())),
        }
    }
}
