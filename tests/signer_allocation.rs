//! A warm signer allocates nothing of its own. (OpenSSL does, within the operation itself.)
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use common::keys;
use wakeline::memory::counting::{CountingAllocator, allocations_on_this_thread};
use wakeline::signer::{Signer, Timestamp};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn a_warm_signer_allocates_nothing() {
    let mut signer = Signer::from_pem(&keys::pkcs1(&keys::key())).unwrap();
    let timestamp: Timestamp = "1703123456789".parse().unwrap();
    let mut signature = String::new();
    signer.sign(&timestamp, "GET", "/trade-api/v2/portfolio/balance", &mut signature).unwrap();
    let before = allocations_on_this_thread();
    for _ in 0..100 {
        let timestamp = Timestamp::now().unwrap();
        signer.sign(&timestamp, "GET", "/trade-api/v2/portfolio/orders?limit=5", &mut signature).unwrap();
        signer.sign_websocket(&timestamp, &mut signature).unwrap();
        signer.headers("id", &timestamp, "POST", "/trade-api/v2/orders", &mut signature).unwrap();
    }
    assert_eq!(allocations_on_this_thread() - before, 0);
    assert!(before > 0, "the allocator counts nothing");
}
