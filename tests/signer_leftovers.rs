//! No block of memory that held a piece of a key is freed before it was wiped.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use common::keys;
use wakeline::signer::{KeyError, Signer, Timestamp};

/// Length of a piece, bytes.
const PIECE: usize = 16;

/// What must not be found, sorted.
static PIECES: OnceLock<Vec<[u8; PIECE]>> = OnceLock::new();

/// Pieces found in blocks that were freed.
static FOUND: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static WATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Looks through each block that the watching thread frees. Growing moves a block, as it may with any allocator.
struct Watch;

#[expect(unsafe_code, reason = "an allocator can't be written without it")]
// SAFETY: blocks come from `System` and go back to it with the layout they came with; `realloc` is the trait's own.
unsafe impl GlobalAlloc for Watch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are the ones asked for. Zeroed, so that all of it may be read when it is freed.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if WATCHING.try_with(Cell::get).unwrap_or(false)
            && let Some(pieces) = PIECES.get()
        {
            // SAFETY: the block is the caller's to free, of this length, and was initialised when it was handed out.
            let bytes = unsafe { std::slice::from_raw_parts(block, layout.size()) };
            let found = bytes
                .windows(PIECE)
                .filter(|window| pieces.binary_search_by(|piece| piece[..].cmp(window)).is_ok());
            FOUND.fetch_add(found.count(), Relaxed);
        }
        // SAFETY: as the caller promises, the block is one of `System`'s with this layout.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watch = Watch;

/// How many pieces are in the blocks that `action` frees.
fn freed_unwiped(action: impl FnOnce()) -> usize {
    let before = FOUND.load(Relaxed);
    WATCHING.set(true);
    action();
    WATCHING.set(false);
    FOUND.load(Relaxed) - before
}

#[test]
fn no_block_is_freed_with_a_piece_of_the_key_in_it() {
    let key = keys::key();
    let (pkcs1, pkcs8) = (keys::pkcs1(&key), keys::pkcs8(&key));
    let rsa = key.rsa().unwrap();
    let secrets = [Some(rsa.d()), rsa.p(), rsa.q(), rsa.dmp1(), rsa.dmq1(), rsa.iqmp()];
    let mut pieces: Vec<[u8; PIECE]> = secrets
        .into_iter()
        .map(|number| number.unwrap().to_vec())
        .chain([&pkcs1, &pkcs8].into_iter().flat_map(|pem| {
            // The modulus comes first, and is no secret.
            String::from_utf8(pem.clone())
                .unwrap()
                .lines()
                .skip(8)
                .map(|line| line.as_bytes().to_vec())
                .collect::<Vec<_>>()
        }))
        .flat_map(|secret| secret.windows(PIECE).map(|window| window.try_into().unwrap()).collect::<Vec<_>>())
        .filter(|piece: &[u8; PIECE]| !piece.contains(&b'-'))
        .collect();
    pieces.sort_unstable();
    PIECES.set(pieces).unwrap();

    let place = tempfile::tempdir().unwrap();
    let text = String::from_utf8(pkcs1.clone()).unwrap();
    assert!(freed_unwiped(|| drop(std::hint::black_box(pkcs1.clone()))) > 0, "the watch sees nothing");
    for (name, content, taken) in [
        ("pkcs1", pkcs1, true),
        ("pkcs8", pkcs8, true),
        ("crlf", text.replace('\n', "\r\n").into_bytes(), true),
        ("one_line", text.replace('\n', "\\n").into_bytes(), true),
        ("cut", text.replace("-----END", "").into_bytes(), false),
        ("damaged", text.replace("-----END", "*-----END").into_bytes(), false),
        ("other_label", text.replace("RSA PRIVATE", "OPENSSH PRIVATE").into_bytes(), false),
        (
            "truncated",
            text.replace("-----END", "\n-----END").replacen(&text[100..150], "", 1).into_bytes(),
            false,
        ),
    ] {
        let path = keys::file(place.path(), name, &content);
        let mut held = None;
        let found = freed_unwiped(|| held = Signer::from_file(&path).ok());
        assert_eq!((found, held.is_some()), (0, taken), "{name}: loaded from a file");
        assert_eq!(
            freed_unwiped(|| drop::<Result<_, KeyError>>(Signer::from_pem(&content))),
            0,
            "{name}: from memory"
        );
        let Some(mut signer) = held else { continue };
        let mut signature = String::new();
        let found = freed_unwiped(|| {
            signer.sign(&Timestamp::now().unwrap(), "GET", "/a", &mut signature).unwrap();
            drop(signer);
        });
        assert_eq!(found, 0, "{name}: signed and dropped");
    }
}
