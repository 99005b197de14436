//! `wakeline bench` runs, measures what it says, and fails loudly. How fast anything is, isn't looked at.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use common::{keys, wakeline};
use tempfile::TempDir;

fn bench_sign(more: &[&str]) -> Output {
    Command::new(wakeline())
        .args(["bench", "sign", "--samples", "100", "--warm-up", "1"])
        .args(more)
        .output()
        .unwrap()
}

#[test]
fn sign_is_measured_beside_the_bare_operation_of_a_named_openssl() {
    let output = bench_sign(&["--no-python"]);
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let openssl = wakeline::signer::openssl_version();
    assert!(openssl.starts_with("OpenSSL 3."));
    for words in [
        &format!("wakeline, to base64 ({openssl})")[..],
        &format!("wakeline / the bare operation ({openssl}): median of the pairs "),
        "100 signatures of each kind after 1 to warm up",
        "2048 bits",
    ] {
        assert!(printed.contains(words), "no {words:?} in {printed}");
    }
}

/// A program that stands in for Python, with these lines of shell.
fn stand_in(place: &Path, lines: &str) -> String {
    let path = keys::file(place, "python", format!("#!/bin/sh\n{lines}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_python_that_doesnt_sign_ends_the_run() {
    let place = TempDir::new().unwrap();
    let about = r#"read key; echo '{"python":"3.12","cryptography":"1","openssl":"2"}'"#;
    for (lines, words) in [
        ("echo no cryptography here >&2; exit 3".to_owned(), "no cryptography here"),
        ("read key; echo nonsense; read count".to_owned(), "--no-python"),
        (about.to_owned(), "--no-python"),
        (format!("{about}; read count; echo '[1, 2]'; read more"), "--no-python"),
    ] {
        let output = bench_sign(&["--python", &stand_in(place.path(), &lines)]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{lines}: {said}");
        assert!(output.stdout.is_empty(), "{lines}: a table without Python");
        assert!(said.contains(words) && said.contains("doesn't sign"), "{lines}: {said}");
    }
    let output = bench_sign(&["--python", "/nonexistent/python"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("can't run /nonexistent/python"));
}
