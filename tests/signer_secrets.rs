//! Nothing of a private key is printed, logged, or left in memory by us.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{hex, keys, wakeline};
use tempfile::TempDir;
use wakeline::signer::{Signer, Timestamp};

/// Names the key file to the process that is searched.
const KEY_FILE: &str = "WAKELINE_TEST_KEY_FILE";

/// What is searched for, disguised, so that the searched process holds no copy of its own.
const DISGUISED: &str = "WAKELINE_TEST_DISGUISED";

const DISGUISE: u8 = 0x5a;

/// Length of a piece.
const PIECE: usize = 16;

/// The secret of a key file in pieces, in two forms: the base64 of its lines, and its secret numbers as DER has them. (OpenSSL
/// keeps them the other way round, and must.)
fn pieces(pem: &[u8]) -> Vec<Vec<u8>> {
    let text = String::from_utf8(pem.to_vec()).unwrap().replace("\\n", "\n");
    let secret_lines = text.lines().filter(|line| !line.contains("-----")).skip(7);
    let rsa = keys::key().rsa().unwrap();
    let numbers = [Some(rsa.d()), rsa.p(), rsa.q(), rsa.dmp1(), rsa.dmq1(), rsa.iqmp()];
    let numbers = numbers.map(|number| number.unwrap().to_vec());
    let secrets = secret_lines.map(|line| line.as_bytes().to_vec()).chain(numbers);
    secrets.flat_map(|secret| secret.chunks_exact(PIECE).map(<[u8]>::to_vec).collect::<Vec<_>>()).collect()
}

/// A search of this process's memory. It holds all the room it needs from the start: what it took later could overwrite the
/// very copies it is to find.
struct Search {
    by_first_byte: Vec<Vec<Vec<u8>>>,
    memory: File,
    maps: Vec<u8>,
    block: Vec<u8>,
}

impl Search {
    const BLOCK: usize = 1 << 20;

    fn new(disguised: Vec<Vec<u8>>) -> Self {
        let mut by_first_byte = vec![Vec::new(); 256];
        disguised.into_iter().for_each(|piece| by_first_byte[usize::from(piece[0])].push(piece));
        let memory = File::open("/proc/self/mem").unwrap();
        Self { by_first_byte, memory, maps: vec![0; 1 << 18], block: vec![0; Self::BLOCK] }
    }

    /// How many pieces are in the writable memory of this process, each as often as it is there.
    fn occurrences(&mut self) -> usize {
        let mut maps = File::open("/proc/self/maps").unwrap();
        let mut length = 0;
        loop {
            let read = maps.read(&mut self.maps[length..]).unwrap();
            length += read;
            if read == 0 {
                break;
            }
        }
        let maps = std::mem::take(&mut self.maps);
        let mut found = 0;
        for map in std::str::from_utf8(&maps[..length]).unwrap().lines() {
            let mut columns = map.split_whitespace();
            let (range, modes) = (columns.next().unwrap(), columns.next().unwrap());
            if modes.starts_with("rw") {
                let (from, to) = range.split_once('-').unwrap();
                let [from, to] = [from, to].map(|address| u64::from_str_radix(address, 16).unwrap());
                found += self.occurrences_between(from, to);
            }
        }
        self.maps = maps;
        found
    }

    fn occurrences_between(&mut self, from: u64, to: u64) -> usize {
        let mut found = 0;
        // Blocks overlap by a piece less a byte, so that none is cut in two or seen twice.
        for from in (from..to).step_by(Self::BLOCK - PIECE + 1) {
            let length = usize::try_from(to - from).unwrap().min(Self::BLOCK);
            let block = &mut self.block[..length];
            // A mapping that went away meanwhile holds nothing.
            let Ok(read) = self.memory.read_at(block, from) else { break };
            // Disguised at once, so that what is read here is never found as a copy.
            block.iter_mut().for_each(|byte| *byte ^= DISGUISE);
            found += block[..read]
                .windows(PIECE)
                .map(|here| {
                    let pieces = &self.by_first_byte[usize::from(here[0])];
                    pieces.iter().filter(|piece| *piece == here).count()
                })
                .sum::<usize>();
            block.fill(0);
        }
        found
    }
}

/// In the process that is searched: loads the key, signs, searches with the signer alive and gone.
fn search(key_file: &Path) {
    let disguised = std::env::var(DISGUISED).unwrap();
    let disguised: Vec<Vec<u8>> = disguised.split(',').map(hex).collect();
    let mut plain: Vec<u8> = disguised[0].iter().map(|byte| byte ^ DISGUISE).collect();
    let mut search = Search::new(disguised);
    assert!(search.occurrences() > 0, "the search finds nothing, not even what is there");
    plain.fill(0);
    std::hint::black_box(&plain);
    if let Ok(mut signer) = Signer::from_file(key_file) {
        assert_eq!(search.occurrences(), 0, "copies made by loading");
        let mut signature = String::new();
        signer.sign(&Timestamp::now().unwrap(), "GET", "/a", &mut signature).unwrap();
        assert_eq!(search.occurrences(), 0, "copies made by signing");
    }
    assert_eq!(search.occurrences(), 0, "copies left at the end");
}

#[test]
fn no_copy_of_a_key_is_left_in_memory() {
    if let Some(key_file) = std::env::var_os(KEY_FILE) {
        return search(key_file.as_ref());
    }
    let place = TempDir::new().unwrap();
    let key = keys::key();
    let pkcs1 = keys::pkcs1(&key);
    let text = String::from_utf8(pkcs1.clone()).unwrap();
    let damaged = text.replace("-----END", "*\n-----END");
    for (name, content) in [
        ("pkcs1", pkcs1),
        ("pkcs8", keys::pkcs8(&key)),
        ("crlf", text.replace('\n', "\r\n").into_bytes()),
        ("one_line", text.replace('\n', "\\n").into_bytes()),
        ("damaged", damaged.into_bytes()),
        ("cut", text.replace("-----END", "").into_bytes()),
    ] {
        let path = keys::file(place.path(), name, &content);
        let disguise =
            |piece: Vec<u8>| piece.iter().map(|byte| format!("{:02x}", byte ^ DISGUISE)).collect::<String>();
        let disguised: Vec<String> = pieces(&content).into_iter().map(disguise).collect();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "no_copy_of_a_key_is_left_in_memory", "--nocapture", "--test-threads=1"])
            .env(KEY_FILE, &path)
            .env(DISGUISED, disguised.join(","))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}{}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Asserts that no sixteen characters of the base64 in `pem` are in `said`.
fn assert_tells_nothing(said: &str, pem: &str) {
    let secret: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    for window in secret.as_bytes().windows(16) {
        let window = std::str::from_utf8(window).unwrap();
        assert!(!said.contains(window), "{window} is told in {said}");
    }
}

#[test]
fn no_output_tells_anything_of_a_key() {
    let place = TempDir::new().unwrap();
    let pem = String::from_utf8(keys::pkcs1(&keys::key())).unwrap();
    let lines: Vec<&str> = pem.lines().collect();
    for (name, content) in [
        ("good", pem.clone()),
        ("damaged", [&lines[..5], &lines[7..]].concat().join("\n")),
        ("cut", lines[..9].join("\n")),
        ("bare", lines[1..lines.len() - 1].join("\n")),
        ("relabelled", pem.replace("RSA PRIVATE", "EC PRIVATE")),
        ("twice", format!("{pem}{pem}")),
        ("junk_in_it", pem.replace(lines[4], &format!("*{}", lines[4]))),
    ] {
        let path = keys::file(place.path(), name, content);
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        for (command, file) in [("sign", "--key"), ("verify", "--public-key")] {
            let mut command = vec!["kalshi", command, "--ws", "--timestamp", "1703123456789", file];
            command.push(path.to_str().unwrap());
            if file == "--public-key" {
                command.extend(["--signature", "AAAA"]);
            }
            let output = Command::new(wakeline())
                .args(command)
                .env("RUST_LOG", "trace")
                .env("RUST_BACKTRACE", "full")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
            assert_tells_nothing(&said, &pem);
        }
        let told = match Signer::from_file(&path) {
            Ok(signer) => format!("{signer:?} {signer:#?}"),
            Err(error) => format!("{error} {error:?} {error:#?}"),
        };
        assert_tells_nothing(&told, &pem);
    }
}

#[test]
fn a_key_given_where_something_else_belongs_is_not_quoted() {
    let pem = String::from_utf8(keys::pkcs1(&keys::key())).unwrap();
    let one_line = pem.trim_end().replace('\n', "\\n");
    let base64: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    let line = pem.lines().nth(12).unwrap().to_owned();
    for text in [&pem, &one_line, &base64, &line] {
        for what in ["method", "path", "timestamp"] {
            let rest = [("--method", "GET"), ("--path", "/a"), ("--timestamp", "1703123456789")];
            let rest = rest.into_iter().filter(|(name, _)| name[2..] != *what);
            let directory = TempDir::new().unwrap();
            let key = keys::file(directory.path(), "key.pem", &pem);
            let mut command = Command::new(wakeline());
            command
                .args(["kalshi", "sign", "--key"])
                .arg(key)
                .args(rest.flat_map(|(name, value)| [name, value]));
            let output = command.arg(format!("--{what}={text}")).output().unwrap();
            let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains(&format!("the {what} isn't one")), "{said}");
            assert_tells_nothing(&said, &pem);
        }
    }
    for text in [&pem, &one_line, &base64] {
        let glued = |name: &str| format!("{name}={text}");
        for arguments in [
            vec!["sign", "--ws", "--key", text],
            vec!["sign", "--ws", &glued("--key")],
            vec!["sign", "--ws", "--key", "none", "--key-id", text],
            vec!["sign", "--ws", "--key", "none", &glued("--key-id")],
            vec!["verify", "--ws", "--timestamp", "1703123456789", "--signature", text, "--public-key", text],
        ] {
            let output = Command::new(wakeline()).arg("kalshi").args(&arguments).output().unwrap();
            let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert_tells_nothing(&said, &pem);
        }
        let told = format!("{0} {0:?}", Signer::from_file(text.as_ref()).unwrap_err());
        assert_tells_nothing(&told, &pem);
    }
}

#[test]
fn debug_output_of_a_signer_is_its_length() {
    let signer = Signer::from_pem(&keys::pkcs1(&keys::key())).unwrap();
    assert_eq!(format!("{signer:?}"), "Signer { bits: 2048, .. }");
}
