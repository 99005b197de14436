//! Is a book that was kept from diffs what the venue says it is? The diffs join a snapshot, and when they reach a later
//! image, the book is compared with it, level by level.
//!
//! Levels beyond the depth of the joining snapshot were never told, unless a diff changed them since. So the book can
//! be compared down to the snapshot's worst price; what differs beyond it is told, and is no divergence.

use std::fmt;

use serde::Serialize;

use super::anchored::{AnchoredBook, WaitingCounts};
use super::book::{Book, Level};
use super::decimal;
use super::depth::{DepthDiff, DepthError, DepthImage};
use super::model::{Price, Scale, Side};
use super::sequencer::SequencerCounts;

/// Keeps a book up to the image it is to be compared with.
#[derive(Debug)]
pub struct BookVerify {
    image: DepthImage,
    depth: usize,
    anchored: AnchoredBook,
    /// Worst bid and worst ask of the snapshot that was joined.
    known: [Option<Price>; 2],
    reached: bool,
    more_images: u64,
}

/// How a comparison ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All levels that were compared are equal.
    Exact,
    /// Those that can be compared are equal; others differ.
    ExactWhereComparable,
    /// Levels differ that should not.
    Diverged,
    /// The diffs end before the image, or were never joined.
    NeverReached,
}

/// A level that differs: as kept, and as the image has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its place in both, counted from 1 for the best.
    pub place: usize,
    /// Price and size in the book that was kept, if it is so deep.
    pub kept: Option<[String; 2]>,
    /// Price and size in the image, if it is so deep.
    pub image: Option<[String; 2]>,
}

/// One side, compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SideReport {
    /// Places that both have.
    pub compared: usize,
    /// Places that differ, or that one of them lacks.
    pub mismatches: usize,
    /// Those of them that lie beyond the joining snapshot's depth, in both.
    pub beyond_snapshot: usize,
    /// The worst price that can be compared; `None` if the snapshot's side was empty, and all can.
    pub comparable_to: Option<String>,
    /// How many levels of the image can be compared.
    pub comparable_levels: usize,
    /// The first place that differs, and shouldn't.
    pub first_divergence: Option<Difference>,
    /// The first place that differs beyond the snapshot's depth.
    pub first_beyond: Option<Difference>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// How it ended.
    pub outcome: Outcome,
    /// Diffs applied as they came.
    pub applied: u64,
    /// Diffs that the snapshot covered, or that came again.
    pub discarded: u64,
    /// Diffs that came while there was no snapshot.
    pub buffered: u64,
    /// Of those that waited, how many were applied to the snapshot that came.
    pub buffered_applied: u64,
    /// Of those that waited, how many it covered.
    pub buffered_covered: u64,
    /// Of those that waited, how many were dropped to make room.
    pub buffered_dropped: u64,
    /// Times that something was missing.
    pub gaps: u64,
    /// Snapshots that were older than the first diff after them.
    pub stale_snapshots: u64,
    /// Snapshots that were older than the book, and changed nothing.
    pub older_snapshots: u64,
    /// Whether the book reached the image.
    pub reached_target: bool,
    /// The update id that was reached last.
    pub final_u: u64,
    /// The image's.
    pub target: u64,
    /// How many ids the book was ahead of the image when they were compared.
    pub overshoot: u64,
    /// How many levels a side were asked for.
    pub levels: usize,
    /// Images after the first, with which nothing was compared.
    pub more_images: u64,
    /// The bids.
    pub bids: Option<SideReport>,
    /// The asks.
    pub asks: Option<SideReport>,
}

impl BookVerify {
    /// Will compare the best `depth` levels of a side with an image.
    #[must_use]
    pub fn new(image: DepthImage, depth: usize) -> Self {
        Self {
            image,
            depth,
            anchored: AnchoredBook::default(),
            known: [None; 2],
            reached: false,
            more_images: 0,
        }
    }

    /// Takes in a diff, unless the image was reached.
    ///
    /// # Errors
    /// It can't be read.
    pub fn diff(&mut self, payload: &[u8]) -> Result<(), DepthError> {
        if !self.reached {
            let DepthDiff { ids, levels } = DepthDiff::of(payload)?;
            self.anchored.diff(ids, &levels);
            self.look();
        }
        Ok(())
    }

    /// Takes in a snapshot to join, unless the image was reached.
    ///
    /// # Errors
    /// It can't be read.
    pub fn snapshot(&mut self, payload: &[u8]) -> Result<(), DepthError> {
        if !self.reached {
            let snapshot = DepthImage::of(payload)?;
            if self.anchored.snapshot(snapshot.last, &snapshot.levels) {
                self.known = [Side::Bid, Side::Ask].map(|side| snapshot.worst(side));
            }
            self.look();
        }
        Ok(())
    }

    /// An image came that isn't the one to compare with.
    pub const fn count_image(&mut self) {
        self.more_images += 1;
    }

    fn look(&mut self) {
        self.reached = self.anchored.whole_up_to().is_some_and(|whole| whole >= self.image.last);
    }

    /// Whether the book has come to the image, and what follows changes nothing.
    #[must_use]
    pub const fn has_reached(&self) -> bool {
        self.reached
    }

    /// What came of it.
    #[must_use]
    pub fn report(&self) -> VerifyReport {
        let sides = self.reached.then(|| [Side::Bid, Side::Ask].map(|side| self.compare(side)));
        let total = |count: fn(&SideReport) -> usize| sides.iter().flatten().map(count).sum::<usize>();
        let outcome = if !self.reached {
            Outcome::NeverReached
        } else if total(|side| side.mismatches) == 0 {
            Outcome::Exact
        } else if total(|side| side.mismatches - side.beyond_snapshot) == 0 {
            Outcome::ExactWhereComparable
        } else {
            Outcome::Diverged
        };
        let SequencerCounts { buffered, applied, discarded, gaps, stale_snapshots, .. } =
            self.anchored.counts();
        let WaitingCounts { applied: buffered_applied, covered, dropped, .. } =
            self.anchored.waiting_counts();
        let (final_u, target) = (self.anchored.last(), self.image.last);
        let [bids, asks] = sides.map_or([None, None], |sides| sides.map(Some));
        VerifyReport {
            outcome,
            applied,
            discarded,
            buffered,
            buffered_applied,
            buffered_covered: covered,
            buffered_dropped: dropped,
            gaps,
            stale_snapshots,
            older_snapshots: self.anchored.older_snapshots(),
            reached_target: self.reached,
            final_u,
            target,
            overshoot: if self.reached { final_u.saturating_sub(target) } else { 0 },
            levels: self.depth,
            more_images: self.more_images,
            bids,
            asks,
        }
    }

    fn compare(&self, side: Side) -> SideReport {
        let image = self.image_book();
        let known = self.known[side as usize];
        let is_beyond = |level: Option<Level>| {
            level.is_none_or(|Level { price, .. }| match (known, side) {
                (None, _) => false,
                (Some(worst), Side::Bid) => price < worst,
                (Some(worst), Side::Ask) => price > worst,
            })
        };
        let mut report = SideReport {
            compared: 0,
            mismatches: 0,
            beyond_snapshot: 0,
            comparable_to: known.map(|price| decimal::text(price.0, Scale::COIN.price_decimals)),
            comparable_levels: image.levels(side).filter(|&level| !is_beyond(Some(level))).count(),
            first_divergence: None,
            first_beyond: None,
        };
        let mut kept = self.anchored.book().levels(side);
        let mut theirs = image.levels(side);
        for place in 1..=self.depth.min(image.depth(side)) {
            let (kept, image) = (kept.next(), theirs.next());
            report.compared += usize::from(kept.is_some() && image.is_some());
            if kept == image {
                continue;
            }
            report.mismatches += 1;
            let difference = || Difference { place, kept: kept.map(texts), image: image.map(texts) };
            if known.is_some() && is_beyond(kept) && is_beyond(image) {
                report.beyond_snapshot += 1;
                report.first_beyond.get_or_insert_with(difference);
            } else {
                report.first_divergence.get_or_insert_with(difference);
            }
        }
        report
    }

    /// The image's levels in the order of a book, whatever theirs is.
    fn image_book(&self) -> Book {
        let mut book = Book::new();
        book.clear();
        for &(side, price, size) in &self.image.levels {
            book.set(side, price, size);
        }
        book.settle();
        book
    }
}

fn texts(Level { price, size }: Level) -> [String; 2] {
    let Scale { price_decimals, size_decimals } = Scale::COIN;
    [decimal::text(price.0, price_decimals), decimal::text(size.0, size_decimals)]
}

impl VerifyReport {
    /// Places compared, and those that differ, on both sides.
    #[must_use]
    pub fn totals(&self) -> (usize, usize) {
        let sides = self.bids.iter().chain(&self.asks);
        sides.fold((0, 0), |(compared, mismatches), side| {
            (compared + side.compared, mismatches + side.mismatches)
        })
    }
}

impl fmt::Display for VerifyReport {
    /// Two lines in the reference's own words, then what they don't say.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { applied, discarded, buffered, gaps, stale_snapshots, final_u, target, overshoot, .. } =
            self;
        writeln!(
            f,
            "BOOK_VERIFY applied={applied} discarded={discarded} buffered={buffered} gaps={gaps} \
             stale_snapshots={stale_snapshots} reached_target={} final_u={final_u} target={target} overshoot={overshoot}",
            u8::from(self.reached_target)
        )?;
        let (compared, mismatches) = self.totals();
        let outcome = match self.outcome {
            Outcome::Exact => "exact",
            Outcome::ExactWhereComparable => "exact_where_comparable",
            Outcome::Diverged => "DIVERGED",
            Outcome::NeverReached => "NEVER_REACHED",
        };
        writeln!(f, "BOOK_VERIFY levels_compared={compared} mismatches={mismatches} {outcome}")?;
        for (name, side) in [("bids", &self.bids), ("asks", &self.asks)] {
            let Some(side) = side else { continue };
            write!(f, "{name}: ")?;
            match &side.comparable_to {
                Some(price) => write!(
                    f,
                    "comparable to {price}, the joining snapshot's worst: {} levels of the image",
                    side.comparable_levels
                )?,
                None => write!(f, "all comparable: {} levels of the image", side.comparable_levels)?,
            }
            if side.beyond_snapshot > 0 {
                write!(
                    f,
                    "; {} mismatches beyond, where levels are known only if a diff changed them",
                    side.beyond_snapshot
                )?;
            }
            writeln!(f)?;
            for (what, difference) in
                [("first divergence", &side.first_divergence), ("first beyond", &side.first_beyond)]
            {
                if let Some(Difference { place, kept, image }) = difference {
                    let words = |level: &Option<[String; 2]>| match level {
                        Some([price, size]) => format!("{size} at {price}"),
                        None => "no level".to_owned(),
                    };
                    writeln!(
                        f,
                        "{name}: {what} at place {place}: kept {}, image {}",
                        words(kept),
                        words(image)
                    )?;
                }
            }
        }
        Ok(())
    }
}
