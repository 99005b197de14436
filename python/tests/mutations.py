"""Seeded bodies for the differential test: sound wakes in many forms, and wakes with something done to "
"them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from goldens.bodies import (
    BAD_ESCAPES,
    BAD_NUMBERS,
    BAD_UTF8,
    BASE,
    GOOD_ESCAPES,
    GOOD_NUMBERS,
    LITERALS,
    REQUIRED,
    Tokens,
    body,
)
from wakeline_ref.rules import FLOAT_FIELDS, INT_FIELDS

Change = Callable[[random.Random, bytes], bytes]
MAX_LENGTH = 65_536

TOKENS = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b'"',
    b"\\",
    b"null",
    b"true",
    b"false",
    b"0",
    b"-",
    b"1.5",
    b"1e9",
    b"[]",
    b"{}",
    b'""',
    b'"x":1,',
    b"\\u0041",
    b"\\ud800",
    b"\n",
    b" ",
    b"\xc3\xa9",
    b"\xef\xbb\xbf",
    b"\x00",
    b"/*",
    b"//",
]
TYPE_SWAPS = [
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1",
    "-7",
    "2.5",
    "-0.0",
    "1e3",
    '""',
    '"yes"',
    '"no"',
    '"1"',
    "[]",
    "{}",
    "[[]]",
    "[1]",
    "[[0,1,0.5]]",
    "[[0,1]]",
    "[[0,1,2,3]]",
    '[[0,1,"x"]]',
    "[[0,1,null]]",
    "[[0,1,true]]",
    '{"a":[1]}',
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999",
]
SPACES = ["", "", "", " ", "\n", "\t", "\r\n", "  ", " \n\t\r "]
KEYS = [
    "zzz",
    "self",
    "",
    "Fee",
    "fee ",
    "é",
    "\\u0000",
    "\\n",
    "a\\\"b'c",
    "\\ud83d\\ude00",
    "k" * 70,
    "recv",
    "schema_version\\u0020",
    "0",
]
TEXTS = ["", "BTC", "é", "中文", "😀", "\x7f", "\u2028", "a" * 40, "x" * 300, "'", "/", "yes", "{}", ",", ":"]


def bodies(count: int, seed: int) -> Iterator[bytes]:
    """`count` bodies within the frame limit; the same for the same seed."""
    rng = random.Random(seed)
    made = 0
    while made < count:
        candidate = sound(rng)
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
            candidate = rng.choice(CHANGES)(rng, candidate)
        if len(candidate) <= MAX_LENGTH:
            made += 1
            yield candidate


def sound(rng: random.Random) -> bytes:
    """A wake in one of the many forms JSON leaves open, with members as `members` draws them."""
    drawn = members(rng)
    space = [rng.choice(SPACES) if rng.random() < 0.4 else "" for _ in range(4)]
    text = f"{space[1]},{space[2]}".join(f'"{key}"{space[3]}:{space[0]}{value}' for key, value in drawn)
    return f"{space[0]}{{{space[1]}{text}{space[2]}}}{space[3]}".encode()


def members(rng: random.Random) -> list[tuple[str, str]]:
    """Keys and raw values: some fields varied, some optional ones absent, sometimes reordered or repeated."""
    tokens = {key: value for key, value in BASE.items() if key in REQUIRED or rng.random() < 0.7}
    for key in rng.sample(list(tokens), rng.randrange(4)):
        tokens[key] = plausible(rng, key)
    drawn = list(tokens.items())
    if rng.random() < 0.2:
        rng.shuffle(drawn)
    if rng.random() < 0.15:
        key = rng.choice(list(BASE))
        drawn.insert(
            rng.randrange(len(drawn) + 1), (key, rng.choice((plausible(rng, key), rng.choice(TYPE_SWAPS))))
        )
    if rng.random() < 0.08:
        drawn.insert(rng.randrange(len(drawn) + 1), (rng.choice(KEYS), rng.choice(TYPE_SWAPS)))
    if rng.random() < 0.08:
        for _ in range(rng.randrange(1, 4)):
            drawn.pop(rng.randrange(len(drawn)))
    if rng.random() < 0.12:
        at = rng.randrange(len(drawn))
        drawn[at] = (drawn[at][0], rng.choice(TYPE_SWAPS))
    return [(escaped(rng, key) if rng.random() < 0.01 else key, value) for key, value in drawn]


def plausible(rng: random.Random, key: str) -> str:
    """A raw value of the field's own type."""
    if key in INT_FIELDS:
        return str(rng.choice((0, -1, 4, rng.randrange(-(2**63), 2**63), rng.randrange(10**13), 2**53 + 1)))
    if key in FLOAT_FIELDS:
        return number(rng)
    if key == "price_ranges":
        return (
            "["
            + ",".join(f"[{number(rng)},{number(rng)},{number(rng)}]" for _ in range(rng.randrange(5)))
            + "]"
        )
    if key == "dry_run":
        return rng.choice(("true", "false"))
    if key == "direction":
        return rng.choice(('"yes"', '"no"', '"ye\\u0073"', '"YES"'))
    return (
        '"'
        + "".join(rng.choice((rng.choice(TEXTS), rng.choice(GOOD_ESCAPES))) for _ in range(rng.randrange(4)))
        + '"'
    )


def number(rng: random.Random) -> str:
    """A well-formed number, of a listed kind or of random digits."""
    if rng.random() < 0.4:
        return rng.choice(GOOD_NUMBERS)
    text = rng.choice(("", "-")) + rng.choice(("0", str(rng.randrange(1, 10 ** rng.randrange(1, 22)))))
    if rng.random() < 0.6:
        text += "." + str(rng.randrange(10 ** rng.randrange(1, 24))).zfill(rng.randrange(1, 20))
    if rng.random() < 0.3:
        text += (
            rng.choice("eE") + rng.choice(("", "+", "-")) + str(rng.randrange(320)).zfill(rng.randrange(1, 5))
        )
    return text


def escaped(rng: random.Random, key: str) -> str:
    """`key` with one of its characters as a \\u escape."""
    at = rng.randrange(len(key)) if key else 0
    return key[:at] + f"\\u{ord(key[at]):04x}" + key[at + 1 :] if key else key


def flip_byte(rng: random.Random, text: bytes) -> bytes:
    """One byte replaced by any other."""
    at = rng.randrange(len(text)) if text else 0
    return text[:at] + bytes([rng.randrange(256)]) + text[at + 1 :]


def flip_to_ascii(rng: random.Random, text: bytes) -> bytes:
    """One byte replaced by an ASCII one, so that UTF-8 stays sound."""
    at = rng.randrange(len(text)) if text else 0
    return text[:at] + bytes([rng.randrange(128)]) + text[at + 1 :]


def delete(rng: random.Random, text: bytes) -> bytes:
    """A few bytes taken out."""
    at = rng.randrange(len(text)) if text else 0
    return text[:at] + text[at + rng.choice((1, 1, 1, 2, 3, 9)) :]


def insert_token(rng: random.Random, text: bytes) -> bytes:
    """A JSON token, or nearly one, put in anywhere."""
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(TOKENS) + text[at:]


def truncate(rng: random.Random, text: bytes) -> bytes:
    """The body cut off."""
    return text[: rng.randrange(len(text) + 1)]


def repeat(rng: random.Random, text: bytes) -> bytes:
    """A slice of the body repeated in place."""
    at = rng.randrange(len(text)) if text else 0
    end = at + rng.randrange(1, 60)
    return text[:end] + text[at:end] + text[end:]


def break_value(rng: random.Random, text: bytes) -> bytes:
    """One field's value replaced by something malformed."""
    bad = rng.choice(
        (
            rng.choice(BAD_NUMBERS),
            rng.choice(LITERALS),
            f'"{rng.choice(TEXTS)}{rng.choice(BAD_ESCAPES)}{rng.choice(TEXTS)}"',
        )
    )
    tokens: Tokens = BASE | {rng.choice(list(BASE)): bad}
    return body(tokens)


def break_string(rng: random.Random, text: bytes) -> bytes:
    """Bad UTF-8, a control character or a bad escape put behind a quote."""
    quotes = [at for at, byte in enumerate(text) if byte == 0x22]
    at = rng.choice(quotes) + 1 if quotes else 0
    junk = rng.choice(
        (
            rng.choice(BAD_UTF8),
            bytes([rng.randrange(32)]),
            rng.choice(BAD_ESCAPES).encode(),
            rng.choice(GOOD_ESCAPES).encode(),
        )
    )
    return text[:at] + junk + text[at:]


def nest(rng: random.Random, text: bytes) -> bytes:
    """A value nested up to and past the depth limit, under a known or an unknown key, ahead of the other "
    "members."""
    depth = rng.choice((2, 50, 500, 1022, 1023, 1024, 1025, 1500))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"":', b"}]")))
    closed = closing * rng.choice((depth, depth, depth - 1, 0))
    member = (
        f'"{rng.choice((*KEYS, *BASE))}":'.encode()
        + opening * depth
        + rng.choice((b"", b"1", b"null"))
        + closed
    )
    return text.replace(b"{", b"{" + member + b",", 1)


def surround(rng: random.Random, text: bytes) -> bytes:
    """Something ahead of the document or after it."""
    extra = rng.choice(TOKENS + [b"\r\n", b"\x0c", b"\xc2\xa0", b"\x00\x00"])
    return rng.choice((extra + text, text + extra, b"[" + text + b"]", text + text))


CHANGES: list[Change] = [
    flip_byte,
    flip_to_ascii,
    flip_to_ascii,
    delete,
    delete,
    insert_token,
    insert_token,
    truncate,
    repeat,
    break_value,
    break_value,
    break_string,
    break_string,
    nest,
    surround,
]
