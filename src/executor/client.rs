//! A plain blocking client: one wake out, one ack in. For the demo and for measurements; a poller is the real peer.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use crate::wire::{Decoder, FrameBuffer, OversizeFrame, Refusal, WakeAck, WakeMessage, encode};

/// How long an executor may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Why a wake got no ack.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The socket failed.
    #[error("the connection to the executor failed: {0}")]
    Io(io::Error),
    /// It takes nothing, or says nothing, for half a minute.
    #[error("the executor hasn't answered for {} s; see what it is doing, or stop it", PATIENCE.as_secs())]
    Silent,
    /// The executor closed the connection.
    #[error("the executor closed the connection before its ack was whole")]
    Closed,
    /// The wake is above the frame limit.
    #[error("the wake does not fit a frame")]
    TooLong,
    /// The ack is above the frame limit.
    #[error(transparent)]
    Oversize(#[from] OversizeFrame),
    /// What came isn't an ack.
    #[error("what the executor sent is no ack: {0}")]
    NoAck(#[from] Refusal),
}

impl From<io::Error> for ClientError {
    fn from(error: io::Error) -> Self {
        // What a socket's time limit comes to.
        if error.kind() == io::ErrorKind::WouldBlock { Self::Silent } else { Self::Io(error) }
    }
}

/// A connection to an executor.
#[derive(Debug)]
pub struct Client {
    stream: UnixStream,
    input: FrameBuffer,
    output: Vec<u8>,
    decoder: Decoder,
}

impl Client {
    /// Connects to the executor at a socket's path.
    ///
    /// # Errors
    /// [`ClientError::Io`].
    pub fn connect(socket: &Path) -> Result<Self, ClientError> {
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self { stream, input: FrameBuffer::new(), output: Vec::new(), decoder: Decoder::new() })
    }

    /// Sends one wake and waits for its ack.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn round_trip(&mut self, wake: &WakeMessage<'_>) -> Result<WakeAck<'_>, ClientError> {
        self.output.clear();
        if !encode::wake_frame(&mut self.output, wake) {
            return Err(ClientError::TooLong);
        }
        let Self { stream, input, output, decoder } = self;
        Ok(decoder.ack(exchange(stream, input, output)?)?)
    }

    /// Writes one frame that is encoded already and returns the body of the ack as it came. For who measures: neither
    /// encoding nor decoding is in it.
    ///
    /// # Errors
    /// [`ClientError::Io`], [`ClientError::Closed`] and [`ClientError::Oversize`].
    pub fn exchange(&mut self, frame: &[u8]) -> Result<&[u8], ClientError> {
        exchange(&mut self.stream, &mut self.input, frame)
    }
}

fn exchange<'a>(
    stream: &mut UnixStream,
    input: &'a mut FrameBuffer,
    frame: &[u8],
) -> Result<&'a [u8], ClientError> {
    stream.write_all(frame)?;
    while !input.holds_whole_frame() {
        let count = stream.read(input.spare())?;
        if count == 0 {
            return Err(ClientError::Closed);
        }
        input.advance(count);
    }
    input.next_frame()?.ok_or(ClientError::Closed)
}
