"""Bodies that test a decoder: well-formed in odd ways, malformed in every way orjson has a text for.

Nothing here says what the verdict is; the reference is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from wakeline_ref.rules import WIRE_ORDER

Tokens = dict[str, str]

BASE: Tokens = {
    "schema_version": "4",
    "correlation_id": '"c1"',
    "market_ticker": '"KX-T1"',
    "asset": '"BTC"',
    "direction": '"yes"',
    "kalshi_price": "0.47",
    "model_probability": "0.5",
    "fee": "0.02",
    "edge": "0.08",
    "decision_ts_ms": "1",
    "sent_at_ms": "2",
    "sent_at_ns": "3",
    "recv_ns": "5",
    "clock_domain": '"h:60"',
    "dry_run": "true",
    "wire_price_yes_dollars": "0.47",
    "exchange_index": "-1",
    "available_size_contracts": "7.5",
    "price_ranges": "[[0.0,1.0,0.01]]",
    "correlation_group": '"g"',
}
REQUIRED = WIRE_ORDER[:12]


def body(tokens: Tokens, comma: str = ",", colon: str = ":") -> bytes:
    """The JSON object of raw `tokens`; keys are escaped by nobody."""
    return ("{" + comma.join(f'"{key}"{colon}{value}' for key, value in tokens.items()) + "}").encode(
        "utf-8", "surrogatepass"
    )


def with_tokens(**tokens: str) -> bytes:
    """The required fields with some values replaced, or optional fields added, by raw `tokens`."""
    return body({key: BASE[key] for key in REQUIRED} | tokens)


def spliced(extra: bytes, at_front: bool = False) -> bytes:
    """The required fields with the raw member text `extra` ahead of them or after them."""
    whole = with_tokens()
    return b"{" + extra + b"," + whole[1:] if at_front else whole[:-1] + b"," + extra + b"}"


GOOD_NUMBERS = (
    "0 -0 1 -1 10 0.0 -0.0 0.5 1.0 1e5 1E5 1e+5 1E+2 1e-5 1E-05 -1.5e-7 0e0 0E+0 0e400 -0e400 0.0e999 1e0 "
    "1e308 1.7976931348623157e308 "
    "1.7976931348623158e308 4.9e-324 2.5e-324 2.4703282292062327e-324 2.4703282292062328e-324 1e-400 "
    "-1e-400 1e-99999 -1e-99999 2.2250738585072011e-308 2.2250738585072014e-308 "
    "9007199254740992 9007199254740993 9007199254740993.0 9007199254740992.999999999999999999999 "
    "9223372036854775807 9223372036854775808 18446744073709551615 "
    "18446744073709551616 -9223372036854775808 -9223372036854775809 100000000000000000000000 0.1 "
    "0.10000000000000000000000000000000001 "
    "0.1000000000000000055511151231257827 0.1000000000000000055511151231257827021181583404541015625 "
    "179769313486231570000000000000000000000e270 "
    "123456789012345678901234567890 0.000000000000000000000000000000000000000000000000000000000000001 "
    "1.00000000000000011102230246251565404236316680908203125 "
    "1.00000000000000011102230246251565404236316680908203124 8.5 0.07 4.35 0.285 1e22 1e23 8.41e21 9.5e-6 "
    "5e-1 123e-2 0.00000123e6 1e000005 1e-0000005"
).split() + [
    "0." + "3" * 400,
    "1" * 309,
    "7" * 308,
    "0." + "0" * 400 + "1",
    "1" + "0" * 300 + ".5",
    "12345678901234567890" + "0" * 200 + "e-200",
]

BAD_NUMBERS = (
    "- -- -+ --1 -+1 -. -.5 -e -e5 -a -] -} -n +1 + .5 . .e1 1. 1.a 1.e5 1.. 1.+ 1.-1 1.5. 1.5.5 1e 1E 1e+ "
    "1e- 1e+a 1e-a 1ea 1e. 1e.5 1e1.5 1e1e1 1ee1 1e+-1 1e++1 "
    "00 01 007 -00 -01 00.5 -01.5 0x1 0X1F 0b1 0o7 0a 1a 1_000 1,5 1' 1f 1L 1e400 -1e400 1.8e308 "
    "1.7976931348623159e308 -1.8e308 1e99999 1e9999999999999999999 "
    "NaN nan -NaN Infinity -Infinity inf -inf INF -nan ∞ １ 1٣ ² 1e４ −1 1\u00a0 0. -0. 0e -0e 0e+ 0.0. 0.0e "
    "0.0e- 0..0"
).split() + [
    "9" * 309,
    "2" * 400,
    "-" + "9" * 400,
    "1" + "0" * 309,
    "9" * 400 + ".0",
    "1" + "0" * 400 + ".5e-2x",
]

LITERALS = (
    "tru trux truE True TRUE t tr ture trrue true1 truetrue fals falsx False f fa fal fxlse falsee nul "
    "nulx Null NULL n nu nule None undefined "
    'nan nil yes no N NaN I Inf Infinity i in u undefin a é \U0001f600 \' "" ` ; = ( ) < > & | % # @ ~ ! '
    "? \\ \\n / // /**/ * ^ $ { } [ ] : ,"
).split(" ")

BAD_ESCAPES = (
    r"\a \x \x41 \0 \1 \' \U0041 \u \u1 \u12 \u123 \uG000 \u0G00 \u00G0 \u000G \u-123 \u+123 \u 123 \u12 3 "
    r"\e \v \N \  \é \😀 "
    r"\ud800 \uD800 \udbff \ud800x \ud800xy \ud800\ \ud800\n \ud800\x \ud800\u \ud800\u0041 \ud800\ud800 "
    r"\ud800\ue000 \ud800\uZZZZ \ud800\uDC0Z \ud800\uD \ud800\uDC \ud800\uDC0 "
    r"\ud800\\udc00 \ud800 \udc00 \udc00 \udfff \uDC00\uD800 \ud83d\ude0 \ud83d\u \ud83dé \ud83d😀 \udc00é "
    r"\ud800\" \ud800\/"
).split(" ")

GOOD_ESCAPES = (
    r"\" \\ \/ \b \f \n \r \t \u0000 \u001f \u0020 \u0022 \u005c \u005C \u002f \u007f \u0080 \u00e9 \u00E9 "
    r"\u07ff \u0800 \u2028 \u20AC \ud7ff \uD7FF \ue000 \ufeff \ufffe \uffff "
    r"\ud800\udc00 \uD83D\uDE00 \uDBFF\uDFFF \uDbFf\udFfF \ud83d\ude00\ud83d\ude01 \\u0041 \\\" \\\\ "
    r"a\tb\nc \u0061\u0073"
).split(" ")

BAD_UTF8 = [
    bytes.fromhex(text)
    for text in (
        "80 bf c0 c080 c0af c1bf c2 c220 c3c3 c3 e0 e080 e08080 e09fbf e0a0 e28220 e282 eda080 "
        "edafbf edb080 edbfbf eda080edb080 ef bf ee80 f0 f08080 f0808080 f08fbfbf f09f f09f98 "
        "f09f9820 f4908080 f48f bf f5808080 f8888080 fc fe ff fffe feff"
    ).split()
]

CONTROLS = [bytes([code]) for code in range(0x20)]


def odd_but_well_formed() -> Iterator[bytes]:
    """Bodies a strict JSON reader takes; most of them are wakes."""
    yield body(BASE)
    yield with_tokens()
    yield body(dict(reversed(BASE.items())))
    yield body({key: BASE[key] for key in sorted(BASE)})
    for space in (" ", "\t", "\n", "\r", "\r\n", " \t\n\r " * 3):
        yield body(BASE, comma=f"{space},{space}", colon=f"{space}:{space}")
        yield (space + body(BASE).decode() + space).encode()
        yield with_tokens(
            price_ranges=f"[{space}[{space}0.0{space},{space}1{space},0.01{space}]{space},[0,1,1]{space}]"
        )
        yield body(BASE).replace(b"{", b"{" + space.encode()).replace(b"}", space.encode() + b"}")
    yield body({key.replace("a", "\\u0061").replace("s", "\\u0073"): value for key, value in BASE.items()})
    yield body({"".join(f"\\u{ord(char):04X}" for char in key): value for key, value in BASE.items()})
    for number in GOOD_NUMBERS:
        for name in ("kalshi_price", "fee", "available_size_contracts", "sent_at_ns"):
            yield with_tokens(**{name: number})
        yield with_tokens(price_ranges=f"[[{number},1,{number}],[0,{number},1]]")
    yield with_tokens(
        kalshi_price="-0",
        model_probability="-0",
        fee="-0",
        edge="-0",
        wire_price_yes_dollars="-0",
        available_size_contracts="-0",
        price_ranges="[[-0,-0.0,0]]",
    )
    for name in ("schema_version", "decision_ts_ms", "recv_ns", "exchange_index"):
        for number in ("-0", "0", "9223372036854775807", "-9223372036854775808", "99"):
            yield with_tokens(**{name: number})
    for escape in GOOD_ESCAPES:
        yield with_tokens(correlation_id=f'"{escape}"')
        yield with_tokens(asset=f'"ab{escape}cd"', correlation_group=f'"{escape * 9}"')
    for text in (
        "",
        " ",
        "\x7f",
        "é",
        "\u2028",
        "中文",
        "😀",
        "a" * 300,
        "é" * 100,
        "/",
        "'",
        "\u0000x".replace("\u0000", "\\u0000"),
        "yes",
        "null",
    ):
        yield with_tokens(market_ticker=f'"{text}"', clock_domain=f'"{text}x{text}"')
    for direction in (r"\u0079es", r"n\u006f", r"\u0079\u0065\u0073"):
        yield with_tokens(direction=f'"{direction}"')
    for name, value in BASE.items():
        yield spliced(f'"{name}":null'.encode(), at_front=True)
        yield spliced(f'"{name}":{value}'.encode())
        yield spliced(f'"{name}":[{{"x":[1,"2",null]}}]'.encode(), at_front=True)
    yield spliced(b'"fee":1,"fee":2,"fee":3.5,"fee":0.25')
    yield spliced(b'"f\\u0065e":0.75')
    yield spliced(b'"direction":"no"')
    yield spliced(b'"price_ranges":[]')
    for ranges in (
        "[]",
        "[ ]",
        "[[1,2,3]]",
        "[[0,1,1],[0.5,1,0.25]]",
        "[" + ",".join(["[0.0,0.5,0.01]"] * 40) + "]",
        "[[0,0,0],[-1,-2,-3]]",
        "[[1e5,1E+2,1e-2]]",
    ):
        yield with_tokens(price_ranges=ranges)
    yield with_tokens(dry_run="false")
    for depth in (2, 100, 1000, 1022, 1023):
        yield spliced(b'"fee":' + b"[" * depth + b"]" * depth, at_front=True)
    yield spliced(b'"asset":' + b'{"k":' * 300 + b"1" + b"}" * 300, at_front=True)
    # Two blanks after the first brace make orjson guess few values, and refuse the second of these.
    for count in (600, 662):
        yield with_tokens(price_ranges="[" + ",".join(["[1,1,1]"] * count) + "]").replace(b"{", b"{  ")


def typed_wrongly() -> Iterator[bytes]:
    """Bodies the reference accepts unseen whose values have no meaning."""
    tokens = [
        "null",
        "true",
        "false",
        "0",
        "1",
        "-1",
        "1.0",
        "1.5",
        "1e2",
        '""',
        '"1"',
        '"yes"',
        "[]",
        "{}",
        "[1,2,3]",
        "[[0.0,1.0,0.01]]",
        '{"a":1}',
        "18446744073709551616",
        "9223372036854775808",
        "-9223372036854775809",
        "-0.0",
    ]
    for name in WIRE_ORDER:
        for token in tokens:
            yield with_tokens(**{name: token})
    for direction in ("Yes", "YES", "NO", "y", "yes ", " no", "", "maybe", "yes\\u0000", "yеs"):
        yield with_tokens(direction=f'"{direction}"')
    for ranges in (
        "[[]]",
        "[[1]]",
        "[[1,2]]",
        "[[1,2,3,4]]",
        "[[1,2,3],[1,2]]",
        "[[1,2,null]]",
        '[[1,"2",3]]',
        "[[1,2,true]]",
        "[[1,2,[3]]]",
        "[1,2,3]",
        "[null]",
        '["abc"]',
        "[{}]",
        '[{"a":1,"b":2,"c":3}]',
        '"[]"',
        "{}",
        "null",
        "[[0.0,1.0,0.01],null]",
        "[[[1,2,3]]]",
    ):
        yield with_tokens(price_ranges=ranges)
    for number in (
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "9" * 30,
        "1" * 300,
        "-" + "1" * 25,
    ):
        for name in (
            "schema_version",
            "decision_ts_ms",
            "sent_at_ms",
            "sent_at_ns",
            "recv_ns",
            "exchange_index",
        ):
            yield with_tokens(**{name: number})
    yield with_tokens(fee="null", edge='"x"', direction='"up"')
    yield with_tokens(direction='"up"', schema_version='"4"')
    yield with_tokens(correlation_group="7", price_ranges="[[1]]", exchange_index="0.5")
    yield spliced(b'"fee":null')
    yield spliced(b'"schema_version":4.0')
    yield with_tokens(fee="[" * 1000 + "]" * 1000)
    yield with_tokens(direction='"No"', fee="true")
