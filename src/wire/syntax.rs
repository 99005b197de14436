//! A JSON syntax checker that accepts what orjson accepts and points at an error where orjson points.

use std::ops::Range;

use super::nesting::{MAX_DEPTH, Nesting};
use super::number;
use super::refusal::{Position, Refusal, SyntaxError};
use super::text;

/// JSON type of a value, numbers told apart as Python tells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Integer,
    Float,
    String,
    Array,
    Object,
}

impl Kind {
    /// Name of the Python type orjson makes of it.
    pub(super) fn python_type(self) -> &'static str {
        match self {
            Self::Null => "NoneType",
            Self::Bool => "bool",
            Self::Integer => "int",
            Self::Float => "float",
            Self::String => "str",
            Self::Array => "list",
            Self::Object => "dict",
        }
    }
}

/// A checked value: its type and where its text stands. A string's span has its quotes.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub kind: Kind,
    pub span: Range<usize>,
}

/// Walks a text value by value, checking as it goes.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn over(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// Next byte that isn't whitespace, not consumed.
    pub(super) fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let skipped = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        self.at += skipped;
        rest.get(skipped).copied()
    }

    /// Consumes `byte` if it is the next one after whitespace.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Consumes `byte`, or refuses what stands there.
    pub(super) fn expect(&mut self, byte: u8, otherwise: SyntaxError) -> Result<(), Refusal> {
        if self.take(byte) { Ok(()) } else { Err(self.refuse(otherwise, self.at)) }
    }

    /// Checks that only whitespace is left.
    pub(super) fn finish(&mut self) -> Result<(), Refusal> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.refuse(SyntaxError::TrailingContent, self.at)),
        }
    }

    /// The key at hand, with its quotes, and the colon behind it.
    pub(super) fn key(&mut self) -> Result<Range<usize>, Refusal> {
        if self.peek() != Some(b'"') {
            return Err(self.refuse(SyntaxError::ExpectedKey, self.at));
        }
        let key = self.string()?;
        self.expect(b':', SyntaxError::ExpectedColon)?;
        Ok(key)
    }

    /// After an element of an array or object: `true` when a comma announces another one.
    pub(super) fn more(&mut self, close: u8) -> Result<bool, Refusal> {
        if self.take(close) {
            return Ok(false);
        }
        let comma = self.at;
        let otherwise = match close {
            b']' => SyntaxError::ExpectedCommaOrBracket,
            _ => SyntaxError::ExpectedCommaOrBrace,
        };
        self.expect(b',', otherwise)?;
        if self.peek() == Some(close) {
            return Err(self.refuse(SyntaxError::TrailingComma, comma));
        }
        Ok(true)
    }

    /// The value at hand, which stands inside `depth` arrays and objects.
    pub(super) fn value(&mut self, depth: usize) -> Result<Value, Refusal> {
        let first = self.peek();
        let start = self.at;
        let kind = match first {
            Some(b'{' | b'[') => self.container(depth)?,
            _ => self.scalar()?,
        };
        Ok(Value { kind, span: start..self.at })
    }

    fn scalar(&mut self) -> Result<Kind, Refusal> {
        let start = self.at;
        match self.text.as_bytes().get(start) {
            Some(b'"') => self.string().map(|_| Kind::String),
            Some(b't') => self.literal("true", SyntaxError::ExpectedTrue).map(|()| Kind::Bool),
            Some(b'f') => self.literal("false", SyntaxError::ExpectedFalse).map(|()| Kind::Bool),
            Some(b'n') => self.literal("null", SyntaxError::ExpectedNull).map(|()| Kind::Null),
            Some(&byte) if number::begins_number(byte) => {
                let number = number::scan(self.text, start).map_err(|(error, at)| self.refuse(error, at))?;
                self.at = number.end;
                Ok(if number.integer { Kind::Integer } else { Kind::Float })
            }
            _ => Err(self.refuse(SyntaxError::ExpectedValue, start)),
        }
    }

    /// An array or object with everything in it, without recursion: what is sent must not decide our stack's depth.
    fn container(&mut self, outer_depth: usize) -> Result<Kind, Refusal> {
        let mut open = Nesting::default();
        let kind = self.open(&mut open, outer_depth)?;
        'elements: while !open.is_empty() {
            if open.innermost_is_object() {
                self.key()?;
            }
            if matches!(self.peek(), Some(b'{' | b'[')) {
                let depth = open.len();
                self.open(&mut open, outer_depth)?;
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
        Ok(kind)
    }

    /// Consumes an opening bracket and, when nothing stands in it, the closing one; pushes it only when something does.
    fn open(&mut self, open: &mut Nesting, outer_depth: usize) -> Result<Kind, Refusal> {
        let object = self.text.as_bytes().get(self.at) == Some(&b'{');
        self.at += 1;
        if outer_depth + open.len() >= MAX_DEPTH {
            return Err(self.refuse(SyntaxError::DepthLimit, self.at));
        }
        if !self.take(if object { b'}' } else { b']' }) {
            open.push(object);
        }
        Ok(if object { Kind::Object } else { Kind::Array })
    }

    fn literal(&mut self, word: &str, otherwise: SyntaxError) -> Result<(), Refusal> {
        let rest = &self.text[self.at..];
        if rest.starts_with(word) {
            self.at += word.len();
            return Ok(());
        }
        if word.starts_with(rest) {
            return Err(self.refuse_at(SyntaxError::UnexpectedEnd, self.text.len()));
        }
        Err(self.refuse(otherwise, self.at))
    }

    /// The string at hand, with its quotes.
    fn string(&mut self) -> Result<Range<usize>, Refusal> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            at = text::plain_run_end(bytes, at);
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    at += escape_length(&bytes[at..]).map_err(|error| {
                        let truncated = escape_is_truncated(&bytes[at..]);
                        self.refuse(error, if truncated { bytes.len() } else { at })
                    })?;
                }
                Some(_) => return Err(self.refuse(SyntaxError::ControlCharacter, at)),
                None => return Err(self.refuse_at(SyntaxError::UnexpectedEnd, at)),
            }
        }
        self.at = at + 1;
        Ok(start..self.at)
    }

    /// A refusal at a byte; at the end of the text any error is "unexpected end of data", as orjson has it.
    pub(super) fn refuse(&self, error: SyntaxError, byte: usize) -> Refusal {
        if byte >= self.text.len() {
            return self.refuse_at(SyntaxError::UnexpectedEnd, self.text.len());
        }
        self.refuse_at(error, byte)
    }

    fn refuse_at(&self, error: SyntaxError, byte: usize) -> Refusal {
        Refusal::Syntax { error, position: Position::of_byte(self.text, byte) }
    }
}

/// Bytes of the escape at the start of `bytes`, surrogate pairs whole.
pub(crate) fn escape_length(bytes: &[u8]) -> Result<usize, SyntaxError> {
    match bytes.get(1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
        Some(b'u') => {
            let unit = text::hex4(&bytes[2..]).ok_or(SyntaxError::InvalidEscape)?;
            match unit {
                0xd800..0xdc00 => {
                    let low = bytes.get(6..).and_then(|rest| rest.strip_prefix(b"\\u"));
                    let low = low.ok_or(SyntaxError::NoLowSurrogate)?;
                    match text::hex4(low) {
                        Some(0xdc00..0xe000) => Ok(12),
                        Some(_) => Err(SyntaxError::InvalidLowSurrogate),
                        None => Err(SyntaxError::InvalidLowEscape),
                    }
                }
                0xdc00..0xe000 => Err(SyntaxError::InvalidHighSurrogate),
                _ => Ok(6),
            }
        }
        _ => Err(SyntaxError::InvalidEscape),
    }
}

/// Whether the text ends inside the faulty escape at the start of `rest`, so that more bytes could have mended it.
fn escape_is_truncated(rest: &[u8]) -> bool {
    let hex_only = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_hexdigit);
    match rest {
        [b'\\'] => true,
        [b'\\', b'u', digits @ ..] if digits.len() <= 3 => hex_only(digits),
        [b'\\', b'u', pair @ ..] if pair.len() <= 9 => {
            let surrogate = text::hex4(pair).is_some_and(|unit| (0xd800..0xe000).contains(&unit));
            surrogate
                && match &pair[4..] {
                    [] | [b'\\'] => true,
                    [b'\\', b'u', low @ ..] => could_become_low_surrogate(low),
                    _ => false,
                }
        }
        _ => false,
    }
}

/// Whether these are the first (at most three) digits of some escaped low surrogate, DC00 to DFFF.
fn could_become_low_surrogate(digits: &[u8]) -> bool {
    let allowed = |(place, digit): (usize, &u8)| match place {
        0 => matches!(digit, b'd' | b'D'),
        1 => matches!(digit, b'c'..=b'f' | b'C'..=b'F'),
        _ => digit.is_ascii_hexdigit(),
    };
    digits.iter().enumerate().all(allowed)
}
