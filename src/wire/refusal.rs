//! Why a body was refused, in the reference's own words where it has any.

use std::fmt;

/// Longest reason an ack carries, bytes; a longer one is cut at a character boundary and ends in `...`, so that the
/// ack fits a frame whatever was sent.
pub const MAX_REASON_BYTES: usize = 4_096;

/// Longest echo of an offending value in a stricter rule's text, bytes.
const MAX_VALUE_BYTES: usize = 64;

const CUT_MARK: &str = "...";

/// Where the executor refuses what the reference would let through and break on later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// `direction` and `status` outside their two words.
    Vocabulary,
    /// A JSON type other than the field's; an integer is fine where a float is meant.
    FieldType,
    /// An integer outside `i64` in an integer field.
    IntegerRange,
    /// A price range that isn't exactly three numbers.
    RangeShape,
}

impl Rule {
    /// The rule's number in the protocol's list of deliberate differences.
    pub const fn number(self) -> u8 {
        match self {
            Self::Vocabulary => 1,
            Self::FieldType => 2,
            Self::IntegerRange => 3,
            Self::RangeShape => 4,
        }
    }
}

/// A JSON syntax error, named as orjson 3.13 names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant's text says what it is")]
pub enum SyntaxError {
    #[error("str is not valid UTF-8: surrogates not allowed")]
    InvalidUtf8,
    #[error("Input is a zero-length, empty document")]
    ZeroLength,
    #[error("input data is empty")]
    OnlyWhitespace,
    #[error("UTF-8 byte order mark (BOM) is not supported")]
    ByteOrderMark,
    #[error("unexpected end of data")]
    UnexpectedEnd,
    #[error("unexpected character, expected a JSON value")]
    ExpectedValue,
    #[error("unexpected character, expected a string key")]
    ExpectedKey,
    #[error("unexpected character, expected ':' after key")]
    ExpectedColon,
    #[error("unexpected character, expected ',' or '}}'")]
    ExpectedCommaOrBrace,
    #[error("unexpected character, expected ',' or ']'")]
    ExpectedCommaOrBracket,
    #[error("trailing comma is not allowed")]
    TrailingComma,
    #[error("unexpected content after document")]
    TrailingContent,
    #[error("depth limit exceeded")]
    DepthLimit,
    #[error("invalid literal, expected 'true'")]
    ExpectedTrue,
    #[error("invalid literal, expected 'false'")]
    ExpectedFalse,
    #[error("invalid literal, expected 'null'")]
    ExpectedNull,
    #[error("no digit after sign")]
    NoDigitAfterSign,
    #[error("no digit after decimal point")]
    NoDigitAfterPoint,
    #[error("no digit after exponent sign")]
    NoDigitAfterExponent,
    #[error("number with leading zero is not allowed")]
    LeadingZero,
    #[error("number is infinity when parsed as double")]
    Infinity,
    #[error("unexpected control character in string")]
    ControlCharacter,
    #[error("invalid escaped sequence in string")]
    InvalidEscape,
    #[error("invalid escape in string")]
    InvalidLowEscape,
    #[error("no low surrogate in string")]
    NoLowSurrogate,
    #[error("invalid low surrogate in string")]
    InvalidLowSurrogate,
    #[error("invalid high surrogate in string")]
    InvalidHighSurrogate,
}

/// A place in a text as Python's `json.JSONDecodeError` counts it, in code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// From 0.
    pub char: usize,
}

impl Position {
    /// The first character of a text.
    pub const START: Self = Self { line: 1, column: 1, char: 0 };

    pub(super) fn of_byte(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: 1 + before.bytes().filter(|&byte| byte == b'\n').count(),
            column: 1 + before[line_start..].chars().count(),
            char: before.chars().count(),
        }
    }
}

/// Why a body is not the message it should be. `Display` is the ack's reason, uncut.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Not JSON as orjson reads it.
    Syntax {
        /// What is wrong.
        error: SyntaxError,
        /// Where.
        position: Position,
    },
    /// JSON, but not an object.
    NotAMapping {
        /// Name of the message's class.
        class: &'static str,
        /// Python's name of the type found.
        found: &'static str,
    },
    /// A key the message doesn't have.
    UnexpectedKey {
        /// Name of the message's class.
        class: &'static str,
        /// The first such key in the document.
        key: String,
    },
    /// A key named `self`, which collides with the reference's own constructor.
    SelfKey {
        /// Name of the message's class.
        class: &'static str,
    },
    /// Required keys that are absent, in wire order.
    MissingKeys {
        /// Name of the message's class.
        class: &'static str,
        /// The absent keys.
        keys: Vec<&'static str>,
    },
    /// Refused by one of the four rules in which wakeline is stricter than the reference.
    Stricter {
        /// Which rule.
        rule: Rule,
        /// Which field.
        field: &'static str,
        /// What the field must be, as the end of a sentence.
        expected: &'static str,
        /// JSON text of the offending value, shortened.
        found: String,
    },
}

impl Refusal {
    pub(super) fn stricter(rule: Rule, field: &'static str, expected: &'static str, value: &str) -> Self {
        Self::Stricter { rule, field, expected, found: cut(value, MAX_VALUE_BYTES).into_owned() }
    }

    /// The reason as an ack carries it: at most [`MAX_REASON_BYTES`].
    pub fn reason(&self) -> String {
        cut(&self.to_string(), MAX_REASON_BYTES).into_owned()
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { error, position } => {
                let Position { line, column, char } = position;
                write!(f, "{error}: line {line} column {column} (char {char})")
            }
            Self::NotAMapping { class, found } => {
                write!(
                    f,
                    "kalshi_bot.ipc.protocol.{class}() argument after ** must be a mapping, not {found}"
                )
            }
            Self::UnexpectedKey { class, key } => {
                write!(f, "{class}.__init__() got an unexpected keyword argument '{key}'")
            }
            Self::SelfKey { class } => {
                write!(f, "{class}.__init__() got multiple values for argument 'self'")
            }
            Self::MissingKeys { class, keys } => {
                let plural = if keys.len() == 1 { "" } else { "s" };
                write!(
                    f,
                    "{class}.__init__() missing {} required positional argument{plural}: ",
                    keys.len()
                )?;
                for (index, key) in keys.iter().enumerate() {
                    let separator = match (index, keys.len()) {
                        (0, _) => "",
                        (1, 2) => " and ",
                        (index, count) if index + 1 == count => ", and ",
                        _ => ", ",
                    };
                    write!(f, "{separator}'{key}'")?;
                }
                Ok(())
            }
            Self::Stricter { rule, field, expected, found } => {
                write!(f, "field '{field}' must be {expected} (rule {}), got {found}", rule.number())
            }
        }
    }
}

/// `text`, or its longest start that fits `limit` bytes together with the mark that says it was cut.
fn cut(text: &str, limit: usize) -> std::borrow::Cow<'_, str> {
    if text.len() <= limit {
        return text.into();
    }
    let end = text.floor_char_boundary(limit - CUT_MARK.len());
    format!("{}{CUT_MARK}", &text[..end]).into()
}
