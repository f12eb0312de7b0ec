//! Raw clips, cooked: bytes, errors, and the speed of playing the very bytes that are counted.

use anyhow::{Context, Result, bail, ensure};
use lissom::{
    Clip, Cursor,
    archive::{Limits, packed},
    job::{SampleJob, SampleTime},
    math::{simd::Backend, soa},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, CookReport, Effort, JointPrecision, ShellSpace},
    exact::{Trs, larger, smaller},
    import::rawclip::{self, RawClip},
    raw::{Curve, Key, RawAnimation},
};
use lissom_draw::chart::{Lines, Series};
use lissom_measure::timing::{best_ns, calibration_ns};
use serde_json::json;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

/// What is asked for on the command line.
pub struct Options {
    folder: PathBuf,
    json: bool,
    dump: Option<PathBuf>,
    plot: Option<PathBuf>,
    effort: Effort,
    precision_cm: f64,
    threads: usize,
}

impl Options {
    /// From the arguments behind `compression`.
    pub fn parse(args: &[&str]) -> Result<Self> {
        let [folder, rest @ ..] = args else { bail!("compression needs a folder of .rawclip files") };
        let mut options = Self {
            folder: folder.into(),
            json: false,
            dump: None,
            plot: None,
            effort: Effort::Default,
            precision_cm: 0.01,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
        };
        let mut rest = rest.iter();
        while let Some(name) = rest.next() {
            let mut value = || rest.next().copied().with_context(|| format!("{name} needs a value"));
            match *name {
                "--json" => options.json = true,
                "--dump" => options.dump = Some(value()?.into()),
                "--plot" => options.plot = Some(value()?.into()),
                "--precision" => options.precision_cm = value()?.parse().context("--precision")?,
                "--threads" => options.threads = value()?.parse().context("--threads")?,
                "--effort" => {
                    options.effort = match value()? {
                        "fast" => Effort::Fast,
                        "default" => Effort::Default,
                        "max" => Effort::Max,
                        other => bail!("--effort {other}: fast, default or max"),
                    };
                }
                other => bail!("unknown option {other}"),
            }
        }
        Ok(options)
    }
}

struct Source {
    set: String,
    clip: String,
    raw: RawClip,
    skeleton: BuiltSkeleton,
    bytes: u64,
    acl: Option<u64>,
}

struct Done {
    bytes: Vec<u8>,
    /// On disk, in a packed archive.
    packed: u64,
    unpack_ms: f64,
    report: CookReport,
    cook_ms: f64,
    forward_ns: f64,
    seek_ns: f64,
    seek_worst_ns: f64,
}

/// Cooks every clip of the folder and prints what became of it.
pub fn print(options: &Options) -> Result<()> {
    let sources = read(&options.folder)?;
    if let Some(path) = &options.plot {
        return plot(&sources, path);
    }
    let mut done = cook_all(&sources, options)?;
    for (source, done) in sources.iter().zip(&mut done) {
        time(source, done)?;
    }
    if let Some(folder) = &options.dump {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for (source, done) in sources.iter().zip(&done) {
            let path = folder.join(&source.set).join(format!("{}.rawclip", source.clip));
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(&path, dump(source, done)?).with_context(|| path.display().to_string())?;
        }
    }
    if options.json { print_json(&sources, &done) } else { print_table(&sources, &done, options) }
}

/// How raw clips are cooked, which are in centimetres.
pub fn builder(raw: &RawClip, skeleton: &BuiltSkeleton, precision_cm: f64, effort: Effort) -> ClipBuilder {
    let joints = raw.precision.iter().flatten().enumerate().map(|(raw, own)| JointPrecision {
        joint: skeleton.joint_of_raw[raw],
        // The file's precision is for 0.01 cm; another one scales it.
        precision: Some(own.precision * precision_cm / 0.01),
        shell: Some(own.shell),
    });
    ClipBuilder {
        precision: precision_cm,
        shell: 3.0,
        // As ACL measures, whose bytes stand beside.
        shell_space: ShellSpace::Joint,
        joints: joints.collect(),
        effort,
        ..Default::default()
    }
}

fn read(folder: &Path) -> Result<Vec<Source>> {
    let mut acl = BTreeMap::new();
    if let Ok(table) = fs::read_to_string(folder.join("acl-2.1.csv")) {
        for line in table.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let (Some(set), Some(clip), Some(bytes)) = (fields.first(), fields.get(1), fields.get(6)) else {
                bail!("acl-2.1.csv: a line with {} fields", fields.len());
            };
            acl.insert(format!("{set}/{clip}"), bytes.parse::<u64>().context("acl-2.1.csv")?);
        }
    }
    let mut files = Vec::new();
    find(folder, &mut files)?;
    files.sort();
    ensure!(!files.is_empty(), "{}: no .rawclip files", folder.display());
    let mut sources = Vec::new();
    for path in files {
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        let raw = rawclip::read(&bytes).with_context(|| path.display().to_string())?;
        let name =
            |p: Option<&std::ffi::OsStr>| p.map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let set = path.parent().filter(|p| *p != folder).map(|p| name(p.file_name())).unwrap_or_default();
        let clip = name(path.file_stem());
        let skeleton = SkeletonBuilder::build(&raw.skeleton)?;
        let samples = raw.animation.tracks.first().map_or(0, |t| t.rotation.keys.len() as u64);
        let bytes = 40 * raw.skeleton.joints.len() as u64 * samples;
        let acl = acl.get(&format!("{set}/{clip}")).copied();
        sources.push(Source { set, clip, raw, skeleton, bytes, acl });
    }
    Ok(sources)
}

/// The raw clips of a folder and of those in it.
pub fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rawclip") {
            files.push(path);
        }
    }
    Ok(())
}

fn cook_all(sources: &[Source], options: &Options) -> Result<Vec<Done>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<Done>>>> = sources.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(source) = sources.get(i) else { break };
                    let cooked = cook(source, options);
                    if let Ok(mut slot) = results[i].lock() {
                        *slot = Some(cooked.with_context(|| format!("{}/{}", source.set, source.clip)));
                    }
                }
            });
        }
    });
    let take = |slot: Mutex<Option<Result<Done>>>| match slot.into_inner() {
        Ok(Some(done)) => done,
        _ => bail!("a cooking thread ended early"),
    };
    results.into_iter().map(take).collect()
}

fn cook(source: &Source, options: &Options) -> Result<Done> {
    let builder = builder(&source.raw, &source.skeleton, options.precision_cm, options.effort);
    let start = Instant::now();
    let cooked = builder.build(&source.skeleton, &source.raw.animation)?;
    let cook_ms = start.elapsed().as_secs_f64() * 1e3;
    Ok(Done {
        packed: packed::clip_bytes(&cooked.bytes).unwrap_or(cooked.bytes.len()) as u64,
        unpack_ms: 0.0,
        bytes: cooked.bytes,
        report: cooked.report,
        cook_ms,
        forward_ns: 0.0,
        seek_ns: 0.0,
        seek_worst_ns: 0.0,
    })
}

/// Plays the bytes: every row forward, and a thousand times anywhere.
fn time(source: &Source, done: &mut Done) -> Result<()> {
    let clip = Clip::from_bytes(&done.bytes)?;
    let skeleton = &source.skeleton.skeleton;
    let mut pose = skeleton.rest_pose().to_vec();
    let mut cursor = Cursor::with_room_for(clip.view());
    let mut sample = |time_s: f64| {
        SampleJob {
            skeleton,
            clip: clip.view(),
            time: SampleTime::Clamped(time_s),
            lod: None,
            cursor: &mut cursor,
            output: &mut pose,
        }
        .run()
    };
    let duration_s = clip.view().duration_s();
    let steps = ((duration_s * source.raw.rate_hz).round() as u32).max(1);
    let times: Vec<f64> = (0..=steps).map(|i| f64::from(i) / source.raw.rate_hz).collect();
    sample(0.0)?;
    done.forward_ns =
        best_ns(25, || times.iter().for_each(|t| assert!(sample(*t).is_ok()))) / times.len() as f64;
    // Fibonacci hashing: looks random, the same in every run.
    let anywhere: Vec<f64> = (1..=1000_u32)
        .map(|i| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24) * duration_s)
        .collect();
    let mut best = vec![f64::INFINITY; anywhere.len()];
    for _ in 0..9 {
        for (best, t) in best.iter_mut().zip(&anywhere) {
            let start = Instant::now();
            sample(*t)?;
            *best = smaller(*best, start.elapsed().as_nanos() as f64);
        }
    }
    let version = u16::from_le_bytes([done.bytes[4], done.bytes[5]]);
    let archive = ArchiveWriter::new().clip(version, &source.clip, done.bytes.clone())?.finish()?;
    if let Some(packed) = packed::pack(&archive)? {
        let limits = Limits::default();
        done.unpack_ms = best_ns(9, || assert!(packed::unpack(&packed, &limits).is_ok())) / 1e6;
    }
    done.seek_ns = best.iter().sum::<f64>() / best.len() as f64;
    done.seek_worst_ns = best.iter().copied().fold(0.0, larger);
    Ok(())
}

/// The clip as the player decodes it, at twice the rate, as a raw clip.
fn dump(source: &Source, done: &Done) -> Result<Vec<u8>> {
    let clip = Clip::from_bytes(&done.bytes)?;
    let built = &source.skeleton;
    let rate_hz = source.raw.rate_hz * 2.0;
    let samples = (source.raw.animation.duration_s * rate_hz).round() as usize + 1;
    let mut animation =
        RawAnimation { duration_s: source.raw.animation.duration_s, ..source.raw.animation.clone() };
    for track in &mut animation.tracks {
        *track = Default::default();
        (track.translation.curve, track.rotation.curve, track.scale.curve) =
            (Curve::Linear, Curve::Linear, Curve::Linear);
    }
    let mut pose = built.skeleton.rest_pose().to_vec();
    let mut cursor = Cursor::with_room_for(clip.view());
    for i in 0..samples {
        let time_s = smaller(i as f64 / rate_hz, animation.duration_s);
        SampleJob {
            skeleton: &built.skeleton,
            clip: clip.view(),
            time: SampleTime::Clamped(time_s),
            lod: None,
            cursor: &mut cursor,
            output: &mut pose,
        }
        .run()?;
        for (raw, track) in animation.tracks.iter_mut().enumerate() {
            let local = Trs::from_f32(soa::lane(&pose, built.joint_of_raw[raw]));
            track.translation.keys.push(Key { time_s, value: local.translation });
            track.rotation.keys.push(Key { time_s, value: local.rotation });
            track.scale.keys.push(Key { time_s, value: local.scale });
        }
    }
    Ok(RawClip { rate_hz, animation, ..source.raw.clone() }.write()?)
}

/// What one clip, set or everything adds up to.
#[derive(Clone, Copy, Default)]
struct Sum {
    clips: usize,
    raw: u64,
    memory: u64,
    packed: u64,
    unpack_ms: f64,
    against: u64,
    packed_against: u64,
    acl: u64,
    worst: f64,
    cook_ms: f64,
}

impl Sum {
    fn add(&mut self, source: &Source, done: &Done) {
        self.clips += 1;
        self.raw += source.bytes;
        self.memory += done.report.bytes;
        self.packed += done.packed;
        self.unpack_ms += done.unpack_ms;
        if let Some(acl) = source.acl {
            self.against += done.report.bytes;
            self.packed_against += done.packed;
            self.acl += acl;
        }
        self.worst = larger(self.worst, done.report.error.worst());
        self.cook_ms += done.cook_ms;
    }

    fn quotient(&self, bytes: u64) -> String {
        if self.acl == 0 { "-".into() } else { format!("{:.4}", bytes as f64 / self.acl as f64) }
    }
}

fn print_table(sources: &[Source], done: &[Done], options: &Options) -> Result<()> {
    println!("calibration: {:.3} ns a step of a dependent multiply and add", calibration_ns());
    println!("backend:     {}", Backend::best());
    println!("precision:   {} cm, effort {:?}\n", options.precision_cm, options.effort);
    println!(
        "{:<5} {:<46} {:>6} {:>6} {:>8} {:>7} {:>6} {:>8} {:>8} {:>8} {:>7} {:>7} {:>7} {:>7}",
        "set",
        "clip",
        "joints",
        "s",
        "raw",
        "bytes",
        "/ACL",
        "keys cm",
        "betw cm",
        "p99 cm",
        "cook ms",
        "fwd ns",
        "seek ns",
        "worst"
    );
    let mut sets: BTreeMap<&str, Sum> = BTreeMap::new();
    let mut total = Sum::default();
    for (s, d) in sources.iter().zip(done) {
        sets.entry(&s.set).or_default().add(s, d);
        total.add(s, d);
        let (r, e) = (&d.report, &d.report.error);
        println!(
            "{:<5} {:<46} {:>6} {:>6.2} {:>8} {:>7} {:>6} {:>8.5} {:>8.5} {:>8.5} {:>7.1} {:>7.0} {:>7.0} {:>7.0}",
            s.set,
            s.clip,
            s.raw.skeleton.joints.len(),
            s.raw.animation.duration_s,
            s.bytes,
            r.bytes,
            s.acl.map_or_else(|| "-".into(), |acl| format!("{:.3}", r.bytes as f64 / acl as f64)),
            e.worst_at_keys,
            e.worst_between,
            e.p99,
            d.cook_ms,
            d.forward_ns,
            d.seek_ns,
            d.seek_worst_ns,
        );
    }
    println!();
    for (set, sum) in sets.iter().chain([(&"all", &total)]) {
        println!(
            "{set:<5} {} clips, raw {}, in memory {}, of ACL's bytes {}, packed on disk {}, of ACL's {}, unpacked at {:.2} MB/s, worst \
             {:.5} cm, {:.2} MB/s a core",
            sum.clips,
            sum.raw,
            sum.memory,
            sum.quotient(sum.against),
            sum.packed,
            sum.quotient(sum.packed_against),
            sum.memory as f64 / 1e3 / sum.unpack_ms,
            sum.worst,
            sum.raw as f64 / 1e3 / sum.cook_ms,
        );
    }
    ensure!(
        total.worst <= options.precision_cm || sources.iter().any(|s| s.raw.precision.is_some()),
        "above the precision"
    );
    Ok(())
}

fn print_json(sources: &[Source], done: &[Done]) -> Result<()> {
    let list: Vec<_> = sources
        .iter()
        .zip(done)
        .map(|(s, d)| {
            json!({
                "set": s.set,
                "clip": s.clip,
                "raw_bytes": s.bytes,
                "memory_bytes": d.report.bytes,
                "disk_bytes": d.packed,
                "max_error_cm": d.report.error.worst_at_keys,
                "max_error_between_cm": d.report.error.worst_between,
                "p99_error_cm": d.report.error.p99,
                "cook_ms": d.cook_ms,
                "forward_ns": d.forward_ns,
                "seek_ns": d.seek_ns,
            })
        })
        .collect();
    println!("{}", serde_json::to_string_pretty(&list)?);
    Ok(())
}

/// Precisions of the plot, in centimetres.
const PRECISIONS: [f64; 7] = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0];

/// Bytes a second against precision, for a few clips.
fn plot(sources: &[Source], path: &Path) -> Result<()> {
    let mut sets: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    sources.iter().for_each(|s| sets.entry(&s.set).or_default().push(s));
    let mut series = Vec::new();
    for (set, clips) in &mut sets {
        // The middle one and the longest of each set.
        clips.sort_by(|a, b| a.raw.animation.duration_s.total_cmp(&b.raw.animation.duration_s));
        for source in [clips[clips.len() / 2], clips[clips.len() - 1]] {
            let mut points = Vec::new();
            for precision in PRECISIONS {
                let cooked = builder(&source.raw, &source.skeleton, precision, Effort::Default)
                    .build(&source.skeleton, &source.raw.animation)?;
                points.push((precision, cooked.bytes.len() as f64 / source.raw.animation.duration_s));
            }
            println!("{set}/{}: {points:?}", source.clip);
            series.push(Series { name: format!("{set}/{}", source.clip), points });
        }
    }
    let title = "Bytes a second of motion against precision";
    let chart = Lines { title, x_name: "precision, cm", y_name: "bytes a second", series: &series };
    let svg = chart.draw().to_svg()?;
    fs::write(path, svg).with_context(|| path.display().to_string())?;
    println!("wrote {}", path.display());
    Ok(())
}
