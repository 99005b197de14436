//! Runs of decimal digits, read eight bytes at a time.

/// Powers of ten, as many as a run of eighteen digits needs.
pub(crate) const POWERS_OF_TEN: [u64; 19] = {
    let mut powers = [1; 19];
    let mut exponent = 1;
    while exponent < powers.len() {
        powers[exponent] = powers[exponent - 1] * 10;
        exponent += 1;
    }
    powers
};

/// Value (modulo 2^64) and count of the digits that `bytes` begins with.
#[inline(always)]
pub(crate) fn leading_digits(bytes: &[u8]) -> (u64, usize) {
    let mut value = 0_u64;
    let mut count = 0;
    while let Some(chunk) = bytes.get(count..).and_then(<[u8]>::first_chunk::<8>) {
        let digits = u64::from_le_bytes(*chunk) ^ ZEROS;
        let others = not_digits(digits);
        if others == 0 {
            value = value.wrapping_mul(100_000_000).wrapping_add(eight_digits(digits));
            count += 8;
            continue;
        }
        let found = (others.trailing_zeros() / 8) as usize;
        if found > 0 {
            // Shifted to the top, the digits found stand behind as many zeros as are missing.
            let padded = digits << (64 - 8 * found);
            value = value.wrapping_mul(POWERS_OF_TEN[found]).wrapping_add(eight_digits(padded));
        }
        return (value, count + found);
    }
    while let Some(digit) = bytes.get(count).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    (value, count)
}

/// The high bit of each byte above 9, of eight; only up to the lowest of them is it exact.
#[inline(always)]
pub(crate) fn not_digits(digits: u64) -> u64 {
    // A byte above 9 has its high bit set, or gets it by adding 0x76; a carry reaches only bytes above it.
    (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
}

/// Eight ASCII zeros.
pub(crate) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Value of eight digits, one a byte, the first in the lowest byte: pairs, then fours, then all eight.
#[inline(always)]
pub(crate) fn eight_digits(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_run_of_digits_is_its_number(digits in "[0-9]{0,19}", rest in "([^0-9][\\x00-\\x7f]{0,12})?") {
            let text = format!("{digits}{rest}");
            let value = digits.parse::<u64>().unwrap_or(0);
            prop_assert_eq!(leading_digits(text.as_bytes()), (value, digits.len()));
        }
    }
}
