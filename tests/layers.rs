//! Imports run down one list of modules, and no module is missing from it.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// From the top of the house to its floor.
const LAYERS: [&str; 11] = [
    "cli",
    "executor",
    "fire",
    "replay",
    "log",
    "market",
    "telemetry",
    "signer",
    "wire",
    "memory",
    "measure",
];

#[test]
fn each_module_uses_only_those_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut files = 0;
    for (rank, layer) in LAYERS.iter().enumerate() {
        for file in rust_files(&source.join(layer)) {
            files += 1;
            let text = fs::read_to_string(&file).unwrap();
            for used in uses(&text) {
                match LAYERS.iter().position(|layer| *layer == used) {
                    Some(below) if below >= rank => {}
                    Some(_) => wrong.push(format!("{} uses {used}, which is above it", file.display())),
                    None => wrong.push(format!("{} uses {used}, which is no layer", file.display())),
                }
            }
        }
    }
    assert!(files > 20, "only {files} files were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_is_a_layer() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(source).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let known = LAYERS.contains(&name.as_str()) || ["lib.rs", "main.rs"].contains(&name.as_str());
        assert!(known, "src/{name} has no place in the list of layers");
    }
}

/// Modules named as `crate::NAME` in code, comments included: a link in a doc points downwards too.
fn uses(text: &str) -> BTreeSet<&str> {
    text.split("crate::")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
        .filter(|name| !name.is_empty())
        .collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
