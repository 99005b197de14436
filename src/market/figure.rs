//! Prices and sizes as messages have them: on the scale and in range, or counted as left out, or a fault.

use super::decimal::{self, NotExact};
use super::model::{Change, Fault, LeftOut, Message, Scale, Side, Update};
use super::model::{Price, Size};

/// Why a figure can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfit {
    /// The message is wrong.
    Fault(Fault),
    /// It is finer than the scale: left out.
    Finer,
    /// It is more than the scale holds: left out.
    OutOfRange,
}

impl From<Fault> for Unfit {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<NotExact> for Unfit {
    fn from(why: NotExact) -> Self {
        match why {
            NotExact::NotDecimal => Self::Fault(Fault::BadNumber),
            NotExact::Finer => Self::Finer,
            NotExact::TooLarge => Self::OutOfRange,
        }
    }
}

/// A price or size in units of its scale.
pub(super) type Figure = Result<i64, Unfit>;

/// Both of two figures; a fault of either counts before what would only leave them out.
pub(super) fn both(one: Figure, other: Figure) -> Result<(i64, i64), Unfit> {
    match (one, other) {
        (Err(fault @ Unfit::Fault(_)), _) | (_, Err(fault @ Unfit::Fault(_))) => Err(fault),
        (one, other) => Ok((one?, other?)),
    }
}

/// A price of a prediction market at full precision, in dollars: nothing and the whole dollar included.
pub(super) fn probability(text: &str) -> Figure {
    const SCALE: Scale = Scale::PREDICTION;
    let bad = Unfit::Fault(Fault::BadNumber);
    match decimal::exact(text, SCALE.price_decimals) {
        Ok(price) if price <= SCALE.dollar().0 => Ok(price),
        Err(NotExact::Finer) if less_than_one(text) => Err(Unfit::Finer),
        _ => Err(bad),
    }
}

/// As [`probability`], without nothing and the whole dollar: nobody can quote these.
pub(super) fn inner_probability(text: &str) -> Figure {
    match probability(text)? {
        price if price > 0 && price < Scale::PREDICTION.dollar().0 => Ok(price),
        _ => Err(Fault::BadNumber.into()),
    }
}

/// A size in contracts at full precision.
pub(super) fn contracts(text: &str) -> Figure {
    Ok(decimal::exact(text, Scale::PREDICTION.size_decimals)?)
}

/// A size in contracts at full precision, or a change of one, that may be negative.
pub(super) fn signed_contracts(text: &str) -> Figure {
    Ok(decimal::exact_signed(text, Scale::PREDICTION.size_decimals)?)
}

/// A count of whole units in units of a scale.
pub(super) fn whole(count: i64, decimals: u8) -> Figure {
    count.checked_mul(10_i64.pow(u32::from(decimals))).ok_or(Unfit::OutOfRange)
}

/// Whether a decimal has only zeros in front of its point.
fn less_than_one(decimal: &str) -> bool {
    decimal.bytes().take_while(|&byte| byte != b'.').all(|byte| byte == b'0')
}

impl LeftOut {
    /// Counts a figure that is left out.
    ///
    /// # Errors
    /// The fault, if it is one.
    pub(super) fn count(&mut self, unfit: Unfit) -> Result<(), Fault> {
        match unfit {
            Unfit::Fault(fault) => return Err(fault),
            Unfit::Finer => self.finer_than_scale += 1,
            Unfit::OutOfRange => self.out_of_range += 1,
        }
        Ok(())
    }
}

impl<'p> Message<'p> {
    #[inline]
    pub(super) fn push(&mut self, market: &'p str, change: Change) {
        self.updates.push(Update { market, change });
    }

    /// Takes a change, or counts it as left out.
    ///
    /// # Errors
    /// The fault, if it is one.
    pub(super) fn push_or_count(
        &mut self,
        market: &'p str,
        change: Result<Change, Unfit>,
    ) -> Result<(), Fault> {
        match change {
            Ok(change) => {
                self.push(market, change);
                Ok(())
            }
            Err(unfit) => self.left_out.count(unfit),
        }
    }
}

/// A level's [`Change::Set`].
pub(super) fn set(side: Side, price: Figure, size: Figure) -> Result<Change, Unfit> {
    let (price, size) = both(price, size)?;
    Ok(Change::Set { side, price: Price(price), size: Size(size) })
}

/// A ticker's [`Change::Touch`].
pub(super) fn touch(side: Side, price: Figure, size: Figure) -> Result<Change, Unfit> {
    let (price, size) = both(price, size)?;
    Ok(Change::Touch { side, price: Price(price), size: Size(size) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: Figure = Err(Unfit::Fault(Fault::BadNumber));

    #[test]
    fn a_probability_is_at_most_a_dollar() {
        assert_eq!(probability("0.455"), Ok(4_550));
        assert_eq!(probability(".48"), Ok(4_800));
        assert_eq!((probability("0"), probability("1.0000")), (Ok(0), Ok(10_000)));
        assert_eq!((inner_probability("0"), inner_probability("1.0000")), (BAD, BAD));
        assert_eq!((inner_probability("0.0001"), inner_probability("0.9999")), (Ok(1), Ok(9_999)));
        for text in ["1.0001", "1.00001", "12", "92233720368547758070", "-0.5", "", "0.5x"] {
            assert_eq!(probability(text), BAD, "{text}");
        }
        assert_eq!(probability("0.00001"), Err(Unfit::Finer));
        assert_eq!(probability("00.99999"), Err(Unfit::Finer));
    }

    #[test]
    fn a_fault_counts_before_what_is_left_out() {
        assert_eq!(both(Err(Unfit::Finer), BAD), Err(Unfit::Fault(Fault::BadNumber)));
        assert_eq!(both(BAD, Err(Unfit::OutOfRange)), Err(Unfit::Fault(Fault::BadNumber)));
        assert_eq!(both(Ok(1), Err(Unfit::OutOfRange)), Err(Unfit::OutOfRange));
        assert_eq!(both(Ok(1), Ok(2)), Ok((1, 2)));
        assert_eq!(contracts("9223372036855"), Err(Unfit::OutOfRange));
        assert_eq!(signed_contracts("-54.00"), Ok(-54_000_000));
        assert_eq!((whole(31, 2), whole(i64::MAX, 2)), (Ok(3_100), Err(Unfit::OutOfRange)));
    }
}
