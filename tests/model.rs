//! The ring between two threads and the writer's sleep, compiled with loom's atomics, cells and threads: every order in
//! which the threads can run is tried, and every value that a load may see.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
#![allow(unreachable_pub, dead_code, reason = "the modules are parts of the library")]

#[path = "../src/telemetry/doze.rs"]
mod doze;
#[path = "../src/memory/spsc.rs"]
mod spsc;
#[path = "model_support/sync.rs"]
mod sync;

/// Where the modules look for it.
mod memory {
    pub(crate) use crate::sync;
}

use std::time::Duration;

use doze::Doze;
use loom::sync::Arc;
use loom::thread;

/// Two words: a value read while it is written would show, were loom not to find it first.
type Value = [u64; 2];

fn push(producer: &mut spsc::Producer<Value>, value: u64) -> bool {
    producer.push_with(|slot| slot.fill(value))
}

/// The producer offers values and notes those taken; the consumer looks as often, then takes what is left.
fn what_is_taken_comes_out_in_order(capacity: usize, offered: u64) {
    loom::model(move || {
        let (mut producer, mut consumer) = spsc::ring(vec![[u64::MAX; 2]; capacity]).unwrap();
        let pushing = thread::spawn(move || {
            (0..offered).filter(|&value| push(&mut producer, value)).collect::<Vec<_>>()
        });
        let mut popped: Vec<Value> = (0..offered).filter_map(|_| consumer.pop()).collect();
        let taken = pushing.join().unwrap();
        popped.extend(std::iter::from_fn(|| consumer.pop()));
        assert_eq!(popped, taken.iter().map(|&value| [value; 2]).collect::<Vec<_>>());
        assert!(taken.len() >= capacity.min(offered as usize), "a ring with room refuses nothing");
    });
}

#[test]
fn a_ring_of_one_passes_whole_values_in_order() {
    what_is_taken_comes_out_in_order(1, 4);
}

#[test]
fn a_ring_of_two_passes_whole_values_in_order() {
    what_is_taken_comes_out_in_order(2, 4);
}

#[test]
fn a_gauge_never_shows_more_than_the_ring_holds() {
    loom::model(|| {
        let (mut producer, mut consumer) = spsc::ring(vec![[0; 2]; 1]).unwrap();
        let gauge = producer.gauge();
        let looking = thread::spawn(move || gauge.level());
        let pushing = thread::spawn(move || {
            for value in 0..2 {
                push(&mut producer, value);
            }
        });
        for _ in 0..2 {
            consumer.pop();
        }
        assert!(looking.join().unwrap() <= 1);
        pushing.join().unwrap();
    });
}

/// A sleep from which nobody wakes the writer, while a value waits, would be a deadlock here: loom's threads sleep without
/// a time limit.
fn a_sleeping_writer_is_woken(values: u64, other_nudges: usize) {
    loom::model(move || {
        let (mut producer, mut consumer) = spsc::ring(vec![[0; 2]; 4]).unwrap();
        let doze = Arc::new(Doze::default());
        let (recorder, watch) = (Arc::clone(&doze), Arc::clone(&doze));
        let recording = thread::spawn(move || {
            for value in 0..values {
                assert!(push(&mut producer, value));
                recorder.wake();
            }
        });
        let watching = (other_nudges > 0).then(|| {
            thread::spawn(move || {
                for _ in 0..other_nudges {
                    watch.wake();
                }
            })
        });
        let mut popped = 0;
        while popped < values {
            match consumer.pop() {
                Some(value) => {
                    assert_eq!(value, [popped; 2]);
                    popped += 1;
                }
                None => doze.sleep(Duration::ZERO, || consumer.is_empty()),
            }
        }
        recording.join().unwrap();
        if let Some(watching) = watching {
            watching.join().unwrap();
        }
    });
}

#[test]
fn a_writer_that_falls_asleep_meanwhile_is_woken_by_each_row() {
    a_sleeping_writer_is_woken(2, 0);
}

#[test]
fn another_ones_nudge_takes_no_wake_away() {
    a_sleeping_writer_is_woken(1, 1);
}
