//! The report for people.

use std::fmt;

use super::report::{BasketReport, MarketReport, Report, SpellsReport};

/// How many markets the text names; JSON has all of them.
const MARKETS: usize = 40;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.accounting(f)?;
        self.integrity(f)?;
        for basket in &self.baskets {
            writeln!(f, "basket     {basket}")?;
        }
        if let Some(mean) = self.spread_mean_cents {
            let quoted = self.markets.iter().filter(|market| market.spread_mean_cents.is_some()).count();
            writeln!(f, "spread     {mean:.2} cents on average over {quoted} markets")?;
        }
        self.markets(f)?;
        self.timing(f)
    }
}

impl Report {
    fn accounting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let venues = [
            ("kalshi", Some(self.kalshi_messages)),
            ("polymarket", Some(self.polymarket_messages)),
            ("binance", self.binance_messages),
            ("coinbase", self.coinbase_messages),
        ];
        write!(f, "records    {} (", self.records)?;
        for (index, (venue, count)) in venues.iter().filter_map(|(v, c)| c.map(|c| (v, c))).enumerate() {
            write!(f, "{}{venue} {count}", if index == 0 { "" } else { ", " })?;
        }
        writeln!(f, "), read by the {} model", self.model)?;
        if self.session.span_seconds > 0.0 {
            let session = &self.session;
            writeln!(f, "session    {:.1} s, {:.1} records/s", session.span_seconds, session.ingest_per_sec)?;
        }
        writeln!(
            f,
            "account    {} ok + {} partial + {} ignored + {} malformed; {} bad lines",
            self.ok, self.partial, self.ignored, self.malformed, self.malformed_lines
        )?;
        pairs(f, "ignored", &self.ignored_by)?;
        pairs(f, "faults", &self.faults)?;
        for kind in &self.bad_lines {
            writeln!(f, "bad lines  {}", kind.words)?;
        }
        if self.ends_without_lf {
            writeln!(f, "end        the last line has no end: the file was cut, or is still being written")?;
        }
        if self.backward_steps > 0 {
            writeln!(f, "time       {} records were received before the one in front", self.backward_steps)?;
        }
        pairs(f, "updates", &self.updates)
    }

    fn integrity(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hashes = &self.hashes;
        if hashes.verified + hashes.mismatched + hashes.unverifiable > 0 {
            writeln!(
                f,
                "integrity  {} snapshot hashes verified, {} mismatched, {} unverifiable",
                hashes.verified, hashes.mismatched, hashes.unverifiable
            )?;
        }
        if self.venue_best_checked > 0 {
            writeln!(
                f,
                "           {} of {} messages agree with the best prices that the venue named",
                self.venue_best_agree, self.venue_best_checked
            )?;
        }
        pairs(f, "sequence", &self.sequence)?;
        pairs(f, "left out", &self.left_out)?;
        if self.gaps + self.unsound_messages > 0 {
            writeln!(
                f,
                "gaps       {}; {} messages changed a book that isn't sound",
                self.gaps, self.unsound_messages
            )?;
        }
        Ok(())
    }

    fn markets(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.markets.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n{:<10} {:<28} {:>9} {:>9} {:>12} {:>12}  book",
            "venue", "market", "messages", "spread c", "best bid", "best ask"
        )?;
        for market in self.markets.iter().take(MARKETS) {
            writeln!(f, "{market}")?;
        }
        if let Some(more) = self.markets.len().checked_sub(MARKETS).filter(|more| *more > 0) {
            writeln!(f, "and {more} more; --json has all of them")?;
        }
        Ok(())
    }

    fn timing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        if let Some(latency) = &self.timing.latency_us {
            writeln!(
                f,
                "latency    ingest to signal, us a record: p50 {:.3}  p90 {:.3}  p99 {:.3}  max {:.1}",
                latency.p50, latency.p90, latency.p99, latency.max
            )?;
        }
        if let Some(pipeline) = &self.timing.pipeline {
            writeln!(
                f,
                "pipeline   {:.1} ms for {} records, {:.2} million records/s",
                pipeline.ms,
                self.records,
                pipeline.records_per_sec / 1e6
            )?;
        }
        if let Some(parts) = &self.timing.breakdown {
            writeln!(
                f,
                "breakdown  parse {:.0} ns a record ({:.0}%), books and signals {:.0} ns; the clock's own reads included",
                parts.parse_ns_per_record,
                parts.parse_share * 100.0,
                parts.rest_ns_per_record
            )?;
        }
        write!(f, "wall       {:.1} ms, reading included", self.timing.wall_ms)
    }
}

impl fmt::Display for BasketReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { basket_id, venue, members, samples, max_two_sided, .. } = self;
        write!(f, "{basket_id} at {venue}, {members} outcomes: ")?;
        let (Some(mean), Some(least), Some(most), Some(bids)) = (
            self.mid_sum_mean_dollars,
            self.mid_sum_min_dollars,
            self.mid_sum_max_dollars,
            self.bid_sum_max_dollars,
        ) else {
            return write!(f, "never all quoted, at most {max_two_sided} at once");
        };
        write!(
            f,
            "mids sum to {mean:.4} [{least:.4} to {most:.4}], bids to {bids:.4} at most, {samples} times"
        )
    }
}

impl fmt::Display for MarketReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dash = || "-".to_owned();
        write!(
            f,
            "{:<10} {:<28} {:>9} {:>9} {:>12} {:>12}  ",
            self.venue,
            self.event_id,
            self.messages,
            self.spread_mean_cents.map_or_else(dash, |mean| format!("{mean:.2}")),
            self.best_bid.clone().unwrap_or_else(dash),
            self.best_ask.clone().unwrap_or_else(dash)
        )?;
        let mut remarks = Vec::new();
        if !self.suspicions.is_empty() && self.top_of == "book" {
            remarks.push(format!("not sound: {}", self.suspicions.join(", ")));
        }
        remark(&mut remarks, "crossed", &self.crossed);
        remark(&mut remarks, "locked", &self.locked);
        let counted = [
            (self.below_zero, "changes below zero"),
            (self.removals_not_there, "removals of nothing"),
            (self.diff_gaps, "diff gaps"),
            (self.venue_best_differ, "differ from the venue's best"),
        ];
        remarks.extend(counted.iter().filter(|(count, _)| *count > 0).map(|(n, what)| format!("{n} {what}")));
        match remarks.is_empty() {
            true => write!(f, "{}", if self.top_of == "book" { "sound" } else { "ticker" }),
            false => write!(f, "{}", remarks.join("; ")),
        }
    }
}

fn remark(remarks: &mut Vec<String>, what: &str, spells: &SpellsReport) {
    if spells.count > 0 {
        remarks.push(format!(
            "{what} {} times for {:.1} ms, {:.1} at most",
            spells.count, spells.total_ms, spells.longest_ms
        ));
    }
}

/// A line of those counts that aren't nothing.
fn pairs(f: &mut fmt::Formatter<'_>, label: &str, counts: &impl serde::Serialize) -> fmt::Result {
    let Ok(serde_json::Value::Object(map)) = serde_json::to_value(counts) else { return Ok(()) };
    let there: Vec<String> = map
        .iter()
        .filter(|(_, count)| count.as_u64() != Some(0))
        .map(|(name, count)| format!("{} {count}", name.replace('_', " ")))
        .collect();
    if there.is_empty() { Ok(()) } else { writeln!(f, "{label:<10} {}", there.join(", ")) }
}
