//! Where a capture is cut when it is cut by receive time.

/// The cuts. A record received at a cut belongs to the slice behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cuts {
    /// So many ns apart, from the first record's time on; at least 1.
    Every(i64),
    /// At these times, ns since the Unix epoch, in rising order.
    At(Vec<i64>),
}

/// Tells records the slice they belong to.
///
/// Slices are cut where time first passes a cut, so one after another they are the capture: a record from before the last cut that was
/// passed stays in the slice at hand.
#[derive(Debug, Clone)]
pub struct Slicer {
    cuts: Cuts,
    first_ns: Option<i64>,
    number: u64,
    late: u64,
}

/// The slice of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slice {
    /// The one of the record before.
    Same,
    /// The one of this number, which begins here; the first has number 1. A number that is left out has no records.
    Next(u64),
}

impl Slicer {
    /// With these cuts.
    #[must_use]
    pub const fn new(cuts: Cuts) -> Self {
        Self { cuts, first_ns: None, number: 0, late: 0 }
    }

    /// The slice of the next record.
    pub fn slice(&mut self, recv_ns: i64) -> Slice {
        let number = match &self.cuts {
            Cuts::Every(every_ns) => {
                let first_ns = *self.first_ns.get_or_insert(recv_ns);
                // Before the first record there is no slice: late as well.
                let passed = recv_ns.saturating_sub(first_ns).div_euclid((*every_ns).max(1));
                u64::try_from(passed).map_or(0, |passed| passed + 1)
            }
            Cuts::At(cuts) => cuts.partition_point(|&cut| cut <= recv_ns) as u64 + 1,
        };
        if number > self.number {
            self.number = number;
            return Slice::Next(number);
        }
        self.late += u64::from(number < self.number);
        Slice::Same
    }

    /// Records that stayed in a slice behind their own, because time went backwards.
    #[must_use]
    pub const fn late(&self) -> u64 {
        self.late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slices(cuts: Cuts, times: &[i64]) -> (Vec<Slice>, u64) {
        let mut slicer = Slicer::new(cuts);
        (times.iter().map(|&time| slicer.slice(time)).collect(), slicer.late())
    }

    #[test]
    fn slices_of_one_length_begin_at_the_first_record() {
        let (slices, late) = slices(Cuts::Every(10), &[105, 114, 115, 104, 113, 150, 154, 155]);
        let expected = [
            Slice::Next(1),
            Slice::Same,
            Slice::Next(2),
            Slice::Same,
            Slice::Same,
            Slice::Next(5),
            Slice::Same,
            Slice::Next(6),
        ];
        assert_eq!((slices.as_slice(), late), (expected.as_slice(), 2));
    }

    #[test]
    fn a_record_at_a_cut_is_behind_it() {
        let (slices, late) = slices(Cuts::At(vec![10, 20, 30]), &[5, 9, 10, 35, 19, i64::MAX]);
        let expected =
            [Slice::Next(1), Slice::Same, Slice::Next(2), Slice::Next(4), Slice::Same, Slice::Same];
        assert_eq!((slices.as_slice(), late), (expected.as_slice(), 1));
    }

    #[test]
    fn the_ends_of_time_are_no_trouble() {
        let (slices, _) = slices(Cuts::Every(1), &[0, i64::MAX, 0]);
        assert_eq!(slices, [Slice::Next(1), Slice::Next(1 << 63), Slice::Same]);
    }
}
