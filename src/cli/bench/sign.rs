//! `wakeline bench sign`.

use std::io::Write;
use std::process::ExitCode;

use openssl::error::ErrorStack;
use openssl::md::Md;
use openssl::pkey::{PKey, Private};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::{Padding, Rsa};
use openssl::sign::RsaPssSaltlen;

use super::python::PythonSigner;
use super::table::{Ratio, Row, Table};
use super::{Outcome, SignBench};
use crate::measure::clock::monotonic_ns;
use crate::measure::machine::Machine;
use crate::signer::{self, Signer, Timestamp};

const METHOD: &str = "GET";
const PATH: &str = "/trade-api/v2/portfolio/balance";

/// Signatures of each kind between two turns of Python.
const ROUND: u32 = 100;

/// One way of signing: signs once, and is timed from outside.
type Sign<'a> = Box<dyn FnMut() -> Result<(), Box<dyn std::error::Error>> + 'a>;

pub(super) fn run(arguments: &SignBench) -> Outcome {
    let key = PKey::from_rsa(Rsa::generate(2_048)?)?;
    let pem = key.rsa()?.private_key_to_pem()?;
    let mut signer = Signer::from_pem(&pem)?;
    let mut signature = String::new();
    let timestamp = Timestamp::now()?;

    let mut bare = bare_operation(&key)?;
    let digest = openssl::sha::sha256(format!("{timestamp}{METHOD}{PATH}").as_bytes());
    let mut bare_signature = vec![0; key.size()];

    let openssl = signer::openssl_version();
    let mut kinds: Vec<(String, Sign<'_>)> = vec![
        (
            format!("wakeline, to base64 ({openssl})"),
            Box::new(|| {
                signer.sign(&timestamp, METHOD, PATH, &mut signature)?;
                Ok(())
            }),
        ),
        (
            format!("the bare operation ({openssl})"),
            Box::new(|| {
                bare.sign(&digest, Some(&mut bare_signature))?;
                Ok(())
            }),
        ),
    ];
    kinds.extend(peers(&key)?);
    let mut python = match arguments.no_python {
        true => None,
        false => Some(PythonSigner::start(&arguments.python, str::from_utf8(&pem)?)?),
    };

    take(&mut kinds, python.as_mut(), arguments.warm_up)?;
    let rows = take(&mut kinds, python.as_mut(), arguments.samples)?;

    let mut out = std::io::stdout();
    writeln!(out, "{}", Machine::here())?;
    writeln!(
        out,
        "RSA-PSS with SHA-256, a throwaway key of 2048 bits; {} signatures of each kind after {} to warm up, in turn; us",
        arguments.samples, arguments.warm_up
    )?;
    write!(out, "{}", Table(&rows))?;
    let (ours, others) = rows.split_at(1);
    for other in others {
        if let Some(ratio) = Ratio::of(&ours[0].samples_ns, &other.samples_ns) {
            writeln!(out, "wakeline / {}: median of the pairs {ratio}", other.name)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Has each kind sign `count` times, in turn; Python has its turn between rounds.
///
/// Who is first changes, and the direction: whoever follows another kind finds the caches as that one left them.
fn take(
    kinds: &mut [(String, Sign<'_>)],
    mut python: Option<&mut PythonSigner>,
    count: u32,
) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let row = |name: &String| Row { name: name.clone(), samples_ns: Vec::with_capacity(count as usize) };
    let mut rows: Vec<Row> = kinds.iter().map(|(name, _)| row(name)).collect();
    let mut of_python = python.as_ref().map(|python| row(&python.versions));
    let mut left = count;
    while left > 0 {
        let round = left.min(ROUND);
        for turn in 0..round as usize {
            for step in 0..kinds.len() {
                let forward = (turn / 2 + step) % kinds.len();
                let index = if turn % 2 == 0 { forward } else { kinds.len() - 1 - forward };
                let start = monotonic_ns();
                (kinds[index].1)()?;
                rows[index].samples_ns.push((monotonic_ns() - start) as f64);
            }
        }
        if let (Some(python), Some(row)) = (&mut python, &mut of_python) {
            row.samples_ns.extend(python.sign(round)?);
        }
        left -= round;
    }
    rows.extend(of_python);
    Ok(rows)
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

#[cfg(not(feature = "bench-peers"))]
fn peers<'a>(_key: &PKey<Private>) -> Result<Vec<(String, Sign<'a>)>, Box<dyn std::error::Error>> {
    Ok(Vec::new())
}

/// Other libraries, from the message to the signature's bytes.
#[cfg(feature = "bench-peers")]
fn peers<'a>(key: &PKey<Private>) -> Result<Vec<(String, Sign<'a>)>, Box<dyn std::error::Error>> {
    let der = key.rsa()?.private_key_to_der()?;
    let message = format!("{}{METHOD}{PATH}", Timestamp::now()?).into_bytes();
    let ring = {
        use ring::{
            rand::SystemRandom,
            signature::{RSA_PSS_SHA256, RsaKeyPair},
        };
        let (key, random, message) = (RsaKeyPair::from_der(&der)?, SystemRandom::new(), message.clone());
        let mut signature = vec![0; key.public().modulus_len()];
        move || Ok(key.sign(&RSA_PSS_SHA256, &random, &message, &mut signature)?)
    };
    let aws_lc = {
        use aws_lc_rs::{
            rand::SystemRandom,
            signature::{RSA_PSS_SHA256, RsaKeyPair},
        };
        let (key, random) = (RsaKeyPair::from_der(&der)?, SystemRandom::new());
        let mut signature = vec![0; key.public_modulus_len()];
        move || Ok(key.sign(&RSA_PSS_SHA256, &random, &message, &mut signature)?)
    };
    Ok(vec![("ring".to_owned(), Box::new(ring)), ("aws-lc-rs".to_owned(), Box::new(aws_lc))])
}
