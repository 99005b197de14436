//! What type a venue's message is of, by a look at the few fields that say so.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Type of a message that keeps a connection open: `PING`, `PONG`, or nothing but white space.
pub const KEEP_ALIVE: &str = "(keep-alive)";
/// Type of a message that isn't JSON, such as one that was cut.
pub const NOT_JSON: &str = "(not JSON)";
/// Type of a message that doesn't say.
pub const NO_TYPE: &str = "(no type)";
/// Type of an array whose elements are of several types, or that has none.
pub const ARRAY_OF_MANY_TYPES: &str = "[...]";

/// The type that a message gives itself: Polymarket's `event_type`, the `type` of Kalshi and Coinbase, what Binance has behind the `@`
/// of its `stream`, or in `e`. Of an array, the type of its elements in brackets.
pub(super) fn message_type(payload: &[u8]) -> Cow<'_, str> {
    let blank = payload.trim_ascii();
    if matches!(blank, b"" | b"PING" | b"PONG") {
        return Cow::Borrowed(KEEP_ALIVE);
    }
    let parsed = std::str::from_utf8(payload).ok().and_then(|text| serde_json::from_str(text).ok());
    match parsed {
        None => Cow::Borrowed(NOT_JSON),
        Some(Message::One(word)) => word.unwrap_or(Cow::Borrowed(NO_TYPE)),
        Some(Message::Many(Some(word))) => Cow::Owned(format!("[{word}]")),
        Some(Message::Many(None)) => Cow::Borrowed(ARRAY_OF_MANY_TYPES),
    }
}

enum Message<'p> {
    One(Option<Cow<'p, str>>),
    /// With the type of all its elements, if it is one.
    Many(Option<Cow<'p, str>>),
}

impl<'de> Deserialize<'de> for Message<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MessageVisitor)
    }
}

struct MessageVisitor;

impl<'de> Visitor<'de> for MessageVisitor {
    type Value = Message<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut named, mut stream, mut event) = (None, None, None);
        while let Some(Text(key)) = map.next_key()? {
            match key.as_deref() {
                Some("event_type" | "type") => keep_first(&mut named, map.next_value()?),
                Some("stream") => keep_first(&mut stream, map.next_value()?),
                Some("e") => keep_first(&mut event, map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let stream = stream.map(|stream| match stream.split_once('@') {
            Some((_, of_symbol)) => Cow::Owned(of_symbol.to_owned()),
            None => stream,
        });
        Ok(Message::One(named.or(stream).or(event)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut types: Option<Option<Cow<'de, str>>> = None;
        while let Some(element) = elements.next_element()? {
            let word = match element {
                Message::One(word) => word,
                Message::Many(_) => None,
            };
            match &mut types {
                None => types = Some(word),
                Some(first) if *first != word => *first = None,
                Some(_) => {}
            }
        }
        Ok(Message::Many(types.flatten()))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Message::One(None))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Message::One(None))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Message::One(None))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Message::One(None))
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Message::One(None))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Message::One(None))
    }
}

/// Of a repeated key the first counts.
fn keep_first<'de>(kept: &mut Option<Cow<'de, str>>, Text(found): Text<'de>) {
    if kept.is_none() {
        *kept = found;
    }
}

/// A string, or `None` for any other JSON.
struct Text<'de>(Option<Cow<'de, str>>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_map(map).map(|IgnoredAny| Text(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Self::Value, A::Error> {
        IgnoredAny.visit_seq(elements).map(|IgnoredAny| Text(None))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Text(None))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Text(None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_it_is() {
        let messages = [
            (r#"{"type":"orderbook_delta","sid":1,"msg":{"type":"inner"}}"#, "orderbook_delta"),
            (r#"{"msg":{"e":1},"event_type":"price_change","type":"later"}"#, "price_change"),
            (r#"[{"event_type":"book"},{"event_type":"book"}]"#, "[book]"),
            (r#"[{"event_type":"book"},{"event_type":"trade"},{"event_type":"book"}]"#, ARRAY_OF_MANY_TYPES),
            ("[]", ARRAY_OF_MANY_TYPES),
            ("[[{\"type\":\"deep\"}]]", ARRAY_OF_MANY_TYPES),
            (r#"{"stream":"btcusdt@depth@100ms","data":{"e":"depthUpdate"}}"#, "depth@100ms"),
            (r#"{"stream":"alone"}"#, "alone"),
            (r#"{"e":"depthUpdate","E":1}"#, "depthUpdate"),
            (r#"{"type":null,"e":{"type":"no"}}"#, NO_TYPE),
            (r#"{"type":["a"],"e":-1.5,"stream":true}"#, NO_TYPE),
            (r#"{"type":"caf\u00e9"}"#, "caf\u{e9}"),
            (r#"{"ty\u0070e":"escaped"}"#, "escaped"),
            ("5", NO_TYPE),
            ("\"text\"", NO_TYPE),
            ("null", NO_TYPE),
            ("", KEEP_ALIVE),
            (" \r", KEEP_ALIVE),
            ("PONG", KEEP_ALIVE),
            (r#"{"type":"cut","#, NOT_JSON),
            (r#"{"type":"a"} {"type":"b"}"#, NOT_JSON),
        ];
        for (message, word) in messages {
            assert_eq!(message_type(message.as_bytes()), word, "{message}");
        }
        assert_eq!(message_type(b"{\"type\":\"\xff\"}"), NOT_JSON);
    }
}
