//! Runs the Python suite (`python/tests`) against the built daemon, in a virtual environment of pinned packages.
//!
//! `WAKELINE_PYTHON` names the interpreter; otherwise the usual names are tried. CPython 3.11 or 3.12 is needed, since
//! 3.13 words some refusals differently. `WAKELINE_SKIP_PYTHON=1` leaves the suite out.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

type Outcome<T> = Result<T, String>;

const NEEDED: &str = "CPython 3.11 or 3.12 with venv";
const NAMES: [&str; 3] = ["python3.12", "python3.11", "python3"];

#[test]
fn python_suite_passes() -> Outcome<()> {
    if env::var_os("WAKELINE_SKIP_PYTHON").is_some_and(|value| value == "1") {
        // Past the test harness, which keeps what the print macros say to itself.
        let said =
            writeln!(io::stderr(), "SKIPPED: the Python suite did not run, because WAKELINE_SKIP_PYTHON=1");
        return said.map_err(|error| error.to_string());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = prepare(root)?;
    // Inherits the standard streams, so `--nocapture` or a terminal shows pytest as it goes.
    let status = Command::new(&python)
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .current_dir(root.join("python"))
        .env("WAKELINE_BIN", env!("CARGO_BIN_EXE_wakeline"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .status()
        .map_err(|error| format!("can't run {}: {error}", python.display()))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the Python suite failed ({status}); its report is above"))
    }
}

/// The interpreter of an environment that holds the pinned packages; made on first use.
///
/// The directory is named after what goes into it, and a lock keeps parallel runs from making it twice.
fn prepare(root: &Path) -> Outcome<PathBuf> {
    let requirements = root.join("python/requirements.txt");
    let pins =
        fs::read(&requirements).map_err(|error| format!("can't read {}: {error}", requirements.display()))?;
    let base = find_python()?;
    let mut hasher = DefaultHasher::new();
    (&pins, &base.command, &base.version).hash(&mut hasher);

    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let venv = target.join(format!("python-venv-{:016x}", hasher.finish()));
    let python = venv.join("bin/python");
    let ready = venv.join("ready");
    let lock = lock_file(&venv.with_extension("lock"))?;
    lock.lock().map_err(|error| format!("can't lock {}: {error}", venv.display()))?;
    if ready.exists() {
        return Ok(python);
    }
    if venv.exists() {
        fs::remove_dir_all(&venv).map_err(|error| format!("can't clear {}: {error}", venv.display()))?;
    }
    run(&base.command, [OsStr::new("-m"), OsStr::new("venv"), venv.as_os_str()])?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"].map(OsStr::new);
    run(&python, pip.into_iter().chain([requirements.as_os_str()]))?;
    // Written last: an environment whose making was cut short is made again.
    fs::write(&ready, &base.version).map_err(|error| format!("can't write {}: {error}", ready.display()))?;
    Ok(python)
}

fn lock_file(path: &Path) -> Outcome<File> {
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(|error| error.to_string())?;
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(|error| format!("can't open {}: {error}", path.display()))
}

fn run<'a>(program: &Path, arguments: impl IntoIterator<Item = &'a OsStr>) -> Outcome<()> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .map_err(|error| format!("can't run {}: {error}", program.display()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{} failed ({}): {}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}

/// An interpreter that ran and said what it is.
struct Interpreter {
    command: PathBuf,
    version: String,
}

fn find_python() -> Outcome<Interpreter> {
    if let Some(named) = env::var_os("WAKELINE_PYTHON") {
        return probe(Path::new(&named))
            .ok_or_else(|| format!("WAKELINE_PYTHON is {}, which isn't {NEEDED}", named.display()));
    }
    NAMES.iter().find_map(|name| probe(Path::new(name))).ok_or_else(|| {
        format!("the Python suite needs {NEEDED}: name one in WAKELINE_PYTHON, or set WAKELINE_SKIP_PYTHON=1")
    })
}

/// Asks `command` itself: a name on the path can be a shim that runs nothing.
fn probe(command: &Path) -> Option<Interpreter> {
    const QUESTION: &str =
        "import sys, venv, ensurepip; print(sys.implementation.name, *sys.version_info[:3])";
    let output = Command::new(command).args(["-c", QUESTION]).output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    let suits = version.starts_with("cpython 3 11 ") || version.starts_with("cpython 3 12 ");
    (output.status.success() && suits).then(|| Interpreter { command: command.to_owned(), version })
}
