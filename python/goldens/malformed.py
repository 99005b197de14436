"""Bodies that no wake can be made of: key errors, non-objects, and syntax errors of every kind."""

from __future__ import annotations

import random
from collections.abc import Iterator

from goldens.bodies import (
    BAD_ESCAPES,
    BAD_NUMBERS,
    BAD_UTF8,
    BASE,
    CONTROLS,
    GOOD_NUMBERS,
    LITERALS,
    REQUIRED,
    body,
    spliced,
    with_tokens,
)


def key_errors() -> Iterator[bytes]:
    """Unknown keys, missing keys, the key ``self``, and their combinations."""
    keys = [
        "zzz",
        "",
        "a",
        "A",
        "schema_version ",
        "Fee",
        "fee\\u0000",
        "\\u0000",
        "\\n",
        "\\t\\\\",
        '\\"',
        "'",
        'it\'s \\"so\\"',
        "é",
        "\\u00e9",
        "ключ",
        "中",
        "😀",
        "\\ud83d\\ude00",
        "\\u007f",
        "\x7f",
        "\\u0080",
        "\\u0085",
        "\\u2028",
        "\\ufeff",
        "\\u200b",
        "%s",
        "{}",
        "__init__",
        "recv_ns2",
        "k" * 64,
        "k" * 65,
        "k" * 300,
        "self2",
        "Self",
        "SELF",
        "cls",
        "args",
    ]
    for key in keys:
        yield spliced(f'"{key}":1'.encode())
        yield spliced(f'"{key}":null'.encode(), at_front=True)
        yield f'{{"{key}":1}}'.encode()
    yield spliced(b'"b":1,"a":2')
    yield spliced(b'"a":1,"b":2', at_front=True)
    yield spliced(b'"b":1,"a":2,"b":3,"a":4')
    yield spliced(b'"b":1', at_front=True)[:-1] + b',"a":2}'
    for members in (
        '"self":1',
        '"self":1,"x":2',
        '"x":2,"self":1',
        '"self":null,"self":2',
        '"s\\u0065lf":1',
        '"self":1,"fee":2',
        '"x":1,"self":2,"y":3',
    ):
        yield spliced(members.encode())
        yield spliced(members.encode(), at_front=True)
        yield f"{{{members}}}".encode()
    yield b'{"self":{}}'
    for count in (1, 2, 3, 4, 11):
        for start in (0, 3, 12 - count):
            gone = REQUIRED[start : start + count]
            yield body({key: value for key, value in BASE.items() if key not in gone})
            yield body({key: value for key, value in BASE.items() if key not in gone} | {"zzz": "1"})
            yield body({"self": "1"} | {key: value for key, value in BASE.items() if key not in gone})
    for name in REQUIRED:
        yield body({key: value for key, value in BASE.items() if key != name})
    yield body({key: value for key, value in BASE.items() if key not in REQUIRED})
    yield body({key: BASE[key] for key in reversed(REQUIRED[1:])})
    yield body({key: value for key, value in BASE.items() if key not in ("asset", "edge")} | {"fee": "null"})
    yield b"{}"
    yield b" { } \n"
    yield b'{"fee":1,"fee":2}'


def non_objects() -> Iterator[bytes]:
    """Whole documents that are not objects."""
    documents = [
        "[]",
        "[1,2]",
        "[[]]",
        "[{}]",
        "null",
        "true",
        "false",
        '""',
        '"wake"',
        '"\\ud83d\\ude00"',
        " null ",
        "\n[]\n",
        "[" * 1024 + "]" * 1024,
        '{"a":' * 1023 + "1" + "}" * 1023,
    ]
    for document in documents + GOOD_NUMBERS:
        yield document.encode()
        yield f"\t{document}\r\n".encode()


def fragments() -> Iterator[bytes]:
    """Short malformed texts in each place that a value, a key or an end can have."""
    texts = [text.encode() for text in [*BAD_NUMBERS, *LITERALS]]
    for text in texts:
        yield text
        yield text + b" "
        yield b"[" + text
        yield b"[" + text + b"]"
        yield b'{"a":' + text
        yield b'{"a":' + text + b"}"
    for escape in BAD_ESCAPES:
        for wrapped in (
            f'"{escape}',
            f'"{escape}"',
            f'["é{escape}',
            f'{{"a":"{escape}"}}',
            f'{{"{escape}":1}}',
            f'{{"{escape}',
            f'"{"x" * 30}{escape}"',
            f'"{escape}abcdefghijkl"',
        ):
            yield wrapped.encode()
    yield from (
        f'"{head}{tail}'.encode()
        for head in (r"\ud800", r"\udbff\u", r"\ud83d\ud", r"\u12", "\\")
        for tail in ("", " ", "0", "00", "dc0", "]", "zz")
    )


def structures() -> Iterator[bytes]:
    """Broken objects, arrays and ends of documents, on one line and on later ones."""
    texts = (
        "{ [ } ] , : {] [} {{ [[ {[ [{ {, [, {: [: {1 {1:2} {null:1} {true} {[]:1} {{}:1} {a {a:1} {'a':1} "
        '{"a {"a" {"a": {"a", {"a"} {"a"1 {"a"=1} {"a"::1} {"a":,} {"a":} {"a":] '
        '{"a":1 {"a":1] {"a":1, {"a":1,, {"a":1,} '
        '{"a":1,1} {"a":1;} {"a":1:2} {"a":1"b":2} {"a":1,b} {"a":1,"b} {"a":{} {"a":[} '
        '{"a":[]] {"a":[1} {"a":[1,} {"a":[1,2}} {,} {,"a":1} [,] [,1] [1 [1, [1,] [1,, [1,,2] '
        '[1}] [1:2] [1;2] [1"a"] ["a"1] [1[2]] [1{}] [[1] [[1,] [[],] [{},] '
        '[null,] [null true] {}{} {}[] [][] {}, {}} []] {}] {}: {}1 {}"a" 1,2 1]2 true, null} "a""b" '
        '{}// {}/**/ //{} /* /**/{} {/**/} [1/**/] {"a"/**/:1} #{} {}# {}; {}\\n "a "a\\ \'a\' \' ` `a` '
        '(1) <a> &amp; {"a":\'b\'} {"a":`b`} {"a":undefined} {"a":NaN}'
    ).split(" ")
    spaced = [
        text.replace(",", " ,\n\t ").replace(":", "\r\n: ") for text in texts if "," in text or ":" in text
    ]
    for text in texts + spaced:
        yield text.encode()
        yield b"\n\n  " + text.encode()
        yield b'["\xc3\xa9\xf0\x9f\x98\x80",\n"\xe4\xb8\xad", ' + text.encode()
        yield b'{"\xc3\xa9":"\xe2\x82\xac" ,\r\n "b" :' + text.encode() + b"\n"
        yield with_tokens() + text.encode()
        yield with_tokens() + b"\n " + text.encode() + b" "
    yield from (b"", b" ", b"\n", b"\r", b"\t", b"  \n\r\t  ", b" " * 5000)
    for junk in (
        b"\x00",
        b"\x00" * 4,
        b"\x0b",
        b"\x0c",
        b"\x1f",
        b"\x7f",
        b"\xc2\xa0",
        b"\xe2\x80\xa8",
        b"\xe3\x80\x80",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\xef\xbb\xbf",
        b"\xff\xfe{\x00}\x00",
        b"\xfe\xff\x00{\x00}",
        b"{\x00}\x00",
        b"\x00{\x00}",
        b"\x1e",
    ):
        yield from (
            junk,
            junk + with_tokens(),
            with_tokens() + junk,
            b" " + junk,
            b"[" + junk + b"]",
            b"{" + junk + b"}",
            b"[1" + junk + b"]",
            b'{"a"' + junk + b":1}",
            b'{"a":' + junk + b"1}",
            b"[1," + junk,
            b"\n" + junk + b"[]",
        )
    for depth in (1023, 1024, 1025, 1026, 2000):
        yield b"[" * depth
        yield b"[" * depth + b"]" * depth
        yield b'{"a":' * depth
        yield b'{"a":' * depth + b"1" + b"}" * depth
        yield b'[{"a":' * (depth // 2) + b"[" * (depth % 2) + b"1" + b"]" * (depth % 2) + b"}]" * (depth // 2)
        yield b'{"a":[' * (depth // 2) + b"\n{" * (depth % 2)
        yield b"[" * depth + b"x"
        yield b'"a",' + b"[" * depth
    for depth in (1022, 1023, 1024, 1030):
        yield spliced(b'"\xc3\xa9":' + b"[" * depth + b"]" * depth)
        yield spliced(b'"fee":' + b'\n{"":' * depth + b"0" + b"}" * depth)


def strings() -> Iterator[bytes]:
    """Control characters, invalid UTF-8 and bad escapes at several places of a wake."""
    for control in CONTROLS:
        for before in (b"", b"ab", b"\xc3\xa9", b"x" * 17, b"\\n"):
            yield b'["' + before + control + b'"]'
        yield b'{"k' + control + b'":1}'
        yield b'"' + control
        yield b'"' + control + b"abcdefgh"
        yield with_tokens(clock_domain='"ab' + control.decode() + 'cd"')
    for junk in BAD_UTF8:
        for text in (
            junk,
            b'"' + junk + b'"',
            b'"abcdefghijklmnop' + junk,
            b'{"a":"\xc3\xa9' + junk + b'"}',
            b'{"' + junk + b'":1}',
            b"[1]" + junk,
            b"[" + junk + b"]",
            b"[1,x" + junk,
            b"\xef\xbb\xbf" + junk,
        ):
            yield text
        yield spliced(b'"asset":"' + junk + b'"')
        yield spliced(b'"\xe4\xb8\xad' + junk + b'":1', at_front=True)
    for escape in BAD_ESCAPES:
        yield with_tokens(asset=f'"é{escape}"')
        yield spliced(f'"{escape}":1'.encode(), at_front=True)
        yield with_tokens(correlation_group=f'"{escape}"')
    for number in BAD_NUMBERS:
        yield with_tokens(asset='"中é"', fee=number)
        yield with_tokens(price_ranges=f"[[0,1,{number}]]")
        yield with_tokens(price_ranges=f"[\n[0,\n{number}")
    for literal in LITERALS:
        yield with_tokens(dry_run=literal)
        yield with_tokens(price_ranges=f"[{literal},1]")


def truncations() -> Iterator[bytes]:
    """Every proper prefix of a wake, and of documents made to be cut in their escapes and numbers."""
    whole = with_tokens(
        fee="-1.5e-7",
        asset=r'"\u00e9\ud83d\ude00\n\\"',
        clock_domain='"é\u20ac😀"',
        price_ranges="[[0.0, 1.0,\n0.01]]",
    )
    cut = [
        whole,
        b'{"a":[true,false,null,-12.5e+10,"\\ud83d\\ude00\\u00e9\\t"],\n "b" : {"c":0}}',
        b"-0.5E-10",
        b"[1e5]",
        b" \n true ",
        b"false",
        b"null",
    ]
    for text in cut:
        yield from (text[:end] for end in range(len(text)))


def mutations() -> Iterator[bytes]:
    """Special bytes put into, over and out of a wake at many positions (seeded)."""
    rng = random.Random(0xBAD)
    whole = with_tokens(fee="1.25e-3", asset=r'"\u00e9x"', direction='"é"').replace(b',"fee"', b',\n\t"fee"')
    special = [
        b'"',
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"0",
        b"-",
        b"+",
        b".",
        b"e",
        b"t",
        b"n",
        b"\x00",
        b"\n",
        b" ",
        b"\x1f",
        b"\x7f",
        b"\xc3",
        b"\xc3\xa9",
        b"/",
        b"'",
        b"u",
    ]
    for token in special:
        for _ in range(14):
            at = rng.randrange(len(whole))
            yield whole[:at] + token + whole[at:]
            yield whole[:at] + token + whole[at + 1 :]
    for _ in range(60):
        at, span = rng.randrange(len(whole)), rng.randrange(1, 12)
        yield whole[:at] + whole[at + span :]
