//! Kinds of doing one thing take turns, so that a machine that changes its speed changes it for all of them.

use super::plan::Plan;
use super::report::{Series, Unit};
use crate::cli::Failure;
use crate::measure::clock::monotonic_ns;

/// Runs of something small that one sample is the mean of: a clock read costs as much as some of them.
pub(super) const BATCH: u32 = 64;

/// What a reader must know of figures taken in batches.
pub(super) fn batch_note() -> String {
    format!("samples are means of {BATCH} runs on warm caches; a lone run after a pause costs more")
}

/// Turns of each kind between two of a kind outside this process.
pub(super) const ROUND: u32 = 100;

/// Does something as often as it is told.
type Work<'a> = Box<dyn FnMut(u32) -> Result<(), Failure> + 'a>;

/// One way of doing something.
pub(super) struct Kind<'a> {
    name: String,
    config: String,
    batch: u32,
    /// Done before each sample, untimed.
    before: Box<dyn FnMut() + 'a>,
    work: Work<'a>,
}

impl<'a> Kind<'a> {
    /// Something small that can't fail, in batches.
    pub(super) fn small(
        name: impl Into<String>,
        config: impl Into<String>,
        mut work: impl FnMut() + 'a,
    ) -> Self {
        // The loop is in here, so that only a batch pays for the call through a pointer.
        let many = move |times| {
            (0..times).for_each(|_| work());
            Ok(())
        };
        Self::of(name.into(), format!("{} batch={BATCH}", config.into()), BATCH, Box::new(many))
    }

    /// Something that takes many clock reads' time, timed one by one.
    pub(super) fn large(
        name: impl Into<String>,
        config: impl Into<String>,
        mut work: impl FnMut() -> Result<(), Failure> + 'a,
    ) -> Self {
        let many = move |times| (0..times).try_for_each(|_| work());
        Self::of(name.into(), config.into(), 1, Box::new(many))
    }

    fn of(name: String, config: String, batch: u32, work: Work<'a>) -> Self {
        Self { name, config, batch, before: Box::new(|| ()), work }
    }

    /// With something to be done before each sample that isn't timed.
    pub(super) fn after(mut self, before: impl FnMut() + 'a) -> Self {
        self.before = Box::new(before);
        self
    }

    /// One sample, ns.
    fn sample(&mut self) -> Result<f64, Failure> {
        (self.before)();
        let start = monotonic_ns();
        (self.work)(self.batch)?;
        Ok((monotonic_ns() - start) as f64 / f64::from(self.batch))
    }
}

/// A kind that is timed by another process: so many samples at once, ns.
pub(super) struct Outside<'a> {
    pub(super) name: String,
    pub(super) config: String,
    pub(super) samples: Box<dyn FnMut(u32) -> Result<Vec<f64>, Failure> + 'a>,
}

/// Samples of each kind, in turn; `outside` has its turns in rounds between theirs.
///
/// Who is first changes, and the direction: whoever follows another kind finds the caches as that one left them.
pub(super) fn take(
    plan: &Plan<'_>,
    what: &'static str,
    unit: Unit,
    mut kinds: Vec<Kind<'_>>,
    mut outside: Option<Outside<'_>>,
) -> Result<Vec<Series>, Failure> {
    let (turns, count) = (plan.turns(), kinds.len());
    plan.progress.begin(what, turns);
    let mut samples = vec![Vec::with_capacity(turns as usize); count];
    let mut from_outside = Vec::new();
    for turn in 0..turns {
        for step in 0..count {
            let index = whose(turn as usize, step, count);
            samples[index].push(unit.of_ns(kinds[index].sample()?));
        }
        let round = turn % ROUND + 1;
        if let Some(outside) = &mut outside
            && (round == ROUND || turn + 1 == turns)
        {
            from_outside.extend((outside.samples)(round)?.into_iter().map(|ns| unit.of_ns(ns)));
        }
        plan.progress.step()?;
    }
    let named = kinds.into_iter().map(|kind| (kind.name, kind.config)).zip(samples);
    let named = named.chain(outside.map(|outside| ((outside.name, outside.config), from_outside)));
    let series = named.map(|((name, config), mut samples)| {
        let counted = samples.split_off(samples.len().min(plan.arguments.warm_up as usize));
        Series { name, config, runs: vec![counted] }
    });
    Ok(series.collect())
}

/// The kind whose turn it is in a step of a turn.
fn whose(turn: usize, step: usize, count: usize) -> usize {
    let forward = (turn / 2 + step) % count;
    if turn.is_multiple_of(2) { forward } else { count - 1 - forward }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_has_a_turn_and_is_first_at_times() {
        let orders: Vec<Vec<usize>> =
            (0..6).map(|turn| (0..3).map(|step| whose(turn, step, 3)).collect()).collect();
        assert_eq!(orders, [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1]]);
    }
}
