//! The decoder's judge: any key order, any whitespace, escapes, duplicates, and every refusal in its proper order.

use std::ops::Range;

use super::message::DEFAULT_PRICE_RANGES;
use super::message::{Direction, PriceRange, Status, WakeAck, WakeMessage};
use super::number;
use super::refusal::{Position, Refusal, Rule, SyntaxError};
use super::schema::{ACK, MAX_KEYS, Schema, WAKE};
use super::syntax::{Kind, Scanner, Value};
use super::text;

/// Decodes a wake from a text in any layout.
pub(super) fn wake<'a>(
    text: &'a str,
    unescaped: &'a mut String,
    ranges: &'a mut Vec<PriceRange>,
) -> Result<WakeMessage<'a>, Refusal> {
    use super::schema::wake as keys;

    let fields = Fields::read(text, &WAKE, unescaped)?;
    // In wire order: the first field that breaks a rule is the one reported.
    let schema_version = fields.integer(keys::SCHEMA_VERSION, 0)?;
    let correlation_id = fields.string(keys::CORRELATION_ID, unescaped)?;
    let market_ticker = fields.string(keys::MARKET_TICKER, unescaped)?;
    let asset = fields.string(keys::ASSET, unescaped)?;
    let direction = fields.word(keys::DIRECTION, unescaped, "\"yes\" or \"no\"", Direction::parse)?;
    let kalshi_price = fields.double(keys::KALSHI_PRICE, 0.0)?;
    let model_probability = fields.double(keys::MODEL_PROBABILITY, 0.0)?;
    let fee = fields.double(keys::FEE, 0.0)?;
    let edge = fields.double(keys::EDGE, 0.0)?;
    let decision_ts_ms = fields.integer(keys::DECISION_TS_MS, 0)?;
    let sent_at_ms = fields.integer(keys::SENT_AT_MS, 0)?;
    let sent_at_ns = fields.integer(keys::SENT_AT_NS, 0)?;
    let recv_ns = fields.integer(keys::RECV_NS, 0)?;
    let clock_domain = fields.string(keys::CLOCK_DOMAIN, unescaped)?;
    let dry_run = fields.boolean(keys::DRY_RUN)?;
    let wire_price_yes_dollars = fields.double(keys::WIRE_PRICE_YES_DOLLARS, 0.0)?;
    let exchange_index = fields.integer(keys::EXCHANGE_INDEX, -1)?;
    let available_size_contracts = fields.double(keys::AVAILABLE_SIZE_CONTRACTS, 0.0)?;
    let has_ranges = fields.price_ranges(keys::PRICE_RANGES, ranges)?;
    let correlation_group = fields.string(keys::CORRELATION_GROUP, unescaped)?;

    let unescaped = unescaped.as_str();
    Ok(WakeMessage {
        schema_version,
        correlation_id: correlation_id.resolve(text, unescaped),
        market_ticker: market_ticker.resolve(text, unescaped),
        asset: asset.resolve(text, unescaped),
        direction,
        kalshi_price,
        model_probability,
        fee,
        edge,
        decision_ts_ms,
        sent_at_ms,
        sent_at_ns,
        recv_ns,
        clock_domain: clock_domain.resolve(text, unescaped),
        dry_run,
        wire_price_yes_dollars,
        exchange_index,
        available_size_contracts,
        price_ranges: if has_ranges { ranges } else { DEFAULT_PRICE_RANGES },
        correlation_group: correlation_group.resolve(text, unescaped),
    })
}

/// Decodes an ack from a text in any layout.
pub(super) fn ack<'a>(text: &'a str, unescaped: &'a mut String) -> Result<WakeAck<'a>, Refusal> {
    use super::schema::ack as keys;

    let fields = Fields::read(text, &ACK, unescaped)?;
    let schema_version = fields.integer(keys::SCHEMA_VERSION, 0)?;
    let correlation_id = fields.string(keys::CORRELATION_ID, unescaped)?;
    let received_at_ms = fields.integer(keys::RECEIVED_AT_MS, 0)?;
    let status = fields.word(keys::STATUS, unescaped, "\"accepted\" or \"rejected\"", Status::parse)?;
    let reason = match &fields.values[keys::REASON] {
        None | Some(Value { kind: Kind::Null, .. }) => None,
        Some(_) => Some(fields.string(keys::REASON, unescaped)?),
    };
    let unescaped = unescaped.as_str();
    Ok(WakeAck {
        schema_version,
        correlation_id: correlation_id.resolve(text, unescaped),
        received_at_ms,
        status,
        reason: reason.map(|reason| reason.resolve(text, unescaped)),
    })
}

/// A string that stands in the text, or in the unescaped copy.
enum Place {
    Text(Range<usize>),
    Unescaped(Range<usize>),
}

impl Place {
    fn resolve<'a>(self, text: &'a str, unescaped: &'a str) -> &'a str {
        match self {
            Self::Text(range) => &text[range],
            Self::Unescaped(range) => &unescaped[range],
        }
    }
}

/// The last value of each key of a message.
struct Fields<'a> {
    text: &'a str,
    schema: &'static Schema,
    values: [Option<Value>; MAX_KEYS],
}

impl<'a> Fields<'a> {
    /// Checks the whole text, then that it is an object with the schema's keys. `unescaped` is cleared and used.
    fn read(text: &'a str, schema: &'static Schema, unescaped: &mut String) -> Result<Self, Refusal> {
        let mut fields = Self { text, schema, values: [const { None }; MAX_KEYS] };
        let mut scanner = Scanner::new(text);
        if text.is_empty() {
            return Err(Refusal::Syntax { error: SyntaxError::ZeroLength, position: Position::START });
        }
        if text.starts_with('\u{feff}') {
            return Err(scanner.refuse(SyntaxError::ByteOrderMark, 0));
        }
        match scanner.peek() {
            None => Err(Refusal::Syntax { error: SyntaxError::OnlyWhitespace, position: Position::START }),
            Some(b'{') => {
                let stranger = fields.members(&mut scanner, unescaped)?;
                scanner.finish()?;
                match stranger {
                    Some(stranger) => Err(stranger),
                    None => fields.check_required().map(|()| fields),
                }
            }
            Some(_) => {
                let value = scanner.value(0)?;
                scanner.finish()?;
                let number = &text[value.span];
                let found = match value.kind {
                    // orjson reads an integer that fits no 64-bit word as a float.
                    Kind::Integer if number.parse::<i64>().is_err() && number.parse::<u64>().is_err() => {
                        Kind::Float
                    }
                    kind => kind,
                };
                let found = found.python_type();
                Err(Refusal::NotAMapping { class: schema.class, found })
            }
        }
    }

    /// Reads the object's members; the inner result is the refusal of the first key that the message doesn't have,
    /// which counts only if the rest of the text is sound.
    fn members(
        &mut self,
        scanner: &mut Scanner<'_>,
        unescaped: &mut String,
    ) -> Result<Option<Refusal>, Refusal> {
        let mut stranger = None;
        let mut more = scanner.take(b'{') && !scanner.take(b'}');
        while more {
            let key = scanner.key()?;
            let key = contents(self.text, &key);
            unescaped.clear();
            let key = if key.contains('\\') {
                text::unescape(key, unescaped);
                unescaped.as_str()
            } else {
                key
            };
            let index = (self.schema.index_of)(key.as_bytes());
            if index.is_none() && stranger.is_none() {
                let class = self.schema.class;
                stranger = Some(match key {
                    "self" => Refusal::SelfKey { class },
                    key => Refusal::UnexpectedKey { class, key: key.to_owned() },
                });
            }
            let value = scanner.value(1)?;
            if let Some(index) = index {
                self.values[index] = Some(value);
            }
            more = scanner.more(b'}')?;
        }
        unescaped.clear();
        Ok(stranger)
    }

    fn check_required(&self) -> Result<(), Refusal> {
        let required = &self.schema.keys[..self.schema.required];
        if self.values[..required.len()].iter().all(Option::is_some) {
            return Ok(());
        }
        let absent = required.iter().zip(&self.values).filter(|(_, value)| value.is_none());
        Err(Refusal::MissingKeys { class: self.schema.class, keys: absent.map(|(key, _)| *key).collect() })
    }

    fn refuse(&self, rule: Rule, index: usize, expected: &'static str, value: &Value) -> Refusal {
        Refusal::stricter(rule, self.schema.keys[index], expected, &self.text[value.span.clone()])
    }

    fn integer(&self, index: usize, default: i64) -> Result<i64, Refusal> {
        let Some(value) = &self.values[index] else { return Ok(default) };
        if value.kind != Kind::Integer {
            return Err(self.refuse(Rule::FieldType, index, "an integer", value));
        }
        self.text[value.span.clone()]
            .parse()
            .map_err(|_| self.refuse(Rule::IntegerRange, index, "a signed 64-bit integer", value))
    }

    fn double(&self, index: usize, default: f64) -> Result<f64, Refusal> {
        match &self.values[index] {
            None => Ok(default),
            Some(value @ Value { kind: Kind::Integer | Kind::Float, .. }) => {
                Ok(number::double(&self.text[value.span.clone()]))
            }
            Some(value) => Err(self.refuse(Rule::FieldType, index, "a number", value)),
        }
    }

    fn boolean(&self, index: usize) -> Result<bool, Refusal> {
        match &self.values[index] {
            None => Ok(false),
            Some(value @ Value { kind: Kind::Bool, .. }) => {
                Ok(self.text[value.span.clone()].starts_with('t'))
            }
            Some(value) => Err(self.refuse(Rule::FieldType, index, "true or false", value)),
        }
    }

    fn string(&self, index: usize, unescaped: &mut String) -> Result<Place, Refusal> {
        let Some(value) = &self.values[index] else { return Ok(Place::Text(0..0)) };
        if value.kind != Kind::String {
            return Err(self.refuse(Rule::FieldType, index, "a string", value));
        }
        let content = contents(self.text, &value.span);
        if !content.contains('\\') {
            return Ok(Place::Text(value.span.start + 1..value.span.end - 1));
        }
        let start = unescaped.len();
        text::unescape(content, unescaped);
        Ok(Place::Unescaped(start..unescaped.len()))
    }

    fn word<W>(
        &self,
        index: usize,
        unescaped: &mut String,
        expected: &'static str,
        parse: fn(&str) -> Option<W>,
    ) -> Result<W, Refusal> {
        let mark = unescaped.len();
        let word = parse(self.string(index, unescaped)?.resolve(self.text, unescaped));
        unescaped.truncate(mark);
        let absent = Value { kind: Kind::Null, span: 0..0 };
        word.ok_or_else(|| {
            let value = self.values[index].as_ref().unwrap_or(&absent);
            self.refuse(Rule::Vocabulary, index, expected, value)
        })
    }

    /// Reads the rows into `ranges`; `false` when the key is absent.
    fn price_ranges(&self, index: usize, ranges: &mut Vec<PriceRange>) -> Result<bool, Refusal> {
        ranges.clear();
        let Some(value) = &self.values[index] else { return Ok(false) };
        if value.kind != Kind::Array {
            return Err(self.refuse(Rule::FieldType, index, "a list of [start, end, step] rows", value));
        }
        let mut scanner = Scanner::over(&self.text[..value.span.end], value.span.start);
        let mut more = scanner.take(b'[') && !scanner.take(b']');
        while more {
            let row = scanner.value(2)?;
            let range = self.price_range(&row).ok_or_else(|| {
                self.refuse(Rule::RangeShape, index, "made of rows of exactly three numbers", &row)
            })?;
            ranges.push(range);
            more = scanner.more(b']')?;
        }
        Ok(true)
    }

    fn price_range(&self, row: &Value) -> Option<PriceRange> {
        let mut scanner = Scanner::over(&self.text[..row.span.end], row.span.start);
        let mut number = |before: u8| {
            if !scanner.take(before) {
                return None;
            }
            let value = scanner.value(3).ok()?;
            matches!(value.kind, Kind::Integer | Kind::Float).then(|| number::double(&self.text[value.span]))
        };
        let range = PriceRange { start: number(b'[')?, end: number(b',')?, step: number(b',')? };
        scanner.take(b']').then_some(range)
    }
}

/// A string's text without its quotes.
fn contents<'a>(text: &'a str, span: &Range<usize>) -> &'a str {
    &text[span.start + 1..span.end - 1]
}
