//! The venues' times as nanoseconds since the Unix epoch. A time that can't be read is no fault of a message: `None`.

/// Of milliseconds since the epoch.
pub(super) fn of_ms(ms: u64) -> Option<i64> {
    i64::try_from(ms).ok()?.checked_mul(1_000_000)
}

/// Of seconds since the epoch.
pub(super) fn of_seconds(seconds: u64) -> Option<i64> {
    i64::try_from(seconds).ok()?.checked_mul(1_000_000_000)
}

/// Of milliseconds written in a string, as Polymarket has them.
pub(super) fn of_ms_text(text: &str) -> Option<i64> {
    if text.starts_with('+') { None } else { of_ms(text.parse().ok()?) }
}

/// Of RFC 3339 (`2026-07-04T21:35:52.010758Z`, `...+02:00`); a fraction counts down to its ninth digit.
pub(super) fn of_rfc3339(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let digits = |from: usize, count: usize| {
        let digits = bytes.get(from..from + count)?;
        digits
            .iter()
            .try_fold(0, |value, digit| digit.is_ascii_digit().then(|| value * 10 + i64::from(digit - b'0')))
    };
    let between =
        |from: usize, low: i64, high: i64| digits(from, 2).filter(|value| (low..=high).contains(value));
    let (year, month, hour) = (digits(0, 4)?, between(5, 1, 12)?, between(11, 0, 23)?);
    let day = between(8, 1, days_of_month(year, month))?;
    // A leap second counts as the one after it.
    let (minute, second) = (between(14, 0, 59)?, between(17, 0, 60)?);
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    let separated = separators.iter().all(|&(place, separator)| bytes.get(place) == Some(&separator));
    if !separated || !matches!(bytes.get(10), Some(b'T' | b't')) {
        return None;
    }
    let (fraction_ns, zone) = fraction_ns(bytes.get(19..)?)?;
    let offset_minutes = match zone {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let from = bytes.len() - 5;
            let minutes = between(from, 0, 23)? * 60 + between(from + 3, 0, 59)?;
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    let minutes = days_since_epoch(year, month, day) * 1_440 + hour * 60 + minute - offset_minutes;
    (minutes * 60 + second).checked_mul(1_000_000_000)?.checked_add(fraction_ns)
}

/// The fraction of a second that stands in front of the zone, if one does, and the zone.
fn fraction_ns(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let Some(fraction) = bytes.strip_prefix(b".") else { return Some((0, bytes)) };
    let count = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let (digits, zone) = fraction.split_at_checked(count)?;
    let nine = digits.iter().chain(std::iter::repeat(&b'0')).take(9);
    Some((nine.fold(0, |value, digit| value * 10 + i64::from(digit - b'0')), zone))
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the first of January 1970 to a date of the Gregorian calendar.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    // Years that begin in March have their leap day at the end, and their months' lengths on a line.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc_3339_is_read_to_the_nanosecond() {
        let right = [
            ("1970-01-01T00:00:00Z", 0),
            ("1969-12-31T23:59:59Z", -1_000_000_000),
            ("2026-07-04T21:35:52.020063Z", 1_783_200_952_020_063_000),
            ("2026-07-04T23:35:52.020063+02:00", 1_783_200_952_020_063_000),
            ("2026-07-04T16:05:52.02006300000-05:30", 1_783_200_952_020_063_000),
            ("2026-07-04t21:35:52.1234567891z", 1_783_200_952_123_456_789),
            ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000),
            ("2000-03-01T00:00:00Z", 951_868_800_000_000_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
        ];
        for (text, ns) in right {
            assert_eq!(of_rfc3339(text), Some(ns), "{text}");
        }
        let wrong = [
            "",
            "2026-07-04",
            "2026-07-04T21:35:52",
            "2026-07-04 21:35:52Z",
            "2026-13-04T21:35:52Z",
            "2026-02-29T21:35:52Z",
            "2026-07-04T24:00:00Z",
            "2026-07-04T21:35:52.Z",
            "2026-07-04T21:35:52Zx",
            "2026-07-04T21:35:52+2:00",
            "2026-07-04T21:35:52+24:00",
            "9999-12-31T00:00:00Z",
            "2026-07-04T21:35:5éZ",
        ];
        for text in wrong {
            assert_eq!(of_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn days_are_counted_through_leap_years() {
        let mut days = days_since_epoch(1970, 1, 1);
        assert_eq!(days, 0);
        for year in 1970..2262 {
            for month in 1..=12 {
                for day in 1..=days_of_month(year, month) {
                    assert_eq!(days_since_epoch(year, month, day), days, "{year}-{month}-{day}");
                    days += 1;
                }
            }
        }
    }

    #[test]
    fn epochs_of_other_units_are_checked() {
        assert_eq!(of_ms(1_783_200_952_020), Some(1_783_200_952_020_000_000));
        assert_eq!(of_seconds(1_783_200_952), Some(1_783_200_952_000_000_000));
        assert_eq!(of_ms_text("1783200952020"), Some(1_783_200_952_020_000_000));
        assert_eq!((of_ms(u64::MAX), of_seconds(u64::MAX)), (None, None));
        for text in ["", "+1", "-1", "1.5", "99999999999999999999"] {
            assert_eq!(of_ms_text(text), None, "{text}");
        }
    }
}
