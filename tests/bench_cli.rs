//! `wakeline bench` runs, measures what it says, and fails loudly. How fast anything is, isn't looked at.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use common::daemon::{assert_one_sentence, until};
use common::{keys, wakeline};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// As little as may be asked for.
const TINY: [&str; 8] = ["--samples", "100", "--warm-up", "1", "--pairs", "2", "--rows", "1000"];

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(wakeline());
    command.arg("bench").args(arguments).args(TINY);
    command
}

fn bench(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// What a run that must succeed prints.
fn printed(arguments: &[&str]) -> String {
    let output = bench(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn document(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(&[arguments, &["--json", "--no-python"]].concat())).unwrap()
}

fn sections(document: &Value) -> &Vec<Value> {
    document["sections"].as_array().unwrap()
}

/// Benchmark, unit and numbers of series and comparisons of each section.
fn shape(document: &Value) -> Vec<(&str, &str, usize, usize)> {
    let count = |value: &Value| value.as_array().unwrap().len();
    sections(document)
        .iter()
        .map(|of| {
            let [benchmark, unit] = ["benchmark", "unit"].map(|key| of[key].as_str().unwrap());
            (benchmark, unit, count(&of["series"]), count(&of["comparisons"]))
        })
        .collect()
}

/// Other libraries that are beside ours in decode and sign.
const PEERS: usize = if cfg!(feature = "bench-peers") { 2 } else { 0 };

#[test]
fn everything_is_measured_unless_something_is_named() {
    let document = document(&[]);
    let expected = [
        ("decode", "ns", 1 + PEERS, PEERS),
        ("decode", "ns", 34, 0),
        ("decode", "ns", 8, 0),
        ("encode_ack", "ns", 1, 0),
        ("snap", "ns", 2, 0),
        ("template", "ns", 2, 0),
        ("telemetry_push", "ns", 1, 0),
        ("telemetry_rows", "rows/s", 2, 1),
        ("telemetry_rows", "rows/s", 2, 1),
        ("telemetry_latency", "ms", 1, 0),
        ("telemetry_idle", "% of a core", 1, 0),
        ("sign", "us", 2 + PEERS, 1 + PEERS),
        ("roundtrip", "us", 2, 3),
        ("wake_recv", "us", 2, 4),
    ];
    assert_eq!(shape(&document), expected);
    for section in sections(&document) {
        let (samples, runs) = match section["benchmark"].as_str().unwrap() {
            "telemetry_rows" | "telemetry_idle" => (2, 1),
            "roundtrip" | "wake_recv" => (100, 2),
            _ => (100, 1),
        };
        for series in section["series"].as_array().unwrap() {
            assert_eq!(series["runs"].as_array().unwrap().len(), runs, "{series}");
            for run in series["runs"].as_array().unwrap() {
                assert_eq!(run["n"], samples, "{series}");
                assert_eq!(run["p99"].is_null(), samples < 100, "{series}");
                assert!(run["p999"].is_null() && run["p50"].as_f64().unwrap() > 0.0, "{series}");
            }
        }
    }
    let receipt = &document["receipt"];
    assert!(receipt["platform"].as_str().unwrap().contains("AVX-512 IFMA, Linux "), "{receipt}");
    let versions = receipt["versions"].as_str().unwrap();
    for words in ["wakeline 0.", wakeline::signer::openssl_version(), "SQLite 3.", "rustc 1."] {
        assert!(versions.contains(words), "no {words} in {versions}");
    }
    let warned =
        receipt["warnings"].as_array().unwrap().iter().any(|text| text.to_string().contains("DEBUG BUILD"));
    assert_eq!(warned, cfg!(debug_assertions));
}

#[test]
fn what_is_named_is_measured_once_and_nothing_else() {
    let names = |arguments: &[&str]| {
        let document = document(arguments);
        shape(&document).iter().map(|(benchmark, ..)| (*benchmark).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&["snap", "encode-ack", "snap"]), ["encode_ack", "snap"]);
    assert_eq!(names(&["push", "telemetry"]), ["telemetry_push", "telemetry_rows", "telemetry_rows"]);
    assert_eq!(names(&["telemetry-push"]), ["telemetry_push"]);
    assert_eq!(names(&["wake-recv", "--spin", "--pause-us", "5"]), ["wake_recv"]);
}

#[test]
fn tables_have_a_receipt_above_them_and_stderr_stays_empty() {
    let output = bench(&["sign", "template", "--no-python"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let openssl = wakeline::signer::openssl_version();
    for words in [
        "clock source ",
        "governor ",
        "load average ",
        "pinned to nothing",
        "percentiles of type 7",
        "template: an order from the template of its market and side\n  ns ",
        "  the same, and its body written ",
        "sign: RSA-PSS with SHA-256, a throwaway key of 2048 bits",
        "  wakeline, to base64 / bare operation, same OpenSSL  ",
        "(half of 100 pairs between ",
        "100 samples of each kind after 1 to warm up",
        "means of 64 runs",
        openssl,
        "(Python was left out, as asked)",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    assert_eq!(text.contains("*** A DEBUG BUILD"), cfg!(debug_assertions), "{text}");
}

/// The cells of a line, which may be quoted.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    for (index, part) in line.split('"').enumerate() {
        let mut pieces = if index % 2 == 0 { part.split(',').collect() } else { vec![part] }.into_iter();
        cells.last_mut().unwrap().push_str(pieces.next().unwrap_or_default());
        cells.extend(pieces.map(str::to_owned));
    }
    cells
}

const HEADER: &str =
    "timestamp_utc,platform,commit,benchmark,config,n,warmup,p50,p90,p99,p999,max,unit,versions";

#[test]
fn rows_are_appended_behind_one_header() {
    let place = TempDir::new().unwrap();
    let history = place.path().join("history.csv");
    let csv = ["--csv", history.to_str().unwrap()];
    for arguments in [&["snap"][..], &["roundtrip", "wake-recv"]] {
        let output = bench(&[arguments, &csv].concat());
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_one_sentence(&said, &["rows were appended to", "history.csv"]);
    }
    let text = std::fs::read_to_string(&history).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(HEADER));
    let rows: Vec<Vec<String>> = lines.map(cells).collect();
    let named: Vec<(&str, &str)> = rows.iter().map(|row| (&row[3][..], &row[4][..])).collect();
    let of = |kind: &str, pair: u32| format!("kind={kind} wait=block pause_us=0 pair={pair}");
    let sockets: Vec<String> = [("wakeline", 1), ("wakeline", 2), ("echo", 1), ("echo", 2)]
        .map(|(kind, pair)| of(kind, pair))
        .into();
    let mut expected = vec![("snap", "ranges=1 batch=64"), ("snap", "ranges=3 batch=64")];
    expected.extend(sockets.iter().map(|config| ("roundtrip", &config[..])));
    expected.extend(sockets.iter().map(|config| ("wake_recv", &config[..])));
    assert_eq!(named, expected);
    for row in rows {
        assert_eq!(row.len(), HEADER.split(',').count(), "{row:?}");
        assert_eq!((&row[5][..], &row[6][..], &row[10][..]), ("100", "1", ""), "{row:?}");
        assert_eq!(row[12], if row[3] == "snap" { "ns" } else { "us" });
        assert!(row[1].contains("Linux ") && row[13].contains("SQLite "), "{row:?}");
        for figure in [7, 8, 9, 11] {
            assert!(row[figure].parse::<f64>().unwrap() > 0.0, "{row:?}");
        }
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
    let history = keys::file(place.path(), "history.csv", format!("{HEADER}\n"));
    for (lines, words) in [
        ("echo no cryptography here >&2; exit 3".to_owned(), "no cryptography here"),
        ("read key; echo nonsense; read count".to_owned(), "--no-python"),
        (about.to_owned(), "--no-python"),
        (format!("{about}; read count; echo '[1, 2]'; read more"), "--no-python"),
    ] {
        let python = stand_in(place.path(), &lines);
        let output = bench(&["snap", "sign", "--python", &python, "--csv", history.to_str().unwrap()]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{lines}: {said}");
        assert!(output.stdout.is_empty(), "{lines}: a table without Python");
        assert!(said.contains(words) && said.contains("doesn't sign"), "{lines}: {said}");
    }
    assert_eq!(std::fs::read_to_string(history).unwrap(), format!("{HEADER}\n"), "rows of a run that failed");
    let output = bench(&["sign", "--python", "/nonexistent/python"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("can't run /nonexistent/python"));
}

#[test]
fn the_usual_python_is_left_out_when_it_cant_sign() {
    let place = TempDir::new().unwrap();
    let output = command(&["sign"]).env("PATH", place.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("(without Python: can't run python3"), "{text}");
}

#[test]
fn a_history_that_cant_be_written_is_refused_before_anything_is_measured() {
    let place = TempDir::new().unwrap();
    let foreign = keys::file(place.path(), "foreign.csv", "time,value\n");
    let absent = place.path().join("none/history.csv");
    let pipe = place.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    for (path, words) in
        [(&foreign, "another header"), (&absent, "can't append to"), (&pipe, "no regular file")]
    {
        // More than anyone would wait for.
        let mut command = Command::new(wakeline());
        command.args(["bench", "decode", "--samples", "1000000", "--csv"]).arg(path);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_one_sentence(&String::from_utf8(output.stderr).unwrap(), &[words, "--csv"]);
    }
    assert_eq!(std::fs::read_to_string(foreign).unwrap(), "time,value\n");
}

#[test]
fn a_cpu_that_isnt_there_is_refused() {
    for pin in ["1000", "1000000"] {
        for pin in [pin.to_owned(), format!("{},{pin}", first_cpu())] {
            let output = bench(&["snap", "--pin", &pin]);
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            assert_one_sentence(
                &String::from_utf8(output.stderr).unwrap(),
                &["there is no CPU 1000", "--pin"],
            );
        }
    }
    for pin in ["", "x", "0,", "0,0,0", "-1"] {
        let output = bench(&["snap", &format!("--pin={pin}")]);
        assert_eq!(output.status.code(), Some(2), "{pin}: {output:?}");
    }
}

/// A CPU this test may run on.
fn first_cpu() -> usize {
    let allowed = rustix::thread::sched_getaffinity(None).unwrap();
    (0..rustix::thread::CpuSet::MAX_CPU).find(|cpu| allowed.is_set(*cpu)).unwrap()
}

#[test]
fn a_pinned_run_says_so() {
    let cpu = first_cpu();
    for pin in [format!("{cpu}"), format!("{cpu},{cpu}")] {
        let text = printed(&["roundtrip", "--pin", &pin]);
        assert!(text.contains(&format!("pinned to {pin}\n")), "{text}");
    }
}

#[test]
fn a_p99_is_claimed_by_a_sign_test_or_not_at_all() {
    let said = |pairs: &str| {
        let arguments = ["bench", "roundtrip", "--samples", "100", "--warm-up", "0", "--pairs", pairs];
        let output = Command::new(wakeline()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(said("10").contains("fewer than 11 pairs: no claim about p99 holds"));
    assert!(said("11").contains("p99: two-sided sign tests over the pairs, wakeline / bare echo p = "));
}

#[test]
fn a_daemon_with_further_flags_is_measured_beside_the_plain_one() {
    let text = printed(&["roundtrip", "wake-recv", "--beside", "--stall-timeout-ms 9000  --log off"]);
    for words in [
        "wakeline --stall-timeout-ms 9000  --log off / bare echo, p50",
        "wakeline --stall-timeout-ms 9000  --log off / wakeline, p50",
        "wakeline / bare echo, p50",
    ] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let arguments =
        ["bench", "roundtrip", "--samples", "100", "--warm-up", "0", "--beside", "--no-such-flag"];
    let output = Command::new(wakeline()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn what_cant_be_understood_is_a_usage_error() {
    for arguments in [
        &["teleport"][..],
        &["snap", "teleport"],
        &["snap", "--samples", "99"],
        &["snap", "--pairs", "0"],
        &["sign", "--python", "p", "--no-python"],
    ] {
        let mut command = Command::new(wakeline());
        let output = command.arg("bench").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(output.stdout.is_empty());
    }
    let said = String::from_utf8(bench(&["teleport"]).stderr).unwrap();
    assert!(said.contains("telemetry-push") && said.contains("wake-recv"), "{said}");
}

/// A run that would take long, with its temporary files in `place`, once it has made some.
fn long_run(place: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(wakeline());
    command.arg("bench").args(arguments).arg("--csv").arg(place.join("history.csv"));
    let child = command.env("TMPDIR", place).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("something is being measured", || std::fs::read_dir(place).unwrap().count() > 0);
    child
}

/// Asserts that a run failed with these words and left nothing in `place`.
fn assert_nothing_came_of(child: Child, place: &Path, words: &[&str]) {
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_one_sentence(&String::from_utf8(output.stderr).unwrap(), words);
    assert!(output.stdout.is_empty());
    assert_eq!(std::fs::read_dir(place).unwrap().count(), 0);
}

#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    for arguments in [
        &["roundtrip", "--samples", "1000000"][..],
        &["telemetry-rows", "--rows", "10000000"],
        &["telemetry-latency", "--samples", "1000000"],
        &["telemetry-idle", "--pairs", "1000"],
    ] {
        let place = TempDir::new().unwrap();
        let child = long_run(place.path(), arguments);
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        assert_nothing_came_of(child, place.path(), &["interrupted", "nothing was recorded"]);
    }
}

#[test]
fn a_peer_that_dies_ends_the_run() {
    let place = TempDir::new().unwrap();
    let child = long_run(place.path(), &["roundtrip", "--samples", "1000000"]);
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let sockets = || {
        let inside = std::fs::read_dir(place.path()).unwrap().flatten().map(|entry| entry.path());
        inside.filter(|path| path.join("echo.sock").exists()).count()
    };
    until("the echo listens", || sockets() > 0);
    // By then the client, who looks each 2 ms, is connected, and has a hundred thousand wakes and more to send.
    std::thread::sleep(Duration::from_millis(300));
    let serving = std::fs::read_to_string(children).unwrap().trim().parse().unwrap();
    kill_process(Pid::from_raw(serving).unwrap(), Signal::KILL).unwrap();
    assert_nothing_came_of(child, place.path(), &["broke off", "nothing was recorded"]);
}

#[test]
fn a_full_disk_behind_stdout_is_an_error() {
    let mut command = command(&["snap"]);
    command.stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_one_sentence(&said, &["can't write to stdout", "nothing was recorded"]);
}

#[test]
fn the_history_has_the_columns_of_the_python_tool() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/wakeline_ab/history.py");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, columns) = text.split_once("COLUMNS = (").unwrap();
    let (columns, _) = columns.split_once(')').unwrap();
    let columns: Vec<&str> = columns.split('"').skip(1).step_by(2).collect();
    assert_eq!(columns.join(","), HEADER);
}
