//! What every component is given.

use tempfile::TempDir;

use super::arguments::BenchArguments;
use super::error::BenchError;
use super::pin::Placement;
use super::progress::Progress;
use super::report::{Section, Series, Unit};

pub(super) struct Plan<'a> {
    pub(super) arguments: &'a BenchArguments,
    pub(super) placement: Placement,
    pub(super) progress: Progress,
}

impl Plan<'_> {
    /// Samples of one kind, those to warm up included.
    pub(super) fn turns(&self) -> u32 {
        self.arguments.warm_up + self.arguments.samples
    }

    /// A table of samples that count as this plan has it.
    pub(super) fn section(
        &self,
        benchmark: &'static str,
        title: String,
        unit: Unit,
        series: Vec<Series>,
        notes: Vec<String>,
    ) -> Section {
        let BenchArguments { samples, warm_up, .. } = *self.arguments;
        Section { benchmark, title, unit, samples, warm_up, series, comparisons: Vec::new(), notes }
    }

    /// A directory for sockets and databases, gone when it is dropped.
    pub(super) fn directory(&self) -> Result<TempDir, BenchError> {
        tempfile::Builder::new().prefix("wakeline-bench-").tempdir().map_err(BenchError::Directory)
    }
}
