//! Writing to stdout, whose reader may go away when it has seen enough (`| head`).

use std::io::{ErrorKind, Write};

/// Writes the text; does nothing when nobody reads it any more.
pub(super) fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("can't write to standard output: {error}; what was printed is not to be used"))
        }
        _ => Ok(()),
    }
}
