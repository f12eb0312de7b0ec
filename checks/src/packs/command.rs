//! The command's smaller things.

use super::{Case, Packs};
use anyhow::{Context, Result, ensure};
use lissom_build::mesh::material::ImageHeader;
use serde_json::Value;
use std::{fs, path::Path};

pub const CASES: &[Case] = &[
    ("a graph is made of a pack with in-place gaits and a jump of three clips", platformer),
    ("a graph is made of a pack with gaits in all directions", cyberpunk),
    ("graphs are made of other packs", other_packs),
    ("a file without a gait gets no graph", no_gait),
    ("22 clips are shown on pages", pages),
    ("a face is seen from the front", face),
    ("a long clip name fits a narrow picture", narrow),
    ("a file of another program without graphs is no graph", no_graphs),
    ("inspect shows materials, a tree, and how many joints move", inspected),
    ("curves are in metres under a scaled armature", metres),
    ("times are told as people write them", rounded),
    ("meshes that were left out are no surprise", no_mesh),
    ("paths are whole in a pipe", whole_paths),
];

const PLATFORMER: &str = "platformer_game_pack/Character.glb";
const CYBERPUNK: &str = "cyberpunk_pack/Character.glb";
const FACE: &str = "gltf/facecap.glb";

/// Makes a graph, checks it, plays it with these settings; what `graph new` said.
fn played(packs: &Packs, end: &str, sets: &[&str]) -> Result<Value> {
    let file = packs.file(end)?;
    let (graph, picture) = (packs.temporary("new.json"), packs.temporary("new.png"));
    let said = packs.done(&[&"graph", &"new", &file, &"-o", &graph, &"--force", &"--json"])?;
    packs.done(&[&"graph", &"check", &graph, &"--clips", &file])?;
    let mut words: Vec<&dyn AsRef<std::ffi::OsStr>> =
        vec![&"render", &file, &"--graph", &graph, &"--frames", &"3", &"-o", &picture];
    sets.iter().for_each(|set| words.extend([&"--set" as &dyn AsRef<_>, set]));
    packs.done(&words)?;
    Ok(serde_json::from_str(&said)?)
}

/// The clip that has a role.
fn clip_of<'a>(said: &'a Value, role: &str) -> Result<&'a Value> {
    let used = said["used"].as_array().context("a list")?;
    used.iter().find(|used| used["role"] == role).with_context(|| format!("no {role}: {said}"))
}

fn platformer(packs: &Packs) -> Result<String> {
    let said = played(packs, PLATFORMER, &["speed=2", "jump@1", "speed=5@2"])?;
    for (role, clip) in [
        ("idle", "Idle"),
        ("walk", "Walk"),
        ("run", "Run"),
        ("jump start", "Jump"),
        ("in the air", "Jump_Idle"),
        ("landing", "Jump_Land"),
    ] {
        let found = clip_of(&said, role)?["clip"].as_str().unwrap_or_default();
        ensure!(found == format!("CharacterArmature|{clip}"), "{role} is {found}");
    }
    let speed =
        |role: &str| Ok::<_, anyhow::Error>(clip_of(&said, role)?["m_per_s"].as_f64().unwrap_or_default());
    let (walk, run) = (speed("walk")?, speed("run")?);
    ensure!(0.3 < walk && 1.3 * walk < run && run < 10.0, "walk {walk} m/s, run {run} m/s");
    let left = said["left_out"].as_array().map_or(0, Vec::len);
    Ok(format!(
        "idle, walk at {walk} m/s, run at {run} m/s, a jump in three parts; {left} clips are left out"
    ))
}

fn cyberpunk(packs: &Packs) -> Result<String> {
    let said = played(packs, CYBERPUNK, &["ahead=1.2", "left=3@1", "roll@2"])?;
    for role in ["run back", "run left", "run right"] {
        clip_of(&said, role)?;
    }
    ensure!(clip_of(&said, "idle")?["clip"] == "CharacterArmature|Idle_Neutral", "{said}");
    let used = said["used"].as_array().map_or(0, Vec::len);
    let clips = used + said["left_out"].as_array().map_or(0, Vec::len);
    Ok(format!("{used} of {clips} clips, gaits in four directions"))
}

fn other_packs(packs: &Packs) -> Result<String> {
    let mut seen = Vec::new();
    for end in [
        "single_knight_pack/KnightCharacter.glb",
        "ultimate_space_pack/Astronaut_FinnTheFrog-transformed.glb",
        "animations/horse-animations.glb",
    ] {
        let said = played(packs, end, &["speed=1"])?;
        for role in ["idle", "walk", "run"] {
            clip_of(&said, role).with_context(|| end.to_owned())?;
        }
        seen.push(format!("{} clips of {end}", said["used"].as_array().map_or(0, Vec::len)));
    }
    Ok(seen.join(", "))
}

fn no_gait(packs: &Packs) -> Result<String> {
    let out = packs.temporary("face.json");
    let said = packs.refused(&[&"graph", &"new", &packs.file(FACE)?, &"-o", &out])?;
    ensure!(said.contains("no clip is recognised as an idle, a walk or a run") && !out.exists(), "{said}");
    Ok("refused".into())
}

/// Pixels of a picture that the command wrote.
fn size_of(path: &Path) -> Result<[u32; 2]> {
    let header = ImageHeader::of(&fs::read(path)?).context("no picture")?;
    header.size.context("no size")
}

fn pages(packs: &Packs) -> Result<String> {
    let (file, out) = (packs.file(CYBERPUNK)?, packs.temporary("all.png"));
    let said =
        packs.done(&[&"render", &file, &"--clip", &"all", &"--frames", &"2", &"-o", &out, &"--json"])?;
    let report: Value = serde_json::from_str(&said)?;
    let outputs = report["outputs"].as_array().context("a list")?;
    ensure!(report["clips"].as_array().map(Vec::len) == Some(22) && outputs.len() > 1, "{report}");
    let mut highest = 0;
    for output in outputs {
        highest = highest.max(size_of(Path::new(output.as_str().context("a path")?))?[1]);
    }
    ensure!(highest <= 4096, "a page is {highest} pixels high");
    Ok(format!("{} pages, at most {highest} pixels high", outputs.len()))
}

/// Its eyes are called left and right as who looks at it sees them. A picture of a face takes more bytes than one of the back of a
/// head.
fn face(packs: &Packs) -> Result<String> {
    let file = packs.file(FACE)?;
    let bytes = |view: &str| {
        let out = packs.temporary("face.png");
        packs.done(&[
            &"render",
            &file,
            &"--view",
            &view,
            &"--frames",
            &"1",
            &"--size",
            &"300x300",
            &"-o",
            &out,
        ])?;
        Ok::<_, anyhow::Error>(fs::read(&out)?.len())
    };
    let (front, back) = (bytes("front")?, bytes("back")?);
    ensure!(5 * front > 6 * back, "{front} bytes from the front, {back} from behind");
    Ok(format!("{front} bytes from the front, {back} from behind"))
}

fn narrow(packs: &Packs) -> Result<String> {
    let (file, out) = (packs.file(CYBERPUNK)?, packs.temporary("narrow.png"));
    let words: [&dyn AsRef<std::ffi::OsStr>; 10] = [
        &"render",
        &file,
        &"--clip",
        &"Idle_Gun_Pointing",
        &"--frames",
        &"2",
        &"--size",
        &"150x140",
        &"-o",
        &out,
    ];
    packs.done(&words)?;
    ensure!(size_of(&out)? == [150, 140], "{:?}", size_of(&out)?);
    Ok("a picture of 150 x 140".into())
}

fn no_graphs(packs: &Packs) -> Result<String> {
    let said =
        packs.refused(&[&"graph", &"draw", &packs.file(PLATFORMER)?, &"-o", &packs.temporary("x.svg")])?;
    ensure!(said.contains("there is no graph in this file"), "{said}");
    Ok("there is no graph in this file".into())
}

fn inspected(packs: &Packs) -> Result<String> {
    let shown = packs.done(&[&"inspect", &packs.file(CYBERPUNK)?])?;
    for words in ["36 joints, ", " of them move", "├─ Foot.L", "│  └─ Foot.L_end", "Blade_Edge", "#ffd100"]
    {
        ensure!(shown.contains(words), "{words:?} is missing from {shown}");
    }
    ensure!(!shown.contains("\"\""), "something is called nothing");
    Ok("materials, branches, moving joints".into())
}

/// Hips of a body of 1.4 m are no 5 mm above their parent.
fn metres(packs: &Packs) -> Result<String> {
    let (file, out) = (packs.file(CYBERPUNK)?, packs.temporary("curves.svg"));
    packs.done(&[&"plot", &file, &"--clip", &"Walk", &"--joints", &"Body", &"-o", &out])?;
    let drawing = fs::read_to_string(&out)?;
    ensure!(drawing.contains("translation, metres") && drawing.contains(">0.5<"), "no half metre: {drawing}");
    ensure!(!drawing.contains(">0.005<"), "five millimetres");
    Ok("Body is at half a metre".into())
}

fn rounded(packs: &Packs) -> Result<String> {
    let (file, out) = (packs.file(CYBERPUNK)?, packs.temporary("trim.lsm"));
    let said =
        packs.refused(&[&"import", &file, &"--clip", &"HitRecieve", &"--trim", &"5..9", &"-o", &out])?;
    ensure!(said.contains("not inside 0 to 0.5417 s"), "{said}");
    Ok("0.5417 s".into())
}

fn no_mesh(packs: &Packs) -> Result<String> {
    let (file, out) = (packs.file(CYBERPUNK)?, packs.temporary("bones.lsm"));
    let words: [&dyn AsRef<std::ffi::OsStr>; 8] =
        [&"import", &file, &"--no-mesh", &"--clip", &"Walk", &"--effort=fast", &"-o", &out];
    let ended = packs.lissom(&words)?;
    ensure!(
        ended.status.is_some_and(|s| s.success()) && !ended.error.contains("not carried"),
        "{}",
        ended.error
    );
    Ok("no warning".into())
}

fn whole_paths(packs: &Packs) -> Result<String> {
    let (file, out) = (packs.file(CYBERPUNK)?, packs.temporary("paths.lsm"));
    let said =
        packs.done(&[&"import", &file, &"--clip", &"Walk", &"--effort=fast", &"--force", &"-o", &out])?;
    ensure!(said.contains(&file.display().to_string()) && !said.contains('…'), "{said}");
    Ok("the table has the whole path".into())
}
