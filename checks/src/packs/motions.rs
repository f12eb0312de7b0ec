//! A character in one file, its motions in others; clips by short names; archives that are imported again.

use super::{Case, Packs};
use anyhow::{Context, Result, ensure};
use lissom::archive::{AlignedBytes, ArchiveView, Limits, SectionKind};
use lissom_build::{
    exact::{Trs, V3, larger},
    import::{self, ImportLimits, ImportOptions, lsm},
    mesh::model_matrices,
    raw::RawJoint,
};
use std::{collections::BTreeMap, fs, path::Path};

pub const CASES: &[Case] = &[
    ("motions: taken as they are where the bones are the same", same_bones),
    ("motions: of another body, refused", another_body),
    ("motions: of another kind of body, refused", another_kind),
    ("motions: a clip by the last part of its name", short_names),
    ("motions: joints of masks, parameters and masks by name", names_in_graphs),
    ("motions: one cause, one message", one_message),
    ("motions: an archive imported again", again),
    ("motions: a graph for an archive", graph_for_an_archive),
    ("motions: files of one name in two folders", one_name_twice),
];

/// What the cooked poses may be off the merged ones: the precision, and what f32 rounds.
const PRECISION_M: f64 = 1.01e-4;
const CYBERPUNK: &str = "cyberpunk_pack/Character.glb";

/// Motions whose nodes stand in a frame of theirs: on the character they are as if their channels were merged into it by
/// the names of nodes, which is what engines do.
fn same_bones(packs: &Packs) -> Result<String> {
    let body = packs.file("models/bitmoji.glb")?;
    let motions = ["walk", "run", "jump-flip"];
    let [walk, run, flip] = motions.map(|name| packs.file(&format!("bitmoji/{name}.glb")));
    let files = [walk?, run?, flip?];
    let out = packs.temporary("bitmoji.lsm");
    let said = packs.done(&[
        &"import",
        &body,
        &files[0],
        &files[1],
        &files[2],
        &"--skeleton",
        &body,
        &"-o",
        &out,
    ])?;
    ensure!(said.lines().filter(|line| line.trim_end().ends_with("as is")).count() == 3, "{said}");
    let cooked = lsm::read(&fs::read(&out)?, &ImportLimits::default())?;
    let target = import::open_skeleton(body, &ImportOptions::default())?.skeleton;
    let mut worst: f64 = 0.0;
    for (name, file) in motions.iter().zip(files) {
        let source = import::open(file, &ImportOptions::default())?;
        let own = &source.skeletons.first().context("no skeleton")?.skeleton;
        let motion = &source.animations.first().context("no motion")?.motion;
        let animation = cooked.animations.iter().find(|a| a.motion.name == motion.name);
        let animation = animation.with_context(|| format!("no clip {name}"))?;
        let skeleton = &cooked.skeletons[animation.skeleton.context("no skeleton")?].skeleton;
        for step in 0..=40 {
            let time = motion.duration_s * f64::from(step) / 40.0;
            let local = motion.pose(own, time);
            let merged = |joint: &RawJoint| {
                let Some(at) = own.joints.iter().position(|j| j.name == joint.name) else {
                    return joint.rest;
                };
                let (track, pose, mut merged) = (&motion.tracks[at], local[at], joint.rest);
                if !track.translation.keys.is_empty() {
                    merged.translation = pose.translation;
                }
                if !track.rotation.keys.is_empty() {
                    merged.rotation = pose.rotation;
                }
                if !track.scale.keys.is_empty() {
                    merged.scale = pose.scale;
                }
                merged
            };
            let expected: Vec<Trs> = target.joints.iter().map(merged).collect();
            let expected = model_matrices(&target, &expected);
            let found = model_matrices(skeleton, &animation.motion.pose(skeleton, time));
            for (joint, expected) in target.joints.iter().zip(&expected) {
                let at =
                    skeleton.joints.iter().position(|j| j.name == joint.name).context("a joint is lost")?;
                let off = found[at].mul_point(V3::ZERO).distance(expected.mul_point(V3::ZERO));
                ensure!(off <= PRECISION_M, "{name} at {time} s: {} is {off} m off", joint.name);
                worst = larger(worst, off);
            }
        }
    }
    Ok(format!("walk, run, jump-flip: at most {:.4} mm off channels merged by name", worst * 1e3))
}

/// *Praying* of one Mixamo body on another: the names agree, the bones do not.
fn another_body(packs: &Packs) -> Result<String> {
    let motion = packs.file("Animations/Praying.glb")?;
    let body = packs.file("Characters/goblin_d_shareyko_optimized.glb")?;
    let out = packs.temporary("praying.lsm");
    let said = packs.refused(&[&"import", &motion, &"--skeleton", &body, &"-o", &out])?;
    ensure!(said.contains("rests in another pose than the skeleton"), "{said}");
    ensure!(["--retarget", "--as-is", "--rebase"].iter().all(|option| said.contains(option)), "{said}");
    ensure!(!out.exists(), "something was written");
    packs.done(&[&"import", &motion, &"--skeleton", &body, &"--as-is", &"-o", &out])?;
    Ok(said)
}

fn another_kind(packs: &Packs) -> Result<String> {
    let motion = packs.file("animations/horse-animations.glb")?;
    let body = packs.file("models-variation/fox-dog.glb")?;
    let out = packs.temporary("fox.lsm");
    let said = packs.refused(&[&"import", &motion, &"--skeleton", &body, &"-o", &out])?;
    ensure!(said.contains("only 2 of its 57 joints") && said.contains("at least 13"), "{said}");
    ensure!(!out.exists(), "something was written");
    Ok(said)
}

/// `Idle` is not `Jump_Idle`; recipes and graphs find the same clips as `--clip`.
fn short_names(packs: &Packs) -> Result<String> {
    let file = packs.file(CYBERPUNK)?;
    let recipe =
        "effort = 'fast'\n[clips.'CharacterArmature|*']\nname = '*'\n[clips.Walk]\nevents = { mine = 0.1 }\n";
    let (config, graph) = (packs.temporary("short.toml"), packs.temporary("short.json"));
    fs::write(&config, recipe)?;
    fs::write(&graph, r#"{ "layers": [{ "name": "body", "states": [{ "name": "a", "clip": "walk" }] }] }"#)?;
    let idle = packs.file("platformer_game_pack/Character.glb")?;
    let seen = packs.done(&[&"sample", &idle, &"--clip", &"Idle", &"--time", &"0", &"--json"])?;
    ensure!(seen.contains("CharacterArmature|Idle"), "{seen}");
    // The recipe renames the clips, and the check knows it.
    packs.done(&[&"graph", &"check", &graph, &"--clips", &file, &"--config", &config])?;
    let out = packs.temporary("short.lsm");
    let ended = packs.lissom(&[&"import", &file, &"--graph", &graph, &"--config", &config, &"-o", &out])?;
    ensure!(ended.status.is_some_and(|s| s.success()) && !ended.error.contains("no clip"), "{}", ended.error);
    let scene = lsm::read(&fs::read(&out)?, &ImportLimits::default())?;
    let walk = scene.animations.iter().find(|a| a.motion.name == "Walk").context("no Walk")?;
    ensure!(walk.markers.iter().any(|m| m.name == "mine"), "[clips.Walk] was not followed");
    let graph = scene.graphs.iter().find(|graph| graph.name == "short").context("no graph")?;
    let motion = &graph.parts.layers[0].states[0].motion;
    ensure!(format!("{motion:?}").contains("\"Walk\""), "the graph plays {motion:?}");
    Ok("--clip Idle, [clips.Walk] and a graph's walk find their clips".into())
}

fn names_in_graphs(packs: &Packs) -> Result<String> {
    let file = packs.file(CYBERPUNK)?;
    let (graph, out) = (packs.temporary("names.json"), packs.temporary("names.lsm"));
    let mut seen = Vec::new();
    let text = |joint: &str, mask: &str, by: &str| {
        format!(
            "{{ \"parameters\": {{ \"speed\": {{ \"float\": 1 }} }},\n\
             \"masks\": {{ \"upper\": [\n{{ \"joint\": \"{joint}\" }}] }},\n\
             \"layers\": [{{ \"name\": \"b\", \"mask\": \"{mask}\", \"states\": [{{ \"name\": \"a\", \"clip\": \"Walk\", \
             \"speed_from\": \"{by}\" }}] }}] }}"
        )
    };
    for (wrong, line, meant) in [
        (text("Abdomenn", "upper", "speed"), 3, "no joint called \"Abdomenn\" (did you mean \"Abdomen\"?)"),
        (text("Abdomen", "uper", "speed"), 4, "no mask called \"uper\" (did you mean \"upper\"?)"),
        (text("Abdomen", "upper", "sped"), 4, "no parameter called \"sped\" (did you mean \"speed\"?)"),
    ] {
        fs::write(&graph, wrong)?;
        let ended = packs.lissom(&[&"graph", &"check", &graph, &"--clips", &file])?;
        let expected = format!("line {line}, ");
        ensure!(ended.output.contains(&expected) && ended.output.contains(meant), "{}", ended.output);
        let said = packs.refused(&[&"import", &file, &"--graph", &graph, &"-o", &out])?;
        ensure!(said.contains(&expected) && said.contains(meant) && !out.exists(), "{said}");
        seen.push(meant);
    }
    fs::write(&graph, text("Abdomen", "upper", "speed"))?;
    packs.done(&[&"graph", &"check", &graph, &"--clips", &file])?;
    Ok(seen.join("; "))
}

/// A clip that is refused takes its file along; nobody complains of what is missing then.
fn one_message(packs: &Packs) -> Result<String> {
    let file = packs.file(CYBERPUNK)?;
    let (config, graph, out) =
        (packs.temporary("one.toml"), packs.temporary("one.json"), packs.temporary("one.lsm"));
    fs::write(&config, "[clips.Death]\nloop = true\n[clips.'CharacterArmature|Run']\nrate = 30\n")?;
    fs::write(&graph, r#"{ "layers": [{ "name": "body", "states": [{ "name": "a", "clip": "Walk" }] }] }"#)?;
    let said = packs.refused(&[&"import", &file, &"--config", &config, &"--graph", &graph, &"-o", &out])?;
    ensure!(said.lines().count() == 1 && said.contains("loop (line 2 of the recipe)"), "{said}");
    let wrong = packs.lissom(&[&"import", &file, &"--precision", &"1e30", &"-o", &out])?;
    ensure!(!wrong.error.contains("1e30mm") && wrong.error.contains("0.1mm"), "{}", wrong.error);
    Ok(said)
}

/// The bytes of every clip, by name.
fn clips(path: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let bytes = AlignedBytes::of_archive(&fs::read(path)?, &Limits::default())?;
    let archive = ArchiveView::read(&bytes, &Limits::default())?;
    let clips = archive.sections().iter().filter(|s| s.kind == SectionKind::Clip);
    Ok(clips.map(|s| (s.name.to_owned(), s.payload.to_vec())).collect())
}

/// Clips that nothing changes are copied, whatever the first import was asked for; those that are cooked again are told.
fn again(packs: &Packs) -> Result<String> {
    let file = packs.file(CYBERPUNK)?;
    let (first, second) = (packs.temporary("first.lsm"), packs.temporary("second.lsm"));
    let mut compared = 0;
    for asked in [["--form", "rows"], ["--effort", "default"], ["--precision", "0.1mm"], ["--effort", "fast"]]
    {
        packs.done(&[&"import", &file, &asked[0], &asked[1], &"-o", &first])?;
        let said = packs.done(&[&"import", &first, &"-o", &second])?;
        ensure!(said.contains("copied"), "{asked:?}: {said}");
        let (before, after) = (clips(&first)?, clips(&second)?);
        ensure!(before == after && before.len() == 22, "{asked:?}: clips differ");
        compared += before.len();
    }
    // Finer than they are cannot be had; coarser can.
    packs.done(&[&"import", &first, &"--precision", &"0.05mm", &"-o", &second])?;
    ensure!(clips(&first)? == clips(&second)?, "a finer precision changes clips");
    let ended = packs.lissom(&[&"import", &first, &"--precision", &"1mm", &"-o", &second])?;
    ensure!(ended.error.contains("22 of 22 clips were cooked again"), "{}", ended.error);
    ensure!(clips(&first)? != clips(&second)?, "a coarser precision changes nothing");
    Ok(format!("{compared} clips copied byte by byte; cooked again, they say so"))
}

fn graph_for_an_archive(packs: &Packs) -> Result<String> {
    let file = packs.file(CYBERPUNK)?;
    let (archive, graph) = (packs.temporary("plain.lsm"), packs.temporary("moves.json"));
    packs.done(&[&"import", &file, &"--effort", &"fast", &"-o", &archive])?;
    let before = clips(&archive)?;
    fs::write(
        &graph,
        r#"{ "layers": [{ "name": "body", "states": [{ "name": "a", "clip": "Idle_Neutral" }] }] }"#,
    )?;
    let said = packs.done(&[&"graph", &"add", &archive, &graph])?;
    ensure!(before == clips(&archive)?, "clips changed");
    packs.done(&[&"graph", &"check", &archive])?;
    fs::write(
        &graph,
        r#"{ "layers": [{ "name": "body", "states": [{ "name": "a", "clip": "Idle_Netural" }] }] }"#,
    )?;
    let refused = packs.refused(&[&"graph", &"add", &archive, &graph])?;
    ensure!(refused.contains("did you mean \"CharacterArmature|Idle_Neutral\""), "{refused}");
    Ok(said.replace(packs.place.to_string_lossy().as_ref(), ""))
}

fn one_name_twice(packs: &Packs) -> Result<String> {
    let file = packs.file("bitmoji/walk.glb")?;
    for folder in ["a", "b"] {
        let folder = packs.temporary("twice").join(folder);
        fs::create_dir_all(&folder)?;
        fs::copy(file, folder.join("walk.glb"))?;
    }
    let out = packs.temporary("twice_out/");
    let ended = packs.lissom(&[&"import", &"twice/a", &"twice/b", &"-o", &out])?;
    ensure!(ended.error.contains("the folder that holds both"), "{}", ended.error);
    packs.done(&[&"import", &"twice", &"-o", &out])?;
    ensure!(out.join("a/walk.lsm").is_file() && out.join("b/walk.lsm").is_file(), "not both are there");
    Ok("the message names the way out, and it leads there".into())
}
