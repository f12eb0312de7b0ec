//! `lissom inspect`: what is in a file.

mod databases;
mod surfaces;
mod tree;

use crate::{
    options::Reading,
    style::{Style, Table, Tone, counted, grouped, plain},
    warnings,
};
use anyhow::Result;
use lissom::{
    archive::{ArchiveView, Limits},
    clip::JointBytes,
};
use lissom_build::{
    cook::ClipBuilder,
    feet::ContactRule,
    pipeline::ScenePrecision,
    raw::{RawTrack, RawUserTrack},
    scene::{Scene, SceneAnimation, SceneMesh, SceneSkeleton},
};
use lissom_show::source::{Content, Source, StreamFile};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file of any supported format
    file: PathBuf,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Every track and marker, however many
    #[arg(short, long)]
    all: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize)]
struct Report {
    file: String,
    format: &'static str,
    bytes: u64,
    height_m: Option<f64>,
    skeletons: Vec<SkeletonReport>,
    clips: Vec<ClipReport>,
    tracks: Vec<TrackReport>,
    meshes: Vec<MeshReport>,
    materials: Vec<surfaces::MaterialReport>,
    images: Vec<surfaces::ImageReport>,
    /// Of an archive.
    matching: Vec<databases::DatabaseReport>,
    /// Of an archive.
    sections: Vec<SectionReport>,
    /// Of a stream.
    stream: Option<StreamReport>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct SkeletonReport {
    name: String,
    /// Joints that a clip moves; `None` if there is no clip to tell.
    moving_joints: Option<usize>,
    joints: Vec<JointReport>,
}

#[derive(Serialize)]
struct JointReport {
    name: String,
    parent: Option<usize>,
    depth: usize,
}

#[derive(Serialize)]
struct ClipReport {
    name: String,
    skeleton: Option<usize>,
    seconds: f64,
    /// `null`: unknown.
    looping: Option<bool>,
    /// Over the ground, in metres per second, by its travel or by its feet; `null`: unknown.
    speed: Option<f64>,
    /// How often feet come down; `null`: unknown.
    steps: Option<usize>,
    /// It is what is added to a pose.
    additive: bool,
    /// Channels with more than one key.
    moving_channels: usize,
    keys: usize,
    /// Of a cooked clip.
    bytes: Option<u64>,
    tracks: Vec<TrackReport>,
    markers: Vec<MarkerReport>,
}

#[derive(Serialize)]
struct TrackReport {
    name: String,
    components: usize,
    keys: usize,
}

#[derive(Serialize)]
struct MarkerReport {
    name: String,
    time_s: f64,
    duration_s: f64,
}

#[derive(Serialize)]
struct MeshReport {
    name: String,
    skeleton: usize,
    vertices: usize,
    triangles: usize,
    morphs: Vec<String>,
    /// Vertices were sorted at import; the archive knows where each stood.
    laid_out: bool,
    /// Vertices by the count of joints that they follow, if they stand in that order.
    runs: Vec<RunReport>,
}

#[derive(Serialize)]
struct RunReport {
    influences: usize,
    vertices: usize,
}

#[derive(Serialize)]
struct StreamReport {
    /// How its blocks are compressed.
    codec: String,
    blocks: usize,
    joints: usize,
    /// Of the skeleton that it was cooked for.
    skeleton_identity: String,
}

#[derive(Serialize)]
struct SectionReport {
    kind: String,
    name: String,
    version: u16,
    offset: u64,
    bytes: u64,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let file = Source::open_alone(&arguments.file, &arguments.reading.options()?)?;
    let report = report(&file)?;
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(());
    }
    text(&report, arguments.all, out)
}

fn report(file: &Source) -> Result<Report> {
    let named = file.path.display().to_string();
    if let Content::Stream(stream) = &file.content {
        return Ok(stream_report(file, stream, named));
    }
    let scene = file.scene()?;
    let scene = scene.as_ref();
    let sections = match &file.content {
        Content::Archive(archive) => sections(&ArchiveView::read(archive.bytes(), &Limits::default())?),
        _ => Vec::new(),
    };
    let matching = match &file.content {
        Content::Archive(archive) => databases::reports(archive),
        _ => Vec::new(),
    };
    let mut clips = scene_clips(scene, matches!(file.content, Content::Archive(_)));
    let mut moving = Moving::of_scene(scene);
    if let Content::Archive(archive) = &file.content {
        for (name, cooked) in archive.clips() {
            // One that cannot be read is not in the scene, and a warning says so.
            let (Some(clip), Ok(cooked)) = (clips.iter_mut().find(|c| c.name == name), cooked) else {
                continue;
            };
            let view = cooked.view();
            clip.bytes = Some(cooked.as_bytes().len() as u64);
            clip.keys = usize::try_from(view.key_count()).unwrap_or(usize::MAX);
            clip.moving_channels = view.channel_count();
            let moves = |joint: &JointBytes| joint.stream.iter().any(|bytes| *bytes > 0.0);
            moving.add(clip.skeleton, view.bytes_by_joint()?.joints.iter().map(moves));
        }
    }
    Ok(Report {
        file: named,
        format: file.format,
        bytes: file.bytes,
        height_m: scene.height(),
        skeletons: scene.skeletons.iter().enumerate().map(|(i, s)| skeleton(s, moving.count(i))).collect(),
        clips,
        tracks: scene.tracks.iter().map(track).collect(),
        meshes: scene.meshes.iter().map(mesh).collect(),
        materials: surfaces::materials(scene),
        images: surfaces::images(scene),
        matching,
        sections,
        stream: None,
        warnings: scene.warnings.iter().map(ToString::to_string).collect(),
    })
}

fn mesh(mesh: &SceneMesh) -> MeshReport {
    let runs = mesh.mesh.influences.runs();
    let in_order = runs.is_sorted_by(|(a, _), (b, _)| a < b);
    let run = |(influences, vertices)| RunReport { influences, vertices };
    MeshReport {
        name: mesh.mesh.name.clone(),
        skeleton: mesh.skeleton,
        vertices: mesh.mesh.positions.len(),
        triangles: mesh.mesh.triangle_count(),
        morphs: mesh.morphs.iter().map(|m| m.name.clone()).collect(),
        laid_out: !mesh.mesh.order.is_empty(),
        runs: if in_order { runs.into_iter().map(run).collect() } else { Vec::new() },
    }
}

/// All that the preamble says; no block is looked at.
fn stream_report(file: &Source, stream: &StreamFile, named: String) -> Report {
    let view = stream.opened.view();
    let clip = ClipReport {
        name: stream.name(&file.path),
        skeleton: None,
        seconds: view.duration_s(),
        looping: Some(view.is_looping()),
        speed: None,
        steps: None,
        additive: false,
        moving_channels: view.channel_count(),
        keys: usize::try_from(view.key_count()).unwrap_or(usize::MAX),
        bytes: Some(file.bytes),
        tracks: Vec::new(),
        markers: Vec::new(),
    };
    Report {
        file: named,
        format: file.format,
        bytes: file.bytes,
        height_m: None,
        skeletons: Vec::new(),
        clips: vec![clip],
        tracks: Vec::new(),
        meshes: Vec::new(),
        materials: Vec::new(),
        images: Vec::new(),
        matching: Vec::new(),
        sections: Vec::new(),
        stream: Some(StreamReport {
            codec: format!("{:?}", stream.opened.codec()).to_lowercase(),
            blocks: view.block_count(),
            joints: view.joint_count(),
            skeleton_identity: format!("{:016x}", view.skeleton_identity()),
        }),
        warnings: Vec::new(),
    }
}

fn sections(archive: &ArchiveView<'_>) -> Vec<SectionReport> {
    let one = |s: &lissom::archive::Section<'_>| SectionReport {
        kind: String::from_utf8_lossy(&s.kind.code().to_le_bytes()).into_owned(),
        name: s.name.to_owned(),
        version: s.version,
        offset: s.offset,
        bytes: s.payload.len() as u64,
    };
    archive.sections().iter().map(one).collect()
}

/// Joints parents first, with their depth.
fn skeleton(skeleton: &SceneSkeleton, moving_joints: Option<usize>) -> SkeletonReport {
    let joints = &skeleton.skeleton.joints;
    let order = skeleton.skeleton.depth_first();
    let mut place = vec![0; joints.len()];
    order.iter().enumerate().for_each(|(at, raw)| place[*raw] = at);
    let mut out: Vec<JointReport> = Vec::with_capacity(order.len());
    for raw in order {
        let parent = joints[raw].parent.map(|p| place[p]);
        let depth = parent.and_then(|p| out.get(p)).map_or(0, |p| p.depth + 1);
        out.push(JointReport { name: joints[raw].name.clone(), parent, depth });
    }
    SkeletonReport { name: skeleton.name.clone(), moving_joints, joints: out }
}

/// Which joints of each skeleton a clip moves.
#[derive(Default)]
struct Moving(BTreeMap<usize, Vec<bool>>);

impl Moving {
    fn of_scene(scene: &Scene) -> Self {
        let mut moving = Self::default();
        for animation in &scene.animations {
            moving.add(animation.skeleton, animation.motion.tracks.iter().map(RawTrack::moves));
        }
        moving
    }

    fn add(&mut self, skeleton: Option<usize>, moves: impl ExactSizeIterator<Item = bool>) {
        let Some(skeleton) = skeleton.filter(|_| moves.len() > 0) else { return };
        let known = self.0.entry(skeleton).or_default();
        if known.len() < moves.len() {
            known.resize(moves.len(), false);
        }
        known.iter_mut().zip(moves).for_each(|(known, moves)| *known |= moves);
    }

    fn count(&self, skeleton: usize) -> Option<usize> {
        self.0.get(&skeleton).map(|joints| joints.iter().filter(|moves| **moves).count())
    }
}

/// What an archive has stored of a clip's way and steps: its motion is not decoded for a report.
fn stored_feet(clip: &SceneAnimation) -> Option<(Option<f64>, usize)> {
    let speed = clip.root_speed();
    let steps = clip.markers.iter().filter(|marker| marker.name.starts_with("step_")).count();
    (speed.is_some() || steps > 0).then_some((speed, steps))
}

/// The clips. Archives say which of them loop; of other files it is seen as import sees it.
fn scene_clips(scene: &Scene, says_loops: bool) -> Vec<ClipReport> {
    let precision = ScenePrecision::new(scene.height(), false, false);
    let builder = precision.builder(&ClipBuilder::default());
    let skeleton = |a: &SceneAnimation| a.skeleton.and_then(|s| scene.skeletons.get(s)).map(|s| &s.skeleton);
    let loops = |a: &SceneAnimation| match skeleton(a) {
        _ if says_loops || a.motion.looping => Some(a.motion.looping),
        Some(skeleton) if !skeleton.joints.is_empty() => {
            a.closes(skeleton, builder.precision, builder.shell).ok()
        }
        _ => None,
    };
    // Speed over the ground, and steps.
    let feet = |a: &SceneAnimation, looping: Option<bool>| {
        let skeleton = skeleton(a).filter(|_| !a.motion.additive)?;
        if a.motion.tracks.is_empty() {
            return stored_feet(a);
        }
        let mut clip = a.clone();
        clip.motion.looping = looping.unwrap_or(false);
        let rule = ContactRule::default();
        let steps = clip.contacts(skeleton, &rule).ok()?.step_count();
        Some((clip.ground_speed(skeleton, &rule).ok(), steps))
    };
    let counts = |t: &RawTrack| [t.translation.keys.len(), t.rotation.keys.len(), t.scale.keys.len()];
    scene
        .animations
        .iter()
        .map(|a| (a, loops(a)))
        .map(|(a, looping)| (a, looping, feet(a, looping)))
        .map(|(a, looping, feet)| ClipReport {
            name: a.motion.name.clone(),
            skeleton: a.skeleton,
            seconds: a.motion.duration_s,
            looping,
            speed: feet.and_then(|(speed, _)| speed),
            steps: feet.map(|(_, steps)| steps),
            additive: a.motion.additive,
            moving_channels: a.motion.tracks.iter().flat_map(counts).filter(|k| *k > 1).count(),
            keys: a.motion.tracks.iter().flat_map(counts).sum(),
            bytes: None,
            tracks: a.tracks.iter().map(track).collect(),
            markers: a
                .markers
                .iter()
                .map(|m| MarkerReport { name: m.name.clone(), time_s: m.time_s, duration_s: m.duration_s })
                .collect(),
        })
        .collect()
}

fn track(track: &RawUserTrack) -> TrackReport {
    TrackReport { name: track.name.clone(), components: track.kind.components(), keys: track.keys.len() }
}

/// Lists longer than this are cut, unless all is asked for.
const SHORT: usize = 12;

/// Where a list of this length is cut.
fn cut(count: usize, all: bool) -> usize {
    if all || count <= SHORT + 2 { count } else { SHORT }
}

fn text(report: &Report, all: bool, out: &mut impl Write) -> Result<()> {
    let style = Style::stdout();
    let height = report.height_m.map_or(String::new(), |h| format!(", {h:.3} m high"));
    let (file, bytes) = (style.bold(&plain(&report.file)), grouped(report.bytes));
    writeln!(out, "{file}: {}, {bytes} bytes{height}", report.format)?;
    for (index, skeleton) in report.skeletons.iter().enumerate() {
        let name =
            if skeleton.name.is_empty() { String::new() } else { format!(" {:?}", plain(&skeleton.name)) };
        let moving = skeleton.moving_joints.map_or(String::new(), |count| format!(", {count} of them move"));
        let title = style.bold(&format!("skeleton {index}"));
        writeln!(out, "\n{title}{name}: {}{moving}", counted(skeleton.joints.len(), "joint", "joints"))?;
        let parents: Vec<Option<usize>> = skeleton.joints.iter().map(|joint| joint.parent).collect();
        for (joint, lines) in skeleton.joints.iter().zip(tree::lines(&parents)) {
            writeln!(out, "  {}{}", style.faint(&lines), plain(&joint.name))?;
        }
    }
    if !report.clips.is_empty() {
        writeln!(out)?;
        let mut table =
            Table::new(&["clip", "seconds", "loops", "m/s", "steps", "channels", "keys", "bytes"]);
        for clip in &report.clips {
            table.row(
                vec![
                    plain(&clip.name) + if clip.additive { " (added to a pose)" } else { "" },
                    format!("{:.3}", clip.seconds),
                    clip.looping.map_or("-", |looping| if looping { "yes" } else { "no" }).into(),
                    clip.speed.map_or_else(|| "-".into(), |speed| format!("{speed:.2}")),
                    clip.steps.map_or_else(|| "-".into(), |steps| steps.to_string()),
                    clip.moving_channels.to_string(),
                    grouped(clip.keys as u64),
                    clip.bytes.map_or_else(|| "-".into(), grouped),
                ],
                Tone::Plain,
            );
        }
        table.write(style, out)?;
        for clip in &report.clips {
            let name = plain(&clip.name);
            let shown = cut(clip.tracks.len(), all);
            for track in clip.tracks.iter().take(shown) {
                writeln!(out, "{name}: track {:?}, {} keys", plain(&track.name), track.keys)?;
            }
            if let Some(rest) = clip.tracks.get(shown..).filter(|rest| !rest.is_empty()) {
                let keys: usize = rest.iter().map(|t| t.keys).sum();
                writeln!(
                    out,
                    "{name}: {} more tracks, {} keys (--all shows them)",
                    rest.len(),
                    grouped(keys as u64)
                )?;
            }
            let shown = cut(clip.markers.len(), all);
            for marker in clip.markers.iter().take(shown) {
                writeln!(out, "{name}: marker {:?} at {:.3} s", plain(&marker.name), marker.time_s)?;
            }
            if clip.markers.len() > shown {
                writeln!(out, "{name}: {} more markers (--all shows them)", clip.markers.len() - shown)?;
            }
        }
    }
    for track in &report.tracks {
        writeln!(out, "track {:?}: {} keys of {} numbers", plain(&track.name), track.keys, track.components)?;
    }
    if !report.meshes.is_empty() {
        writeln!(out)?;
        let mut table = Table::new(&["mesh", "vertices", "triangles", "morph targets"]);
        for mesh in &report.meshes {
            let counts = [mesh.vertices, mesh.triangles, mesh.morphs.len()].map(|n| grouped(n as u64));
            table.row([vec![plain(&mesh.name)], counts.to_vec()].concat(), Tone::Plain);
        }
        table.write(style, out)?;
        for mesh in report.meshes.iter().filter(|mesh| mesh.laid_out) {
            let run = |run: &RunReport| {
                let joints = if run.influences == 1 { "joint" } else { "joints" };
                format!("{} follow {} {joints}", grouped(run.vertices as u64), run.influences)
            };
            let runs: Vec<String> = mesh.runs.iter().map(run).collect();
            let runs = if runs.is_empty() { "in another order".into() } else { runs.join(", ") };
            writeln!(out, "{}: vertices laid out: {runs}", plain(&mesh.name))?;
        }
    }
    surfaces::write(&report.materials, &report.images, all, style, out)?;
    databases::write(&report.matching, style, out)?;
    if !report.sections.is_empty() {
        writeln!(out)?;
        let mut table = Table::new(&["section", "name", "version", "offset", "bytes"]);
        let mut kinds: BTreeMap<&str, Vec<&SectionReport>> = BTreeMap::new();
        report.sections.iter().for_each(|s| kinds.entry(&s.kind).or_default().push(s));
        // Faces have hundreds of tracks and morph targets: a kind with many is one line.
        let many = |s: &SectionReport| kinds[s.kind.as_str()].len() > cut(kinds[s.kind.as_str()].len(), all);
        for s in &report.sections {
            if many(s) {
                let all = &kinds[s.kind.as_str()];
                if std::ptr::eq(all[0], s) {
                    let bytes: u64 = all.iter().map(|s| s.bytes).sum();
                    let name = format!("{} sections (--all shows them)", all.len());
                    let row = vec![
                        plain(&s.kind),
                        name,
                        s.version.to_string(),
                        s.offset.to_string(),
                        grouped(bytes),
                    ];
                    table.row(row, Tone::Plain);
                }
                continue;
            }
            let numbers = [s.version.to_string(), s.offset.to_string(), grouped(s.bytes)];
            table.row([vec![plain(&s.kind), plain(&s.name)], numbers.to_vec()].concat(), Tone::Plain);
        }
        table.write(style, out)?;
    }
    if let Some(stream) = &report.stream {
        let StreamReport { codec, blocks, joints, skeleton_identity } = stream;
        writeln!(out, "{blocks} blocks, {codec}, for the skeleton {skeleton_identity} of {joints} joints")?;
    }
    out.flush()?;
    let shown = if all { usize::MAX } else { warnings::SHOWN };
    warnings::write(&report.file, &report.warnings, shown)
}
