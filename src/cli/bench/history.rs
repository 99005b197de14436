//! The CSV of all measurements, in the columns of python/ab.py: rows are appended whole or not at all.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::receipt::Receipt;
use super::report::{Figures, Section};

const HEADER: &str =
    "timestamp_utc,platform,commit,benchmark,config,n,warmup,p50,p90,p99,p999,max,unit,versions\n";

/// Rows can't be appended.
#[derive(Debug, thiserror::Error)]
pub(super) enum HistoryError {
    #[error("can't append to {}: {source}; nothing was recorded, name another file in --csv", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is no regular file, so no rows can be kept in it; name another file in --csv", .0.display())]
    NoFile(PathBuf),
    #[error("{} begins with another header, so these rows don't belong there; name another file in --csv", .0.display())]
    OtherHeader(PathBuf),
    #[error("{} ends inside a row; mend its last line, or name another file in --csv", .0.display())]
    CutShort(PathBuf),
    #[error("{} took {written} of {wanted} bytes, so none were kept; is there room?", path.display())]
    Full { path: PathBuf, written: usize, wanted: usize },
}

/// A file that rows may be appended to.
#[derive(Debug)]
pub(super) struct History(PathBuf);

impl History {
    /// Sees that rows may be appended to `path` later, and leaves it as it is.
    pub(super) fn open(path: &Path) -> Result<Self, HistoryError> {
        let history = Self(path.to_owned());
        match std::fs::metadata(path) {
            // Others would be read for ever, or swallow the rows.
            Ok(found) if !found.is_file() => return Err(HistoryError::NoFile(history.0)),
            Ok(_) => {
                let file = File::options().read(true).append(true).open(path);
                history.size(&mut file.map_err(|source| history.failed(source))?)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                tempfile::tempfile_in(parent.unwrap_or(Path::new(".")))
                    .map_err(|source| history.failed(source))?;
            }
            Err(source) => return Err(history.failed(source)),
        }
        Ok(history)
    }

    /// Appends a row for each run, behind a header in a new file; returns how many.
    pub(super) fn append(&self, receipt: &Receipt, sections: &[Section]) -> Result<usize, HistoryError> {
        let failed = |source| self.failed(source);
        let rows: Vec<String> = sections.iter().flat_map(|section| rows(receipt, section)).collect();
        let mut file = File::options().create(true).read(true).append(true).open(&self.0).map_err(failed)?;
        // Until it is closed; two runs at once would both write a header.
        file.lock().map_err(failed)?;
        let size = self.size(&mut file)?;
        let text = if size == 0 { HEADER.to_owned() + &rows.concat() } else { rows.concat() };
        let written = file.write(text.as_bytes()).map_err(failed)?;
        if written != text.len() {
            file.set_len(size).map_err(failed)?;
            return Err(HistoryError::Full { path: self.0.clone(), written, wanted: text.len() });
        }
        Ok(rows.len())
    }

    /// The size of a file that is ours.
    fn size(&self, file: &mut File) -> Result<u64, HistoryError> {
        let mut text = Vec::new();
        let size = file.read_to_end(&mut text).map_err(|source| self.failed(source))?;
        if size > 0 && !text.starts_with(HEADER.as_bytes()) {
            return Err(HistoryError::OtherHeader(self.0.clone()));
        }
        if size > 0 && !text.ends_with(b"\n") {
            return Err(HistoryError::CutShort(self.0.clone()));
        }
        Ok(size as u64)
    }

    fn failed(&self, source: io::Error) -> HistoryError {
        HistoryError::Io { path: self.0.clone(), source }
    }
}

impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

/// A row for each run of a section.
fn rows(receipt: &Receipt, section: &Section) -> Vec<String> {
    let Section { benchmark, unit, warm_up, series, .. } = section;
    let numbered = series.iter().flat_map(|series| {
        let several = series.runs.len() > 1;
        series.runs.iter().enumerate().map(move |(index, run)| {
            let pair = if several { format!(" pair={}", index + 1) } else { String::new() };
            (format!("{}{pair}", series.config), run)
        })
    });
    let pin = receipt.pin.as_ref().map(|pin| format!(" pin={pin}")).unwrap_or_default();
    let row = |(config, run): (String, &Vec<f64>)| {
        let figures = Figures::of(run.clone())?;
        let summary = figures.summary;
        let number = |figure: f64| format!("{figure:.3}");
        let or_nothing = |figure: Option<f64>| figure.map(number).unwrap_or_default();
        let cells = [
            receipt.timestamp_utc.clone(),
            receipt.platform.clone(),
            receipt.commit.clone(),
            (*benchmark).to_owned(),
            format!("{config}{pin}"),
            summary.count.to_string(),
            warm_up.to_string(),
            number(summary.p50),
            or_nothing(figures.p90()),
            or_nothing(figures.p99()),
            or_nothing(figures.p999()),
            number(summary.max),
            unit.name().to_owned(),
            receipt.versions.clone(),
        ];
        Some(cells.map(|cell| quoted(&cell)).join(",") + "\n")
    };
    numbered.filter_map(row).collect()
}

/// A cell as CSV readers expect it.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        assert_eq!(quoted("a b"), "a b");
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }

    #[test]
    fn a_file_of_others_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("history.csv");
        for (text, words) in [("time,other\n", "another header"), (HEADER.trim_end(), "another header")] {
            std::fs::write(&path, text).unwrap();
            assert!(History::open(&path).unwrap_err().to_string().contains(words), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        std::fs::write(&path, format!("{HEADER}1,2")).unwrap();
        assert!(History::open(&path).unwrap_err().to_string().contains("inside a row"));
        assert!(History::open(&place.path().join("none/h.csv")).is_err());
    }

    #[test]
    fn what_keeps_no_rows_is_refused_at_once() {
        let place = tempfile::tempdir().unwrap();
        for path in [place.path(), Path::new("/dev/full"), Path::new("/dev/null")] {
            assert!(matches!(History::open(path), Err(HistoryError::NoFile(_))), "{}", path.display());
        }
        // Whoever runs this, nobody makes a file there.
        let refusal = History::open(Path::new("/proc/self/history.csv")).unwrap_err();
        assert!(matches!(refusal, HistoryError::Io { .. }), "{refusal}");
    }

    #[test]
    fn a_new_file_is_made_only_by_rows() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("history.csv");
        History::open(&path).unwrap();
        assert!(!path.exists());
    }
}
