//! Which machine a figure comes from.

use std::fmt;

/// What of a machine decides how fast it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The processor's own name.
    pub processor: String,
    /// Processors this process may run on.
    pub processors: usize,
    /// Whether it has AVX-512 IFMA, with which OpenSSL signs in half the time.
    pub avx512_ifma: bool,
    /// Name and release of the kernel.
    pub kernel: String,
}

impl Machine {
    /// The machine this process runs on.
    #[must_use]
    pub fn here() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let uname = rustix::system::uname();
        let [system, release] = [uname.sysname(), uname.release()].map(|part| part.to_string_lossy());
        Self {
            processor: field(&cpuinfo, "model name").unwrap_or(std::env::consts::ARCH).to_owned(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            avx512_ifma: field(&cpuinfo, "flags")
                .is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "avx512ifma")),
            kernel: format!("{system} {release}"),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { processor, processors, avx512_ifma, kernel } = self;
        let ifma = if *avx512_ifma { "with" } else { "without" };
        write!(f, "{processor}, {processors} processors, {ifma} AVX-512 IFMA, {kernel}")
    }
}

/// What decides how fast a machine is at the moment, as far as its guests may know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conditions {
    /// What the kernel reads the time from, such as `tsc`.
    pub clock_source: String,
    /// How the kernel chooses the processor's speed.
    pub governor: String,
    /// Processes that wanted to run, on average of the last 1, 5 and 15 minutes.
    pub load_average: String,
}

impl Conditions {
    /// How things are now; "unknown" where the system doesn't say.
    #[must_use]
    pub fn now() -> Self {
        let read = |path: &str| {
            std::fs::read_to_string(path).map_or(UNKNOWN.to_owned(), |text| text.trim().to_owned())
        };
        let load = read("/proc/loadavg");
        Self {
            clock_source: read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            load_average: load.split_whitespace().take(3).collect::<Vec<_>>().join(" "),
        }
    }
}

const UNKNOWN: &str = "unknown";

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { clock_source, governor, load_average } = self;
        write!(f, "clock source {clock_source}, governor {governor}, load average {load_average}")
    }
}

/// The value of the first line `name : value`.
fn field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

/// The most memory this process ever had in RAM, KiB; `None` where the kernel doesn't say.
#[must_use]
pub fn peak_resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let cpuinfo = "model\t\t: 143\nmodel name\t: Some: Processor\nflags\t: fpu avx512ifma\n";
        assert_eq!(field(cpuinfo, "model name"), Some("Some: Processor"));
        assert_eq!(field(cpuinfo, "model"), Some("143"));
        assert_eq!(field(cpuinfo, "name"), None);
    }

    #[test]
    fn conditions_are_described_in_a_line() {
        let now = Conditions::now();
        assert_eq!(now.load_average.split(' ').count(), 3, "{now}");
        assert!(
            !now.clock_source.is_empty() && !now.governor.is_empty() && !now.to_string().contains('\n'),
            "{now}"
        );
    }

    #[test]
    fn here_is_described_in_a_line() {
        let here = Machine::here();
        assert!(here.processors > 0 && here.kernel.starts_with("Linux "), "{here}");
    }
}
