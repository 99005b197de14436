//! Where the daemon's threads run, and its memory in RAM: what `--pin` and `--mlock` ask for.
//!
//! A thread starts on the CPUs of the one that made it. So this thread first goes where the others belong, has them made,
//! and takes its own CPU when they are all there.

use std::str::FromStr;

use rustix::io::Errno;
use rustix::mm::MlockAllFlags;
use rustix::process::{Resource, getrlimit};
use rustix::thread::{CapabilitySet, CpuSet, capabilities, sched_getaffinity, sched_setaffinity};

/// The daemon can't be placed as it was told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlacementError {
    /// No such CPU, or it isn't among those this process may use.
    #[error(
        "there is no CPU {cpu} for this process; name another in --pin (taskset -p $$ says which there are)"
    )]
    NoCpu {
        /// The one asked for.
        cpu: usize,
    },
    /// The system doesn't let this process choose.
    #[error("can't choose the CPUs to run on: {0}; leave --pin out")]
    Refused(Errno),
    /// Under a limit, memory that is locked as it comes would sooner or later be memory that doesn't come.
    #[error(
        "--mlock needs an unlimited locked-memory limit and it is {limit} bytes; raise it (ulimit -l unlimited, or \
         LimitMEMLOCK=infinity in a unit) or leave --mlock out"
    )]
    LockLimit {
        /// The limit found.
        limit: u64,
    },
    /// The system can't lock it.
    #[error("can't lock the memory: {0}; leave --mlock out")]
    Lock(Errno),
}

/// Which CPUs the daemon's threads run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// Of the thread that serves.
    pub hot: usize,
    /// Of all its others; any but the first if it isn't named.
    pub others: Option<usize>,
}

impl FromStr for Pin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let cpu =
            |text: &str| text.parse().map_err(|_| "name one CPU or two by their numbers, such as 1 or 1,1");
        match text.split_once(',') {
            Some((hot, others)) => Ok(Self { hot: cpu(hot)?, others: Some(cpu(others)?) }),
            None => Ok(Self { hot: cpu(text)?, others: None }),
        }
    }
}

/// The hot thread's CPU, while the other threads are made.
pub(super) struct HotCpu {
    only: CpuSet,
}

impl HotCpu {
    /// Moves this thread, and so those it starts from now on, to where the others belong; it stays if that is nowhere.
    pub(super) fn clear(pin: Pin) -> Result<Self, PlacementError> {
        let allowed = sched_getaffinity(None).map_err(PlacementError::Refused)?;
        let only = |cpu: usize| {
            if cpu >= CpuSet::MAX_CPU || !allowed.is_set(cpu) {
                return Err(PlacementError::NoCpu { cpu });
            }
            let mut only = CpuSet::new();
            only.set(cpu);
            Ok(only)
        };
        let hot = only(pin.hot)?;
        let others = match pin.others {
            Some(cpu) => only(cpu)?,
            None => {
                let mut others = allowed;
                others.unset(pin.hot);
                others
            }
        };
        if others.count() > 0 {
            sched_setaffinity(None, &others).map_err(PlacementError::Refused)?;
        }
        Ok(Self { only: hot })
    }

    /// Moves this thread onto it.
    pub(super) fn take(&self) -> Result<(), PlacementError> {
        sched_setaffinity(None, &self.only).map_err(PlacementError::Refused)
    }
}

/// Has every page in RAM, those that come later too, so that none is fetched while a frame waits.
pub(super) fn lock_memory() -> Result<(), PlacementError> {
    // Without a limit, or free of it: else an allocation could fail at any later moment.
    if let Some(limit) = getrlimit(Resource::Memlock).current {
        let exempt = capabilities(None).is_ok_and(|sets| sets.effective.contains(CapabilitySet::IPC_LOCK));
        if !exempt {
            return Err(PlacementError::LockLimit { limit });
        }
    }
    rustix::mm::mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE).map_err(PlacementError::Lock)
}
