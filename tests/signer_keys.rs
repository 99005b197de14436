//! Key files: every form that is handed out or pasted is taken, and everything else is refused by its name.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::fmt::Write as _;
use std::path::Path;

use common::keys;
use openssl::bn::BigNum;
use openssl::dsa::Dsa;
use openssl::ec::{EcGroup, EcKey};
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::rsa::RsaPrivateKeyBuilder;
use openssl::symm::Cipher;
use tempfile::TempDir;
use wakeline::signer::{KeyError, KeyFileError, Signer, Timestamp, Verdict, Verifier};

/// Asserts that `text` is taken as the private half of `key`.
fn assert_taken(text: &[u8], key: &PKey<Private>) {
    let place = TempDir::new().unwrap();
    let public = keys::file(place.path(), "public.pem", keys::public(key));
    let mut signer = Signer::from_pem(text).expect("a key that is to be taken");
    let mut signature = String::new();
    let timestamp: Timestamp = "1703123456789".parse().unwrap();
    signer.sign(&timestamp, "GET", "/trade-api/v2/exchange/status", &mut signature).unwrap();
    let verifier = Verifier::from_file(&public).unwrap();
    let verdict = verifier.verify(&timestamp, "GET", "/trade-api/v2/exchange/status", &signature);
    assert_eq!(verdict.unwrap(), Verdict::Valid);
}

fn refusal(text: impl AsRef<[u8]>) -> KeyError {
    Signer::from_pem(text.as_ref()).expect_err("a key that is to be refused")
}

fn text(pem: Vec<u8>) -> String {
    String::from_utf8(pem).unwrap()
}

#[test]
fn both_forms_are_taken_with_any_line_ends() {
    let key = keys::key();
    for pem in [keys::pkcs1(&key), keys::pkcs8(&key)].map(text) {
        assert_taken(pem.as_bytes(), &key);
        for changed in [
            pem.replace('\n', "\r\n"),
            pem.replace('\n', "\r"),
            format!("\n\r\n  \n{pem}\n\n"),
            pem.replace('\n', "\\n"),
            pem.replace('\n', "\\r\\n"),
            pem.replace('\n', "\\\\n"),
            pem.replace('\n', " "),
            pem.replace('\n', ""),
            pem.trim_end().to_owned(),
            pem.replace('\n', "\n    "),
            format!("\u{feff}{pem}"),
            format!("KALSHI_KEY=\"{}\"\n", pem.replace('\n', "\\n")),
            format!("Bag Attributes\n    friendlyName: bot\nKey Attributes: <No Attributes>\n{pem}"),
        ] {
            assert_taken(changed.as_bytes(), &key);
        }
    }
}

#[test]
fn a_wrong_label_is_forgiven() {
    let key = keys::key();
    let pkcs1 = text(keys::pkcs1(&key)).replace("RSA PRIVATE", "PRIVATE");
    assert_taken(pkcs1.as_bytes(), &key);
    let pkcs8 = text(keys::pkcs8(&key)).replace("PRIVATE", "RSA PRIVATE");
    assert_taken(pkcs8.as_bytes(), &key);
}

#[test]
fn a_public_key_or_a_certificate_beside_the_private_key_is_skipped() {
    let key = keys::key();
    let (private, public) = (text(keys::pkcs1(&key)), text(keys::public(&key)));
    assert_taken(format!("{public}{private}").as_bytes(), &key);
    assert_taken(format!("{private}{public}").as_bytes(), &key);
}

#[test]
fn longer_keys_are_taken_and_others_refused() {
    for bits in [3_072, 4_096] {
        let key = keys::rsa(bits);
        assert_taken(&keys::pkcs1(&key), &key);
    }
    assert_eq!(refusal(keys::pkcs1(&keys::rsa(1_024))), KeyError::Bits(1_024));
    assert_eq!(refusal(keys::pkcs8(&keys::rsa(2_040))), KeyError::Bits(2_040));
}

#[test]
fn a_key_under_a_passphrase_is_refused_and_its_passphrase_never_asked_for() {
    let key = keys::key();
    let passphrases: [&[u8]; 2] = [b"secret", b"1234"];
    for passphrase in passphrases {
        let pkcs8 = key.private_key_to_pem_pkcs8_passphrase(Cipher::aes_256_cbc(), passphrase).unwrap();
        assert_eq!(refusal(pkcs8), KeyError::Encrypted);
        let pkcs1 = key.rsa().unwrap().private_key_to_pem_passphrase(Cipher::aes_128_cbc(), passphrase);
        let pkcs1 = pkcs1.unwrap();
        assert_eq!(refusal(&pkcs1), KeyError::Encrypted);
        assert_eq!(refusal(text(pkcs1).replace('\n', "\\n")), KeyError::Encrypted);
    }
}

#[test]
fn keys_of_other_algorithms_are_refused_by_name() {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    let ec = EcKey::generate(&group).unwrap();
    let of = |error| match error {
        KeyError::OtherAlgorithm { algorithm } => algorithm,
        other => panic!("{other}"),
    };
    assert_eq!(of(refusal(ec.private_key_to_pem().unwrap())), "EC");
    assert_eq!(of(refusal(keys::pkcs8(&PKey::from_ec_key(ec).unwrap()))), "EC");
    assert_eq!(of(refusal(keys::pkcs8(&PKey::generate_ed25519().unwrap()))), "Ed25519");
    assert_eq!(of(refusal(keys::pkcs8(&PKey::generate_x25519().unwrap()))), "X25519");
    let dsa = Dsa::generate(1_024).unwrap();
    assert_eq!(of(refusal(keys::pkcs8(&PKey::from_dsa(dsa).unwrap()))), "DSA");
    let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    let ec = "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n";
    assert_eq!(of(refusal(format!("{parameters}{ec}"))), "EC");
}

#[test]
fn what_is_no_private_key_is_refused_by_what_it_is() {
    let key = keys::key();
    assert_eq!(refusal(""), KeyError::Empty);
    assert_eq!(refusal(" \r\n\t\n"), KeyError::Empty);
    assert_eq!(refusal(keys::public(&key)), KeyError::Public);
    assert_eq!(refusal(key.rsa().unwrap().public_key_to_pem_pkcs1().unwrap()), KeyError::Public);
    assert_eq!(refusal("ssh-rsa AAAAB3NzaC1yc2E me@here\n"), KeyError::Public);
    let openssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n";
    assert_eq!(refusal(openssh), KeyError::OpenSsh);
    let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    assert_eq!(refusal(certificate), KeyError::Certificate);
    assert_eq!(refusal("-----BEGIN CMS-----\nMIIB\n-----END CMS-----\n"), KeyError::OtherPem);
    assert_eq!(refusal(key.private_key_to_der().unwrap()), KeyError::Der);
    let utf16: Vec<u8> = text(keys::pkcs1(&key)).encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(refusal([&[0xff, 0xfe], &utf16[..]].concat()), KeyError::Utf16);
    assert_eq!(refusal(utf16), KeyError::Utf16);
    assert_eq!(refusal("PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\n"), KeyError::Putty);
    assert_eq!(refusal(key.public_key_to_der().unwrap()), KeyError::Der);
    assert_eq!(refusal([0x30, 0x03, 1, 2, 3]), KeyError::Der);
    assert_eq!(refusal([0x30, 0x04, 1, 2, 3]), KeyError::NotPem);
    assert_eq!(refusal("the key is in the safe"), KeyError::NotPem);
    assert_eq!(refusal([0xde, 0xad, 0, 0xbe, 0xef].repeat(500)), KeyError::NotPem);
    let two = [keys::pkcs1(&key), keys::pkcs8(&key)].concat();
    assert_eq!(refusal(two), KeyError::Several(2));
}

#[test]
fn openssh_says_in_the_clear_which_algorithm_it_holds() {
    for (name, algorithm) in [("ssh-ed25519", "Ed25519"), ("ecdsa-sha2-nistp256", "EC"), ("ssh-dss", "DSA")] {
        let content = openssl::base64::encode_block(format!("openssh-key-v1\0..{name}..").as_bytes());
        let pem =
            format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{content}\n-----END OPENSSH PRIVATE KEY-----\n");
        assert_eq!(refusal(pem), KeyError::OtherAlgorithm { algorithm });
    }
}

#[test]
fn a_key_for_pss_alone_is_refused_with_the_way_out() {
    let mut key = openssl::pkey_ctx::PkeyCtx::new_id(openssl::pkey::Id::RSA_PSS).unwrap();
    key.keygen_init().unwrap();
    key.set_rsa_keygen_bits(2_048).unwrap();
    let key = key.keygen().unwrap();
    assert_eq!(refusal(keys::pkcs8(&key)), KeyError::PssOnly);
    // What the command of the refusal writes.
    let traditional = text(keys::pkcs1(&key)).replace("RSA PRIVATE", "RSA-PSS PRIVATE");
    Signer::from_pem(traditional.as_bytes()).unwrap();
}

#[test]
fn numbers_longer_than_the_modulus_dont_hold_up_the_load() {
    let rsa = keys::key().rsa().unwrap();
    let number = |number: &openssl::bn::BigNumRef| number.to_owned().unwrap();
    // A Mersenne prime: OpenSSL would look for hours whether it is one.
    let mut prime = BigNum::new().unwrap();
    prime.set_bit(110_503).unwrap();
    prime.sub_word(1).unwrap();
    let key = RsaPrivateKeyBuilder::new(number(rsa.n()), number(rsa.e()), number(rsa.d())).unwrap();
    let key = key.set_factors(prime, number(rsa.q().unwrap())).unwrap();
    let key = key.set_crt_params(
        number(rsa.dmp1().unwrap()),
        number(rsa.dmq1().unwrap()),
        number(rsa.iqmp().unwrap()),
    );
    let pem = key.unwrap().build().private_key_to_pem().unwrap();
    assert!(matches!(refusal(pem), KeyError::Inconsistent(_)));
}

#[test]
fn a_comment_that_quotes_a_begin_is_skipped() {
    let key = keys::key();
    let pem = text(keys::pkcs1(&key));
    let comment = "# the line -----BEGIN RSA PRIVATE KEY----- must be there\n";
    assert_taken(format!("{comment}{pem}").as_bytes(), &key);
    assert_taken(pem.replace("KEY-----", "KEY -----").as_bytes(), &key);
}

#[test]
fn a_damaged_key_is_refused() {
    let key = keys::key();
    let pem = text(keys::pkcs1(&key));
    let lines: Vec<&str> = pem.lines().collect();
    let without = |index: usize| {
        let kept = lines.iter().enumerate().filter(|(line, _)| *line != index);
        kept.fold(String::new(), |mut text, (_, line)| {
            writeln!(text, "{line}").unwrap();
            text
        })
    };
    assert_eq!(refusal(without(lines.len() - 1)), KeyError::CutShort);
    assert_eq!(refusal(&pem[..pem.len() / 2]), KeyError::CutShort);
    assert_eq!(refusal("-----BEGIN "), KeyError::CutShort);
    assert_eq!(refusal(without(0)), KeyError::NotPem);
    for line in 1..lines.len() - 1 {
        assert!(matches!(refusal(without(line)), KeyError::Damaged | KeyError::Bits(_)), "line {line}");
    }
    for junk in ["", "!", "AAAA", "MIIE*", "=", "\\", "\\x"] {
        let text = format!("-----BEGIN PRIVATE KEY-----\n{junk}\n-----END PRIVATE KEY-----\n");
        assert_eq!(refusal(text), KeyError::Damaged, "{junk}");
    }
}

#[test]
fn parts_that_dont_fit_each_other_show_when_the_key_is_loaded() {
    let rsa = keys::key().rsa().unwrap();
    let number = |number: &openssl::bn::BigNumRef| number.to_owned().unwrap();
    let (n, e, d) = (rsa.n(), rsa.e(), rsa.d());
    let (p, q) = (rsa.p().unwrap(), rsa.q().unwrap());
    let (dmp1, dmq1, iqmp) = (rsa.dmp1().unwrap(), rsa.dmq1().unwrap(), rsa.iqmp().unwrap());
    let whole = [n, e, d, p, q, dmp1, dmq1, iqmp];
    for wrong in 0..whole.len() {
        let mut parts = whole.map(number);
        // Two more keeps odd what is odd.
        parts[wrong] = &parts[wrong] + &BigNum::from_u32(2).unwrap();
        let [n, e, d, p, q, dmp1, dmq1, iqmp] = parts;
        let key = RsaPrivateKeyBuilder::new(n, e, d).unwrap();
        let key = key.set_factors(p, q).unwrap().set_crt_params(dmp1, dmq1, iqmp).unwrap().build();
        let pem = key.private_key_to_pem().unwrap();
        assert!(matches!(refusal(pem), KeyError::Inconsistent(_)), "part {wrong}");
    }
}

#[test]
fn each_refusal_says_what_to_do() {
    let errors = [
        KeyError::Empty,
        KeyError::NotPem,
        KeyError::CutShort,
        KeyError::Utf16,
        KeyError::Der,
        KeyError::Encrypted,
        KeyError::OpenSsh,
        KeyError::Public,
        KeyError::Certificate,
        KeyError::OtherAlgorithm { algorithm: "EC" },
        KeyError::PssOnly,
        KeyError::Putty,
        KeyError::OpenSsl,
        KeyError::OtherPem,
        KeyError::Several(2),
        KeyError::Damaged,
        KeyError::Bits(1_024),
        KeyError::Inconsistent("it is broken"),
    ];
    for error in errors {
        let said = error.to_string();
        let helps = [
            "openssl ",
            "openssl.cnf",
            "iconv ",
            "ssh-keygen ",
            "use the file",
            "copy the whole key",
            "put the",
            "keep one",
        ];
        assert!(helps.iter().any(|help| said.contains(help)), "{said}");
        assert!((said.starts_with("it") || error == KeyError::OpenSsl) && !said.contains('\n'), "{said}");
    }
}

#[test]
fn files_that_are_none_are_refused_with_their_path() {
    let place = TempDir::new().unwrap();
    let refused = |path: &Path| {
        let error = Signer::from_file(path).unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        error
    };
    assert!(matches!(refused(place.path()), KeyFileError::NotAFile { what: "a directory", .. }));
    assert!(matches!(refused(Path::new("/dev/zero")), KeyFileError::NotAFile { .. }));
    assert!(matches!(refused(&place.path().join("none")), KeyFileError::Io { .. }));
    let long = keys::file(place.path(), "long", vec![b'\n'; 65_537]);
    assert!(matches!(refused(&long), KeyFileError::TooLong { .. }));
    let empty = keys::file(place.path(), "empty", "");
    assert!(matches!(refused(&empty), KeyFileError::Key { source: KeyError::Empty, .. }));
}

#[test]
fn a_file_of_the_longest_length_is_read_whole() {
    let place = TempDir::new().unwrap();
    let pem = keys::pkcs1(&keys::key());
    let padded = [vec![b'\n'; 65_536 - pem.len()], pem].concat();
    Signer::from_file(&keys::file(place.path(), "padded", padded)).unwrap();
}

#[test]
fn a_fifo_is_read_and_one_without_a_writer_isnt_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let place = TempDir::new().unwrap();
    let fifo = place.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let error = Signer::from_file(&fifo).unwrap_err();
    assert!(matches!(error, KeyFileError::Key { source: KeyError::Empty, .. }), "{error}");
    // Held open for both, so that the writer needn't wait for its reader.
    let mut held = std::fs::File::options().read(true).write(true).open(&fifo).unwrap();
    std::io::Write::write_all(&mut held, &keys::pkcs1(&keys::key())).unwrap();
    let reader = std::thread::spawn(move || Signer::from_file(&fifo).map(|_| ()));
    while rustix::io::ioctl_fionread(&held).unwrap() > 0 && !reader.is_finished() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    drop(held);
    reader.join().unwrap().unwrap();
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 64, ..Default::default() })]

    #[test]
    fn a_changed_key_is_taken_whole_or_refused(
        at in 0..1_670_usize, byte in proptest::num::u8::ANY, pkcs8 in proptest::bool::ANY,
    ) {
        let key = keys::key();
        let mut pem = if pkcs8 { keys::pkcs8(&key) } else { keys::pkcs1(&key) };
        pem[at] = byte;
        if Signer::from_pem(&pem).is_ok() {
            // Some changes leave the key as it is: in a line end, or before BEGIN.
            assert_taken(&pem, &key);
        }
    }

    #[test]
    fn anything_else_is_refused(text: Vec<u8>) {
        refusal(text);
    }
}

#[test]
fn openssl_is_the_one_this_crate_pins() {
    assert!(
        wakeline::signer::openssl_version().starts_with("OpenSSL 3.6.3 "),
        "OPENSSL_NO_VENDOR, or another pin?"
    );
}
