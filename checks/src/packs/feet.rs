//! Contacts, gaits and root motion from feet.

use super::{Case, Packs};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;

pub const CASES: &[Case] = &[
    ("a capture floor that rises hides no stance", |packs| stances(packs, "007/07_12.bvh", "", [3, 3])),
    ("a brisk walk on a sloping floor has its steps", |packs| stances(packs, "008/08_10.bvh", "", [2, 3])),
    ("a run on the spot has both feet", |packs| stances(packs, PLATFORMER, "Run", [1, 1])),
    // Its last pose is not its first, so it is no loop: the stance that goes on through its ends is two contacts, and one step.
    ("a walk on the spot is not doubled", |packs| stances(packs, PLATFORMER, "Walk", [2, 1])),
    ("a run of an astronaut has both feet", |packs| stances(packs, ASTRONAUT, "Run", [1, 1])),
    ("a walk of an astronaut is not doubled", |packs| stances(packs, ASTRONAUT, "Walk", [1, 1])),
    ("a gap of 0.05 s in a stance is closed", |packs| stances(packs, KNIGHT, "Walking", [1, 1])),
    ("a contact over a seam is one step", |packs| stances(packs, CYBERPUNK, "Run_Back", [1, 1])),
    ("gaits of runs on the spot", gaits),
    ("root motion from feet", from_feet),
    ("contacts that find nothing are told", silence),
    ("inspect tells speed, steps and loops of a source", inspected),
];

const PLATFORMER: &str = "platformer_game_pack/Character.glb";
const ASTRONAUT: &str = "ultimate_space_pack/Astronaut_FinnTheFrog-transformed.glb";
const KNIGHT: &str = "single_knight_pack/KnightCharacter.glb";
const CYBERPUNK: &str = "cyberpunk_pack/Character.glb";
/// Metres per unit of CMU's files.
const CMU: &str = "0.056444";

/// Imports a file with an option, and gives what `inspect` says of the clip that ends so.
fn imported(packs: &Packs, end: &str, clip: &str, option: &str) -> Result<Value> {
    let out = packs.temporary("feet.lsm");
    let unit = if end.ends_with(".bvh") { CMU } else { "auto" };
    packs.done(&[&"import", &packs.file(end)?, &"--no-mesh", &"--unit", &unit, &option, &"-o", &out])?;
    clip_of(&packs.done(&[&"inspect", &out, &"--json"])?, clip)
}

fn clip_of(report: &str, clip: &str) -> Result<Value> {
    let report: Value = serde_json::from_str(report)?;
    let is = |value: &&Value| {
        let name = value["name"].as_str().unwrap_or_default();
        clip.is_empty() || name.rsplit('|').next() == Some(clip)
    };
    report["clips"].as_array().into_iter().flatten().find(is).cloned().with_context(|| format!("no {clip}"))
}

/// Contacts of each foot as a user gets them; what goes on through the end of a loop counts once. Steps are those contacts that do not start the
/// clip, or all of a loop.
fn stances(packs: &Packs, end: &str, clip: &str, wanted: [usize; 2]) -> Result<String> {
    let clip = imported(packs, end, clip, "--contacts")?;
    let (seconds, loops) = (clip["seconds"].as_f64().unwrap_or(0.0), clip["looping"] == true);
    let mut seen = Vec::new();
    for (side, wanted) in ["left", "right"].into_iter().zip(wanted) {
        let of = |name: String| {
            clip["markers"].as_array().into_iter().flatten().filter(move |m| m["name"] == name.as_str())
        };
        let spans: Vec<(f64, f64)> = of(format!("contact_{side}"))
            .map(|m| (m["time_s"].as_f64().unwrap_or(0.0), m["duration_s"].as_f64().unwrap_or(0.0)))
            .collect();
        let starts = spans.iter().filter(|(from, _)| *from <= 0.0).count();
        let ends = spans.iter().filter(|(from, lasts)| from + lasts >= seconds - 1e-6).count();
        let over = usize::from(loops && starts > 0 && ends > 0 && spans.len() > 1);
        let (found, steps) = (spans.len() - over, of(format!("step_{side}")).count());
        ensure!(found == wanted, "{side}: {found} stances, not {wanted}: {spans:?}");
        let stepped = if loops { found } else { found - starts };
        ensure!(steps == stepped, "{side}: {steps} steps of {stepped} stances: {spans:?}");
        seen.push(format!("{side} {found}"));
    }
    Ok(seen.join(", "))
}

fn gaits(packs: &Packs) -> Result<String> {
    let mut seen = Vec::new();
    for (end, clip) in [(PLATFORMER, "Run"), (ASTRONAUT, "Run"), (CYBERPUNK, "Run_Back"), (KNIGHT, "Walking")]
    {
        let out = packs.temporary("gait.lsm");
        packs.done(&[
            &"import",
            &packs.file(end)?,
            &"--no-mesh",
            &"--clip",
            &clip,
            &"--gait",
            &"--contacts",
            &"-o",
            &out,
        ])?;
        let report = clip_of(&packs.done(&[&"inspect", &out, &"--json"])?, clip)?;
        let tracks: Vec<&str> =
            report["tracks"].as_array().into_iter().flatten().filter_map(|t| t["name"].as_str()).collect();
        ensure!(tracks.contains(&"gait/phase") && tracks.contains(&"gait/speed"), "{clip}: {tracks:?}");
        ensure!(report["steps"] == 2, "{clip}: {} steps", report["steps"]);
        seen.push(format!("{clip} {:.2} m/s", report["speed"].as_f64().unwrap_or(0.0)));
    }
    Ok(seen.join(", "))
}

fn from_feet(packs: &Packs) -> Result<String> {
    let out = packs.temporary("rooted.lsm");
    let import = |file: &std::path::Path, clip: &str| {
        packs.done(&[
            &"import",
            &file,
            &"--no-mesh",
            &"--clip",
            &clip,
            &"--root-motion=from feet",
            &"-o",
            &out,
        ])
    };
    import(packs.file(CYBERPUNK)?, "Run")?;
    let run = clip_of(&packs.done(&[&"inspect", &out, &"--json"])?, "Run")?;
    let tracks: Vec<&str> =
        run["tracks"].as_array().into_iter().flatten().filter_map(|t| t["name"].as_str()).collect();
    ensure!(tracks.contains(&"root/translation"), "{tracks:?}");
    // With it the motion travels: its feet stand, and the speed is that of its way.
    let speed = run["speed"].as_f64().unwrap_or(0.0);
    ensure!((2.0..4.5).contains(&speed), "{speed} m/s");
    // A clip that travels is refused, with words.
    let walk = packs.file("007/07_12.bvh")?;
    let said =
        packs.refused(&[&"import", &walk, &"--unit", &CMU, &"--root-motion=from feet", &"-o", &out])?;
    ensure!(said.contains("travels") && said.contains("root-motion = true"), "{said}");
    Ok(format!("{speed:.2} m/s; a walk that travels is refused"))
}

fn silence(packs: &Packs) -> Result<String> {
    let recipe = packs.temporary("silence.toml");
    fs::write(&recipe, "[clips.\"*\"]\ncontacts = { height = \"0.001mm\" }\n")?;
    let out = packs.temporary("silent.lsm");
    let file = packs.file(CYBERPUNK)?;
    let ended = packs.lissom(&[
        &"import",
        &file,
        &"--no-mesh",
        &"--clip",
        &"Run",
        &"--config",
        &recipe,
        &"-o",
        &out,
    ])?;
    ensure!(ended.error.contains("no foot stands in it"), "{}{}", ended.output, ended.error);
    Ok("told".into())
}

fn inspected(packs: &Packs) -> Result<String> {
    let report = packs.done(&[&"inspect", &packs.file(CYBERPUNK)?, &"--json"])?;
    let back = clip_of(&report, "Run_Back")?;
    ensure!(back["looping"] == true && back["steps"] == 2, "{} {}", back["looping"], back["steps"]);
    let speed = back["speed"].as_f64().unwrap_or(0.0);
    ensure!((2.0..4.5).contains(&speed), "{speed} m/s");
    ensure!(clip_of(&report, "Death")?["looping"] == false, "a death loops");
    Ok(format!("Run_Back loops, {speed:.2} m/s, 2 steps"))
}
