//! `wakeline kalshi`: signs requests, and checks signatures, by hand.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Map, json};
use tracing::level_filters::LevelFilter;

use super::{Outcome, logging, say};
use crate::signer::{Headers, Signer, Timestamp, Verdict, Verifier, WEBSOCKET_METHOD, WEBSOCKET_PATH};

#[derive(Debug, Args)]
pub(super) struct KalshiArguments {
    #[command(subcommand)]
    action: Action,
}

const SIGN_EXAMPLE: &str = "\
Example:
  wakeline kalshi sign --key kalshi.pem --key-id \"$KALSHI_KEY_ID\" \\
      --method GET --path /trade-api/v2/portfolio/balance |
    curl -H @- https://external-api.kalshi.com/trade-api/v2/portfolio/balance

The key is the file that the exchange handed out, or any RSA private key in PEM without a passphrase.";

const VERIFY_EXAMPLE: &str = "\
Example:
  openssl pkey -in kalshi.pem -pubout -out public.pem
  wakeline kalshi verify --public-key public.pem --timestamp 1703123456789 \\
      --method GET --path /trade-api/v2/portfolio/balance --signature \"$SIGNATURE\"

Exits with 0 if the signature holds, else with 1 and, where it can be told, the mistake that made it.";

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the headers of a signed request.
    #[command(after_help = SIGN_EXAMPLE)]
    Sign(SignArguments),
    /// Check the signature of a request with a public key.
    #[command(after_help = VERIFY_EXAMPLE)]
    Verify(VerifyArguments),
}

/// Which request.
#[derive(Debug, Args)]
struct Request {
    /// Its method, in upper case.
    #[arg(
        long,
        value_name = "METHOD",
        required_unless_present = "ws",
        conflicts_with = "ws",
        allow_hyphen_values = true
    )]
    method: Option<String>,
    /// Its path as it is sent, from /trade-api on; a query may follow, and isn't signed.
    #[arg(
        long,
        value_name = "PATH",
        required_unless_present = "ws",
        conflicts_with = "ws",
        allow_hyphen_values = true
    )]
    path: Option<String>,
    /// The handshake of the WebSocket instead: GET /trade-api/ws/v2.
    #[arg(long)]
    ws: bool,
}

impl Request {
    fn method(&self) -> &str {
        self.method.as_deref().unwrap_or(WEBSOCKET_METHOD)
    }

    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(WEBSOCKET_PATH)
    }
}

#[derive(Debug, Args)]
struct SignArguments {
    /// PEM file of the private key.
    // With hyphens, so that a key pasted there by mistake is refused by us and not quoted by the parser.
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    key: PathBuf,
    #[command(flatten)]
    request: Request,
    /// Milliseconds since 1970 in 13 digits; now, if left out.
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    timestamp: Option<String>,
    /// The id that the exchange shows beside the key; without it that header is left out.
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    key_id: Option<String>,
    /// Print a JSON object with the headers as its keys.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct VerifyArguments {
    /// PEM file of the public key.
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    public_key: PathBuf,
    #[command(flatten)]
    request: Request,
    /// Milliseconds since 1970 in 13 digits, as in the header.
    #[arg(long, value_name = "MS", allow_hyphen_values = true)]
    timestamp: String,
    /// The signature, in base64, as in the header.
    #[arg(long, value_name = "BASE64", allow_hyphen_values = true)]
    signature: String,
    /// Print a JSON object with `valid`, and `why` if it isn't.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: KalshiArguments) -> Outcome {
    // For the warning about a key file that others can read.
    logging::start(LevelFilter::WARN, None)?;
    match arguments.action {
        Action::Sign(arguments) => sign(&arguments),
        Action::Verify(arguments) => verify(&arguments),
    }
}

fn sign(arguments: &SignArguments) -> Outcome {
    let SignArguments { key, request, timestamp, key_id, json } = arguments;
    let timestamp = timestamp.as_deref().map_or_else(Timestamp::now, str::parse)?;
    let mut signer = Signer::from_file(key)?;
    let mut signature = String::new();
    let (method, path) = (request.method(), request.path());
    let headers = match key_id {
        Some(key_id) => signer.headers(key_id, &timestamp, method, path, &mut signature)?.pairs().to_vec(),
        None => {
            let signature = signer.sign(&timestamp, method, path, &mut signature)?;
            vec![(Headers::TIMESTAMP, timestamp.as_str()), (Headers::SIGNATURE, signature)]
        }
    };
    if key_id.is_none() {
        say(&format!(
            "wakeline: without --key-id the header {} is left out; the exchange wants it",
            Headers::KEY
        ));
    }
    if !path.starts_with("/trade-api/") {
        say(
            "wakeline: the path doesn't begin with /trade-api/, and the exchange takes signatures of the whole path",
        );
    }
    let printed = if *json {
        let object: Map<_, _> =
            headers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        format!("{}\n", json!(object))
    } else {
        headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
    };
    print(&printed)?;
    Ok(ExitCode::SUCCESS)
}

fn verify(arguments: &VerifyArguments) -> Outcome {
    let VerifyArguments { public_key, request, timestamp, signature, json } = arguments;
    let timestamp: Timestamp = timestamp.parse()?;
    let verifier = Verifier::from_file(public_key)?;
    let verdict = verifier.verify(&timestamp, request.method(), request.path(), signature)?;
    match verdict {
        Verdict::Valid => {
            print(&if *json { format!("{}\n", json!({ "valid": true })) } else { "valid\n".to_owned() })?;
            Ok(ExitCode::SUCCESS)
        }
        Verdict::Invalid(fault) => {
            if *json {
                print(&format!("{}\n", json!({ "valid": false, "why": fault.to_string() })))?;
            }
            Err(format!("the signature doesn't hold: {fault}").into())
        }
    }
}

/// All of it, or an error.
fn print(text: &str) -> Result<(), String> {
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|error| format!("can't write to stdout: {error}; what was printed is not to be used"))
}
