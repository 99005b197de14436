//! The floor under the daemon: a process that answers each frame with as many bytes as an ack has, and looks at nothing.
//!
//! It waits as the daemon does, on the same runtime and, told to, spinning with the daemon's own task. Should the daemon
//! come to wait in another way, this must too.

use std::future::poll_fn;
use std::io::{self, Write};
use std::os::unix::net::UnixListener as StdListener;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::ExitCode;

use clap::Args;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::{Builder, LocalOptions};

use super::error::BenchError;
use super::sockets::write_frame;
use super::wake;
use crate::cli::Outcome;
use crate::executor::spin::{self, spin};
use crate::measure::clock::monotonic_ns;
use crate::wire::encode;

#[derive(Debug, Args)]
pub(in crate::cli) struct EchoArguments {
    /// Unix socket to listen on.
    #[arg(long, value_name = "PATH")]
    socket: PathBuf,
    /// Frames to expect.
    #[arg(long, value_name = "N")]
    frames: u32,
    /// Poll instead of blocking.
    #[arg(long)]
    spin: bool,
}

/// Serves one connection to its end, then prints each span from a frame's read to its answer's write, ns, a line each.
pub(in crate::cli) fn run(arguments: &EchoArguments) -> Outcome {
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().build_local(LocalOptions::default()).map_err(BenchError::Echo)?;
    let spans = runtime.block_on(serve(arguments)).map_err(BenchError::Echo)?;
    let text: String = spans.iter().map(|span| format!("{span}\n")).collect();
    io::stdout().write_all(text.as_bytes()).map_err(BenchError::Echo)?;
    Ok(ExitCode::SUCCESS)
}

async fn serve(arguments: &EchoArguments) -> io::Result<Vec<u64>> {
    let listener = listen(&arguments.socket)?;
    let spinner = arguments.spin.then(|| tokio::task::spawn_local(spin()));
    let (stream, _) = listener.accept().await?;
    let frames = arguments.frames as usize;
    // A task of its own, as a connection of the daemon is.
    let spans =
        tokio::task::spawn_local(answer(stream, frames, arguments.spin)).await.map_err(io::Error::other)?;
    if let Some(spinner) = spinner {
        spinner.abort();
    }
    spans
}

/// The socket appears at its path when it can be connected to.
fn listen(socket: &Path) -> io::Result<UnixListener> {
    let aside = socket.with_extension("tmp");
    let listener = StdListener::bind(&aside)?;
    listener.set_nonblocking(true)?;
    std::fs::rename(&aside, socket)?;
    UnixListener::from_std(listener)
}

async fn answer(mut stream: UnixStream, frames: usize, spins: bool) -> io::Result<Vec<u64>> {
    let (mut wake, mut ack) = (Vec::new(), Vec::new());
    write_frame(&mut wake, wake::ID).map_err(io::Error::other)?;
    encode::ack_frame(&mut ack, &wake::ack(wake::ID));
    let (mut buffer, mut spans, mut waiting) = ([0; 16_384], Vec::with_capacity(frames), 0);
    loop {
        let read = poll_fn(|cx| {
            if spins {
                return spin::poll_recv(&stream, &mut buffer, cx);
            }
            let mut room = ReadBuf::new(&mut buffer);
            Pin::new(&mut stream).poll_read(cx, &mut room).map_ok(|()| room.filled().len())
        });
        match read.await? {
            0 => return Ok(spans),
            count => waiting += count,
        }
        while waiting >= wake.len() {
            waiting -= wake.len();
            let start = monotonic_ns();
            if stream.try_write(&ack)? != ack.len() {
                return Err(io::ErrorKind::WriteZero.into());
            }
            spans.push(monotonic_ns() - start);
        }
    }
}
