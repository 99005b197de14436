//! The committed instruction counts fit the script that makes them, and it the benchmarks it counts. Nothing is counted
//! here: that takes valgrind.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The words of the shell array `name`.
fn array(script: &str, name: &str) -> Vec<String> {
    let begin = format!("\n{name}=(");
    let (_, rest) = script.split_once(&begin).unwrap_or_else(|| panic!("no array {name}"));
    let (words, _) = rest.split_once(')').unwrap();
    words.split_whitespace().map(str::to_owned).collect()
}

/// Names in the list of parts of a benchmark.
fn parts(benchmark: &str) -> Vec<String> {
    let (_, list) = benchmark.split_once("\nconst PARTS: ").unwrap();
    let (list, _) = list.split_once("];\n").unwrap();
    list.split("(\"").skip(1).map(|entry| entry.split('"').next().unwrap().to_owned()).collect()
}

#[test]
fn the_script_counts_what_the_benchmarks_have() {
    let script = read("instructions.sh");
    assert_eq!(array(&script, "parts"), parts(&read("hot_path.rs")));
    assert_eq!(array(&script, "peers"), parts(&read("decode_peers.rs")));
}

#[test]
fn every_part_has_a_committed_figure() {
    let (script, committed) = (read("instructions.sh"), read("instructions.tsv"));
    for fact in ["rustc: rustc ", "target-cpu: ", "valgrind: valgrind-", "libc: ", "peers: ", "date: 20"] {
        assert!(committed.contains(&format!("\n# {fact}")), "no {fact:?} in the head");
    }
    let mut rows = committed.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(rows.next(), Some("part\tinstructions"));
    let mut figures = BTreeMap::new();
    for row in rows {
        let (part, figure) = row.split_once('\t').unwrap_or_else(|| panic!("not a row: {row}"));
        let figure: u64 = figure.parse().unwrap_or_else(|error| panic!("{row}: {error}"));
        assert!(figure > 0, "{row}");
        assert!(figures.insert(part.to_owned(), figure).is_none(), "twice: {row}");
    }
    let mut counted = [array(&script, "parts"), array(&script, "peers")].concat();
    counted.sort();
    assert_eq!(figures.into_keys().collect::<Vec<_>>(), counted);
}

#[test]
fn the_script_refuses_what_it_doesnt_know() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/instructions.sh");
    for (arguments, words) in [
        (["--chekc", ""], "unknown option --chekc"),
        (["--check", "decoder"], "no part is called decoder"),
        (["--update", "decode"], "leave the names out"),
    ] {
        let output = Command::new("bash")
            .arg(&script)
            .args(arguments.iter().filter(|argument| !argument.is_empty()))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(words), "{said}");
    }
}
