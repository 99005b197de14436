//! JSON strings that stand in a message, with their escapes or without.

use crate::wire::text;

/// A string that was checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'p> {
    /// What stands between the quotes.
    pub raw: &'p str,
    /// Whether a backslash is in it.
    pub escaped: bool,
}

/// Room for a short string without its escapes.
#[derive(Debug)]
pub(crate) struct Buffer([u8; 64]);

impl Buffer {
    pub(crate) fn new() -> Self {
        Self([0; 64])
    }
}

impl<'p> Text<'p> {
    pub(crate) fn is_empty(self) -> bool {
        self.raw.is_empty()
    }

    /// The text that the string stands for. With escapes and more than 64 bytes it is left as it stands: a backslash is in no
    /// word or number that a parser knows.
    #[inline]
    pub(crate) fn decoded<'b>(self, buffer: &'b mut Buffer) -> &'b str
    where
        'p: 'b,
    {
        if self.escaped { unescape(self.raw, buffer).unwrap_or(self.raw) } else { self.raw }
    }
}

fn unescape<'b>(raw: &str, buffer: &'b mut Buffer) -> Option<&'b str> {
    let mut length = 0;
    let mut put = |decoded: &[u8]| {
        let room = buffer.0.get_mut(length..length + decoded.len())?;
        room.copy_from_slice(decoded);
        length += decoded.len();
        Some(())
    };
    let mut rest = raw;
    while let Some((plain, escape)) = rest.split_once('\\') {
        put(plain.as_bytes())?;
        let (character, after) = text::unescaped(escape)?;
        put(character.encode_utf8(&mut [0; 4]).as_bytes())?;
        rest = after;
    }
    put(rest.as_bytes())?;
    str::from_utf8(&buffer.0[..length]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_strings_lose_their_escapes() {
        fn decoded(raw: &str) -> String {
            Text { raw, escaped: true }.decoded(&mut Buffer::new()).to_owned()
        }
        assert_eq!(decoded(r"\u0062ook"), "book");
        assert_eq!(decoded(r#"\"\\\/\b\f\n\r\t"#), "\"\\/\u{8}\u{c}\n\r\t");
        assert_eq!(decoded(r"a\ud83d\ude00b"), "a\u{1f600}b");
        assert_eq!(decoded(&format!(r"\u0062{}", "o".repeat(63))), format!("b{}", "o".repeat(63)));
        let long = format!(r"\u0062{}", "o".repeat(64));
        assert_eq!(decoded(&long), long);
    }
}
