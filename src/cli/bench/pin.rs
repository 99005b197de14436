//! Which processors the measuring thread and what it measures run on.

use std::fmt;
use std::str::FromStr;

use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// What `--pin` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pin {
    measuring: usize,
    /// As before, if it isn't named.
    served: Option<usize>,
}

impl FromStr for Pin {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let cpu =
            |text: &str| text.parse().map_err(|_| "name one CPU or two by their numbers, such as 0 or 0,1");
        match text.split_once(',') {
            Some((measuring, served)) => Ok(Self { measuring: cpu(measuring)?, served: Some(cpu(served)?) }),
            None => Ok(Self { measuring: cpu(text)?, served: None }),
        }
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { measuring, served: None } => write!(f, "{measuring}"),
            Self { measuring, served: Some(served) } => write!(f, "{measuring},{served}"),
        }
    }
}

/// Nothing runs there.
#[derive(Debug, thiserror::Error)]
pub(super) enum PinError {
    #[error(
        "there is no CPU {cpu} for this process; name another in --pin (taskset -p $$ and nproc say which there are)"
    )]
    NoCpu { cpu: usize },
    #[error("can't choose the CPUs to run on: {0}; leave --pin out")]
    Refused(Errno),
}

/// Where things run.
#[derive(Debug)]
pub(super) struct Placement {
    /// Where the measuring thread was put, if anywhere.
    measuring: Option<CpuSet>,
    /// Where a daemon or an echo belongs.
    served: CpuSet,
}

impl Placement {
    /// Puts this thread where it is to measure; threads and processes it starts stay with it.
    pub(super) fn take(pin: Option<&Pin>) -> Result<Self, PinError> {
        let before = sched_getaffinity(None).map_err(PinError::Refused)?;
        let Some(Pin { measuring, served }) = pin else {
            return Ok(Self { measuring: None, served: before });
        };
        // Tried at once, so that a wrong one isn't found out in the middle of a run.
        let served = served.map(move_to).transpose()?.unwrap_or(before);
        Ok(Self { measuring: Some(move_to(*measuring)?), served })
    }

    /// Has `spawn` start a process from where it belongs; this thread is back where it measures afterwards.
    pub(super) fn spawn<T>(&self, spawn: impl FnOnce() -> T) -> Result<T, PinError> {
        let Some(measuring) = &self.measuring else { return Ok(spawn()) };
        sched_setaffinity(None, &self.served).map_err(PinError::Refused)?;
        let spawned = spawn();
        sched_setaffinity(None, measuring).map_err(PinError::Refused)?;
        Ok(spawned)
    }
}

fn move_to(cpu: usize) -> Result<CpuSet, PinError> {
    if cpu >= CpuSet::MAX_CPU {
        return Err(PinError::NoCpu { cpu });
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    match sched_setaffinity(None, &set) {
        Ok(()) => Ok(set),
        Err(Errno::INVAL) => Err(PinError::NoCpu { cpu }),
        Err(error) => Err(PinError::Refused(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cpu_or_two_are_named() {
        for text in ["0", "3,1", "1,1"] {
            assert_eq!(text.parse::<Pin>().unwrap().to_string(), text);
        }
        for text in ["", "a", "0,", ",1", "0,1,2", "-1", "0 1", "0-3"] {
            assert!(text.parse::<Pin>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_spawned_may_run_elsewhere() {
        let before = sched_getaffinity(None).unwrap();
        let first = (0..CpuSet::MAX_CPU).find(|cpu| before.is_set(*cpu)).unwrap();
        let placement = Placement::take(Some(&Pin { measuring: first, served: None })).unwrap();
        assert_eq!(sched_getaffinity(None).unwrap().count(), 1);
        assert_eq!(placement.spawn(|| sched_getaffinity(None).unwrap()).unwrap(), before);
        assert_eq!(sched_getaffinity(None).unwrap().count(), 1);
    }
}
