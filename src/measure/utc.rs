//! Times as people read them.

use std::fmt;

/// A time in ns since the Unix epoch, shown as `2026-07-04T21:35:52.000000001Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Utc(pub i64);

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NS: i64 = 1_000_000_000;
        const DAY_S: i64 = 86_400;
        let (seconds, fraction) = (self.0.div_euclid(NS), self.0.rem_euclid(NS));
        let (days, second) = (seconds.div_euclid(DAY_S), seconds.rem_euclid(DAY_S));
        let (year, month, day) = date(days);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:09}Z")
    }
}

/// The Gregorian date of a day counted from 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    const ERA_DAYS: i64 = 146_097;
    // Years that begin in March have their leap day at the end, and every 400 of them have the same number of days.
    let from_march_0 = days + 719_468;
    let (era, day_of_era) = (from_march_0.div_euclid(ERA_DAYS), from_march_0.rem_euclid(ERA_DAYS));
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / (ERA_DAYS - 1);
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // From March on, five months have 153 days.
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_as_dates() {
        let known = [
            (0, "1970-01-01T00:00:00.000000000Z"),
            (1_767_225_600_000_000_000, "2026-01-01T00:00:00.000000000Z"),
            (951_827_696_000_000_007, "2000-02-29T12:34:56.000000007Z"),
            (1_709_251_199_999_999_999, "2024-02-29T23:59:59.999999999Z"),
            (1_709_251_200_000_000_000, "2024-03-01T00:00:00.000000000Z"),
            (i64::MAX, "2262-04-11T23:47:16.854775807Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"),
        ];
        for (ns, text) in known {
            assert_eq!(Utc(ns).to_string(), text);
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut before = date(-200_000);
        for days in -199_999..200_000 {
            let (year, month, day) = date(days);
            let (last_year, last_month, last_day) = before;
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let length = |month| match month {
                2 => 28 + i64::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            let expected = match (last_month, last_day) {
                (12, 31) => (last_year + 1, 1, 1),
                (_, last) if last == length(last_month) => (last_year, last_month + 1, 1),
                _ => (last_year, last_month, last_day + 1),
            };
            assert_eq!((year, month, day), expected);
            before = (year, month, day);
        }
    }
}
