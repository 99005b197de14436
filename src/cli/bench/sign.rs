//! A signature, beside the bare operation of the same OpenSSL and Python's `cryptography`.

use std::path::Path;

use openssl::error::ErrorStack;
use openssl::md::Md;
use openssl::pkey::{PKey, Private};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::{Padding, Rsa};
use openssl::sign::RsaPssSaltlen;

use super::compare::Comparison;
use super::peers;
use super::plan::Plan;
use super::python::{PATIENCE, PythonError, PythonSigner};
use super::report::{Section, Unit};
use super::turns::{self, Kind, Outside};
use crate::cli::Failure;
use crate::signer::{Signer, Timestamp};

/// The request that python/bench_sign.py signs too.
const METHOD: &str = "POST";
const PATH: &str = "/trade-api/v2/portfolio/events/orders";

/// Tried when no Python is named.
const USUAL_PYTHON: &str = "python3";

pub(super) fn measure(plan: &Plan<'_>) -> Result<Section, Failure> {
    let key = PKey::from_rsa(Rsa::generate(2_048)?)?;
    let pem = key.rsa()?.private_key_to_pem()?;
    let (python, note) = python(plan, str::from_utf8(&pem)?)?;
    let mut signer = Signer::from_pem(&pem)?;
    let mut signature = String::new();
    let timestamp = Timestamp::now()?;
    let message = format!("{timestamp}{METHOD}{PATH}").into_bytes();

    let mut bare = bare_operation(&key)?;
    let digest = openssl::sha::sha256(&message);
    let mut bare_signature = vec![0; key.size()];

    let ours = Kind::large("wakeline, to base64", "kind=wakeline", || {
        signer.sign(&timestamp, METHOD, PATH, &mut signature)?;
        Ok(())
    });
    let bare = Kind::large("bare operation, same OpenSSL", "kind=bare", || {
        bare.sign(&digest, Some(&mut bare_signature))?;
        Ok(())
    });
    let mut kinds = vec![ours, bare];
    kinds.extend(peers::signers(&key, &message)?);
    let inside = kinds.len();
    let series = turns::take(plan, "sign", Unit::Us, kinds, python.map(outside))?;

    let title =
        "RSA-PSS with SHA-256, a throwaway key of 2048 bits; signatures of each kind in turn".to_owned();
    let mut section = plan.section("sign", title, Unit::Us, series, note.into_iter().collect());
    section.notes.extend(peers::SIGNERS_NOTE.map(str::to_owned));
    let (inside, outside) = section.series.split_at(inside);
    section.comparisons = Comparison::of_first(inside);
    section.comparisons.extend(
        outside.iter().filter_map(|python| Comparison::by_round(&inside[0], python, turns::ROUND as usize)),
    );
    Ok(section)
}

/// The Python to be measured, or why none is.
fn python(plan: &Plan<'_>, pem: &str) -> Result<(Option<PythonSigner>, Option<String>), PythonError> {
    if plan.arguments.no_python {
        return Ok((None, Some("Python was left out, as asked".to_owned())));
    }
    let start = |program: &Path| PythonSigner::start(program, pem, PATIENCE, plan.progress.interrupt());
    match &plan.arguments.python {
        // Who names one wants it measured.
        Some(program) => Ok((Some(start(program)?), None)),
        None => Ok(start(Path::new(USUAL_PYTHON)).map_or_else(
            |error| (None, Some(format!("without Python: {error}"))),
            |python| (Some(python), None),
        )),
    }
}

fn outside<'a>(mut python: PythonSigner) -> Outside<'a> {
    let name = python.versions.clone();
    let config = format!("kind=python with={}", name.replace(", ", ",").replace(' ', "-"));
    Outside { name, config, samples: Box::new(move |count| Ok(python.sign(count)?)) }
}

/// What OpenSSL itself needs: a context that was set up once, a digest that is there already.
fn bare_operation(key: &PKey<Private>) -> Result<PkeyCtx<Private>, ErrorStack> {
    let mut bare = PkeyCtx::new(key)?;
    bare.sign_init()?;
    bare.set_rsa_padding(Padding::PKCS1_PSS)?;
    bare.set_signature_md(Md::sha256())?;
    bare.set_rsa_mgf1_md(Md::sha256())?;
    bare.set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH)?;
    Ok(bare)
}
