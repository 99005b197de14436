//! The ring between two threads, on one and on two.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use wakeline::memory::spsc::{Producer, ring};

fn push(producer: &mut Producer<u64>, value: u64) -> bool {
    producer.push_with(|slot| *slot = value)
}

#[test]
fn the_capacity_is_a_power_of_two() {
    for capacity in [0, 3, 1000] {
        assert!(ring(vec![0_u64; capacity]).is_none(), "{capacity}");
    }
}

#[test]
fn what_goes_in_comes_out_in_order_and_a_full_ring_takes_nothing() {
    for capacity in [1, 2, 4, 64] {
        let (mut producer, mut consumer) = ring(vec![0; capacity]).unwrap();
        let gauge = producer.gauge();
        let (mut next, mut expected) = (0, 0);
        // Fills of every height, over many rounds of the ring.
        for height in (0..=capacity + 1).cycle().take(10 * (capacity + 2)) {
            let taken = (0..height)
                .filter(|_| {
                    push(&mut producer, next) && {
                        next += 1;
                        true
                    }
                })
                .count();
            assert_eq!(taken, height.min(capacity));
            assert_eq!([producer.len(), consumer.len(), gauge.level()], [taken; 3]);
            while let Some(value) = consumer.pop() {
                assert_eq!(value, expected);
                expected += 1;
            }
            assert!(consumer.is_empty() && producer.is_empty());
        }
        assert_eq!(expected, next);
    }
}

#[test]
fn a_fill_that_panics_pushes_nothing() {
    let (mut producer, mut consumer) = ring(vec![0_u64; 2]).unwrap();
    let attempt = std::panic::AssertUnwindSafe(|| producer.push_with(|_| panic!("no")));
    assert!(std::panic::catch_unwind(attempt).is_err());
    assert_eq!(consumer.pop(), None);
    assert!(push(&mut producer, 7));
    assert_eq!(consumer.pop(), Some(7));
}

/// Values of several cache lines: one that was read while it was written, or twice, or not at all, would show.
#[test]
fn two_threads_pass_whole_values_in_order() {
    let count: u64 = if cfg!(miri) { 200 } else { 300_000 };
    for capacity in [1, 2, 64, 1024] {
        let (mut producer, mut consumer) = ring(vec![[0_u64; 24]; capacity]).unwrap();
        let gauge = producer.gauge();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for value in 0..count {
                    while !producer.push_with(|slot| slot.fill(value)) {
                        std::thread::yield_now();
                    }
                }
            });
            for expected in 0..count {
                let value = loop {
                    match consumer.pop() {
                        Some(value) => break value,
                        None => std::thread::yield_now(),
                    }
                };
                assert_eq!(value, [expected; 24]);
                assert!(gauge.level() <= capacity);
            }
            assert_eq!(consumer.pop(), None);
        });
    }
}
