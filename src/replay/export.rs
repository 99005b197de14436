//! Signals as lines of a CSV file.

use std::io::{self, Write};

use super::signals::{Publish, Signal};
use crate::market::decimal;

/// The first line.
const HEADER: &str = "recv_ns,event_id,field,value\n";

/// Writes each signal as a line: receive stamp, event, field, value as an exact decimal.
#[derive(Debug)]
pub struct CsvExport<W> {
    sink: W,
    line: Vec<u8>,
    failure: Option<io::Error>,
}

impl<W: Write> CsvExport<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// The sink's.
    pub fn new(mut sink: W) -> io::Result<Self> {
        sink.write_all(HEADER.as_bytes())?;
        Ok(Self { sink, line: Vec::with_capacity(128), failure: None })
    }

    /// Flushes, and gives the sink back.
    ///
    /// # Errors
    /// The first of the sink's; nothing was written after it.
    pub fn finish(mut self) -> io::Result<W> {
        match self.failure {
            Some(failure) => Err(failure),
            None => self.sink.flush().map(|()| self.sink),
        }
    }
}

impl<W: Write> Publish for CsvExport<W> {
    fn publish(&mut self, signal: &Signal<'_>) {
        if self.failure.is_some() {
            return;
        }
        let Signal { recv_ns, event, field, value, decimals } = *signal;
        self.line.clear();
        self.line.extend_from_slice(itoa::Buffer::new().format(recv_ns).as_bytes());
        self.line.push(b',');
        quoted(&mut self.line, event);
        self.line.push(b',');
        self.line.extend_from_slice(field.as_bytes());
        self.line.push(b',');
        decimal::write(&mut self.line, value, decimals);
        self.line.push(b'\n');
        if let Err(failure) = self.sink.write_all(&self.line) {
            self.failure = Some(failure);
        }
    }
}

/// In quotes where it needs them (RFC 4180).
fn quoted(line: &mut Vec<u8>, text: &str) {
    if !text.contains([',', '"', '\n', '\r']) {
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    for &byte in text.as_bytes() {
        if byte == b'"' {
            line.push(b'"');
        }
        line.push(byte);
    }
    line.push(b'"');
}
