//! What of a request is signed, and which requests are refused.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use common::keys;
use openssl::hash::MessageDigest;
use openssl::rsa::Padding;
use openssl::sign::{RsaPssSaltlen, Verifier as DigestVerify};
use wakeline::signer::{Headers, RequestError, SignError, Signer, Timestamp};

const TIMESTAMP: &str = "1703123456789";

fn timestamp() -> Timestamp {
    TIMESTAMP.parse().unwrap()
}

fn signer() -> Signer {
    Signer::from_pem(&keys::pkcs1(&keys::key())).unwrap()
}

/// Asserts that `signature` is one of exactly `message`.
fn assert_signs(message: &str, signature: &str) {
    let key = keys::key();
    let mut verify = DigestVerify::new(MessageDigest::sha256(), &key).unwrap();
    verify.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
    verify.set_rsa_mgf1_md(MessageDigest::sha256()).unwrap();
    verify.set_rsa_pss_saltlen(RsaPssSaltlen::custom(32)).unwrap();
    verify.update(message.as_bytes()).unwrap();
    let signature = openssl::base64::decode_block(signature).unwrap();
    assert!(verify.verify(&signature).unwrap(), "{message}");
}

fn refusal(method: &str, path: &str) -> RequestError {
    let mut signature = "an older one".to_owned();
    let error = signer().sign(&timestamp(), method, path, &mut signature).unwrap_err();
    assert_eq!(signature, "", "nothing is left behind that could be taken for a signature");
    match error {
        SignError::Request(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn the_message_is_timestamp_method_and_path_up_to_its_query() {
    let mut signer = signer();
    let mut signature = String::new();
    for (path_and_query, path) in [
        ("/trade-api/v2/portfolio/balance", "/trade-api/v2/portfolio/balance"),
        ("/trade-api/v2/portfolio/orders?limit=5", "/trade-api/v2/portfolio/orders"),
        ("/trade-api/v2/markets?", "/trade-api/v2/markets"),
        ("/trade-api/v2/markets?a=1?b=/x#y z", "/trade-api/v2/markets"),
        ("/trade-api/v2/markets/", "/trade-api/v2/markets/"),
        ("/trade-api/v2/a%20b%2fc//d/../e", "/trade-api/v2/a%20b%2fc//d/../e"),
        ("/trade-api/v2/märkte", "/trade-api/v2/märkte"),
        ("/trade-api/v2/a:b@c://d", "/trade-api/v2/a:b@c://d"),
        ("/", "/"),
        ("//", "//"),
    ] {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let signature = signer.sign(&timestamp(), method, path_and_query, &mut signature).unwrap();
            assert_signs(&format!("{TIMESTAMP}{method}{path}"), signature);
        }
    }
}

#[test]
fn the_websocket_handshake_has_its_own_path() {
    let mut signature = String::new();
    let signature = signer().sign_websocket(&timestamp(), &mut signature).map(str::to_owned).unwrap();
    assert_signs(&format!("{TIMESTAMP}GET/trade-api/ws/v2"), &signature);
}

#[test]
fn a_signer_can_be_sent_to_another_thread() {
    fn assert_send<T: Send>() {}
    assert_send::<Signer>();
    assert_send::<wakeline::signer::Verifier>();
}

#[test]
fn two_signatures_of_one_request_differ_and_both_hold() {
    let mut signer = signer();
    let mut sign = || {
        let mut signature = String::new();
        signer.sign(&timestamp(), "GET", "/a", &mut signature).unwrap();
        assert_signs(&format!("{TIMESTAMP}GET/a"), &signature);
        signature
    };
    assert_ne!(sign(), sign());
}

#[test]
fn a_signature_is_one_line_of_padded_base64() {
    for (bits, length) in [(2_048, 344), (3_072, 512)] {
        let mut signer = Signer::from_pem(&keys::pkcs1(&keys::rsa(bits))).unwrap();
        let mut signature = String::new();
        signer.sign(&timestamp(), "GET", "/a", &mut signature).unwrap();
        assert_eq!(signature.len(), length);
        assert!(signature.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
    }
}

#[test]
fn the_headers_carry_the_very_timestamp_that_was_signed() {
    let mut signature = String::new();
    let mut signer = signer();
    let timestamp = Timestamp::now().unwrap();
    let headers = signer.headers("id-1", &timestamp, "DELETE", "/a?b", &mut signature).unwrap();
    let [key, at, signed] = headers.pairs();
    assert_eq!(key, ("KALSHI-ACCESS-KEY", "id-1"));
    assert_eq!(at.0, "KALSHI-ACCESS-TIMESTAMP");
    assert_eq!(signed.0, Headers::SIGNATURE);
    assert_signs(&format!("{}DELETE/a", at.1), signed.1);
}

#[test]
fn a_key_id_that_could_end_its_header_is_refused() {
    let mut signature = "an older one".to_owned();
    let mut signer = signer();
    let long = "a".repeat(129);
    for id in ["", &long, " ", "a b", "a\r\nHost: elsewhere", "a\n", "schlüssel", "\u{7f}"] {
        let error = signer.headers(id, &timestamp(), "GET", "/a", &mut signature).unwrap_err();
        assert!(matches!(error, SignError::KeyId(_)), "{error}");
        assert!(!error.to_string().contains('\n'));
        assert_eq!(signature, "");
    }
}

#[test]
fn a_method_is_upper_case_letters() {
    for method in ["get", "Get", "GEt", "", " GET", "GET ", "GET\n", "G3T", "GÉT", "G-T"] {
        assert_eq!(refusal(method, "/a"), RequestError::Method(method.to_owned()));
    }
}

#[test]
fn a_path_begins_with_its_slash_and_could_be_sent() {
    for url in ["https://external-api.kalshi.com/trade-api/v2/markets?x=1", "http://a/b", "ws://a", "://"] {
        assert!(matches!(refusal("GET", url), RequestError::PathWithScheme(_)), "{url}");
    }
    for path in ["", "?a=/b", "trade-api/v2/markets", "external-api.kalshi.com/trade-api/v2", " /a", "?/://"]
    {
        assert!(matches!(refusal("GET", path), RequestError::PathWithoutSlash(_)), "{path}");
    }
    for path in ["/a b", "/a\n", "/a\r\nHost: b", "/\t", "/\0", "/a\u{7f}", "/a#b", "/a ?b"] {
        assert!(matches!(refusal("GET", path), RequestError::PathCharacter { .. }), "{path:?}");
    }
}

#[test]
fn what_could_be_a_key_is_not_kept() {
    let line = "MIIEowIBAAKCAQEAwJ0gqXm7fHkTtq7pbdXqk1vYh0n0Tt6gO0ZJ3l9yqk8r5m2B";
    for text in [line, &line[..41], &format!("a\n{line}"), "-----BEGIN", &"a.".repeat(129)] {
        assert_eq!(refusal(text, "/a"), RequestError::PerhapsAKey("method"), "{text}");
        for path in [text.to_owned(), format!("https://{text}"), format!("/{text} ")] {
            assert_eq!(refusal("GET", &path), RequestError::PerhapsAKey("path"), "{path}");
        }
        assert_eq!(text.parse::<Timestamp>().unwrap_err(), RequestError::PerhapsAKey("timestamp"), "{text}");
    }
    let path = "trade-api/v2/portfolio/orders/952f5fa1-67a2-4a84-9bd3-2c2b1f0a1b5e";
    assert!(refusal("GET", path).to_string().contains(path));
}

#[test]
fn a_timestamp_is_thirteen_digits() {
    for text in ["0000000000000", "1703123456789", "9999999999999"] {
        assert_eq!(text.parse::<Timestamp>().unwrap().as_str(), text);
    }
    for text in [
        "",
        "170312345678",
        "17031234567890",
        "+703123456789",
        "-703123456789",
        " 703123456789",
        "1703123456.78",
        "1e12",
        "１703123456789",
        "17031234567٣",
    ] {
        assert_eq!(text.parse::<Timestamp>().unwrap_err(), RequestError::Timestamp(text.to_owned()));
    }
    for (text, unit) in [
        ("1703123456", "looks like seconds"),
        ("1703123456789012", "looks like microseconds"),
        ("1703123456789012345", "looks like nanoseconds"),
    ] {
        let said = text.parse::<Timestamp>().unwrap_err().to_string();
        assert!(said.contains(unit) && said.contains("13 digits"), "{said}");
    }
    assert_eq!(Timestamp::from_ms(1_703_123_456_789).unwrap(), timestamp());
    for ms in [-1, 0, 1_703_123_456, 999_999_999_999, 10_000_000_000_000, i64::MAX, i64::MIN] {
        assert_eq!(Timestamp::from_ms(ms).unwrap_err(), RequestError::Timestamp(ms.to_string()));
    }
}

#[test]
fn mistakes_that_come_together_are_found_together() {
    use openssl::pkey::{PKey, Private};
    use openssl::sign::Signer as DigestSign;
    use wakeline::signer::{Fault, Mistake, Verdict, Verifier};

    fn sign(key: &PKey<Private>, message: &str, padding: Padding) -> String {
        let mut sign = DigestSign::new(MessageDigest::sha256(), key).unwrap();
        sign.set_rsa_padding(padding).unwrap();
        if padding == Padding::PKCS1_PSS {
            sign.set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH).unwrap();
        }
        sign.update(message.as_bytes()).unwrap();
        openssl::base64::encode_block(&sign.sign_to_vec().unwrap())
    }

    let place = tempfile::tempdir().unwrap();
    let key = keys::key();
    let verifier = Verifier::from_file(&keys::file(place.path(), "public", keys::public(&key))).unwrap();
    let (pss, pkcs1) = (Padding::PKCS1_PSS, Padding::PKCS1);
    for (message, padding, mistakes) in [
        ("1703123456789get/trade-api/v2/a?b=1", pss, vec![Mistake::Query, Mistake::LowerCaseMethod]),
        ("1703123456789GET/a?b=1", pss, vec![Mistake::PathPrefix, Mistake::Query]),
        ("1703123456GET/a", pkcs1, vec![Mistake::PathPrefix, Mistake::Seconds, Mistake::Pkcs1Padding]),
        ("1703123456789GET/trade-api/v2/a/", pss, vec![Mistake::TrailingSlash]),
    ] {
        let verdict = verifier
            .verify(&timestamp(), "GET", "/trade-api/v2/a?b=1", &sign(&key, message, padding))
            .unwrap();
        let Verdict::Invalid(fault) = verdict else { panic!("{message} holds") };
        assert_eq!(fault.to_string().matches("besides").count(), mistakes.len() - 1, "{fault}");
        assert_eq!(fault, Fault::Mistakes(mistakes), "{message}");
    }
}

#[test]
fn a_refusal_quotes_what_it_refuses_on_one_line() {
    for error in [refusal("get", "/a"), refusal("GET", "/a\nb"), refusal("GET", "https://a\u{1b}[2J")] {
        let said = error.to_string();
        assert!(!said.contains(['\n', '\u{1b}']), "{said:?}");
    }
}
