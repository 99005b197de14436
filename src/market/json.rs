//! A strict JSON scanner that borrows from its text and allocates nothing.
//!
//! It accepts RFC 8259 and no more: valid UTF-8, no trailing comma, no lone surrogate, at most [`MAX_DEPTH`] levels. A parser names the
//! members it wants ([`Scanner::object`]) and takes the others as they come; arrays and objects can be kept ([`Value`])
//! and walked through later. Numbers keep their text: none is ever a float.

mod text;

pub(super) use text::{Buffer, Text};

use super::model::Fault;
use crate::wire::nesting::{MAX_DEPTH, Nesting};
use crate::wire::{scan, syntax};

/// A value that was checked. An array is its text, brackets included.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'p> {
    Null,
    Bool,
    Number(&'p str),
    String(Text<'p>),
    Array(&'p str),
    Object,
}

/// A member that an object has or hasn't.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Field<'p>(Option<Value<'p>>);

impl<'p> Field<'p> {
    /// Keeps the first of several values.
    pub(super) fn put(&mut self, value: Value<'p>) {
        self.0.get_or_insert(value);
    }

    pub(super) fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    /// The member as one that may as well be `null`.
    pub(super) fn unless_null(self) -> Self {
        Self(self.0.filter(|value| !matches!(value, Value::Null)))
    }

    /// The value, or that it is missing.
    pub(super) fn required(self) -> Result<Value<'p>, Fault> {
        self.0.ok_or(Fault::MissingField)
    }

    /// The string that must be here.
    pub(super) fn string(self) -> Result<Text<'p>, Fault> {
        match self.required()? {
            Value::String(text) => Ok(text),
            _ => Err(Fault::WrongType),
        }
    }

    /// The string, if it is one.
    pub(super) fn if_string(self) -> Option<Text<'p>> {
        self.string().ok()
    }

    /// The string that may be absent, `null` or empty.
    pub(super) fn optional_string(self) -> Result<Option<Text<'p>>, Fault> {
        match self.unless_null().0 {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.is_empty())),
            Some(_) => Err(Fault::WrongType),
        }
    }

    /// The integer, written as one, that must be here.
    pub(super) fn integer(self) -> Result<i64, Fault> {
        match self.required()? {
            Value::Number(number) if is_integer(number) => number.parse().map_err(|_| Fault::BadNumber),
            _ => Err(Fault::WrongType),
        }
    }

    /// The integer that may be absent or `null`.
    pub(super) fn optional_integer(self) -> Result<Option<i64>, Fault> {
        let field = self.unless_null();
        if field.is_absent() { Ok(None) } else { field.integer().map(Some) }
    }

    /// The unsigned integer, if it is one and written as one.
    pub(super) fn if_unsigned(self) -> Option<u64> {
        match self.0 {
            Some(Value::Number(number)) if is_integer(number) => number.parse().ok(),
            _ => None,
        }
    }

    /// The array's text, if it is one.
    pub(super) fn if_array(self) -> Option<&'p str> {
        match self.0 {
            Some(Value::Array(array)) => Some(array),
            _ => None,
        }
    }

    /// The array that must be here.
    pub(super) fn array(self) -> Result<Scanner<'p>, Fault> {
        match self.required()? {
            Value::Array(array) => Ok(Scanner::new(array)),
            _ => Err(Fault::WrongType),
        }
    }
}

impl Value<'_> {
    /// Whether it holds other values.
    pub(super) fn is_container(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Object)
    }
}

fn is_integer(number: &str) -> bool {
    !number.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}

/// Walks through a text value by value, checking as it goes. Its one fault is [`Fault::NotJson`].
#[derive(Debug)]
pub(super) struct Scanner<'p> {
    text: &'p str,
    at: usize,
    /// Arrays and objects that are open.
    depth: usize,
}

impl<'p> Scanner<'p> {
    pub(super) fn new(text: &'p str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// A scanner of bytes that must be UTF-8.
    pub(super) fn of_bytes(bytes: &'p [u8]) -> Result<Self, Fault> {
        std::str::from_utf8(bytes).map(Self::new).map_err(|_| Fault::NotJson)
    }

    /// Walks through a whole document if it is an object, see [`Scanner::object`]; `false` if it is something else.
    pub(super) fn document(
        bytes: &'p [u8],
        member: impl FnMut(&mut Self, Text<'p>) -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        let mut scanner = Self::of_bytes(bytes)?;
        let object = scanner.peek() == Some(b'{');
        if object {
            scanner.object(member)?;
        } else {
            scanner.value()?;
        }
        scanner.finish().map(|()| object)
    }

    /// Next byte that isn't white space, not consumed.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Consumes `byte` if it is the next one after white space.
    #[inline]
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.take(byte) { Ok(()) } else { Err(Fault::NotJson) }
    }

    /// Checks that nothing but white space is left.
    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(Fault::NotJson),
        }
    }

    /// Walks through the object at hand; `member` is given each key and consumes the value that follows it.
    #[inline]
    pub(super) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, Text<'p>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.enter(b'{')?;
        let mut more = !self.take(b'}');
        while more {
            let key = self.key()?;
            member(self, key)?;
            more = self.more(b'}')?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// The members of the value at hand, which may be anything.
    #[inline]
    pub(super) fn members(&mut self, mut member: impl FnMut(Text<'p>, Value<'p>)) -> Result<(), Fault> {
        if self.peek() != Some(b'{') {
            return self.value().and(Err(Fault::WrongType));
        }
        self.object(|scanner, key| {
            member(key, scanner.value()?);
            Ok(())
        })
    }

    /// Walks through the array at hand; `element` consumes a value each time.
    #[inline]
    pub(super) fn array(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.enter(b'[')?;
        let mut more = !self.take(b']');
        while more {
            element(self)?;
            more = self.more(b']')?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// The first `N` elements of the value at hand, which may be anything; those behind them are passed over.
    pub(super) fn tuple<const N: usize>(&mut self) -> Result<[Field<'p>; N], Fault> {
        if self.peek() != Some(b'[') {
            return self.value().and(Err(Fault::WrongType));
        }
        let (mut fields, mut place) = ([Field::default(); N], 0);
        self.array(|scanner| {
            let value = scanner.value()?;
            if let Some(field) = fields.get_mut(place) {
                field.put(value);
                place += 1;
            }
            Ok(())
        })?;
        Ok(fields)
    }

    fn enter(&mut self, bracket: u8) -> Result<(), Fault> {
        self.expect(bracket)?;
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(Fault::NotJson) } else { Ok(()) }
    }

    /// The key at hand and the colon behind it.
    #[inline]
    fn key(&mut self) -> Result<Text<'p>, Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::NotJson);
        }
        let key = self.string()?;
        self.expect(b':')?;
        Ok(key)
    }

    /// After an element of a container: `true` when a comma announces another one.
    #[inline]
    fn more(&mut self, close: u8) -> Result<bool, Fault> {
        if self.take(close) {
            return Ok(false);
        }
        self.expect(b',').map(|()| true)
    }

    /// The value at hand, whatever it is.
    #[inline]
    pub(super) fn value(&mut self) -> Result<Value<'p>, Fault> {
        match self.peek() {
            Some(b'{') => self.container().map(|_| Value::Object),
            Some(b'[') => self.container().map(Value::Array),
            _ => self.scalar(),
        }
    }

    #[inline]
    fn scalar(&mut self) -> Result<Value<'p>, Fault> {
        match self.text.as_bytes().get(self.at) {
            Some(b'"') => self.string().map(Value::String),
            Some(b't') => self.word("true", Value::Bool),
            Some(b'f') => self.word("false", Value::Bool),
            Some(b'n') => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    /// An array or object with everything in it, without recursion: what is sent must not decide our stack's depth.
    fn container(&mut self) -> Result<&'p str, Fault> {
        let start = self.at;
        let mut open = Nesting::default();
        self.open(&mut open)?;
        'elements: while !open.is_empty() {
            if open.innermost_is_object() {
                self.key()?;
            }
            if matches!(self.peek(), Some(b'{' | b'[')) {
                let depth = open.len();
                self.open(&mut open)?;
                if open.len() > depth {
                    continue 'elements;
                }
            } else {
                self.scalar()?;
            }
            while let Some(close) = open.closing() {
                if self.more(close)? {
                    continue 'elements;
                }
                open.pop();
            }
        }
        self.since(start)
    }

    /// Consumes an opening bracket and, when nothing stands in it, the closing one; pushes it only when something does.
    fn open(&mut self, open: &mut Nesting) -> Result<(), Fault> {
        let object = self.text.as_bytes().get(self.at) == Some(&b'{');
        self.at += 1;
        if self.depth + open.len() >= MAX_DEPTH {
            return Err(Fault::NotJson);
        }
        if !self.take(if object { b'}' } else { b']' }) {
            open.push(object);
        }
        Ok(())
    }

    fn word(&mut self, word: &str, value: Value<'p>) -> Result<Value<'p>, Fault> {
        let found = self.rest().starts_with(word.as_bytes());
        self.at += word.len();
        if found { Ok(value) } else { Err(Fault::NotJson) }
    }

    /// The string at hand.
    #[inline]
    fn string(&mut self) -> Result<Text<'p>, Fault> {
        let start = self.at + 1;
        let mut escaped = false;
        self.at = start;
        loop {
            self.at += scan::plain_length(self.rest());
            match self.text.as_bytes().get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += syntax::escape_length(self.rest()).map_err(|_| Fault::NotJson)?;
                }
                _ => return Err(Fault::NotJson),
            }
        }
        let raw = self.since(start)?;
        self.at += 1;
        Ok(Text { raw, escaped })
    }

    fn number(&mut self) -> Result<Value<'p>, Fault> {
        let start = self.at;
        self.at += usize::from(self.next_is(b"-"));
        let whole = self.at;
        let digits = self.digits()?;
        if digits > 1 && self.text.as_bytes().get(whole) == Some(&b'0') {
            return Err(Fault::NotJson);
        }
        if self.next_is(b".") {
            self.at += 1;
            self.digits()?;
        }
        if self.next_is(b"eE") {
            self.at += 1;
            self.at += usize::from(self.next_is(b"+-"));
            self.digits()?;
        }
        self.since(start).map(Value::Number)
    }

    /// Consumes digits, of which there must be one; their count.
    fn digits(&mut self) -> Result<usize, Fault> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count == 0 { Err(Fault::NotJson) } else { Ok(count) }
    }

    fn next_is(&self, any: &[u8]) -> bool {
        self.text.as_bytes().get(self.at).is_some_and(|byte| any.contains(byte))
    }

    fn rest(&self) -> &'p [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The text consumed since `start`.
    fn since(&self, start: usize) -> Result<&'p str, Fault> {
        self.text.get(start..self.at).ok_or(Fault::NotJson)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn checked(text: &[u8]) -> Result<Value<'_>, Fault> {
        let mut scanner = Scanner::of_bytes(text)?;
        let value = scanner.value()?;
        scanner.finish()?;
        Ok(value)
    }

    #[test]
    fn what_is_no_json_is_refused() {
        let wrong: [&[u8]; 41] = [
            b"",
            b" ",
            b"{",
            b"[",
            b"}",
            b"[1,]",
            b"[,1]",
            b"{\"a\":1,}",
            b"{\"a\"}",
            b"{\"a\":}",
            b"{a:1}",
            b"{1:2}",
            b"[1 2]",
            b"[1]]",
            b"1 2",
            b"01",
            b"-",
            b"-01",
            b"1.",
            b".5",
            b"+1",
            b"1e",
            b"1e+",
            b"0x1",
            b"NaN",
            b"nul",
            b"True",
            b"truee",
            b"\"",
            b"\"a",
            b"\"\x1f\"",
            b"\"\\x\"",
            b"\"\\u12\"",
            b"\"\\u12g4\"",
            b"\"\\ud800\"",
            b"\"\\ud800\\u0041\"",
            b"\"\\udc00\"",
            b"\"\xff\"",
            b"\xef\xbb\xbf{}",
            b"[1]\0",
            b"[\"a\\\"]",
        ];
        for text in wrong {
            assert_eq!(checked(text).err(), Some(Fault::NotJson), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn what_is_json_is_taken() {
        let right = [
            "{}",
            "[]",
            " {\"a\" : [ ] , \"b\":{ }}\r\n",
            "-0",
            "0.5",
            "1e5",
            "-12.50E-3",
            "1e400",
            "null",
            "\"\"",
            "[true,false,null,\"\\u00e9\\ud83d\\ude00\\n\\/\"]",
            "\"\u{7f}\u{2028}\u{1f600}\"",
            "{\"\":{\"\":[[[]]]}}",
        ];
        for text in right {
            assert!(checked(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn nesting_has_a_limit_wherever_it_begins() {
        let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(checked(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert!(checked(nested(MAX_DEPTH + 1).as_bytes()).is_err());
        assert!(checked("[".repeat(1_000_000).as_bytes()).is_err());
        let within = |depth: usize| {
            let text = nested(depth);
            Scanner::new(&text).array(|scanner| scanner.value().map(drop))
        };
        assert!(within(MAX_DEPTH).is_ok());
        assert!(within(MAX_DEPTH + 1).is_err());
    }

    #[test]
    fn the_first_of_several_members_counts() {
        let mut field = Field::default();
        let mut scanner = Scanner::new(r#"{"a":1,"\u0061":2,"b":3,"a":null}"#);
        let read = scanner.object(|scanner, key| {
            let value = scanner.value()?;
            if key.decoded(&mut Buffer::new()) == "a" {
                field.put(value);
            }
            Ok(())
        });
        assert_eq!((read, field.integer()), (Ok(()), Ok(1)));
    }

    #[test]
    fn integers_are_written_as_integers() {
        let integer = |text: &str| Field(Some(checked(text.as_bytes()).unwrap())).integer();
        let unsigned = |text: &str| Field(Some(checked(text.as_bytes()).unwrap())).if_unsigned();
        assert_eq!(integer("-75"), Ok(-75));
        assert_eq!(integer("9223372036854775808"), Err(Fault::BadNumber));
        assert_eq!(unsigned("18446744073709551615"), Some(u64::MAX));
        for text in ["45.0", "1e3", "\"45\"", "null", "[45]"] {
            assert_eq!(integer(text), Err(Fault::WrongType), "{text}");
            assert_eq!(unsigned(text), None, "{text}");
        }
        assert_eq!(Field::default().integer(), Err(Fault::MissingField));
    }

    #[test]
    fn a_tuple_is_the_beginning_of_an_array() {
        let tuple = |text| Scanner::new(text).tuple::<2>().map(|fields| fields.map(Field::integer));
        assert_eq!(tuple("[1, 2]"), Ok([Ok(1), Ok(2)]));
        assert_eq!(tuple("[1,2,\"x\",[3]]"), Ok([Ok(1), Ok(2)]));
        assert_eq!(tuple("[1]"), Ok([Ok(1), Err(Fault::MissingField)]));
        assert_eq!(tuple("{\"a\":1}"), Err(Fault::WrongType));
    }

    proptest! {
        #[test]
        fn what_serde_json_takes_is_taken_and_nothing_else(text in json_like()) {
            // Of a number, serde_json wants that a double holds it.
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            let out_of_range = theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
            prop_assert!(out_of_range || checked(text.as_bytes()).is_ok() == theirs.is_ok(), "{}", text);
        }
    }

    /// Text made of JSON's own pieces, right or nearly so.
    fn json_like() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            " ",
            "\"a\"",
            "\"\\u0041\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "0",
            "-1.5",
            "1e5",
            "01",
            "true",
            "null",
            "\"a\":1",
            "\"b\":[]",
            "\"é\"",
            "\"",
            "\\",
            "\n",
        ]);
        let soup = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
        let leaf =
            prop::sample::select(vec!["1", "\"x\"", "null", "[]", "{}", " -0.1e-2 ", "tru", "\"\\\"\""]);
        let sound = leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
            let members = prop::collection::vec(inner, 0..4);
            prop_oneof![
                members.clone().prop_map(|inner| format!("[{}]", inner.join(" ,"))),
                members.prop_map(|inner| {
                    let members: Vec<_> = inner.iter().map(|value| format!("\"k\" :{value}")).collect();
                    format!("{{{}}}", members.join(","))
                }),
            ]
        });
        prop_oneof![soup, sound]
    }
}
