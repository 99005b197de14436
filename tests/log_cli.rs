//! `wakeline synth` and `wakeline log` as a person or a script runs them.
//!
//! `WAKELINE_LONG_TESTS=1` adds a session of 200,000 steps in 64 MiB of address space.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::daemon::{assert_one_sentence, skipped, until};
use common::wakeline;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

fn run(directory: &Path, arguments: &[&str]) -> Output {
    run_with(directory, arguments, Stdio::null())
}

fn run_with(directory: &Path, arguments: &[&str], stdin: Stdio) -> Output {
    Command::new(wakeline()).args(arguments).current_dir(directory).stdin(stdin).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What a command that went well, and had nothing to remark, printed.
fn printed(output: Output) -> Vec<u8> {
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""));
    output.stdout
}

fn text(output: Output) -> String {
    String::from_utf8(printed(output)).unwrap()
}

/// A directory with a session of 200 steps in it, `session.feedlog`.
fn place() -> (TempDir, Vec<u8>) {
    let directory = TempDir::new().unwrap();
    printed(run(directory.path(), &["synth", "session.feedlog", "--steps", "200"]));
    let bytes = fs::read(directory.path().join("session.feedlog")).unwrap();
    (directory, bytes)
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The document of `log check --json` and its exit code.
fn checked(directory: &Path, files: &[&str]) -> (Value, Option<i32>) {
    let output = run(directory, &[&["log", "check", "--json"], files].concat());
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
}

#[test]
fn a_session_is_the_same_in_every_form() {
    let (place, plain) = place();
    for name in ["session.feedlog.gz", "session.feedlog.ZST"] {
        let line = text(run(place.path(), &["synth", name, "--steps=200"]));
        assert_eq!(
            line,
            format!("{name}: {} records, {} bytes\n", plain.split(|&b| b == b'\n').count() - 1, plain.len())
        );
        assert!(fs::metadata(place.path().join(name)).unwrap().len() < plain.len() as u64 / 4);
        assert!(printed(run(place.path(), &["log", "cat", name])) == plain);
    }
    assert!(printed(run(place.path(), &["synth", "-", "--steps", "200"])) == plain);
    let other =
        printed(run(place.path(), &["synth", "-", "--steps", "200", "--seed", "7", "--lead-ms", "-400"]));
    assert!(other != plain);
    assert_eq!(names(place.path()), ["session.feedlog", "session.feedlog.ZST", "session.feedlog.gz"]);
}

#[test]
fn what_synth_cannot_make_is_refused() {
    let place = TempDir::new().unwrap();
    let wrong: [&[&str]; 8] = [
        &["synth"],
        &["synth", "x", "--steps", "0"],
        &["synth", "x", "--steps", "100000001"],
        &["synth", "x", "--lead-ms", "86400001"],
        &["synth", "x", "--lead-ms", "-86400001"],
        &["synth", "x", "--seed", "4294967296"],
        &["synth", "x", "--seed", "-1"],
        &["synth", "x", "y"],
    ];
    for arguments in wrong {
        let output = run(place.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
    }
    for (out, word) in
        [("no/where.feedlog", "no/where.feedlog"), (".", "is a directory"), ("/dev/full", "room")]
    {
        let output = run(place.path(), &["synth", out, "--steps", "5000"]);
        assert_eq!(output.status.code(), Some(1));
        assert_one_sentence(&said(&output), &[word]);
    }
    assert!(names(place.path()).is_empty());
}

#[test]
fn a_lead_of_a_day_is_made_in_little_memory() {
    let place = TempDir::new().unwrap();
    for lead in ["--lead-ms=86400000", "--lead-ms=-86400000"] {
        let out = printed(run_small(place.path(), &["synth", "-", "--steps=3000", lead]));
        let venues: Vec<bool> = out
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| line.split(|&byte| byte == b'\t').nth(1).unwrap() == b"kalshi")
            .collect();
        let (first, last) = venues.split_at(venues.len() / 2);
        let kalshi_leads = !lead.contains("=-");
        assert!(first.iter().all(|&kalshi| kalshi == kalshi_leads));
        assert!(last.iter().all(|&kalshi| kalshi != kalshi_leads));
    }
}

/// Runs it in 64 MiB of address space, which is more than it may use of memory.
fn run_small(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 65536 && exec \"$0\" \"$@\""]).arg(wakeline()).args(arguments);
    command.current_dir(directory).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_long_session_is_made_read_cut_and_merged_in_64_mib() {
    let long = std::env::var_os("WAKELINE_LONG_TESTS").is_some_and(|value| value == "1");
    let (steps, records, every) = if long { ("200000", 724_298, "6000") } else { ("20000", 72_418, "600") };
    let place = TempDir::new().unwrap();
    let line = text(run_small(place.path(), &["synth", "long.feedlog.zst", "--steps", steps]));
    assert!(line.starts_with(&format!("long.feedlog.zst: {records} records, ")), "{line}");
    let report = text(run_small(place.path(), &["log", "check", "long.feedlog.zst"]));
    assert!(report.starts_with("long.feedlog.zst: sound\n"), "{report}");
    printed(run_small(
        place.path(),
        &["log", "split", "long.feedlog.zst", "--every", every, "--output-dir", "cut"],
    ));
    let cut: Vec<_> = names(&place.path().join("cut")).iter().map(|name| format!("cut/{name}")).collect();
    // A merge holds a window of 2 MiB for each input that is packed with zstd.
    assert_eq!(cut.len(), 4);
    let mut merge = vec!["log", "merge", "-o", "merged.feedlog.zst"];
    merge.extend(cut.iter().map(String::as_str));
    printed(run_small(place.path(), &merge));
    let bytes = |name: &str| fs::read(place.path().join(name)).unwrap();
    assert!(bytes("merged.feedlog.zst") == bytes("long.feedlog.zst"));
}

#[test]
fn check_says_what_a_sound_capture_holds() {
    let (place, bytes) = place();
    let report = text(run(place.path(), &["log", "check", "session.feedlog"]));
    assert!(report.starts_with("session.feedlog: sound\n"), "{report}");
    let row = |name: &str, value: &str| {
        let found = report
            .lines()
            .any(|line| line.trim().strip_prefix(name).is_some_and(|rest| rest.trim() == value));
        assert!(found, "no {name} {value} in {report}");
    };
    let records = bytes.iter().filter(|&&byte| byte == b'\n').count();
    let moves = (records / 2 - 1).to_string();
    row("packed", "plain");
    row("bytes", &bytes.len().to_string());
    row("lines", &records.to_string());
    row("bad lines", "0");
    row("time backwards", "0");
    for (venue, opening, delta) in
        [("kalshi", "orderbook_snapshot", "orderbook_delta"), ("polymarket", "book", "price_change")]
    {
        row(venue, &(records / 2).to_string());
        row(opening, "1");
        row(delta, &moves);
    }
    assert!(
        report.contains("  received                 2026-01-01T00:00:00.000000000Z to 2026-01-01T00:00:"),
        "{report}"
    );
}

#[test]
fn check_says_what_is_wrong_with_a_damaged_capture() {
    let (place, _) = place();
    let path = |name: &str| place.path().join(name);
    let lines = "5\tkalshi\t{\"type\":\"ok\"}\n\nbad\n4\tkalshi\tnot JSON\n5\tdiff\t{}\n9\tpolymarket\tPONG\n9\tpolymarket\t{\"event_type\":\"bo";
    fs::write(path("cut.feedlog"), lines).unwrap();
    let output = run(place.path(), &["log", "check", "cut.feedlog", "session.feedlog"]);
    let report = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(1), ""));
    assert!(
        report.starts_with("cut.feedlog: damaged: 3 bad lines, no line end behind the last line\n"),
        "{report}"
    );
    assert!(report.contains("session.feedlog: sound\n"), "{report}");
    for words in [
        "empty                  1  line 2",
        "fewer than two tabs    1  line 3",
        "unknown venue          1  line 5",
        "time backwards           1  line 4, at most by 0.000001 ms",
        "(not JSON)             1",
        "(keep-alive)           1",
    ] {
        assert!(report.contains(words), "no {words:?} in {report}");
    }
    let (document, code) = checked(place.path(), &["cut.feedlog", "none.feedlog"]);
    assert_eq!((document["sound"].as_bool(), code), (Some(false), Some(1)));
    let cut = &document["captures"][0];
    assert_eq!(cut["bad_lines"]["empty"]["first_lines"], serde_json::json!([2]));
    assert_eq!((cut["lines"].as_u64(), cut["records"].as_u64()), (Some(7), Some(4)));
    assert_eq!(cut["venues"]["polymarket"]["types"]["(not JSON)"], 1);
    assert!(document["captures"][1]["fault"].as_str().unwrap().contains("none.feedlog"));
}

#[test]
fn packed_data_that_is_cut_is_used_up_to_there_by_every_command() {
    let (place, bytes) = place();
    printed(run(place.path(), &["synth", "whole.feedlog.gz", "--steps", "200"]));
    let packed = fs::read(place.path().join("whole.feedlog.gz")).unwrap();
    fs::write(place.path().join("cut.feedlog.gz"), &packed[..packed.len() / 2]).unwrap();
    let commands: [&[&str]; 4] = [
        &["log", "check", "cut.feedlog.gz"],
        &["log", "cat", "cut.feedlog.gz", "session.feedlog"],
        &["log", "merge", "cut.feedlog.gz", "-o", "merged.feedlog"],
        &["log", "split", "cut.feedlog.gz", "--every", "5", "--pack", "plain"],
    ];
    let mut printed = Vec::new();
    for arguments in commands {
        let output = run(place.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            said(&output).contains("cut.feedlog.gz ends in the middle of its gzip data, after line "),
            "{}",
            said(&output)
        );
        assert!(!said(&output).contains("panicked"));
        printed = if arguments[1] == "cat" { output.stdout } else { printed };
    }
    let part = printed.strip_suffix(bytes.as_slice()).unwrap();
    // Its last line was cut, so what follows begins on a line of its own.
    let part = part.strip_suffix(b"\n").unwrap();
    assert!(part.len() > 1_000 && bytes.starts_with(part));
    let read = |name: &str| fs::read(place.path().join(name)).unwrap();
    assert!(read("merged.feedlog").strip_suffix(b"\n").unwrap() == part);
    let slices: Vec<u8> = names(place.path())
        .iter()
        .filter(|name| name.starts_with("cut-0"))
        .flat_map(|name| read(name))
        .collect();
    assert!(slices.strip_suffix(b"\n").unwrap() == part);
}

#[test]
fn cat_slices_by_time_and_venue() {
    let (place, bytes) = place();
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let time = |line: &[u8]| -> i64 { std::str::from_utf8(&line[..19]).unwrap().parse().unwrap() };
    let (from, to) = (time(lines[100]), time(lines[300]));
    let (from_text, to_text) = (from.to_string(), to.to_string());
    let slice =
        |more: &[&str]| printed(run(place.path(), &[&["log", "cat", "session.feedlog"], more].concat()));
    let wanted = |want: &dyn Fn(&[u8]) -> bool| {
        lines.iter().filter(|line| want(line)).copied().collect::<Vec<_>>().concat()
    };
    assert!(slice(&[]) == bytes);
    assert!(
        slice(&["--from", &from_text, "--to", &to_text]) == wanted(&|line| (from..to).contains(&time(line)))
    );
    assert!(slice(&["--to", &from_text]) == wanted(&|line| time(line) < from));
    let kalshi = |line: &[u8]| line[20..].starts_with(b"kalshi\t");
    assert!(
        slice(&["--venue", "kalshi", "--from", &to_text]) == wanted(&|line| kalshi(line) && time(line) >= to)
    );
    assert!(slice(&["--venue", "kalshi", "--venue", "polymarket"]) == bytes);
    assert!(slice(&["--venue", "binance"]).is_empty());
    for wrong in [["--venue", "kalsi"], ["--from", "-1"], ["--to", "soon"]] {
        let output = run(place.path(), &[&["log", "cat", "session.feedlog"], wrong.as_slice()].concat());
        assert_eq!(output.status.code(), Some(2));
    }
    let output =
        run(place.path(), &["log", "cat", "session.feedlog", "--from", &to_text, "--to", &from_text]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("swap"), "{}", said(&output));
}

#[test]
fn standard_input_is_a_capture_too() {
    let (place, bytes) = place();
    printed(run(place.path(), &["synth", "packed", "--steps", "200"]));
    printed(run(place.path(), &["log", "merge", "session.feedlog", "-o", "packed.zst"]));
    let packed = || Stdio::from(File::open(place.path().join("packed.zst")).unwrap());
    assert!(printed(run_with(place.path(), &["log", "cat", "-"], packed())) == bytes);
    let report = text(run_with(place.path(), &["log", "check", "-"], packed()));
    assert!(report.starts_with("standard input: sound\n") && report.contains("zstd"), "{report}");
    for arguments in
        [["check", "-", "-"].as_slice(), &["cat", "-", "x", "-"], &["merge", "-", "-", "-o", "-"]]
    {
        let output = run(place.path(), &[&["log"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    }
    printed(run_with(place.path(), &["log", "split", "-", "--every", "1000"], packed()));
    assert!(names(place.path()).contains(&"capture-00001.feedlog.zst".to_owned()));
}

#[test]
fn a_name_says_nothing_about_how_a_capture_is_packed() {
    let (place, bytes) = place();
    for packed in ["a.gz", "b.zst"] {
        printed(run(place.path(), &["log", "merge", "session.feedlog", "-o", packed]));
        fs::rename(place.path().join(packed), place.path().join("renamed.feedlog")).unwrap();
        assert!(printed(run(place.path(), &["log", "cat", "renamed.feedlog"])) == bytes);
    }
    fs::rename(place.path().join("session.feedlog"), place.path().join("session.gz")).unwrap();
    assert!(printed(run(place.path(), &["log", "cat", "session.gz"])) == bytes);
}

#[test]
fn slices_are_numbered_by_time_and_merge_to_the_capture() {
    let (place, bytes) = place();
    let slices = text(run(
        place.path(),
        &["log", "split", "session.feedlog", "--every", "4", "--output-dir", "cut/here", "--prefix", "part"],
    ));
    let directory = place.path().join("cut/here");
    assert_eq!(
        names(&directory),
        [
            "part-00001.feedlog",
            "part-00002.feedlog",
            "part-00003.feedlog",
            "part-00004.feedlog",
            "part-00005.feedlog",
            "part-00006.feedlog"
        ]
    );
    assert!(slices.starts_with("cut/here/part-00001.feedlog: ") && slices.lines().count() == 6, "{slices}");
    let files: Vec<String> = names(&directory).iter().map(|name| format!("cut/here/{name}")).collect();
    for file in &files {
        let text = fs::read_to_string(place.path().join(file)).unwrap();
        let times: Vec<i64> = text.lines().map(|line| line[..19].parse().unwrap()).collect();
        let number: i64 = file[14..19].parse().unwrap();
        let start = 1_767_225_600_000_000_000 + (number - 1) * 4_000_000_000;
        assert!(times.iter().all(|time| (start..start + 4_000_000_000).contains(time)), "{file}");
    }
    let mut merge = vec!["log", "merge", "-o", "-"];
    // In any order: their times don't overlap.
    merge.extend(files.iter().rev().map(String::as_str));
    assert!(printed(run(place.path(), &merge)) == bytes);
}

#[test]
fn a_capture_is_cut_at_given_times_and_packed_as_it_was() {
    let (place, bytes) = place();
    printed(run(place.path(), &["synth", "packed.feedlog.zst", "--steps", "200"]));
    let cuts = ["--at", "1767225610000000000", "--at", "1767225605000000000"];
    printed(run(place.path(), &[&["log", "split", "packed.feedlog.zst"], cuts.as_slice()].concat()));
    let slices: Vec<_> = names(place.path()).into_iter().filter(|name| name.starts_with("packed-")).collect();
    assert_eq!(slices, ["packed-00001.feedlog.zst", "packed-00002.feedlog.zst", "packed-00003.feedlog.zst"]);
    let all: Vec<u8> =
        slices.iter().flat_map(|name| printed(run(place.path(), &["log", "cat", name]))).collect();
    assert!(all == bytes);
    let second = printed(run(place.path(), &["log", "cat", &slices[1]]));
    let from_to =
        ["log", "cat", "session.feedlog", "--from", "1767225605000000000", "--to", "1767225610000000000"];
    assert!(second == printed(run(place.path(), &from_to)));
    printed(run(place.path(), &["log", "split", "session.feedlog", "--every", "60", "--pack", "gzip"]));
    assert!(fs::read(place.path().join("session-00001.feedlog.gz")).unwrap().starts_with(&[0x1f, 0x8b]));
}

#[test]
fn slices_of_before_are_never_mixed_with_new_ones() {
    let (place, _) = place();
    let split = |more: &[&str]| run(place.path(), &[&["log", "split", "session.feedlog"], more].concat());
    printed(split(&["--every", "10"]));
    let output = split(&["--every", "60", "--pack", "zstd"]);
    assert_eq!(output.status.code(), Some(1));
    assert_one_sentence(&said(&output), &["session-0000", "--prefix"]);
    printed(split(&["--every", "60", "--prefix", "other"]));
    for wrong in [
        ["--every", "0"].as_slice(),
        &[],
        &["--every", "1", "--at", "5"],
        &["--every", "1", "--prefix", "a/b"],
    ] {
        assert_eq!(split(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn a_time_that_cannot_be_right_makes_no_slice_number() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("x.feedlog"), "5\tkalshi\t{}\n9223372036854775807\tkalshi\t{}\n").unwrap();
    let output = run(place.path(), &["log", "split", "x.feedlog", "--every", "1"]);
    assert_eq!(output.status.code(), Some(1));
    assert_one_sentence(&said(&output), &["line 2 of x.feedlog", "--every"]);
    assert_eq!(names(place.path()), ["x.feedlog"]);
}

#[test]
fn what_is_left_out_or_out_of_order_is_said() {
    let place = TempDir::new().unwrap();
    let capture =
        "30000000000\tkalshi\ta\n10000000000\tkalshi\tb\nbad\n50000000000\tkalshi\tc\n20000000000\tkalshi\td";
    fs::write(place.path().join("x.feedlog"), capture).unwrap();
    fs::write(place.path().join("y.feedlog"), "30000000000\tkalshi\te\n").unwrap();
    let output = run(place.path(), &["log", "merge", "x.feedlog", "y.feedlog", "-o", "z.feedlog"]);
    assert_eq!(output.status.code(), Some(0));
    for words in [
        "1 bad line of x.feedlog was left out: 1 fewer than two tabs (line 3)",
        "no line end",
        "time goes backwards in x.feedlog at lines 2, 5 (2 in all)",
    ] {
        assert!(said(&output).contains(words), "no {words:?} in {}", said(&output));
    }
    let merged = fs::read_to_string(place.path().join("z.feedlog")).unwrap();
    let payloads: String = merged.lines().map(|line| line.rsplit('\t').next().unwrap()).collect();
    assert_eq!(payloads, "abecd");

    let output = run(place.path(), &["log", "split", "x.feedlog", "--every", "15"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(said(&output).contains("2 records stayed in the slice behind their own"), "{}", said(&output));
    let read = |name: &str| fs::read_to_string(place.path().join(name)).unwrap();
    let slices: String =
        names(place.path()).iter().filter(|name| name.starts_with("x-")).map(|name| read(name)).collect();
    assert_eq!(slices, capture.replace("bad\n", "") + "\n");
}

#[test]
fn an_output_may_be_an_input_and_stays_as_it_was_when_a_merge_fails() {
    let (place, bytes) = place();
    let output =
        run(place.path(), &["log", "merge", "session.feedlog", "none.feedlog", "-o", "session.feedlog"]);
    assert_eq!(output.status.code(), Some(1));
    assert_one_sentence(&said(&output), &["none.feedlog"]);
    assert!(fs::read(place.path().join("session.feedlog")).unwrap() == bytes);
    printed(run(
        place.path(),
        &["log", "merge", "session.feedlog", "session.feedlog", "-o", "session.feedlog"],
    ));
    assert_eq!(fs::read(place.path().join("session.feedlog")).unwrap().len(), 2 * bytes.len());
    assert_eq!(names(place.path()), ["session.feedlog"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_trouble() {
    let (place, _) = place();
    printed(run(place.path(), &["synth", "long.feedlog", "--steps", "20000"]));
    let commands: [&[&str]; 4] = [
        &["log", "cat", "long.feedlog"],
        &["log", "merge", "long.feedlog", "-o", "-"],
        &["synth", "-", "--steps", "20000"],
        &["log", "check", "session.feedlog"],
    ];
    for arguments in commands {
        let mut command = Command::new(wakeline());
        command.args(arguments).current_dir(place.path()).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 100];
        let mut out = child.stdout.take().unwrap();
        if arguments[1] != "check" {
            out.read_exact(&mut first).unwrap();
        }
        drop(out);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn an_interrupted_command_leaves_nothing_half_done() {
    let (place, bytes) = place();
    let before = names(place.path());
    let commands: [&[&str]; 3] = [
        &["synth", "out.feedlog", "--steps", "2000000"],
        &["log", "merge", "session.feedlog", "-", "-o", "session.feedlog"],
        &["log", "split", "-", "--every", "1000"],
    ];
    for arguments in commands {
        let mut command = Command::new(wakeline());
        command.args(arguments).current_dir(place.path()).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        // Its pipe stays open and idle, as that of a recorder does; little enough for the one that doesn't read it.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&bytes[..3_000]).unwrap();
        until("it writes its file", || names(place.path()).iter().any(|name| name.ends_with(".part")));
        std::thread::sleep(Duration::from_millis(20));
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_one_sentence(&said(&output), &["interrupted"]);
        assert_eq!(names(place.path()), before, "{arguments:?}");
        assert!(fs::read(place.path().join("session.feedlog")).unwrap() == bytes);
    }
}

#[test]
fn the_help_says_how() {
    for (arguments, word) in [
        (["log", "--help"].as_slice(), "split"),
        (&["log", "check", "--help"], "damaged"),
        (&["log", "cat", "--help"], "--from"),
        (&["log", "split", "--help"], "PREFIX-00001.feedlog"),
        (&["log", "merge", "--help"], "Of equal times"),
        (&["synth", "--help"], "--lead-ms"),
    ] {
        assert!(text(run(Path::new("."), arguments)).contains(word), "{arguments:?}");
    }
    for wrong in
        [["log"].as_slice(), &["log", "check"], &["log", "merge", "x"], &["log", "cat", "x", "--unknown"]]
    {
        assert_eq!(run(Path::new("."), wrong).status.code(), Some(2));
    }
}

/// The captures of real venues beside the repository; `None`, with a loud word, where they are absent.
fn captures() -> Option<PathBuf> {
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/captures");
    if !captures.exists() {
        skipped(&format!("{} is absent, so no real capture was read", captures.display()));
        return None;
    }
    Some(captures)
}

#[test]
fn real_captures_are_sound_and_hold_what_is_known_of_them() {
    let Some(captures) = captures() else { return };
    let files = ["live-poly-30min.feedlog.gz", "binance-90s.feedlog.gz", "btcusdt-recon.feedlog.gz"];
    let (document, code) = checked(&captures, &files);
    assert_eq!((document["sound"].as_bool(), code), (Some(true), Some(0)));
    let known = [
        (
            34_731,
            29_128_581,
            "polymarket",
            serde_json::json!({"[book]": 1, "book": 526, "price_change": 33_746, "last_trade_price": 458}),
        ),
        (24_048, 5_301_925, "binance", serde_json::json!({"bookTicker": 17_109, "depth@100ms": 6_939})),
        (452, 279_282, "diff", serde_json::json!({"depthUpdate": 450})),
    ];
    for (capture, (records, bytes, kind, types)) in document["captures"].as_array().unwrap().iter().zip(known)
    {
        assert_eq!((capture["records"].as_u64(), capture["bytes"].as_u64()), (Some(records), Some(bytes)));
        assert_eq!(capture["venues"][kind]["types"], types);
        assert_eq!(capture["backwards"]["count"], 0);
        assert_eq!(capture["compression"], "gzip");
    }
    let book = &document["captures"][2]["venues"];
    assert_eq!(
        (book["snapshot"]["records"].as_u64(), book["validation_snapshot"]["records"].as_u64()),
        (Some(1), Some(1))
    );
}
