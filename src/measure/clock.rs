//! The two clocks, and the token that says whether two processes share the monotonic one.

use rustix::time::{ClockId, clock_gettime};

/// Width of a clock-domain bucket in seconds.
const BUCKET_S: i64 = 60;

/// Wall clock in whole milliseconds since the Unix epoch (rounded down).
#[must_use]
pub fn wall_ms() -> i64 {
    wall_ns().div_euclid(1_000_000)
}

/// `CLOCK_MONOTONIC` in nanoseconds: the clock behind Python's `time.perf_counter_ns` and `time.monotonic_ns` on Linux,
/// so readings of both processes on one host can be subtracted.
#[must_use]
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // Linux starts this clock at zero at boot; it isn't negative.
    (now.tv_sec as u64) * 1_000_000_000 + now.tv_nsec as u64
}

fn wall_ns() -> i64 {
    let now = clock_gettime(ClockId::Realtime);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// `hostname:B`, where `B = floor((wall - monotonic) / 60 s) * 60` in seconds: which monotonic clock a reading is from.
///
/// The token changes with the host and with a reboot, and (unavoidably) when the wall clock is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockDomain {
    token: String,
    host_len: usize,
    bucket: i64,
}

impl ClockDomain {
    /// The domain of this process, by `uname`'s node name and the clocks as they stand.
    #[must_use]
    pub fn here() -> Self {
        let name = rustix::system::uname();
        let host = name.nodename().to_string_lossy();
        // A preemption between the two readings shifts the difference by far less than the neighbour bucket that
        // `comparable` accepts.
        let boot_s = (wall_ns() - monotonic_ns() as i64).div_euclid(1_000_000_000);
        Self::new(&host, boot_s.div_euclid(BUCKET_S) * BUCKET_S)
    }

    fn new(host: &str, bucket: i64) -> Self {
        Self { token: format!("{host}:{bucket}"), host_len: host.len(), bucket }
    }

    /// The token as it goes on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.token
    }

    /// Whether monotonic readings stamped under `other` may be subtracted from ours: the same token, or the same host
    /// with a neighbour bucket (two processes that read the clocks on either side of a 60 s boundary). Never for "".
    ///
    /// Doesn't allocate.
    #[must_use]
    pub fn comparable(&self, other: &str) -> bool {
        if other == self.token {
            return true;
        }
        let Some((host, bucket)) = other.rsplit_once(':') else { return false };
        // The reference prints plain decimal digits; "+60" or "060" is someone else's token.
        let plain = bucket.strip_prefix('-').unwrap_or(bucket);
        if host != &self.token[..self.host_len] || plain.starts_with(['+', '0']) && plain != "0" {
            return false;
        }
        bucket
            .parse::<i64>()
            .is_ok_and(|bucket| bucket.checked_sub(self.bucket).is_some_and(|d| d.abs() == BUCKET_S))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monotonic_never_steps_back_and_wall_is_now() {
        let first = monotonic_ns();
        assert!(monotonic_ns() >= first);
        let std_ms =
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64;
        assert!((wall_ms() - std_ms).abs() < 5_000);
    }

    #[test]
    fn here_is_host_and_a_whole_minute() {
        let here = ClockDomain::here();
        let (host, bucket) = here.as_str().rsplit_once(':').unwrap();
        assert_eq!(host, rustix::system::uname().nodename().to_str().unwrap());
        assert_eq!(bucket.parse::<i64>().unwrap() % 60, 0);
        assert!(here.comparable(ClockDomain::here().as_str()));
    }

    #[test]
    fn comparable_accepts_the_neighbour_bucket_of_the_same_host_only() {
        let here = ClockDomain::new("box:1", 1_700_000_040);
        for same in ["box:1:1700000040", "box:1:1699999980", "box:1:1700000100"] {
            assert!(here.comparable(same), "{same}");
        }
        for other in [
            "",
            ":",
            "box:1",
            "box:1:",
            "box:2:1700000040",
            "box:1:1700000160",
            "box:1:1700000041",
            "box:1:+1700000100",
            "box:1:01700000100",
            "box:1:1700000100 ",
            "box:1:-9223372036854775808",
            "1700000040",
        ] {
            assert!(!here.comparable(other), "{other}");
        }
    }

    #[test]
    fn a_wall_clock_before_boot_rounds_down() {
        assert_eq!((-1_i64).div_euclid(BUCKET_S) * BUCKET_S, -60);
        assert!(ClockDomain::new("h", -60).comparable("h:0"));
    }
}
