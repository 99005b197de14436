//! Counts of what became of the fires.

use std::fmt;

use super::Outcome;

/// One count for each way a fire can end, and for what was odd about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FireCounters {
    /// Handed to the dispatch, shadow fires included.
    pub fired: u64,
    /// [`Outcome::RefusedPrice`].
    pub refused_price: u64,
    /// [`Outcome::RefusedKillSwitch`].
    pub refused_kill_switch: u64,
    /// [`Outcome::RefusedOffGrid`].
    pub refused_off_grid: u64,
    /// [`Outcome::RefusedSuspectGrid`].
    pub refused_suspect_grid: u64,
    /// Wakes that decode but hold a value that can't be meant.
    pub suspect_values: u64,
    /// Wakes whose correlation id was seen among the recent ones.
    pub duplicate_correlation_id: u64,
    /// Wakes with a receipt stamp whose clock can't be compared with ours, so that detect-to-fire can't be told.
    pub foreign_clock_domain: u64,
}

impl FireCounters {
    pub(super) fn count(&mut self, outcome: Outcome) {
        let counter = match outcome {
            Outcome::Fired => &mut self.fired,
            Outcome::RefusedPrice => &mut self.refused_price,
            Outcome::RefusedSuspectGrid => &mut self.refused_suspect_grid,
            Outcome::RefusedOffGrid => &mut self.refused_off_grid,
            Outcome::RefusedKillSwitch => &mut self.refused_kill_switch,
        };
        *counter += 1;
    }
}

/// `key=value` pairs for the exit line.
impl fmt::Display for FireCounters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            fired,
            refused_price,
            refused_kill_switch,
            refused_off_grid,
            refused_suspect_grid,
            suspect_values,
            duplicate_correlation_id,
            foreign_clock_domain,
        } = self;
        write!(
            f,
            "fired={fired} refused_price={refused_price} refused_kill_switch={refused_kill_switch} \
             refused_off_grid={refused_off_grid} refused_suspect_grid={refused_suspect_grid} \
             suspect_values={suspect_values} duplicate_correlation_id={duplicate_correlation_id} \
             foreign_clock_domain={foreign_clock_domain}"
        )
    }
}
