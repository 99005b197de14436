//! What must hold of the reader of captures for any bytes, however its source cuts them: for the fuzzer, and for the properties of
//! `tests/feedlog.rs`.

use std::io::Read;

use wakeline::log::feedlog::{BadLine, Compression, KEPT_LINES, Reader, Writer};

/// How a text reaches the reader.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    /// Bytes that the source gives at once; at least 1.
    pub(crate) cut: usize,
    /// The reader's limit of a line.
    pub(crate) limit: usize,
    pub(crate) packed: Compression,
    pub(crate) damage: Damage,
}

/// What happens to the packed bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Damage {
    None,
    /// Only so many bytes are left, modulo their number.
    Shorten(usize),
    /// A byte at this place, modulo their number, is changed by these bits.
    Flip(usize, u8),
}

/// Reads a text in that way, and panics if what comes out isn't right.
pub(crate) fn check(text: &[u8], way: Way) {
    let (bytes, whole) = pack(text, way);
    let seen = read(&bytes, way.cut, way.limit);
    assert_eq!(seen, read(&bytes, usize::MAX, way.limit), "{way:?}");
    if seen.compression != Some(way.packed) {
        // The text began as packed data does, also of a kind that isn't read, or a flip changed the beginning of some.
        return;
    }
    let naive = naive(text, way.limit);
    if whole {
        assert_eq!(seen, Seen { compression: Some(way.packed), ..naive }, "{way:?}");
    } else if let Damage::Shorten(_) = way.damage {
        // Every line but the last one, which was cut, is one of the text.
        assert!(seen.fault, "{way:?}");
        let intact =
            seen.records.len() - usize::from(seen.records.last().is_some_and(|record| !record.ends_with_lf));
        assert_eq!(seen.records[..intact], naive.records[..intact], "{way:?}");
    }
}

fn pack(text: &[u8], way: Way) -> (Vec<u8>, bool) {
    let mut bytes = match way.packed {
        Compression::None => text.to_vec(),
        packed => {
            let mut writer = Writer::new("memory", Vec::new(), packed).unwrap();
            let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
            // What follows the last LF gets none; the writer ends every line, so it is left for the plain form.
            lines.pop();
            lines.into_iter().for_each(|line| writer.line(line).unwrap());
            writer.into_inner().unwrap().0
        }
    };
    let open_end = way.packed != Compression::None && text.last().is_some_and(|&last| last != b'\n');
    if bytes.is_empty() || way.packed == Compression::None {
        return (bytes, true);
    }
    match way.damage {
        Damage::None => (bytes, !open_end),
        Damage::Shorten(left) => {
            bytes.truncate(left % bytes.len());
            (bytes, false)
        }
        Damage::Flip(at, bits) => {
            let at = at % bytes.len();
            bytes[at] ^= bits;
            (bytes, false)
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    records: Vec<Owned>,
    bad: Vec<(u64, Vec<u64>)>,
    lines: u64,
    bytes: u64,
    backwards: (u64, Vec<u64>),
    largest_step_back_ns: i64,
    range: Option<(i64, i64)>,
    ends_without_lf: bool,
    fault: bool,
    compression: Option<Compression>,
}

#[derive(Debug, PartialEq, Eq)]
struct Owned {
    recv_ns: i64,
    kind: Vec<u8>,
    payload: Vec<u8>,
    line: Vec<u8>,
    ends_with_lf: bool,
}

struct Cut<'a> {
    rest: &'a [u8],
    cut: usize,
}

impl Read for Cut<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.cut.max(1).min(out.len());
        self.rest.read(&mut out[..count])
    }
}

fn read(bytes: &[u8], cut: usize, limit: usize) -> Seen {
    let mut reader = Reader::new("memory", Cut { rest: bytes, cut }).with_line_limit(limit);
    let mut records = Vec::new();
    let fault = loop {
        match reader.advance(known) {
            Ok(Some(())) => {
                let record = reader.current().unwrap();
                records.push(Owned {
                    recv_ns: record.recv_ns,
                    kind: record.kind.to_vec(),
                    payload: record.payload.to_vec(),
                    line: record.line.to_vec(),
                    ends_with_lf: record.ends_with_lf,
                });
            }
            Ok(None) => break false,
            Err(fault) => {
                assert!(!fault.to_string().contains('\n'));
                assert!(matches!(reader.advance(known), Ok(None)));
                break true;
            }
        }
    };
    let counts = reader.counts();
    assert_eq!((counts.records, counts.lines), (records.len() as u64, counts.records + counts.bad.total()));
    Seen {
        records,
        bad: BadLine::ALL
            .map(|kind| counts.bad.of(kind))
            .map(|tally| (tally.total(), tally.first_lines().to_vec()))
            .into(),
        lines: counts.lines,
        bytes: counts.bytes,
        backwards: (counts.backwards.total(), counts.backwards.first_lines().to_vec()),
        largest_step_back_ns: counts.largest_step_back_ns,
        range: counts.earliest_ns.zip(counts.latest_ns),
        ends_without_lf: counts.ends_without_lf,
        fault,
        compression: reader.compression(),
    }
}

/// Second columns that are known here; others make bad lines.
fn known(kind: &[u8]) -> Option<()> {
    (kind.len() < 3 || kind == b"kalshi").then_some(())
}

/// The same, said as plainly as can be.
fn naive(text: &[u8], limit: usize) -> Seen {
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let ends_without_lf = lines.last().is_some_and(|last| !last.is_empty());
    if !ends_without_lf {
        lines.pop();
    }
    let mut records: Vec<Owned> = Vec::new();
    let mut bad = vec![(0, Vec::new()); BadLine::ALL.len()];
    let mut backwards = (0, Vec::new());
    let mut largest_step_back_ns = 0;
    let note = |tally: &mut (u64, Vec<u64>), number| {
        tally.0 += 1;
        if tally.1.len() < KEPT_LINES {
            tally.1.push(number);
        }
    };
    for (index, &line) in lines.iter().enumerate() {
        let number = index as u64 + 1;
        let ends_with_lf = !(ends_without_lf && index + 1 == lines.len());
        match naive_line(line, limit) {
            Ok((recv_ns, kind, payload)) => {
                if let Some(before) = records.last().filter(|before| before.recv_ns > recv_ns) {
                    note(&mut backwards, number);
                    largest_step_back_ns = largest_step_back_ns.max(before.recv_ns - recv_ns);
                }
                let [kind, payload, line] = [kind, payload, line].map(<[u8]>::to_vec);
                records.push(Owned { recv_ns, kind, payload, line, ends_with_lf });
            }
            Err(why) => note(&mut bad[BadLine::ALL.iter().position(|&kind| kind == why).unwrap()], number),
        }
    }
    let times = || records.iter().map(|record| record.recv_ns);
    Seen {
        range: times().min().zip(times().max()),
        records,
        bad,
        lines: lines.len() as u64,
        bytes: text.len() as u64,
        backwards,
        largest_step_back_ns,
        ends_without_lf,
        fault: false,
        compression: Some(Compression::None),
    }
}

fn naive_line(line: &[u8], limit: usize) -> Result<(i64, &[u8], &[u8]), BadLine> {
    if line.len() >= limit.max(1) {
        return Err(BadLine::TooLong);
    }
    if line.is_empty() {
        return Err(BadLine::Empty);
    }
    let columns: Vec<&[u8]> = line.splitn(3, |&byte| byte == b'\t').collect();
    let [time, kind, payload] = columns[..] else { return Err(BadLine::NoTwoTabs) };
    if time.is_empty() || !time.iter().all(u8::is_ascii_digit) {
        return Err(BadLine::BadTime);
    }
    let recv_ns = std::str::from_utf8(time).unwrap().parse().map_err(|_| BadLine::BadTime)?;
    match known(kind) {
        Some(()) => Ok((recv_ns, kind, payload)),
        None => Err(BadLine::UnknownKind),
    }
}
