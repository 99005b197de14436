//! Encoding an ack.

use std::hint::black_box;

use super::plan::Plan;
use super::report::{Section, Unit};
use super::turns::{self, Kind};
use super::wake;
use crate::cli::Failure;
use crate::wire::encode;

pub(super) fn measure(plan: &Plan<'_>) -> Result<Section, Failure> {
    let mut out = Vec::with_capacity(512);
    encode::ack_frame(&mut out, &wake::ack(wake::ID));
    let bytes = out.len();
    let kind = Kind::small("wakeline", format!("bytes={bytes} kind=wakeline"), move || {
        out.clear();
        black_box(encode::ack_frame(&mut out, black_box(&wake::ack(wake::ID))));
        // The bytes, not only whether they fit.
        black_box(&out);
    });
    let series = turns::take(plan, "encode_ack", Unit::Ns, vec![kind], None)?;
    let title =
        format!("an accepted ack's frame of {bytes} bytes, from a decoded message to the output buffer");
    Ok(plan.section("encode_ack", title, Unit::Ns, series, vec![turns::batch_note()]))
}
