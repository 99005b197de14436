//! The order of things for one frame: ack, end of the span, row, fire.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod common;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use common::daemon::Place;
use common::peer::wake;
use common::rows;
use wakeline::executor::HotPath;
use wakeline::fire::{Dispatch, Fire, Order, OrderPolicy};
use wakeline::telemetry::{Options, Telemetry};

/// Notes that the fire happened, and takes its time over it.
struct Slow {
    events: Rc<RefCell<Vec<&'static str>>>,
}

const ACK_TAKES: Duration = Duration::from_millis(30);
const FIRE_TAKES: Duration = Duration::from_millis(300);

impl Dispatch for Slow {
    fn dispatch(&mut self, _order: &Order<'_>) {
        self.events.borrow_mut().push("fire");
        std::thread::sleep(FIRE_TAKES);
    }
}

#[test]
fn the_ack_is_written_before_the_fire_and_the_span_ends_with_it() {
    let place = Place::new();
    let (telemetry, recorder) = Telemetry::start(&place.database(), Options::default()).unwrap();
    let events = Rc::new(RefCell::new(Vec::new()));
    let fire = Fire::new(None, OrderPolicy::default(), Box::new(Slow { events: Rc::clone(&events) }));
    let hot_path = HotPath::new(fire, Some(recorder));
    hot_path.frame(&wake("one", ""), |_ack| {
        events.borrow_mut().push("ack");
        std::thread::sleep(ACK_TAKES);
    });
    assert_eq!(*events.borrow(), ["ack", "fire"]);
    telemetry.finish(Instant::now() + Duration::from_secs(10));

    let row = rows::wake_recv(&place.database()).remove(0);
    let span = Duration::from_secs_f64(row.duration_ms / 1e3);
    assert!(span >= ACK_TAKES, "{span:?} leaves the ack's write out");
    // Both are real sleeps: only a span that held the fire could be as long as the two.
    assert!(span < ACK_TAKES + FIRE_TAKES, "{span:?} holds the fire");
    assert!(row.ended_at_ms - row.started_at_ms >= ACK_TAKES.as_millis() as i64, "{row:?}");
}
