//! Captures as a library reads and writes them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

#[path = "../fuzz/bodies/feedlog.rs"]
mod body;

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use body::{Damage, Way};
use proptest::prelude::*;
use wakeline::log::feedlog::{
    BASIS_LINE_BYTES, BadLine, Compression, FeedlogError, MAX_LINE_BYTES, Merge, Reader, Refusal, Unfinished,
    WriteError, Writer, open, without_line_ends,
};
use wakeline::market::Venue;
use wakeline::memory::counting::{CountingAllocator, allocations_on_this_thread};
use wakeline::replay::synth::{Plan, Session};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const PACKED: [Compression; 3] = [Compression::None, Compression::Gzip, Compression::Zstd];

/// A short session as a capture, packed.
fn session(steps: u32, packed: Compression) -> Vec<u8> {
    let mut writer = Writer::new("a session", Vec::new(), packed).unwrap();
    let mut session = Session::new(&Plan { steps, ..Plan::default() });
    while let Some(record) = session.next_record() {
        writer.record(record.recv_ns, record.venue.name(), record.payload.as_bytes()).unwrap();
    }
    writer.into_inner().unwrap().0
}

/// Every line that is a record, with its LF if it has one; the error at the end; the reader.
fn read_all<R: Read>(mut reader: Reader<R>) -> (Vec<u8>, Option<FeedlogError>, Reader<R>) {
    let mut text = Vec::new();
    let fault = loop {
        match reader.next_record() {
            Ok(Some(record)) => {
                text.extend_from_slice(record.line);
                text.extend_from_slice(if record.ends_with_lf { b"\n" } else { b"" });
            }
            Ok(None) => break None,
            Err(fault) => break Some(fault),
        }
    };
    (text, fault, reader)
}

fn bad(text: &[u8]) -> Vec<(BadLine, u64, Vec<u64>)> {
    let mut reader = Reader::new("memory", text);
    while reader.next_of_venue().unwrap().is_some() {}
    let bad = &reader.counts().bad;
    let there = BadLine::ALL.into_iter().filter(|&kind| bad.of(kind).total() > 0);
    there.map(|kind| (kind, bad.of(kind).total(), bad.of(kind).first_lines().to_vec())).collect()
}

#[test]
fn what_is_written_is_read_back_in_every_form() {
    let plain = session(300, Compression::None);
    for packed in PACKED {
        let bytes = session(300, packed);
        assert!(packed == Compression::None || bytes.len() * 3 < plain.len(), "{packed} didn't pack");
        let (text, fault, reader) = read_all(Reader::new("memory", bytes.as_slice()));
        assert!(fault.is_none() && text == plain);
        assert_eq!((reader.compression(), reader.packed_bytes()), (Some(packed), bytes.len() as u64));
        assert_eq!(reader.counts().bytes, plain.len() as u64);
        assert_eq!(bytes, session(300, packed), "{packed} isn't the same each time");
    }
}

#[test]
fn a_payload_is_everything_behind_the_second_tab() {
    let text = b"5\tkalshi\ta\tb\r\n6\tbinance\t\n\xff7\n7\tcoinbase\t\x00\xff\n";
    let mut reader = Reader::new("memory", text.as_slice());
    let mut seen = Vec::new();
    while let Some((venue, record)) = reader.next_of_venue().unwrap() {
        seen.push((venue, record.recv_ns, record.payload.to_vec()));
    }
    let expected = [
        (Venue::Kalshi, 5, b"a\tb\r".to_vec()),
        (Venue::Binance, 6, Vec::new()),
        (Venue::Coinbase, 7, b"\x00\xff".to_vec()),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn bad_lines_are_counted_by_kind_with_their_numbers() {
    let text = b"\n5\tkalshi\t{}\nno tabs\n5\tone\n-5\tkalshi\t{}\n5\tKalshi\t{}\n\n9223372036854775808\tkalshi\t\n5\tdiff\t{}\n\r\n";
    assert_eq!(
        bad(text),
        [
            (BadLine::Empty, 2, vec![1, 7]),
            (BadLine::NoTwoTabs, 3, vec![3, 4, 10]),
            (BadLine::BadTime, 2, vec![5, 8]),
            (BadLine::UnknownKind, 2, vec![6, 9]),
        ]
    );
    assert_eq!(bad(&b"x\n".repeat(1_000)), [(BadLine::NoTwoTabs, 1_000, vec![1, 2, 3, 4, 5])]);
    let mut reader = Reader::new("memory", text.as_slice());
    while reader.next_of_venue().unwrap().is_some() {}
    let said = reader.counts().bad.to_string();
    assert!(said.starts_with("2 empty (lines 1, 7), 3 fewer than two tabs (lines 3, 4, 10), "), "{said}");
    assert_eq!((reader.counts().lines, reader.counts().records), (10, 1));
}

#[test]
fn a_file_cut_anywhere_gives_its_whole_lines_and_says_that_it_was_cut() {
    let text = session(3, Compression::None);
    for cut in 0..=text.len() {
        let (seen, fault, reader) = read_all(Reader::new("memory", &text[..cut]));
        let counts = reader.counts();
        let at_a_line_end = cut == 0 || text[cut - 1] == b'\n';
        assert!(fault.is_none());
        assert_eq!(counts.ends_without_lf, !at_a_line_end, "cut at {cut}");
        let in_a_header = !at_a_line_end && counts.bad.total() == 1;
        assert_eq!(counts.bad.total(), u64::from(in_a_header));
        assert!(in_a_header && text[..cut].starts_with(&seen) || seen == text[..cut], "cut at {cut}");
    }
}

#[test]
fn packed_data_cut_anywhere_gives_what_came_before_and_says_where_it_ends() {
    let plain = session(40, Compression::None);
    for packed in [Compression::Gzip, Compression::Zstd] {
        let bytes = session(40, packed);
        let mut most = 0;
        // From what is needed to recognise it on.
        for cut in 4..bytes.len() {
            let (seen, fault, reader) = read_all(Reader::new("x.gz", &bytes[..cut]));
            assert!(plain.starts_with(&seen) || reader.counts().bad.total() == 1, "{packed} cut at {cut}");
            most = most.max(seen.len());
            let Some(FeedlogError::EndsEarly { name, compression, line, byte }) = fault else {
                panic!("{packed} cut at {cut}: {fault:?}");
            };
            assert_eq!((name.as_str(), compression, line), ("x.gz", packed, reader.counts().lines));
            assert_eq!(byte, reader.counts().bytes);
        }
        // Only the check sum at the end was missing.
        assert_eq!(most, plain.len(), "{packed}");
    }
}

#[test]
fn a_flipped_bit_of_packed_data_that_changes_a_record_is_noticed() {
    let plain = session(40, Compression::None);
    for packed in [Compression::Gzip, Compression::Zstd] {
        let bytes = session(40, packed);
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            let (seen, fault, reader) = read_all(Reader::new("memory", bytes.as_slice()));
            let counts = reader.counts();
            // There are bits without a meaning: gzip's time, what fills the last byte of its data.
            let harmless = seen == plain;
            let noticed = fault.is_some() || counts.bad.total() > 0;
            assert!(noticed || harmless, "{packed}, byte {at}");
        }
    }
}

#[test]
fn several_members_and_what_follows_them() {
    let plain = session(20, Compression::None);
    let twice = plain.repeat(2);
    for packed in [Compression::Gzip, Compression::Zstd] {
        let bytes = session(20, packed).repeat(2);
        let (seen, fault, _) = read_all(Reader::new("memory", bytes.as_slice()));
        assert!(fault.is_none() && seen == twice, "{packed}: {fault:?}");
        for (rest, whole) in
            [(b"\0\0\0".as_slice(), packed == Compression::Gzip), (b"rest", false), (b"\0rest", false)]
        {
            let bytes = [bytes.as_slice(), rest].concat();
            let (seen, fault, _) = read_all(Reader::new("memory", bytes.as_slice()));
            assert_eq!(seen, twice);
            assert_eq!(fault.is_none(), whole, "{packed} and {rest:?}: {fault:?}");
        }
    }
}

#[test]
fn other_ways_to_pack_are_named() {
    let beginnings: [(&[u8], &str); 4] = [
        (b"\xfd7zXZ\0....", "xz -dc"),
        (b"BZh9....", "bzip2"),
        (b"PK\x03\x04....", "zip"),
        (b"\x04\x22\x4d\x18", "lz4"),
    ];
    for (bytes, word) in beginnings {
        let (_, fault, _) = read_all(Reader::new("capture.xz", bytes));
        let said = fault.unwrap().to_string();
        assert!(said.contains("capture.xz") && said.contains(word), "{said}");
    }
}

#[test]
fn a_line_of_the_limit_is_thrown_away_and_the_next_one_is_read() {
    let line = |length: usize| {
        let mut line = b"5\tkalshi\t".to_vec();
        line.resize(length, b'x');
        line.push(b'\n');
        line
    };
    for limit in [100, 1_000_000] {
        let text = [line(limit - 1), line(limit), line(3 * limit + 7), line(20)].concat();
        let (seen, _, reader) = read_all(Reader::new("memory", text.as_slice()).with_line_limit(limit));
        assert_eq!(seen, [line(limit - 1), line(20)].concat());
        assert_eq!(reader.counts().bad.of(BadLine::TooLong).first_lines(), [2, 3]);
        assert_eq!(reader.counts().bytes, text.len() as u64);
        // Without an LF at its end too.
        let text = &text[..2 * limit - 1];
        let (_, _, reader) = read_all(Reader::new("memory", text).with_line_limit(limit));
        assert_eq!((reader.counts().lines, reader.counts().records), (2, 2));
        assert!(reader.counts().ends_without_lf);
    }
    // The reference's limit, and ours, to the byte.
    for limit in [BASIS_LINE_BYTES, MAX_LINE_BYTES] {
        let text = [line(limit - 1), line(limit), line(20)].concat();
        let reader = Reader::new("memory", text.as_slice());
        let reader = if limit == MAX_LINE_BYTES { reader } else { reader.with_line_limit(limit) };
        let (seen, _, reader) = read_all(reader);
        assert_eq!(
            (seen.len(), reader.counts().bad.of(BadLine::TooLong).first_lines()),
            (limit + 21, [2].as_slice())
        );
    }
}

#[test]
fn time_that_goes_backwards_is_counted() {
    let text = b"50\tkalshi\t\n40\tkalshi\t\n40\tkalshi\t\n60\tkalshi\t\n5\tkalshi\t\n";
    let (_, _, reader) = read_all(Reader::new("memory", text.as_slice()));
    let counts = reader.counts();
    assert_eq!((counts.backwards.total(), counts.backwards.first_lines()), (2, [2, 5].as_slice()));
    assert_eq!((counts.largest_step_back_ns, counts.earliest_ns, counts.latest_ns), (55, Some(5), Some(60)));
}

#[test]
fn a_warm_reader_allocates_nothing() {
    for packed in PACKED {
        let bytes = session(4_000, packed);
        let mut reader = Reader::new("memory", bytes.as_slice());
        for _ in 0..1_000 {
            assert!(reader.next_of_venue().unwrap().is_some());
        }
        let before = allocations_on_this_thread();
        assert!(before > 0);
        let mut records = 0;
        while reader.next_of_venue().unwrap().is_some() {
            records += 1;
        }
        assert_eq!((allocations_on_this_thread() - before, records > 10_000), (0, true), "{packed}");
    }
}

#[test]
fn a_source_that_fails_is_read_up_to_there() {
    struct Failing<'a>(&'a [u8], bool);
    impl Read for Failing<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if !std::mem::take(&mut self.1) {
                self.1 = true;
                return Err(io::ErrorKind::Interrupted.into());
            }
            if self.0.is_empty() { Err(io::Error::other("the disk is gone")) } else { self.0.read(out) }
        }
    }
    let (seen, fault, reader) = read_all(Reader::new("disk", Failing(b"5\tkalshi\t{}\n6\tkalshi\t{", true)));
    assert_eq!(seen, b"5\tkalshi\t{}\n6\tkalshi\t{");
    assert!(reader.counts().ends_without_lf);
    let said = fault.unwrap().to_string();
    assert!(said.contains("disk beyond line 2 (byte 22)") && said.contains("the disk is gone"), "{said}");
}

#[test]
fn a_capture_that_cannot_be_opened_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let said = open(&directory.path().join("none.feedlog")).unwrap_err().to_string();
    assert!(said.contains("none.feedlog") && said.contains("check the path"), "{said}");
    let said = open(directory.path()).unwrap_err().to_string();
    assert!(said.contains("is a directory"), "{said}");
}

#[test]
fn a_record_that_could_not_be_read_back_is_refused_and_the_capture_goes_on() {
    let mut writer = Writer::new("memory", Vec::new(), Compression::None).unwrap();
    let huge = vec![b'x'; MAX_LINE_BYTES];
    let refused: [(i64, &str, &[u8], Refusal); 6] = [
        (5, "kalshi", b"a\nb", Refusal::LineEnd),
        (-5, "kalshi", b"{}", Refusal::Time),
        (5, "", b"{}", Refusal::Kind),
        (5, "a\tb", b"{}", Refusal::Kind),
        (5, "a\nb", b"{}", Refusal::Kind),
        (5, "kalshi", &huge, Refusal::TooLong),
    ];
    for (recv_ns, kind, payload, why) in refused {
        match writer.record(recv_ns, kind, payload) {
            Err(WriteError::Refused { why: said, .. }) => assert_eq!(said, why),
            other => panic!("{other:?}"),
        }
        writer.record(7, "kalshi", b"a\tb\r").unwrap();
    }
    let (bytes, written) = writer.into_inner().unwrap();
    assert_eq!(bytes, b"7\tkalshi\ta\tb\r\n".repeat(6));
    assert_eq!((written.records, written.refused, written.bytes), (6, 6, bytes.len() as u64));
    assert_eq!(without_line_ends(b"{\r\n \"a\":1\n}").as_ref(), b"{   \"a\":1 }");
    assert!(matches!(without_line_ends(b"{}"), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn the_longest_line_that_is_written_is_read() {
    let mut writer = Writer::new("memory", Vec::new(), Compression::None).unwrap();
    let mut length = MAX_LINE_BYTES - 40;
    while writer.record(i64::MAX, "kalshi", &vec![b'x'; length]).is_ok() {
        length += 1;
    }
    let records = writer.written().records;
    assert!(records > 0);
    let (bytes, _) = writer.into_inner().unwrap();
    let mut reader = Reader::new("memory", bytes.as_slice());
    while reader.next_of_venue().unwrap().is_some() {}
    assert_eq!((reader.counts().records, reader.counts().bad.total()), (records, 0));
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_has_its_name_only_when_it_is_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("capture.feedlog.gz");
    fs::write(&path, "what was there").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    let mut writer = Writer::create(&path, Unfinished::Remove).unwrap();
    writer.record(5, "kalshi", b"{}").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"what was there");
    let part = names(directory.path()).into_iter().find(|name| name.ends_with(".part")).unwrap();
    assert!(part.starts_with("capture.feedlog.gz."), "{part}");
    assert_eq!(writer.finish().unwrap().records, 1);
    assert_eq!(names(directory.path()), ["capture.feedlog.gz"]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    let (text, _, reader) = read_all(Reader::open(&path).unwrap());
    assert_eq!(
        (text.as_slice(), reader.compression()),
        (b"5\tkalshi\t{}\n".as_slice(), Some(Compression::Gzip))
    );
}

#[test]
fn a_file_that_is_dropped_unfinished_goes_or_stays_as_was_asked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("capture.feedlog");
    let mut writer = Writer::create(&path, Unfinished::Remove).unwrap();
    writer.record(5, "kalshi", b"{}").unwrap();
    drop(writer);
    assert!(names(directory.path()).is_empty());
    let mut writer = Writer::create(&path, Unfinished::Keep).unwrap();
    writer.record(5, "kalshi", b"{}").unwrap();
    drop(writer);
    let [part] = names(directory.path()).try_into().unwrap();
    assert!(part.starts_with("capture.feedlog.") && part.ends_with(".part"), "{part}");
    assert_eq!(fs::read(directory.path().join(part)).unwrap(), b"5\tkalshi\t{}\n");
}

#[test]
fn links_are_followed_and_what_is_no_file_is_written_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let (real, link) = (directory.path().join("real.feedlog"), directory.path().join("link.feedlog"));
    fs::write(&real, "").unwrap();
    symlink(&real, &link).unwrap();
    let mut writer = Writer::create(&link, Unfinished::Remove).unwrap();
    writer.record(5, "kalshi", b"{}").unwrap();
    writer.finish().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&real).unwrap(), b"5\tkalshi\t{}\n");

    let mut writer = Writer::create(Path::new("/dev/null"), Unfinished::Remove).unwrap();
    writer.record(5, "kalshi", b"{}").unwrap();
    writer.finish().unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());

    for (path, word) in
        [(directory.path().to_owned(), "directory"), (directory.path().join("no/where"), "check the path")]
    {
        let Err(error) = Writer::create(&path, Unfinished::Remove) else { panic!("{}", path.display()) };
        assert!(error.to_string().contains(word), "{error}");
    }
}

#[test]
fn a_full_disk_is_an_error_and_dropping_after_it_no_panic() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    for packed in PACKED {
        let mut writer = Writer::new("full", full.try_clone().unwrap(), packed).unwrap();
        writer.record(5, "kalshi", b"{}").unwrap();
        let error = writer.into_inner().unwrap_err();
        assert!(matches!(error, WriteError::Write { .. }), "{packed}: {error}");
        assert!(error.to_string().contains("full") && !error.reader_went_away());
        let mut writer = Writer::new("full", full.try_clone().unwrap(), packed).unwrap();
        writer.record(5, "kalshi", b"{}").unwrap();
        drop(writer);
    }
}

#[test]
fn a_merge_keeps_the_order_of_equal_times_and_of_each_capture() {
    let inputs: [&[u8]; 4] = [
        b"10\tkalshi\ta1\n20\tkalshi\ta2\n20\tkalshi\ta3\n5\tkalshi\ta4\n30\tkalshi\ta5\n",
        b"",
        b"10\tbinance\tb1\n20\tbinance\tb2\nbad\n40\tbinance\tb3",
        b"1\tdiff\tc1\n20\tdiff\tc2\n",
    ];
    let readers = inputs.map(|text| Reader::new("memory", text));
    let mut merge = Merge::new(readers.into());
    let mut seen = Vec::new();
    while let Some((index, record)) = merge.next_record() {
        seen.push((index, String::from_utf8(record.payload.to_vec()).unwrap()));
    }
    let expected = [
        (3, "c1"),
        (0, "a1"),
        (2, "b1"),
        (0, "a2"),
        (0, "a3"),
        (0, "a4"),
        (2, "b2"),
        (3, "c2"),
        (0, "a5"),
        (2, "b3"),
    ];
    assert_eq!(seen, expected.map(|(index, text)| (index, text.to_owned())));
    assert!(merge.faults().is_empty() && merge.next_record().is_none());
    assert_eq!(merge.inputs()[0].counts().backwards.total(), 1);
    assert_eq!(merge.inputs()[2].counts().bad.total(), 1);
}

#[test]
fn a_merge_takes_from_a_damaged_capture_what_it_has() {
    let packed = session(40, Compression::Zstd);
    let whole = session(40, Compression::None);
    let readers =
        vec![Reader::new("one", &packed[..packed.len() - 1]), Reader::new("other", whole.as_slice())];
    let mut merge = Merge::new(readers);
    let mut records = [0, 0];
    while let Some((index, _)) = merge.next_record() {
        records[index] += 1;
    }
    assert_eq!(records[0], records[1]);
    assert!(matches!(merge.faults(), [FeedlogError::EndsEarly { name, .. }] if name == "one"));
}

/// A line of a capture, right or wrong in some way.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let time = prop_oneof![
        4 => (1_767_225_600_000_000_000..1_767_225_600_000_000_100_i64).prop_map(|time| time.to_string()),
        1 => any::<i64>().prop_map(|time| time.to_string()),
        1 => "[0-9]{0,24}",
        1 => "[0-9 +x-]{0,20}",
    ];
    let kind = prop_oneof![3 => Just("kalshi".to_owned()), 1 => "[a-z]{0,3}"];
    let payload = prop::collection::vec(
        prop_oneof![8 => b' '..=b'~', 1 => Just(b'\t'), 1 => Just(b'\r'), 1 => any::<u8>()],
        0..80,
    );
    prop_oneof![
        8 => (time, kind, payload).prop_map(|(time, kind, payload)| [time.as_bytes(), b"\t", kind.as_bytes(), b"\t", &payload].concat()),
        1 => prop::collection::vec(prop_oneof![b'0'..=b'9', Just(b'\t'), any::<u8>()], 0..40),
    ]
}

fn way() -> impl Strategy<Value = Way> {
    let damage = prop_oneof![
        Just(Damage::None),
        any::<usize>().prop_map(Damage::Shorten),
        (any::<usize>(), 1..=u8::MAX).prop_map(|(at, bits)| Damage::Flip(at, bits)),
    ];
    let limit = prop_oneof![1..200_usize, Just(MAX_LINE_BYTES)];
    let cut = prop_oneof![1..64_usize, 1..4_096_usize];
    (cut, limit, prop::sample::select(PACKED.as_slice()), damage)
        .prop_map(|(cut, limit, packed, damage)| Way { cut, limit, packed, damage })
}

proptest! {
    #[test]
    fn any_capture_is_read_as_a_plain_split_says(
        lines in prop::collection::vec(line(), 0..30),
        ends_with_lf in any::<bool>(),
        way in way(),
    ) {
        let mut text = lines.join(&b'\n');
        if ends_with_lf {
            text.push(b'\n');
        }
        body::check(&text, way);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), magic in 0..3_usize, way in way()) {
        const MAGIC: [&[u8]; 3] = [b"", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"];
        body::check(&[MAGIC[magic], &bytes].concat(), way);
    }

    #[test]
    fn what_the_writer_takes_is_read_back(
        records in prop::collection::vec((0..=i64::MAX, "[^\t\n]{1,12}", prop::collection::vec(any::<u8>(), 0..200)), 0..40),
        packed in prop::sample::select(PACKED.as_slice()),
    ) {
        let mut writer = Writer::new("memory", Vec::new(), packed).unwrap();
        let mut taken = Vec::new();
        for (recv_ns, kind, payload) in &records {
            let outcome = writer.record(*recv_ns, kind, payload);
            prop_assert_eq!(outcome.is_err(), payload.contains(&b'\n'));
            if outcome.is_ok() {
                taken.push((*recv_ns, kind.as_bytes().to_vec(), payload.clone()));
            }
        }
        let (bytes, _) = writer.into_inner().unwrap();
        let mut reader = Reader::new("memory", bytes.as_slice());
        let mut seen = Vec::new();
        while let Some(record) = reader.next_record().unwrap() {
            seen.push((record.recv_ns, record.kind.to_vec(), record.payload.to_vec()));
        }
        prop_assert_eq!(seen, taken);
    }

    #[test]
    fn a_merge_of_sorted_captures_is_a_stable_sort(
        captures in prop::collection::vec(prop::collection::vec(0..20_i64, 0..30), 1..6),
    ) {
        let mut expected = Vec::new();
        let mut texts = Vec::new();
        for (index, mut times) in captures.into_iter().enumerate() {
            times.sort_unstable();
            expected.extend(times.iter().enumerate().map(|(place, &time)| (time, index, place)));
            let mut text = Vec::new();
            for (place, time) in times.iter().enumerate() {
                writeln!(text, "{time}\tx\t{place}").unwrap();
            }
            texts.push(text);
        }
        expected.sort_unstable();
        let mut merge = Merge::new(texts.iter().map(|text| Reader::new("memory", text.as_slice())).collect());
        let mut seen = Vec::new();
        while let Some((index, record)) = merge.next_record() {
            seen.push((record.recv_ns, index, std::str::from_utf8(record.payload).unwrap().parse().unwrap()));
        }
        prop_assert_eq!(seen, expected);
    }
}
