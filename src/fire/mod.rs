//! What happens to an accepted wake after its ack: refusals, the price grid, the kill switch, the order, the dispatch.
//!
//! [`Fire::run`] is the whole sequence; each stage is a module of its own.

mod counters;
mod dispatch;
mod grid;
mod kill_switch;
mod order;
mod recent;
mod suspect;

pub use counters::FireCounters;
pub use dispatch::{Dispatch, DispatchNothing};
pub use grid::{round_half_even_to_step, snap_to_grid};
pub use kill_switch::{KillSwitch, KillSwitchError, KillSwitchState, NO_REASON};
pub use order::{FIXED_CONTRACTS, Order, OrderPolicy, OrderTemplate, OrderTemplates};
pub use recent::RecentIds;
pub use suspect::{grid_is_suspect_at, has_suspect_values};

use tracing::warn;

use crate::measure::clock::ClockDomain;
use crate::measure::rate_limit::RateLimit;
use crate::wire::WakeMessage;

/// How one fire ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Handed to the dispatch.
    Fired,
    /// Real, and its wire price isn't strictly inside (0,1) dollars.
    RefusedPrice,
    /// Real, and its price depends on a range of the grid that can't be meant.
    RefusedSuspectGrid,
    /// Real, and its price snapped to the grid isn't strictly inside (0,1) dollars.
    RefusedOffGrid,
    /// Real, and the kill switch is engaged.
    RefusedKillSwitch,
}

impl Outcome {
    const COUNT: usize = Self::RefusedKillSwitch as usize + 1;
}

/// The fire stages and what they remember between wakes.
pub struct Fire {
    kill_switch: Option<KillSwitch>,
    templates: OrderTemplates,
    recent: RecentIds,
    clock_domain: ClockDomain,
    dispatch: Box<dyn Dispatch>,
    counters: FireCounters,
    refusal_lines: [RateLimit; Outcome::COUNT],
}

impl Fire {
    /// A pipeline that hands its orders to `dispatch`; without a kill switch none is ever engaged.
    pub fn new(kill_switch: Option<KillSwitch>, policy: OrderPolicy, dispatch: Box<dyn Dispatch>) -> Self {
        Self {
            kill_switch,
            templates: OrderTemplates::new(policy),
            recent: RecentIds::new(),
            clock_domain: ClockDomain::here(),
            dispatch,
            counters: FireCounters::default(),
            refusal_lines: [const { RateLimit::new(RateLimit::WARNINGS) }; Outcome::COUNT],
        }
    }

    /// What has happened so far.
    pub fn counters(&self) -> &FireCounters {
        &self.counters
    }

    /// Runs one accepted wake through every stage. Never fails: a fire that isn't sent is counted as what it is.
    pub fn run(&mut self, wake: &WakeMessage<'_>) -> Outcome {
        self.note(wake);
        let outcome = self.stages(wake);
        self.counters.count(outcome);
        outcome
    }

    fn note(&mut self, wake: &WakeMessage<'_>) {
        self.counters.suspect_values += u64::from(has_suspect_values(wake));
        self.counters.duplicate_correlation_id += u64::from(self.recent.seen_before(wake.correlation_id));
        let foreign = wake.recv_ns > 0 && !self.clock_domain.comparable(wake.clock_domain);
        self.counters.foreign_clock_domain += u64::from(foreign);
    }

    fn stages(&mut self, wake: &WakeMessage<'_>) -> Outcome {
        let real = !wake.dry_run;
        let wanted = wake.wire_price_yes_dollars;
        if real && !is_tradeable(wanted) {
            return self.refuse(Outcome::RefusedPrice, wake, "wire price is not inside (0,1) dollars");
        }
        if real && grid_is_suspect_at(wanted, wake.price_ranges) {
            let why = "the price range at its wire price has no positive step or ends before it starts";
            return self.refuse(Outcome::RefusedSuspectGrid, wake, why);
        }
        let price = snap_to_grid(wanted, wake.price_ranges);
        if real && !is_tradeable(price) {
            let why = "wire price snapped to the market's grid is not inside (0,1) dollars";
            return self.refuse(Outcome::RefusedOffGrid, wake, why);
        }
        if real
            && let Some(KillSwitchState::Engaged { reason }) = self.kill_switch.as_ref().map(KillSwitch::look)
        {
            return self.refuse(Outcome::RefusedKillSwitch, wake, &format!("kill switch engaged: {reason}"));
        }
        let template = self.templates.get(wake.market_ticker, wake.direction);
        self.dispatch.dispatch(&template.fill(FIXED_CONTRACTS, price, wake));
        Outcome::Fired
    }

    /// Logs a refusal, each kind with a limit of its own, so that none hides another.
    fn refuse(&self, outcome: Outcome, wake: &WakeMessage<'_>, why: &str) -> Outcome {
        if let Some(suppressed) = self.refusal_lines[outcome as usize].admit() {
            let WakeMessage { correlation_id, market_ticker, .. } = wake;
            warn!(correlation_id, market_ticker, suppressed, "real fire refused: {why}");
        }
        outcome
    }
}

fn is_tradeable(price_dollars: f64) -> bool {
    price_dollars > 0.0 && price_dollars < 1.0
}
