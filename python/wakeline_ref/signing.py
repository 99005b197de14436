"""Kalshi's request signature on ``cryptography``: the reference signer, and the judge of signatures.

The signed message is timestamp, method and path run together, without the body and without the query.
The padding is RSA-PSS over SHA-256, with MGF1 over SHA-256 and a salt as long as the digest.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

PREFIX = "/trade-api/v2"
WEBSOCKET_PATH = "/trade-api/ws/v2"
SALT_BYTES = 32
PADDING = PSS(MGF1(SHA256()), SALT_BYTES)


@dataclass(frozen=True)
class Request:
    """What goes out: the text of the timestamp header, the method, and the path with its query."""

    timestamp: str
    method: str
    target: str

    @property
    def path(self) -> str:
        """The target up to its first question mark."""
        return self.target.partition("?")[0]

    def message(self) -> bytes:
        """The bytes to sign; ValueError names the rule that the request breaks."""
        if not re.fullmatch("[0-9]{13}", self.timestamp):
            raise ValueError("the timestamp is 13 digits, milliseconds since the epoch")
        if not re.fullmatch("[A-Z]+", self.method):
            raise ValueError("the method is in upper case")
        if not self.path.startswith("/"):
            raise ValueError("the path begins with /, without scheme and host")
        return f"{self.timestamp}{self.method}{self.path}".encode()


def handshake(timestamp: str) -> Request:
    """The request that opens the WebSocket."""
    return Request(timestamp, "GET", WEBSOCKET_PATH)


def sign(key: RSAPrivateKey, request: Request) -> str:
    """The request's signature as its header carries it; another one at every call."""
    return base64.b64encode(key.sign(request.message(), PADDING, SHA256())).decode()


def headers(key: RSAPrivateKey, key_id: str, request: Request) -> dict[str, str]:
    """The three headers of a signed request."""
    return {
        "KALSHI-ACCESS-KEY": key_id,
        "KALSHI-ACCESS-TIMESTAMP": request.timestamp,
        "KALSHI-ACCESS-SIGNATURE": sign(key, request),
    }


def verify(key: RSAPublicKey, request: Request, signature: str) -> bool:
    """Whether the signature is the request's, in standard base64 and nothing else."""
    try:
        raw = base64.b64decode(signature.encode(), validate=True)
        # The decoder takes a last character with stray bits; the encoder makes none.
        if base64.b64encode(raw).decode() != signature:
            return False
        key.verify(raw, request.message(), PADDING, SHA256())
    except (binascii.Error, InvalidSignature):
        return False
    return True
