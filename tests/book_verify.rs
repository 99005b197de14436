//! A book from diffs and snapshots: what joins, what waits, what is compared, and `wakeline book-verify` as a person
//! runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;
mod market_support;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::wakeline;
use proptest::prelude::*;
use tempfile::TempDir;
use wakeline::market::anchored::{
    AnchoredBook, DepthLevel, MAX_WAITING_DIFFS, MAX_WAITING_LEVELS, WaitingCounts,
};
use wakeline::market::depth::{DepthDiff, DepthError, DepthImage};
use wakeline::market::model::UpdateIds;
use wakeline::market::sequencer::Step;
use wakeline::market::verify::{BookVerify, Outcome};
use wakeline::market::{Price, Side, Size};

const fn ids(first: u64, last: u64) -> UpdateIds {
    UpdateIds { first, last }
}

const fn bid(price: i64, size: i64) -> DepthLevel {
    (Side::Bid, Price(price), Size(size))
}

fn bids(book: &AnchoredBook) -> Vec<(i64, i64)> {
    book.book().levels(Side::Bid).map(|level| (level.price.0, level.size.0)).collect()
}

// ---- What waits.

#[test]
fn diffs_that_wait_are_applied_to_the_snapshot_that_comes() {
    let mut book = AnchoredBook::default();
    assert_eq!(book.diff(ids(1, 4), &[bid(1, 1)]), Step::Buffer);
    assert_eq!(book.diff(ids(5, 8), &[bid(2, 2)]), Step::Buffer);
    assert_eq!(book.diff(ids(9, 9), &[bid(3, 3)]), Step::Buffer);
    assert_eq!((book.waiting(), book.whole_up_to()), (3, None));
    assert!(book.snapshot(6, &[bid(9, 9), bid(2, 1)]));
    assert_eq!(bids(&book), [(9, 9), (3, 3), (2, 2)]);
    assert_eq!((book.waiting(), book.whole_up_to()), (0, Some(9)));
    assert_eq!(book.waiting_counts(), WaitingCounts { kept: 3, applied: 2, covered: 1, dropped: 0 });
    assert_eq!(book.counts().applied, 0, "those are counted as they came");
    assert_eq!(book.diff(ids(10, 11), &[bid(9, 0)]), Step::Apply);
    assert_eq!(bids(&book), [(3, 3), (2, 2)]);
}

#[test]
fn the_diff_at_a_gap_waits_for_the_snapshot_that_mends_it() {
    let mut book = AnchoredBook::default();
    book.snapshot(10, &[bid(1, 1)]);
    assert_eq!(book.diff(ids(11, 12), &[bid(2, 2)]), Step::Apply);
    assert_eq!(book.diff(ids(15, 16), &[bid(3, 3)]), Step::Gap);
    assert_eq!(book.diff(ids(17, 18), &[bid(4, 4)]), Step::Buffer);
    assert_eq!((book.whole_up_to(), book.last()), (None, 12));
    assert!(book.snapshot(14, &[bid(1, 1), bid(2, 5)]));
    assert_eq!(bids(&book), [(4, 4), (3, 3), (2, 5), (1, 1)]);
    assert_eq!(book.whole_up_to(), Some(18));
    assert_eq!(book.waiting_counts(), WaitingCounts { kept: 2, applied: 2, covered: 0, dropped: 0 });
}

#[test]
fn a_stale_snapshot_leaves_what_waits_to_the_next() {
    let mut book = AnchoredBook::default();
    book.diff(ids(20, 21), &[bid(2, 2)]);
    book.diff(ids(25, 26), &[bid(3, 3)]);
    assert!(book.snapshot(10, &[bid(1, 1)]));
    assert_eq!((book.whole_up_to(), book.waiting(), book.counts().stale_snapshots), (None, 2, 1));
    // This one is joined by the first, and the second shows a hole between them.
    assert!(book.snapshot(19, &[bid(1, 1)]));
    assert_eq!((book.whole_up_to(), book.waiting(), book.counts().gaps), (None, 1, 2));
    assert!(book.snapshot(24, &[bid(1, 7)]));
    assert_eq!((bids(&book), book.whole_up_to()), (vec![(3, 3), (1, 7)], Some(26)));
    assert_eq!(book.counts().snapshots, 3);
}

#[test]
fn a_snapshot_older_than_the_book_says_nothing() {
    let mut book = AnchoredBook::default();
    book.snapshot(10, &[bid(1, 1)]);
    book.diff(ids(11, 12), &[bid(1, 2)]);
    assert!(!book.snapshot(11, &[bid(1, 9)]));
    assert_eq!((bids(&book), book.whole_up_to(), book.older_snapshots()), (vec![(1, 2)], Some(12), 1));
    assert!(book.snapshot(12, &[bid(1, 3)]), "one of the same age is as good");
    assert_eq!(bids(&book), [(1, 3)]);
}

#[test]
fn what_waits_is_bounded() {
    let mut book = AnchoredBook::default();
    for id in 0..MAX_WAITING_DIFFS as u64 + 3 {
        book.diff(ids(id, id), &[bid(1, 1)]);
    }
    assert_eq!((book.waiting(), book.waiting_counts().dropped), (MAX_WAITING_DIFFS, 3));
    let mut book = AnchoredBook::default();
    let levels = vec![bid(1, 1); MAX_WAITING_LEVELS / 2];
    for id in 0..5 {
        book.diff(ids(id, id), &levels);
    }
    assert_eq!((book.waiting(), book.waiting_counts().dropped), (2, 3));
    book.diff(ids(5, 5), &vec![bid(1, 1); MAX_WAITING_LEVELS + 1]);
    assert_eq!((book.waiting(), book.waiting_counts().dropped), (0, 6), "not even one that is too large");
}

proptest! {
    /// Wherever the snapshot comes among the diffs, and whatever it holds of them, the book ends the same.
    #[test]
    fn a_book_joins_its_snapshot_wherever_it_comes(
        changes in prop::collection::vec(((0..8_i64, 0..4_i64), 1..3_u64), 1..40),
        taken_at in 0..40_usize,
        comes_at in 0..40_usize,
    ) {
        let mut next = 1;
        let diffs: Vec<_> = changes
            .into_iter()
            .map(|((price, size), count)| {
                let ids = ids(next, next + count - 1);
                next += count;
                (ids, bid(price, size))
            })
            .collect();
        let (taken_at, comes_at) = (taken_at.min(diffs.len()), comes_at.min(diffs.len()));
        let mut whole = AnchoredBook::default();
        whole.snapshot(0, &[]);
        let mut image = (0, Vec::new());
        for (place, (ids, level)) in diffs.iter().enumerate() {
            if place == taken_at {
                break;
            }
            whole.diff(*ids, &[*level]);
            image.0 = ids.last;
        }
        image.1.extend(whole.book().levels(Side::Bid).map(|level| (Side::Bid, level.price, level.size)));
        for (ids, level) in &diffs[taken_at..] {
            whole.diff(*ids, &[*level]);
        }

        let mut joined = AnchoredBook::default();
        for (ids, level) in &diffs[..comes_at] {
            joined.diff(*ids, &[*level]);
        }
        joined.snapshot(image.0, &image.1);
        for (ids, level) in &diffs[comes_at..] {
            joined.diff(*ids, &[*level]);
        }
        prop_assert_eq!(joined.counts().gaps, 0);
        prop_assert_eq!(bids(&joined), bids(&whole));
        let WaitingCounts { kept, applied, covered, dropped } = joined.waiting_counts();
        prop_assert_eq!(kept, applied + covered + dropped + joined.waiting() as u64);
        let counts = joined.counts();
        prop_assert_eq!(diffs.len() as u64, counts.buffered + counts.applied + counts.discarded);
    }
}

// ---- What is read.

#[test]
fn depth_is_read_exactly_or_refused() {
    let diff = DepthDiff::of(
        br#"{"e":"depthUpdate","s":"BTCUSDT","U":7,"u":9,"b":[["65167.66000000","0.00000000"]],"a":[["65167.67","5.43832"]]}"#,
    );
    let levels = vec![
        (Side::Bid, Price(6_516_766_000_000), Size(0)),
        (Side::Ask, Price(6_516_767_000_000), Size(543_832_000)),
    ];
    assert_eq!(diff.unwrap(), DepthDiff { ids: ids(7, 9), levels });
    assert_eq!(DepthDiff::of(br#"{"U":7,"u":7}"#).unwrap().levels, []);
    let image =
        DepthImage::of(br#"{"lastUpdateId":5,"bids":[["2","1"],["1","1"]],"asks":[["3","1"],["4","1"]]}"#);
    let image = image.unwrap();
    assert_eq!(image.last, 5);
    assert_eq!(image.worst(Side::Bid), Some(Price(100_000_000)));
    assert_eq!(image.worst(Side::Ask), Some(Price(400_000_000)));

    assert!(matches!(DepthDiff::of(br#"{"U":9,"u":7}"#), Err(DepthError::Backwards { first: 9, last: 7 })));
    for wrong in ["1.000000001", "-1", "1e5", "", "99999999999999"] {
        let payload = format!(r#"{{"U":1,"u":1,"b":[["{wrong}","1"]]}}"#);
        let said = DepthDiff::of(payload.as_bytes()).unwrap_err().to_string();
        assert!(said.contains(&format!("{wrong:?}")), "{said}");
    }
    for wrong in ["", "{}", "[]", r#"{"U":1}"#, r#"{"U":-1,"u":1}"#, r#"{"U":1,"u":1,"b":[["1"]]}"#] {
        assert!(matches!(DepthDiff::of(wrong.as_bytes()), Err(DepthError::Form(_))), "{wrong}");
    }
    for wrong in [r#"{"lastUpdateId":1,"bids":[]}"#, r#"{"lastUpdateId":1,"bids":null,"asks":[]}"#] {
        assert!(matches!(DepthImage::of(wrong.as_bytes()), Err(DepthError::Form(_))), "{wrong}");
    }
}

// ---- What is compared.

/// Bids from the best down, and asks from the best up, one apart.
fn image(last: u64, bids: &[(u32, &str)], asks: &[(u32, &str)]) -> String {
    let side = |levels: &[(u32, &str)]| {
        levels.iter().map(|(price, size)| format!(r#"["{price}","{size}"]"#)).collect::<Vec<_>>().join(",")
    };
    format!(r#"{{"lastUpdateId":{last},"bids":[{}],"asks":[{}]}}"#, side(bids), side(asks))
}

fn diff(first: u64, last: u64, bids: &[(u32, &str)]) -> String {
    let image = image(0, bids, &[]);
    let levels = &image[image.find("\"bids\":").unwrap() + 7..image.find(",\"asks\"").unwrap()];
    format!(r#"{{"U":{first},"u":{last},"b":{levels},"a":[]}}"#)
}

fn verify(target: &str, depth: usize) -> BookVerify {
    BookVerify::new(DepthImage::of(target.as_bytes()).unwrap(), depth)
}

#[test]
fn levels_beyond_the_snapshot_are_no_divergence() {
    let asks = [(20, "1")];
    let target = image(12, &[(10, "1"), (9, "2"), (8, "4"), (7, "5")], &asks);
    let mut book = verify(&target, 10);
    book.snapshot(image(10, &[(10, "1"), (9, "1"), (8, "3")], &asks).as_bytes()).unwrap();
    book.diff(diff(11, 11, &[(9, "2"), (8, "4")]).as_bytes()).unwrap();
    assert_eq!(book.report().outcome, Outcome::NeverReached);
    book.diff(diff(12, 12, &[(6, "6")]).as_bytes()).unwrap();
    let report = book.report();
    assert_eq!((report.outcome, report.overshoot), (Outcome::ExactWhereComparable, 0));
    let bids = report.bids.unwrap();
    assert_eq!((bids.compared, bids.mismatches, bids.beyond_snapshot), (4, 1, 1));
    assert_eq!((bids.comparable_to.as_deref(), bids.comparable_levels), (Some("8"), 3));
    let beyond = bids.first_beyond.unwrap();
    assert_eq!(beyond.place, 4);
    assert_eq!(beyond.kept, Some(["6".to_owned(), "6".to_owned()]));
    assert_eq!(beyond.image, Some(["7".to_owned(), "5".to_owned()]));
    // What comes after the image changes nothing.
    book.diff(b"not read").unwrap();
    assert_eq!(book.report().outcome, Outcome::ExactWhereComparable);
}

#[test]
fn a_level_that_should_be_there_is_a_divergence() {
    let asks = [(20, "1")];
    let snapshot = image(10, &[(10, "1"), (9, "1"), (8, "3")], &asks);
    for (bids, place, kept) in [
        // Another size; a level that isn't there, then one that shouldn't be.
        (vec![(10, "1"), (9, "2"), (8, "3")], 2, Some(("9", "1"))),
        (vec![(11, "1"), (10, "1"), (9, "1"), (8, "3")], 1, Some(("10", "1"))),
        (vec![(10, "1"), (8, "3"), (7, "3")], 2, Some(("9", "1"))),
    ] {
        let mut book = verify(&image(10, &bids, &asks), 10);
        book.snapshot(snapshot.as_bytes()).unwrap();
        let report = book.report();
        assert_eq!(report.outcome, Outcome::Diverged, "{bids:?}");
        let first = report.bids.unwrap().first_divergence.unwrap();
        assert_eq!(first.place, place);
        assert_eq!(first.kept, kept.map(|(price, size)| [price.to_owned(), size.to_owned()]));
        assert_eq!(report.asks.unwrap().mismatches, 0);
    }
    // Not looked at so deep, it isn't seen.
    let mut book = verify(&image(10, &[(10, "1"), (9, "2")], &asks), 1);
    book.snapshot(snapshot.as_bytes()).unwrap();
    assert_eq!(book.report().outcome, Outcome::Exact);
}

#[test]
fn an_empty_side_of_a_snapshot_is_known_to_its_end() {
    let mut book = verify(&image(10, &[(10, "1")], &[]), 10);
    book.snapshot(image(10, &[], &[]).as_bytes()).unwrap();
    let report = book.report();
    assert_eq!(report.outcome, Outcome::Diverged);
    assert_eq!(report.bids.unwrap().comparable_to, None);
}

// ---- The command.

fn recording(lines: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("book.feedlog");
    let mut text = String::new();
    for (at, (kind, payload)) in lines.iter().enumerate() {
        writeln!(text, "{at}\t{kind}\t{payload}").unwrap();
    }
    std::fs::write(&path, text).unwrap();
    (directory, path)
}

fn run(path: &Path, more: &[&str]) -> Output {
    Command::new(wakeline()).arg("book-verify").arg(path).args(more).output().unwrap()
}

fn said(output: &Output) -> (String, String, Option<i32>) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn the_command_tells_exact_from_diverged_and_never_reached() {
    let asks = [(20, "1")];
    let snapshot = image(10, &[(10, "1"), (9, "1")], &asks);
    let (early, change) = (diff(9, 10, &[(9, "1")]), diff(11, 12, &[(9, "2")]));
    let right = image(12, &[(10, "1"), (9, "2")], &asks);
    let (_held, path) = recording(&[
        ("diff", &early),
        ("snapshot", &snapshot),
        ("validation_snapshot", &right),
        ("diff", &change),
        ("validation_snapshot", &early),
    ]);
    let (out, err, code) = said(&run(&path, &[]));
    let expected = "\
BOOK_VERIFY applied=1 discarded=0 buffered=1 gaps=0 stale_snapshots=0 reached_target=1 final_u=12 target=12 overshoot=0
BOOK_VERIFY levels_compared=3 mismatches=0 exact
";
    assert!(out.starts_with(expected), "{out}");
    assert_eq!((err.as_str(), code), ("", Some(0)));
    let document: serde_json::Value = serde_json::from_slice(&run(&path, &["--json"]).stdout).unwrap();
    assert_eq!(document["outcome"], "exact");
    assert_eq!(document["more_images"], 1, "the first counts, and no other is read");

    let wrong = image(12, &[(10, "1"), (9, "1")], &asks);
    let (_held, path) =
        recording(&[("snapshot", &snapshot), ("diff", &change), ("validation_snapshot", &wrong)]);
    let (out, err, code) = said(&run(&path, &[]));
    assert!(out.contains("mismatches=1 DIVERGED\n"), "{out}");
    assert!(out.contains("bids: first divergence at place 2: kept 2 at 9, image 1 at 9\n"), "{out}");
    assert_eq!((err.lines().count(), code), (1, Some(1)), "{err}");
    let document: serde_json::Value = serde_json::from_slice(&run(&path, &["--json"]).stdout).unwrap();
    assert_eq!(document["outcome"], "diverged");
    assert_eq!(document["bids"]["first_divergence"]["place"], 2);

    let (_held, path) = recording(&[("snapshot", &snapshot), ("validation_snapshot", &right)]);
    let (out, err, code) = said(&run(&path, &[]));
    assert!(out.contains("reached_target=0 final_u=10 target=12"), "{out}");
    assert_eq!((err.lines().count(), code), (1, Some(1)), "{err}");
}

#[test]
fn the_command_refuses_damaged_recordings() {
    let asks = [(20, "1")];
    let snapshot = image(10, &[(10, "1"), (9, "1")], &asks);
    let right = image(10, &[(10, "1"), (9, "1")], &asks);
    let sound = [("snapshot", snapshot.as_str()), ("validation_snapshot", right.as_str())];
    let with = |more: &[(&'static str, &'static str)]| [more, &sound[..]].concat();
    for (lines, words) in [
        (vec![], "no validation_snapshot"),
        (vec![sound[0]], "no validation_snapshot"),
        (with(&[("diff", "{\"U\":1")]), "line 1"),
        (with(&[("binance", "{}")]), "1 bad line"),
        (with(&[("validation_snapshot", "{}")]), "line 1"),
    ] {
        let (_held, path) = recording(&lines);
        let (out, err, code) = said(&run(&path, &[]));
        assert_eq!(code, Some(1), "{lines:?} {out}");
        assert!(err.contains(words) && err.lines().count() == 1, "no {words:?} in {err}");
    }
    let (_held, path) = recording(&sound);
    assert_eq!(run(&path, &[]).status.code(), Some(0));
    for usage in [&["--levels", "0"][..], &["--levels", "x"], &["--depth", "5"]] {
        assert_eq!(run(&path, usage).status.code(), Some(2), "{usage:?}");
    }
    assert_eq!(run(&path.with_extension("none"), &[]).status.code(), Some(1));
    assert_eq!(run(Path::new("-"), &[]).status.code(), Some(2), "it is read twice");
    let (_, err, code) = said(&run(Path::new("/dev/null"), &[]));
    assert!(err.contains("no plain file"), "{err}");
    assert_eq!(code, Some(1));

    // What is cut off behind the image is told as well.
    let whole = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, format!("{whole}9\tdiff\t{{\"U\":11")).unwrap();
    let (out, err, code) = said(&run(&path, &[]));
    assert!(
        out.contains("mismatches=0 exact\n") && err.contains("a last line without its end"),
        "{out}{err}"
    );
    assert_eq!(code, Some(1));
    let packed = Command::new("gzip").arg("-c").arg(&path).output().unwrap().stdout;
    std::fs::write(&path, &packed[..packed.len() - 4]).unwrap();
    let (out, err, code) = said(&run(&path, &[]));
    assert!(out.contains("mismatches=0 exact\n") && err.contains("gzip"), "{out}{err}");
    assert_eq!(code, Some(1));
}

#[test]
fn the_bitcoin_recording_is_exact() {
    let Some(captures) = market_support::captures() else { return };
    let path = captures.join("btcusdt-recon.feedlog.gz");
    let counted = "\
BOOK_VERIFY applied=230 discarded=2 buffered=20 gaps=0 stale_snapshots=0 reached_target=1 final_u=98375149976 \
target=98375149976 overshoot=0
";
    let (out, err, code) = said(&run(&path, &[]));
    assert!(out.starts_with(counted), "{out}{err}");
    assert!(out.contains("BOOK_VERIFY levels_compared=40 mismatches=0 exact\n"), "{out}");
    assert_eq!((err.as_str(), code), ("", Some(0)));
    // As deep as the image goes, six levels are beyond the snapshot, and the reference calls that diverged.
    let (out, err, code) = said(&run(&path, &["--levels", "1000"]));
    assert!(out.starts_with(counted), "{out}{err}");
    assert!(out.contains("BOOK_VERIFY levels_compared=1999 mismatches=6 exact_where_comparable\n"), "{out}");
    assert!(out.contains("asks: comparable to 65312, the joining snapshot's worst: 994 levels"), "{out}");
    assert_eq!((err.as_str(), code), ("", Some(0)));
    let document: serde_json::Value =
        serde_json::from_slice(&run(&path, &["--levels", "1000", "--json"]).stdout).unwrap();
    assert_eq!(document["asks"]["beyond_snapshot"], 6);
    assert_eq!(document["bids"]["mismatches"], 0);
}
