//! The command, started as a user would, with an eye on its time and memory.

use anyhow::{Context, Result, ensure};
use std::{
    env, fs,
    fs::File,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The command: `--lissom PATH` names it, else it is looked for beside this program.
pub fn lissom() -> Result<PathBuf> {
    let path = match option("--lissom") {
        Some(path) => PathBuf::from(path),
        None => env::current_exe()?.with_file_name(format!("lissom{}", env::consts::EXE_SUFFIX)),
    };
    ensure!(
        path.is_file(),
        "{}: no such command; build lissom-cli, or name it with --lissom",
        path.display()
    );
    Ok(path)
}

/// What stands after an option of this program.
pub fn option(name: &str) -> Option<String> {
    env::args().skip_while(|a| a != name).nth(1)
}

/// How a child ended.
pub struct Ended {
    /// `None` if it took too long and was stopped.
    pub status: Option<ExitStatus>,
    /// Processor time of all its threads where the system tells (Linux), so that other work on the machine does not
    /// count; elsewhere time on the clock.
    pub time: Duration,
    /// The most memory it had, in bytes, where the system tells.
    pub peak: Option<u64>,
    pub output: String,
    pub error: String,
}

impl Ended {
    /// True if it says that it met its own mistake.
    pub fn panicked(&self) -> bool {
        self.error.contains("panicked") || self.error.contains("internal error")
    }
}

/// Runs it to its end; `place` is a folder for what it says.
pub fn run(command: &mut Command, place: &Path, limit: Duration, patience: Duration) -> Result<Ended> {
    let (text, err) = (place.join("stdout"), place.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&text)?).stderr(File::create(&err)?);
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let (mut used, mut peak) = (None, None);
    let status = loop {
        // Before asking: a process that ended and was asked for has no figures any more.
        used = processor_time(child.id()).or(used);
        peak = peak_bytes(child.id()).or(peak);
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if used.unwrap_or(start.elapsed()) > limit || start.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            break None;
        }
        thread::sleep(Duration::from_millis(2));
    };
    let read = |path: &Path| -> Result<String> {
        let bytes = fs::read(path)?;
        fs::remove_file(path)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    };
    let (output, error) = (read(&text)?, read(&err)?);
    Ok(Ended { status, time: used.unwrap_or(start.elapsed()), peak, output, error })
}

/// Processor time of a process so far, from `/proc`.
fn processor_time(process: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name stands in brackets and may hold anything; after it, time in user mode and in the kernel are the 12th
    // and 13th, in hundredths of a second.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11).map(str::parse::<u64>);
    let (user, kernel) = (fields.next()?.ok()?, fields.next()?.ok()?);
    Some(Duration::from_millis((user + kernel) * 10))
}

/// The most memory of a process so far, from `/proc`.
fn peak_bytes(process: u32) -> Option<u64> {
    status_bytes(&format!("/proc/{process}/status"), "VmHWM:")
}

/// The memory of this process now.
pub fn own_bytes() -> Option<u64> {
    status_bytes("/proc/self/status", "VmRSS:")
}

fn status_bytes(path: &str, field: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(field))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
