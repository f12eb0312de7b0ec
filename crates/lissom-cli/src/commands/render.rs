//! `lissom render`: a clip as a picture, drawn without a GPU.

use crate::commands::{graph::graph_of, replay};
use crate::options::{Reading, parsed, usage};
use crate::style::{counted, grouped, plain};
use anyhow::Result;
use lissom_build::{exact::clamp, recipe::parse_range};
use lissom_draw::{Image, gif};
use lissom_show::{
    figure::Body,
    files::write_whole,
    playable::{self, Playable},
    played::Played,
    progress,
    scene::{self, Shot, Style, View},
    stage::Stage,
};
use rayon::prelude::*;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Any file that Lissom reads: an archive (.lsm), a stream (.lcs, with --skeleton), or .glb, .gltf, .fbx, .bvh, .ozz,
    /// .acl.sjson
    file: PathBuf,
    /// The clip to draw: its name, the file's stem, its number from 0, or all [default: the first, or the rest pose
    /// of a file without clips]. What is too much for one picture becomes several: out-1.png, out-2.png, …
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// The picture to write: .png is a strip of moments, .gif moves
    #[arg(short, long, value_name = "FILE.png|gif")]
    output: PathBuf,
    /// Draw what a graph makes of the clips: one of the archive, or a .json file
    #[arg(long, value_name = "NAME|FILE.json", conflicts_with = "clip")]
    graph: Option<String>,
    /// A parameter of the graph, at the start or at a time: speed=2.4, speed=4@1.5, jump@2; may be given several times
    #[arg(long, value_name = "NAME=VALUE[@SECONDS]", requires = "graph")]
    set: Vec<String>,
    /// Draw what was recorded of a character of this archive (.lrec); --graph says which graph it played
    #[arg(long, value_name = "FILE.lrec", conflicts_with_all = ["clip", "set"])]
    recording: Option<PathBuf>,
    /// How long the graph plays, up to 60
    #[arg(long, value_name = "SECONDS", default_value_t = 4.0, requires = "graph")]
    seconds: f64,
    /// How many moments of the clip, 1 to 1000 [default: 8 in a strip, 25 a second in a .gif]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    frames: Option<u32>,
    /// Pixels of the whole picture [default: what suits the figure]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(u32, u32)>,
    /// The part to draw, in seconds: 0.5..2, 0.5.. or ..2
    #[arg(long, value_name = "A..B")]
    range: Option<String>,
    /// The camera of a .gif goes along with the figure [default: with what travels far]
    #[arg(long)]
    follow: bool,
    /// Where the camera stands
    #[arg(long, value_enum, default_value_t = ViewName::ThreeQuarter)]
    view: ViewName,
    /// The same by an angle: 0 is face to face, 90 from its left, 180 from behind, -90 from its right
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, conflicts_with = "view")]
    yaw: Option<f32>,
    /// Draw the bones over the mesh; without a mesh they are drawn anyway
    #[arg(long)]
    bones: bool,
    /// Print one JSON object about the picture
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Where the camera stands, as it is written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ViewName {
    /// Face to face
    Front,
    /// From its left
    Side,
    /// From behind
    Back,
    /// Between front and side
    ThreeQuarter,
}

impl ViewName {
    fn view(self) -> View {
        match self {
            Self::Front => View::Front,
            Self::Side => View::Side,
            Self::Back => View::Back,
            Self::ThreeQuarter => View::ThreeQuarter,
        }
    }
}

/// `WxH`, each 16 to 8192.
fn size(text: &str) -> Result<(u32, u32), String> {
    let parse = |s: &str| s.parse::<u32>().ok().filter(|v| (16..=8192).contains(v));
    let sides = text.split_once('x').and_then(|(w, h)| Some((parse(w)?, parse(h)?)));
    sides.ok_or_else(|| "a size is WIDTHxHEIGHT, each 16 to 8192, such as 800x450".into())
}

enum Kind {
    Png,
    Gif,
}

impl Arguments {
    /// What was recorded.
    fn replayed(&self) -> Result<Option<Played>> {
        let Some(path) = &self.recording else { return Ok(None) };
        let replay = replay::open(path, &self.file, self.graph.as_deref())?;
        Ok(Some(Played::of_recording(path.display().to_string(), replay)?))
    }
}

/// Draws a recording as `lissom render` does.
pub(crate) fn recording(
    archive: &Path,
    recording: &Path,
    graph: Option<&str>,
    output: &Path,
    out: &mut impl Write,
) -> Result<()> {
    let mut words: Vec<std::ffi::OsString> = vec!["render".into(), archive.into()];
    words.extend(["--recording".into(), recording.into(), "-o".into(), output.into()]);
    words.extend(graph.into_iter().flat_map(|graph| ["--graph".into(), graph.into()]));
    run(&<Words as clap::Parser>::try_parse_from(words)?.arguments, out)
}

/// The arguments alone, with what nobody says.
#[derive(clap::Parser)]
struct Words {
    #[command(flatten)]
    arguments: Arguments,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let extension = arguments.output.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    let kind = match extension.as_str() {
        "png" => Kind::Png,
        "gif" => Kind::Gif,
        _ => return usage(format!("{}: a picture is a .png or a .gif", arguments.output.display())),
    };
    let all = arguments.clip.as_deref() == Some("all");
    let asked = arguments.clip.as_deref().filter(|_| !all);
    let count = if all { usize::MAX } else { 1 };
    // What a file says is drawn as it says it: an archive as a game plays it, anything else as authored.
    let options = arguments.reading.options()?;
    let stage = match (&arguments.graph, &arguments.recording) {
        (None, None) => Stage::open_authored(&arguments.file, asked, &options, count)?,
        _ => Stage::open_whole(&arguments.file, None, &options, usize::MAX)?,
    };
    let stage = &stage;
    crate::warnings::write(&arguments.file.display().to_string(), &stage.warnings, crate::warnings::SHOWN)?;
    let played = match &arguments.graph {
        _ if arguments.recording.is_some() => arguments.replayed()?,
        None => None,
        Some(_) if !(0.0..=60.0).contains(&arguments.seconds) => {
            return usage(format!("--seconds {}: it must be 0 to 60", arguments.seconds));
        }
        Some(graph) => {
            let skeleton = stage.skeleton_name()?;
            let (name, graph) = graph_of(&stage.archive, graph)?;
            Some(Played::new(&stage.archive, skeleton, name, graph, &arguments.set, arguments.seconds)?)
        }
    };
    let shots = shots(stage, played.as_ref(), arguments.range.as_deref())?;
    let body = Body::new(stage)?;
    let view = match arguments.yaw {
        Some(degrees) if !degrees.is_finite() => return usage("--yaw: an angle is a number of degrees"),
        Some(degrees) => View::Degrees(degrees),
        None => arguments.view.view(),
    };
    let mut style = Style { view, ..Style::default() };
    style.look.bones = arguments.bones;
    style.look.materials = true;
    let duration_s: f64 = shots.iter().map(Shot::seconds).sum::<f64>() + 0.0;
    let pictures = match kind {
        Kind::Png => strips(&body, &shots, arguments, &style)?,
        Kind::Gif => films(&body, &shots, arguments, &style)?,
    };
    let outputs = outputs(&arguments.output, pictures.len());
    for (output, picture) in outputs.iter().zip(&pictures) {
        write_whole(output, &picture.bytes)?;
    }
    let frames: u32 = pictures.iter().map(|p| p.frames).sum();
    let bytes: usize = pictures.iter().map(|p| p.bytes.len()).sum();
    let (width, height) = pictures.first().map_or((0, 0), |p| p.size);
    let name = match shots.as_slice() {
        [Shot { clip: None, .. }] => "the rest pose".to_owned(),
        [one] => one.name().to_owned(),
        many => format!("{} clips", many.len()),
    };
    let shown: Vec<String> = outputs.iter().map(|output| output.display().to_string()).collect();
    if arguments.json {
        let clips: Vec<&str> = shots.iter().filter_map(|s| s.clip.map(Playable::name)).collect();
        let report = json!({
            "file": arguments.file.display().to_string(), "output": shown.first(), "outputs": shown,
            "clip": clips.first(), "clips": clips, "duration_s": duration_s, "frames": frames, "width": width,
            "height": height, "bytes": bytes, "vertices": stage.vertex_count(),
            "pictures_not_shown": body.unshown,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        return Ok(());
    }
    let path = match shown.as_slice() {
        [first, .., last] => format!("{first} to {last}"),
        _ => shown.concat(),
    };
    let size = grouped(bytes as u64);
    write!(out, "{path}: {}, {frames} frames, {width} x {height}, {size} bytes", plain(&name))?;
    match body.unshown {
        0 => writeln!(out)?,
        n => writeln!(
            out,
            "; {} not shown: only PNG, JPEG and WebP are",
            counted(n, "texture is", "textures are")
        )?,
    }
    Ok(())
}

/// A file to write.
struct Picture {
    bytes: Vec<u8>,
    /// Moments that it shows.
    frames: u32,
    size: (u32, u32),
}

/// The file itself, or as many as there are pictures: `walk-1.png`, `walk-2.png`.
fn outputs(asked: &Path, count: usize) -> Vec<PathBuf> {
    if count == 1 {
        return vec![asked.to_owned()];
    }
    let stem = asked.file_stem().unwrap_or_default().to_string_lossy();
    let extension = asked.extension().unwrap_or_default().to_string_lossy();
    let digits = count.to_string().len();
    (1..=count).map(|page| asked.with_file_name(format!("{stem}-{page:0digits$}.{extension}"))).collect()
}

/// A strip has this many moments at most.
const MOST_MOMENTS: u32 = 64;
/// Pictures are no higher than this by themselves, in pixels.
const HIGHEST_PAGE: u32 = 4096;
/// Strips of a picture of a given size are at least this high, in pixels.
const LOWEST_STRIP: u32 = 96;

/// Strips under each other, on as many pages as they need.
fn strips(body: &Body<'_>, shots: &[Shot<'_>], arguments: &Arguments, style: &Style) -> Result<Vec<Picture>> {
    let frames = |s: &Shot<'_>| if s.clip.is_some() { arguments.frames.unwrap_or(8) } else { 1 };
    let each = shots.iter().map(frames).max().unwrap_or(1);
    if each > MOST_MOMENTS {
        return usage(format!("{each} frames do not fit into a strip; {MOST_MOMENTS} do"));
    }
    // A size is that of a whole picture: its strips share it.
    let shared = arguments.size.map(|(width, height)| {
        let strips = (height / LOWEST_STRIP).max(1).min(shots.len() as u32);
        (strips, (width, (height / strips).max(16)))
    });
    let size = shared.map(|(_, size)| size);
    let mut pages = Vec::new();
    let mut page: Vec<(Image, u32)> = Vec::new();
    let finish = |page: &mut Vec<(Image, u32)>| {
        let (images, frames): (Vec<Image>, Vec<u32>) = page.drain(..).unzip();
        let image = scene::stacked(&images, style.paper);
        let size = (image.width, image.height);
        Ok::<_, anyhow::Error>(Picture { bytes: image.encode_png()?, frames: frames.iter().sum(), size })
    };
    // A few at a time: strips of hundreds of clips need not be in memory together.
    for few in shots.chunks(8) {
        let strip = |s: &Shot<'_>| Ok((scene::strip(body, s, frames(s), size, style)?, frames(s)));
        for (image, frames) in few.par_iter().map(strip).collect::<Result<Vec<_>>>()? {
            let height = page.iter().map(|(image, _)| image.height).sum::<u32>() + image.height;
            let full = match shared {
                Some((strips, _)) => page.len() as u32 == strips,
                None => height > HIGHEST_PAGE,
            };
            if full && !page.is_empty() {
                pages.push(finish(&mut page)?);
            }
            page.push((image, frames));
        }
    }
    pages.push(finish(&mut page)?);
    Ok(pages)
}

/// Clips one after the other, in as many films as they need.
fn films(body: &Body<'_>, shots: &[Shot<'_>], arguments: &Arguments, style: &Style) -> Result<Vec<Picture>> {
    let frames = |s: &Shot<'_>| match s.clip {
        Some(_) => {
            let own = clamp(libm::round(s.seconds() * 25.0), 1.0, 400.0) as u32;
            arguments.frames.unwrap_or(own)
        }
        None => 1,
    };
    let total: u32 = shots.iter().map(frames).sum();
    let bar = progress::bar(u64::from(total), "drawing");
    // Clips one after another need one size.
    let size = arguments.size.or((shots.len() > 1).then_some((480, 420)));
    let mut all = Vec::new();
    for few in shots.chunks(MOST_FILMS) {
        let mut images = Vec::new();
        for shot in few {
            let film = scene::film(body, shot, frames(shot), arguments.follow, size, style, || bar.inc(1));
            images.extend(film?);
        }
        let seconds: f64 = few.iter().map(Shot::seconds).sum();
        let size = images.first().map_or((0, 0), |i| (i.width, i.height));
        let bytes = gif::encode(&images, seconds)?;
        all.push(Picture { bytes, frames: few.iter().map(frames).sum(), size });
    }
    bar.finish_and_clear();
    Ok(all)
}

/// Clips one after the other in one film, at most.
const MOST_FILMS: usize = 20;

/// What is drawn: a graph, or every clip of the stage, or the rest pose of one without.
fn shots<'a>(stage: &'a Stage, played: Option<&'a Played>, range: Option<&str>) -> Result<Vec<Shot<'a>>> {
    let mut shots: Vec<Shot<'a>> = match played {
        Some(played) => vec![Shot::whole(Some(Playable::Graph(played)))],
        None => playable::of_stage(stage).into_iter().map(|c| Shot::whole(Some(c))).collect(),
    };
    if shots.is_empty() {
        shots.push(Shot::whole(None));
    }
    let Some(text) = range else { return Ok(shots) };
    let (from, to) = parsed("--range", text, parse_range)?;
    shots
        .into_iter()
        .map(|shot| match shot.part(from, to) {
            Some(part) => Ok(part),
            None => usage(format!("--range {text}: {} has {:.3} s", shot.name(), shot.seconds())),
        })
        .collect()
}
