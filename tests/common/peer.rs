//! The other end of the socket: raw frames out, acks in.

use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::daemon::LIMIT;

/// A wake's body; `more` is appended to its keys, and of a key that is there twice the last one counts.
pub fn wake(id: &str, more: &str) -> Vec<u8> {
    format!(
        "{{\"schema_version\":4,\"correlation_id\":{id:?},\"market_ticker\":\"KXBTCD-26NOV3017-T98249.99\",\
         \"asset\":\"BTC\",\"direction\":\"yes\",\"kalshi_price\":0.42,\"model_probability\":0.515,\"fee\":0.0171,\
         \"edge\":0.0779,\"decision_ts_ms\":1790000000000,\"sent_at_ms\":1790000000001,\"sent_at_ns\":5,\
         \"dry_run\":true,\"wire_price_yes_dollars\":0.42{more}}}"
    )
    .into_bytes()
}

/// A body with its prefix.
pub fn frame(body: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(body.len()).unwrap().to_be_bytes().to_vec();
    frame.extend_from_slice(body);
    frame
}

/// The frames of `count` wakes with ids `NAME-0`, `NAME-1`, ...
pub fn frames(name: &str, count: usize) -> Vec<u8> {
    (0..count).flat_map(|index| frame(&wake(&format!("{name}-{index}"), ""))).collect()
}

/// An ack as it came.
#[derive(Debug, Clone)]
pub struct Ack {
    pub body: Vec<u8>,
    value: serde_json::Value,
}

impl Ack {
    pub fn id(&self) -> &str {
        self.value["correlation_id"].as_str().unwrap()
    }

    pub fn received_at_ms(&self) -> i64 {
        self.value["received_at_ms"].as_i64().unwrap()
    }

    pub fn is_accepted(&self) -> bool {
        match self.value["status"].as_str().unwrap() {
            "accepted" => true,
            "rejected" => false,
            other => panic!("status {other}"),
        }
    }

    pub fn reason(&self) -> Option<&str> {
        self.value["reason"].as_str()
    }

    /// Asserts the exact bytes of an accepted ack.
    pub fn assert_accepts(&self, id: &str) {
        let exact = format!(
            "{{\"schema_version\":4,\"correlation_id\":{id:?},\"received_at_ms\":{},\"status\":\"accepted\",\
             \"reason\":null}}",
            self.received_at_ms()
        );
        assert_eq!(String::from_utf8_lossy(&self.body), exact);
    }

    /// Asserts a rejected ack and its reason's start.
    pub fn assert_rejects(&self, reason: &str) {
        assert!(!self.is_accepted() && self.id().is_empty(), "{self:?}");
        assert!(self.reason().unwrap().starts_with(reason), "{self:?}");
    }
}

/// A connection to the daemon.
pub struct Peer {
    pub stream: UnixStream,
}

impl Peer {
    pub fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_write_timeout(Some(LIMIT)).unwrap();
        Self { stream }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// The next ack; panics when none comes.
    pub fn ack(&mut self) -> Ack {
        self.next_ack().expect("an ack")
    }

    /// The next ack, or `None` at the end of the connection.
    pub fn next_ack(&mut self) -> Option<Ack> {
        let mut prefix = [0; 4];
        if !self.fill(&mut prefix) {
            return None;
        }
        let mut body = vec![0; u32::from_be_bytes(prefix) as usize];
        assert!(body.len() <= 65_536 && self.fill(&mut body), "an ack that isn't whole");
        let value = serde_json::from_slice(&body).expect("an ack is JSON");
        Some(Ack { body, value })
    }

    /// Asserts the acks of [`frames`], in order and byte for byte.
    pub fn assert_acks(&mut self, name: &str, count: usize) {
        for index in 0..count {
            self.ack().assert_accepts(&format!("{name}-{index}"));
        }
    }

    pub fn round_trip(&mut self, id: &str) {
        self.send(&frame(&wake(id, "")));
        self.ack().assert_accepts(id);
    }

    /// No more frames from here; acks may still come.
    pub fn half_close(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    /// Asserts that the connection ends without another byte.
    pub fn assert_closed(&mut self) {
        if let Some(ack) = self.next_ack() {
            panic!("{ack:?} instead of the end");
        }
    }

    /// Fills `buffer`; `false` when the connection ended before its first byte.
    fn fill(&mut self, buffer: &mut [u8]) -> bool {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.stream.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // What a socket says whose peer left data unread.
                Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
                Err(error) => panic!("no ack: {error}"),
            }
        }
        assert!(filled == 0 || filled == buffer.len(), "the connection ended inside an ack");
        filled > 0
    }
}

/// Writes until the socket has no room left; returns how many bytes went in.
pub fn write_until_full(stream: &mut UnixStream, bytes: &[u8]) -> usize {
    stream.set_nonblocking(true).unwrap();
    let mut written = 0;
    while written < bytes.len() {
        match stream.write(&bytes[written..]) {
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => panic!("write: {error}"),
        }
    }
    stream.set_nonblocking(false).unwrap();
    written
}
