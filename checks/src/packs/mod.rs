//! The files of `packs`: real asset packs that a user tried, each with what the command must make of it.
//!
//! Every topic is a file with its own [`Case`]s. A case runs the command as a user would, or the library, looks at what
//! comes out, and says in a line what it saw.

mod command;
mod feet;
mod formats;
mod motions;
mod retarget;

use crate::{child, files};
use anyhow::{Context, Result, ensure};
use lissom_build::import::Format;
use std::{
    cell::RefCell,
    collections::BTreeSet,
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// Files that cases must have read.
const FILES: usize = 9;
/// Processor time, and time on the clock, of one command.
const LIMIT: Duration = Duration::from_secs(120);
const PATIENCE: Duration = Duration::from_secs(600);

/// What is shown, and how. The answer says what was seen.
type Case = (&'static str, fn(&Packs) -> Result<String>);

pub fn run(folder: &Path) -> Result<()> {
    let place = env::temp_dir().join(format!("lissom-packs-{}", std::process::id()));
    fs::create_dir_all(&place)?;
    let result = run_in(folder, &place);
    fs::remove_dir_all(&place)?;
    result
}

fn run_in(folder: &Path, place: &Path) -> Result<()> {
    // Commands run in another folder: whole paths.
    let packs = Packs {
        lissom: child::lissom()?.canonicalize()?,
        files: files::below(&folder.canonicalize()?.join("packs"), |path| Format::of_path(path).is_some())?,
        used: RefCell::default(),
        place: place.to_owned(),
    };
    let topics = [motions::CASES, feet::CASES, retarget::CASES, formats::CASES, command::CASES];
    // `--case TEXT`: only those whose name has it.
    let only = child::option("--case").unwrap_or_default();
    let cases: Vec<&Case> =
        topics.iter().copied().flatten().filter(|(name, _)| name.contains(only.as_str())).collect();
    let mut failures = Vec::new();
    for (name, shows) in &cases {
        match shows(&packs) {
            Ok(seen) => println!("  {name}: {seen}"),
            Err(error) => failures.push(format!("{name}: {error:#}")),
        }
    }
    let read = packs.used.borrow().len();
    println!(
        "packs: {read} files read, {} of {} cases as they should be",
        cases.len() - failures.len(),
        cases.len()
    );
    ensure!(failures.is_empty(), "{} cases are wrong:\n  {}", failures.len(), failures.join("\n  "));
    ensure!(!cases.is_empty(), "no case is called {only:?}");
    ensure!(!only.is_empty() || read >= FILES, "{read} files read, but at least {FILES} are needed");
    Ok(())
}

/// The files, and the command.
struct Packs {
    lissom: PathBuf,
    files: Vec<PathBuf>,
    used: RefCell<BTreeSet<PathBuf>>,
    place: PathBuf,
}

impl Packs {
    /// The file whose path ends so: `cyberpunk_pack/Character.glb`.
    fn file(&self, end: &str) -> Result<&Path> {
        let found =
            self.files.iter().find(|path| path.ends_with(end)).with_context(|| format!("no {end}"))?;
        self.used.borrow_mut().insert(found.clone());
        Ok(found)
    }

    /// A path for what a case writes. Cases run one after another in one folder that is removed in the end.
    fn temporary(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    /// Runs the command, in the folder of what cases write, to its end: neither a panic nor for ever.
    fn lissom(&self, args: &[&dyn AsRef<OsStr>]) -> Result<child::Ended> {
        let mut command = Command::new(&self.lissom);
        command.current_dir(&self.place).args(args);
        let ended = child::run(&mut command, &self.place, LIMIT, PATIENCE)?;
        ensure!(ended.status.is_some(), "{command:?} takes too long");
        ensure!(!ended.panicked(), "{command:?} panics: {}", ended.error);
        Ok(ended)
    }

    /// As [`Packs::lissom`]; it must do what it was asked for. Gives what it printed.
    fn done(&self, args: &[&dyn AsRef<OsStr>]) -> Result<String> {
        let ended = self.lissom(args)?;
        ensure!(ended.status.is_some_and(|s| s.success()), "{}", ended.error);
        Ok(ended.output)
    }

    /// As [`Packs::lissom`]; it must refuse. Gives what it said.
    fn refused(&self, args: &[&dyn AsRef<OsStr>]) -> Result<String> {
        let ended = self.lissom(args)?;
        ensure!(
            ended.status.is_some_and(|s| s.code() == Some(1)),
            "not refused: {}{}",
            ended.output,
            ended.error
        );
        Ok(ended.error)
    }
}
