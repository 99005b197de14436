//! `wakeline kalshi` as a person or a script runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::{keys, wakeline};
use openssl::symm::Cipher;
use tempfile::TempDir;

const PATH: &str = "/trade-api/v2/portfolio/balance";
const TIMESTAMP: &str = "1703123456789";

struct Place {
    directory: TempDir,
    key: PathBuf,
    public: PathBuf,
}

impl Place {
    fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let key = keys::file(directory.path(), "key.pem", keys::pkcs1(&keys::key()));
        let public = keys::file(directory.path(), "public.pem", keys::public(&keys::key()));
        Self { directory, key, public }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn sign(&self, more: &[&str]) -> Output {
        run([OsStr::new("sign"), OsStr::new("--key"), self.key.as_ref()], more)
    }

    fn verify(&self, more: &[&str]) -> Output {
        run([OsStr::new("verify"), OsStr::new("--public-key"), self.public.as_ref()], more)
    }
}

fn run(first: [&OsStr; 3], more: &[&str]) -> Output {
    let mut command = Command::new(wakeline());
    command.arg("kalshi").args(first).args(more).stdin(Stdio::null());
    command.output().unwrap()
}

/// What a command that went well printed.
fn printed(output: Output) -> String {
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said, "");
    String::from_utf8(output.stdout).unwrap()
}

/// Asserts a refusal: exit code 1, one sentence, nothing else.
fn assert_refused(output: &Output, words: &[&str]) {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(said.starts_with("wakeline: ") && said.lines().count() == 1, "{said}");
    for word in words {
        assert!(said.contains(word), "no {word:?} in {said}");
    }
}

fn signature(headers: &str) -> &str {
    headers.lines().find_map(|line| line.strip_prefix("KALSHI-ACCESS-SIGNATURE: ")).unwrap()
}

#[test]
fn prints_three_headers_that_verify() {
    let place = Place::new();
    let request = ["--method", "GET", "--path", PATH, "--timestamp", TIMESTAMP];
    let headers = printed(place.sign(&[&request[..], &["--key-id", "id-1"]].concat()));
    let lines: Vec<&str> = headers.lines().collect();
    assert_eq!(lines[..2], ["KALSHI-ACCESS-KEY: id-1", "KALSHI-ACCESS-TIMESTAMP: 1703123456789"]);
    assert_eq!(lines.len(), 3);
    let signature = ["--signature", signature(&headers)];
    assert_eq!(printed(place.verify(&[&request[..], &signature].concat())), "valid\n");
    let verified = printed(place.verify(&[&request[..], &signature, &["--json"]].concat()));
    assert_eq!(verified, "{\"valid\":true}\n");
}

#[test]
fn prints_the_headers_as_one_json_object() {
    let place = Place::new();
    let printed = printed(place.sign(&["--ws", "--timestamp", TIMESTAMP, "--key-id", "\"{id}\\", "--json"]));
    assert_eq!(printed.lines().count(), 1);
    let headers: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(headers.as_object().unwrap().len(), 3);
    assert_eq!(headers["KALSHI-ACCESS-KEY"], "\"{id}\\");
    assert_eq!(headers["KALSHI-ACCESS-TIMESTAMP"], TIMESTAMP);
    let signature = headers["KALSHI-ACCESS-SIGNATURE"].as_str().unwrap();
    let output = place.verify(&["--ws", "--timestamp", TIMESTAMP, "--signature", signature]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn the_timestamp_is_now_and_the_key_id_may_be_left_out() {
    let place = Place::new();
    let now_ms = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
    let before = now_ms();
    let output = place.sign(&["--method", "GET", "--path", PATH]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--key-id"));
    let headers = String::from_utf8(output.stdout).unwrap();
    let at = headers.lines().find_map(|line| line.strip_prefix("KALSHI-ACCESS-TIMESTAMP: ")).unwrap();
    assert!((before..=now_ms()).contains(&at.parse().unwrap()), "{at}");
    assert_eq!(headers.lines().count(), 2);
}

#[test]
fn a_signature_that_doesnt_hold_exits_with_one() {
    let place = Place::new();
    let headers = printed(place.sign(&["--ws", "--timestamp", TIMESTAMP, "--key-id", "id"]));
    let signature = ["--signature", signature(&headers)];
    let other = ["--method", "POST", "--path", PATH, "--timestamp", TIMESTAMP];
    assert_refused(&place.verify(&[&other[..], &signature].concat()), &["doesn't hold", "another message"]);
    let output = place.verify(&[&other[..], &signature, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let verdict: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verdict["valid"], false);
    assert!(verdict["why"].as_str().unwrap().contains("another message"));
}

#[test]
fn a_request_that_breaks_a_rule_is_refused_by_both() {
    let place = Place::new();
    let signature = "A".repeat(344);
    for (arguments, word) in [
        (["--method", "get", "--path", PATH, "--timestamp", TIMESTAMP], "upper case"),
        (["--method", "GET", "--path", "https://a/b", "--timestamp", TIMESTAMP], "scheme"),
        (["--method", "GET", "--path", "trade-api/v2", "--timestamp", TIMESTAMP], "begin with /"),
        (["--method", "GET", "--path", PATH, "--timestamp", "1703123456"], "seconds"),
        (["--method", "GET", "--path", PATH, "--timestamp", "-703123456789"], "13 digits"),
    ] {
        assert_refused(&place.sign(&[&arguments[..], &["--key-id", "id"]].concat()), &[word]);
        assert_refused(&place.verify(&[&arguments[..], &["--signature", &signature]].concat()), &[word]);
    }
    assert_refused(&place.sign(&["--ws", "--key-id", "a\nb"]), &["key id"]);
}

#[test]
fn what_is_signed_must_be_said() {
    let place = Place::new();
    let wrong: [&[&str]; 6] = [
        &[],
        &["--method", "GET"],
        &["--path", PATH],
        &["--ws", "--path", PATH],
        &["--ws", "--method", "GET"],
        &["--ws", "--unknown"],
    ];
    for arguments in wrong {
        let output = place.sign(arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_path_without_the_prefix_is_signed_with_a_word() {
    let place = Place::new();
    let output = place.sign(&["--method", "GET", "--path", "/portfolio/balance", "--key-id", "id"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("/trade-api/"));
}

#[test]
fn the_help_shows_an_example() {
    for (action, word) in [("sign", "curl -H @- https://"), ("verify", "openssl pkey")] {
        let output = Command::new(wakeline()).args(["kalshi", action, "--help"]).output().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().contains(word));
    }
}

#[test]
fn a_refused_key_is_named_and_never_asked_about() {
    let place = Place::new();
    let key = keys::key();
    let encrypted = key.private_key_to_pem_pkcs8_passphrase(Cipher::aes_256_cbc(), b"secret").unwrap();
    for (name, content, words) in [
        ("encrypted", encrypted, ["encrypted", "openssl pkey"]),
        ("public", keys::public(&key), ["public key", "openssl genrsa"]),
        ("short", keys::pkcs1(&keys::rsa(1_024)), ["1024 bits", "openssl genrsa"]),
        ("empty", Vec::new(), ["empty", "BEGIN"]),
        ("junk", vec![0xff; 3_000], ["no PEM", "BEGIN"]),
    ] {
        let path = keys::file(place.path(), name, content);
        let first = [OsStr::new("sign"), OsStr::new("--key"), path.as_ref()];
        let path = path.to_str().unwrap();
        assert_refused(&run(first, &["--ws", "--key-id", "id"]), &[path, words[0], words[1]]);
    }
    let first = [OsStr::new("sign"), OsStr::new("--key"), place.path().as_ref()];
    assert_refused(&run(first, &["--ws", "--key-id", "id"]), &["a directory"]);
}

#[test]
fn a_refused_public_key_is_named() {
    let place = Place::new();
    let request = ["--ws", "--timestamp", TIMESTAMP, "--signature", "AAAA"];
    let ec = openssl::ec::EcGroup::from_curve_name(openssl::nid::Nid::X9_62_PRIME256V1).unwrap();
    let ec = openssl::ec::EcKey::generate(&ec).unwrap().public_key_to_pem().unwrap();
    for (name, content, word) in [
        ("private", keys::pkcs1(&keys::key()), "private key"),
        ("ec", ec, "no RSA public key"),
        ("empty", Vec::new(), "no RSA public key"),
        ("cut", b"-----BEGIN PUBLIC KEY-----\nMIIB".to_vec(), "no RSA public key"),
    ] {
        let path = keys::file(place.path(), name, content);
        let first = [OsStr::new("verify"), OsStr::new("--public-key"), path.as_ref()];
        assert_refused(&run(first, &request), &[word, "openssl pkey"]);
    }
    let pkcs1 = keys::key().rsa().unwrap().public_key_to_pem_pkcs1().unwrap();
    let path = keys::file(place.path(), "pkcs1", pkcs1);
    let first = [OsStr::new("verify"), OsStr::new("--public-key"), path.as_ref()];
    assert_refused(&run(first, &request), &["3 bytes long"]);
}

#[test]
fn an_unreadable_key_is_refused() {
    let place = Place::new();
    fs::set_permissions(&place.key, Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
    // Root reads everything, so then it is somebody else who runs a copy where they can reach it.
    let binary = place.path().join("wakeline");
    fs::copy(wakeline(), &binary).unwrap();
    let mut command = Command::new(&binary);
    if rustix::process::geteuid().is_root() {
        command.uid(65_534).gid(65_534);
    }
    command.args(["kalshi", "sign", "--ws", "--key"]).arg(&place.key).stdin(Stdio::null());
    assert_refused(&command.output().unwrap(), &["Permission denied", "key.pem"]);
}

#[test]
fn a_key_open_to_others_is_warned_about_and_used() {
    let place = Place::new();
    for (mode, warned) in
        [(0o600, false), (0o400, false), (0o640, true), (0o604, true), (0o644, true), (0o620, true)]
    {
        fs::set_permissions(&place.key, Permissions::from_mode(mode)).unwrap();
        let output = place.sign(&["--ws", "--key-id", "id"]);
        assert_eq!(output.status.code(), Some(0));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.contains("chmod 600"), warned, "{mode:o}: {said}");
        assert_eq!(said.contains(&format!("{mode:04o}")), warned, "{said}");
    }
}

#[test]
fn a_full_disk_is_an_error_and_not_a_panic() {
    let place = Place::new();
    let mut command = Command::new(wakeline());
    command.args(["kalshi", "sign", "--ws", "--key-id", "id", "--key"]).arg(&place.key);
    command.stdout(fs::File::options().write(true).open("/dev/full").unwrap());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("wakeline: can't write to stdout: "), "{said}");
}

#[test]
fn a_configuration_of_openssl_for_the_machine_changes_nothing() {
    let place = Place::new();
    let other_providers = "openssl_conf = a\n[a]\nproviders = b\n[b]\nbase = c\n[c]\nactivate = 1\n";
    let configuration = keys::file(place.path(), "openssl.cnf", other_providers);
    let demanding = "openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = fips=yes\n";
    let demanding = keys::file(place.path(), "demanding.cnf", demanding);
    let mut command = Command::new(wakeline());
    command.args(["kalshi", "sign", "--ws", "--key"]).arg(&place.key).env("OPENSSL_CONF", demanding);
    assert_refused(&command.output().unwrap(), &["OPENSSL_CONF=/dev/null"]);
    for configuration in [&configuration, &place.path().join("none")] {
        let run = |arguments: &[&str], file: &Path| {
            let mut command = Command::new(wakeline());
            command.arg("kalshi").args(arguments).arg(file).env("OPENSSL_CONF", configuration);
            printed(command.output().unwrap())
        };
        let sign = ["sign", "--ws", "--timestamp", TIMESTAMP, "--key-id", "id", "--key"];
        let headers = run(&sign, &place.key);
        let verify =
            ["verify", "--ws", "--timestamp", TIMESTAMP, "--signature", signature(&headers), "--public-key"];
        assert_eq!(run(&verify, &place.public), "valid\n");
    }
}

#[test]
fn a_refusal_in_a_log_file_stays_there() {
    let place = Place::new();
    let log = place.path().join("log");
    let script = r#"{ "$0" kalshi sign --ws --key none; echo after >&2; } 2>"$1""#;
    let status = Command::new("sh").args(["-c", script]).arg(wakeline()).arg(&log).status().unwrap();
    assert!(status.success());
    let log = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("wakeline: can't read") && lines[1] == "after", "{log}");
}
