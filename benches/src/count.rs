//! Instructions a sample, counted by valgrind: the same in every run, whatever else the machine does.
//!
//! The command cooks the clips, writes them to a temporary folder and runs itself under callgrind, once for all of
//! them. A call of [`mark`] before and after each round makes callgrind write down what was counted in between: no
//! start, no reading of the clip, no first jump.

use crate::compression;
use anyhow::{Context, Result, bail, ensure};
use lissom::{
    Cursor,
    archive::Archive,
    job::{SampleJob, SampleTime},
    math::{simd::Backend, soa::SoaTransform},
};
use lissom_bench::player::{Way, stage};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort, Form},
    exact::{Q4, Trs, V3},
    import::rawclip,
    raw::{Channel, Curve, RawAnimation, RawJoint, RawSkeleton, RawTrack},
};
use std::{
    collections::BTreeMap,
    fs,
    hint::black_box,
    io::ErrorKind,
    path::Path,
    process::{Command, Stdio},
};

/// valgrind does not know AVX-512.
const BACKEND: &str = "avx2";
/// What a clip may cost more than beside it before it is named.
const DEARER: f64 = 1.03;

/// What the command line asks for.
#[derive(Debug, Default)]
pub struct Options<'a> {
    /// Raw clips to count too.
    folder: Option<&'a Path>,
    /// Where the counts go.
    csv: Option<&'a Path>,
    /// Counts of another build, to stand beside.
    beside: Option<&'a Path>,
}

impl<'a> Options<'a> {
    /// `[FOLDER] [--csv FILE] [--beside FILE]`
    ///
    /// # Errors
    ///
    /// Other arguments.
    pub fn parse(args: &[&'a str]) -> Result<Self> {
        let mut options = Self::default();
        let mut args = args.iter().copied();
        while let Some(arg) = args.next() {
            let place = match arg {
                "--csv" => &mut options.csv,
                "--beside" => &mut options.beside,
                folder => {
                    options.folder = Some(Path::new(folder));
                    continue;
                }
            };
            *place = Some(Path::new(args.next().with_context(|| format!("{arg} takes a file"))?));
        }
        Ok(options)
    }
}

/// A clip that is counted, in an archive of its own.
struct Counted {
    name: String,
    joints: usize,
    archive: Vec<u8>,
}

impl Counted {
    fn new(
        name: String,
        built: &BuiltSkeleton,
        builder: &ClipBuilder,
        motion: &RawAnimation,
    ) -> Result<Self> {
        let bytes = builder.build(built, motion).with_context(|| name.clone())?.bytes;
        let writer = ArchiveWriter::new().skeleton("skeleton", &built.skeleton)?;
        let archive = writer.clip(u16::from(bytes[4]), "clip", bytes)?.finish()?;
        Ok(Self { name, joints: built.skeleton.joint_count(), archive })
    }

    /// A chain of joints of which the first few move: a wave each.
    fn wave(joints: usize, moving: usize) -> Result<Self> {
        let joint = |i: usize| RawJoint {
            name: format!("joint {i}"),
            parent: i.checked_sub(1),
            rest: Trs { translation: V3 { x: 0.0, y: 0.1, z: 0.0 }, ..Trs::IDENTITY },
        };
        let skeleton = RawSkeleton { joints: (0..joints).map(joint).collect() };
        let turn = |i: usize, row: u32| {
            let half = 0.3 * libm::sin(f64::from(row) * 0.21 + i as f64);
            Q4 { x: libm::sin(half), y: 0.0, z: 0.0, w: libm::cos(half) }
        };
        let track = |i: usize| {
            let keys = (0..61).map(|row| (f64::from(row) / 30.0, turn(i, row)));
            let rotation =
                if i < moving { Channel::new(Curve::Linear, keys) } else { RawTrack::default().rotation };
            RawTrack { rotation, ..RawTrack::default() }
        };
        let tracks = (0..joints).map(track).collect();
        let motion = RawAnimation { name: "wave".into(), duration_s: 2.0, tracks, ..RawAnimation::default() };
        let name = format!("{joints} joints, {moving} moving");
        Self::new(name, &SkeletonBuilder::build(&skeleton)?, &rows_form(), &motion)
    }

    /// A raw clip, cooked as those are that ozz was measured on.
    fn raw(folder: &Path, file: &Path) -> Result<Self> {
        let source = rawclip::read(&fs::read(file)?).with_context(|| file.display().to_string())?;
        let built = SkeletonBuilder::build(&source.skeleton)?;
        let builder = compression::builder(&source, &built, 0.01, Effort::Fast);
        let name = file.strip_prefix(folder).unwrap_or(file).with_extension("").display().to_string();
        Self::new(name, &built, &builder, &source.animation)
    }
}

fn rows_form() -> ClipBuilder {
    ClipBuilder { form: Form::Rows, ..ClipBuilder::default() }
}

/// The mannequin; small skeletons; many channels that move; with a folder, every raw clip in it.
fn all(folder: Option<&Path>) -> Result<Vec<Counted>> {
    let stage = stage()?;
    let name = "mannequin performance, rows".into();
    let mut all = vec![Counted::new(name, &stage.skeleton, &rows_form(), &stage.animation)?];
    for (joints, moving) in [(4, 2), (20, 3), (20, 20), (67, 20), (67, 67), (200, 200)] {
        all.push(Counted::wave(joints, moving)?);
    }
    if let Some(folder) = folder {
        let mut files = Vec::new();
        compression::find(folder, &mut files)?;
        files.sort();
        for (i, file) in files.iter().enumerate() {
            eprint!("\rcooking {} of {}", i + 1, files.len());
            all.push(Counted::raw(folder, file)?);
        }
        eprintln!();
    }
    Ok(all)
}

/// Prints the table, or why there is none.
pub fn print(options: &Options<'_>) -> Result<()> {
    match Command::new("valgrind").arg("--version").stdout(Stdio::piped()).output() {
        Ok(out) => print!("instructions a sample, {BACKEND}, {}", String::from_utf8_lossy(&out.stdout)),
        Err(e) if e.kind() == ErrorKind::NotFound => {
            println!("SKIPPED: valgrind is not installed, so instructions cannot be counted");
            return Ok(());
        }
        Err(e) => return Err(e).context("running valgrind"),
    }
    if Backend::named(BACKEND).is_err() {
        println!("SKIPPED: this CPU has no {BACKEND}");
        return Ok(());
    }
    let all = all(options.folder)?;
    let folder = std::env::temp_dir().join(format!("lissom-count-{}", std::process::id()));
    fs::create_dir(&folder).with_context(|| format!("making {}", folder.display()))?;
    let counts = count(&all, &folder);
    fs::remove_dir_all(&folder).with_context(|| format!("removing {}", folder.display()))?;
    let counts = counts?;

    println!(
        "{:<44} {:>7} {:>9} {:>9} {:>9} {:>9}",
        "clip", "joints", "forward", "backward", "same", "random"
    );
    let mut csv = String::from("clip;joints;forward;backward;same;random\n");
    for (clip, counts) in all.iter().zip(&counts) {
        let [forward, backward, same, random] = counts.map(|count| format!("{count:.0}"));
        let Counted { name, joints, .. } = clip;
        println!("{name:<44} {joints:>7} {forward:>9} {backward:>9} {same:>9} {random:>9}");
        csv += &format!("{name};{joints};{forward};{backward};{same};{random}\n");
    }
    if let Some(file) = options.csv {
        fs::write(file, csv).with_context(|| file.display().to_string())?;
    }
    options.beside.map_or(Ok(()), |file| print_beside(file, &all, &counts))
}

/// Quotients to the counts in a file: the mean, the extremes, and who is dearer.
fn print_beside(file: &Path, all: &[Counted], counts: &[[f64; 4]]) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut before = BTreeMap::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(';').collect();
        let [name, _, ways @ ..] = fields.as_slice() else { bail!("{}: {line}", file.display()) };
        let ways: Vec<f64> = ways.iter().map(|v| v.parse()).collect::<Result<_, _>>()?;
        before.insert(*name, ways);
    }
    println!("\nbeside {}:", file.display());
    for (i, way) in Way::ALL.into_iter().enumerate() {
        let mut quotients = Vec::new();
        for (clip, counts) in all.iter().zip(counts) {
            if let Some(before) = before.get(clip.name.as_str()).and_then(|ways| ways.get(i)) {
                quotients.push((counts[i] / before, clip.name.as_str()));
            }
        }
        quotients.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [(least, _), .., (most, dearest)] = quotients[..] else { bail!("no clip of {}", file.display()) };
        let mean = libm::exp(quotients.iter().map(|q| libm::log(q.0)).sum::<f64>() / quotients.len() as f64);
        let dearer = quotients.iter().filter(|q| q.0 > DEARER).count();
        println!(
            "{:<10} mean {mean:.3}, least {least:.3}, most {most:.3} ({dearest}); {dearer} of {} above {DEARER}",
            way.name(),
            quotients.len()
        );
    }
    Ok(())
}

/// Instructions a sample of each clip, in the order of [`Way::ALL`].
fn count(all: &[Counted], folder: &Path) -> Result<Vec<[f64; 4]>> {
    for (i, clip) in all.iter().enumerate() {
        fs::write(folder.join(format!("{i}.lissom")), &clip.archive)?;
    }
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--dump-before=*count*mark*"])
        .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
        .arg(std::env::current_exe()?)
        .args(["count-rounds", &all.len().to_string()])
        .arg(folder)
        .env("LISSOM_SIMD", BACKEND)
        .output()?;
    let said = String::from_utf8_lossy(&out.stderr);
    ensure!(out.status.success(), "valgrind: {said}");
    let mut dump = 0;
    let mut counts = Vec::new();
    for clip in all {
        let mut ways = [0.0; 4];
        let duration_s = Archive::read(&clip.archive)?.clip("clip")?.view().duration_s();
        for (ways, way) in ways.iter_mut().zip(Way::ALL) {
            // The first of two is what was before the round.
            dump += 2;
            let file = folder.join(format!("counts.{dump}"));
            let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            let total =
                text.lines().rev().find_map(|line| line.strip_prefix("totals: ")).context("no count")?;
            let total: f64 = total.trim().parse().with_context(|| total.to_owned())?;
            *ways = total / way.times(duration_s).len().max(1) as f64;
        }
        counts.push(ways);
    }
    Ok(counts)
}

/// What callgrind looks for.
#[inline(never)]
fn mark(clip: usize) {
    black_box(clip);
}

/// What is counted: the clips of a folder, each played a round every way, after one to come there.
pub fn rounds(clips: &str, folder: &str) -> Result<()> {
    for i in 0..clips.parse::<usize>()? {
        let archive = Archive::read(&fs::read(Path::new(folder).join(format!("{i}.lissom")))?)?;
        let (skeleton, clip) = (archive.skeleton("skeleton")?, archive.clip("clip")?);
        let mut cursor = Cursor::with_room_for(clip.view());
        let mut output = vec![SoaTransform::IDENTITY; skeleton.group_count()];
        for way in Way::ALL {
            let times = way.times(clip.view().duration_s());
            for round in 0..2 {
                if round > 0 {
                    mark(i);
                }
                for t in &times {
                    let (time, cursor, output) = (SampleTime::Clamped(*t), &mut cursor, &mut output);
                    SampleJob { skeleton: &skeleton, clip: clip.view(), time, lod: None, cursor, output }
                        .run()?;
                }
                black_box(&output);
            }
            mark(i);
        }
    }
    Ok(())
}
