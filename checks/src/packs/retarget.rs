//! Motions brought onto other rigs.

use super::{Case, Packs};
use anyhow::{Context, Result, ensure};
use lissom_build::{
    exact::{V3, larger, smaller},
    import::{self, ImportOptions, Unit},
    mesh::model_matrices,
    raw::RawSkeleton,
    recipe::GOALS,
    scene::Scene,
};

pub const CASES: &[Case] = &[
    ("forearms of an A-pose on a T-pose", forearms),
    ("hands called Fist are in the table", fists),
    ("praying, from short legs and long arms", praying),
    ("feet that hang on the root", hanging_feet),
    ("a horse is no human", horses),
];

/// Degrees that a limb may point away from the source's.
const POINTS_DEG: f64 = 10.0;
/// Looks a second.
const RATE_HZ: f64 = 15.0;

/// The motions of a file on the skeleton of another.
fn brought(packs: &Packs, source: &str, target: &str, goals: &str, unit: Unit) -> Result<Scene> {
    let goals = GOALS.iter().find(|(name, _)| *name == goals).context("known goals")?.1;
    let retarget = Some(packs.file(target)?.to_owned());
    let options = ImportOptions { retarget, goals, unit, no_images: true, ..ImportOptions::default() };
    Ok(import::open(packs.file(source)?, &options)?)
}

fn joint(skeleton: &RawSkeleton, name: &str) -> Result<usize> {
    skeleton.joints.iter().position(|joint| joint.name == name).with_context(|| format!("no joint {name:?}"))
}

/// Where the joints of a clip are at a time.
fn places(scene: &Scene, clip: usize, time_s: f64) -> Vec<V3> {
    let skeleton = &scene.skeletons[0].skeleton;
    let pose = scene.animations[clip].motion.pose(skeleton, time_s);
    model_matrices(skeleton, &pose).iter().map(|model| model.columns[3]).collect()
}

fn times(scene: &Scene, clip: usize) -> impl Iterator<Item = f64> + use<> {
    let duration_s = scene.animations[clip].motion.duration_s;
    (0..=(duration_s * RATE_HZ) as usize).map(move |look| smaller(look as f64 / RATE_HZ, duration_s))
}

/// Both files have the same names, and look along the same axis.
fn forearms(packs: &Packs) -> Result<String> {
    let (moves, body) =
        ("platformer_game_pack/Character.glb", "platformer_game_pack/Character_HumanoidRig.glb");
    let source = import::open(packs.file(moves)?, &ImportOptions::default())?;
    let target = brought(packs, moves, body, "none", Unit::Auto)?;
    let (mut worst, mut looks) = ((0.0, String::new()), 0);
    for clip in 0..source.animations.len() {
        for time_s in times(&source, clip) {
            let (from, to) = (places(&source, clip, time_s), places(&target, clip, time_s));
            for (start, end) in [
                ("UpperArm", "LowerArm"),
                ("LowerArm", "Fist"),
                ("Fist", "Fist_end"),
                ("UpperLeg", "LowerLeg"),
            ] {
                for side in ["L", "R"] {
                    let name = |word: &str| match word.strip_suffix("_end") {
                        Some(word) => format!("{word}.{side}_end"),
                        None => format!("{word}.{side}"),
                    };
                    let way = |scene: &Scene, at: &[V3]| -> Result<V3> {
                        let skeleton = &scene.skeletons[0].skeleton;
                        let ends = [joint(skeleton, &name(start))?, joint(skeleton, &name(end))?];
                        Ok((at[ends[1]] - at[ends[0]]).normalize_or(V3::X))
                    };
                    let cosine = way(&source, &from)?.dot(way(&target, &to)?);
                    let degrees = libm::acos(smaller(larger(cosine, -1.0), 1.0)).to_degrees();
                    looks += 1;
                    if degrees > worst.0 {
                        worst =
                            (degrees, format!("{start}.{side} of {}", source.animations[clip].motion.name));
                    }
                }
            }
        }
    }
    ensure!(looks > 2_000, "{looks} looks");
    ensure!(worst.0 < POINTS_DEG, "{} points {:.1} degrees away", worst.1, worst.0);
    Ok(format!("{looks} looks, at most {:.2} degrees off ({})", worst.0, worst.1))
}

fn fists(packs: &Packs) -> Result<String> {
    let (moves, body) =
        ("platformer_game_pack/Character.glb", "platformer_game_pack/Character_HumanoidRig.glb");
    let (moves, body) = (packs.file(moves)?, packs.file(body)?);
    let table = packs.done(&[&"retarget", &moves, &body, &"--table"])?;
    let row = table.lines().find(|line| line.starts_with("left hand")).context("a row for the left hand")?;
    let cells: Vec<&str> = row.split_whitespace().collect();
    ensure!(cells == ["left", "hand", "Fist.L", "name", "Fist.L", "name"], "{row}");
    ensure!(table.contains("Ear3.L") && table.contains("same name"), "ears go along:\n{table}");
    let told = packs.lissom(&[&"retarget", &moves, &body, &"--bone", &"left_hand=Fist.LL"])?;
    ensure!(told.error.contains("did you mean \"Fist.L\"?"), "{}", told.error);
    Ok(row.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The goblin has short legs and long arms; whatever goals are asked for, hands are at the face, knees on the floor, and nothing is in it.
fn praying(packs: &Packs) -> Result<String> {
    let mut told = Vec::new();
    let mut free_below = 0.0;
    for goals in ["none", "feet", "hands", "all"] {
        let scene = brought(packs, "Animations/Praying.glb", "modular_men/Swat.glb", goals, Unit::Auto)?;
        let skeleton = &scene.skeletons[0].skeleton;
        let find = |word: &str, side: &str| joint(skeleton, &format!("{word}.{side}"));
        let at = places(&scene, 0, 0.0);
        let head = at[joint(skeleton, "Head")?];
        let hands = [at[find("Hand", "L")?], at[find("Hand", "R")?]];
        let knees = [at[find("LowerLeg", "L")?].y, at[find("LowerLeg", "R")?].y];
        for hand in hands {
            let below = head.y - hand.y;
            ensure!((-0.05..0.30).contains(&below), "{goals}: a hand is {below:.2} m below the head");
        }
        let apart = hands[0].distance(hands[1]);
        ensure!(apart < 0.25, "{goals}: hands are {apart:.2} m apart");
        ensure!(knees.iter().all(|knee| (-0.02..0.14).contains(knee)), "{goals}: knees at {knees:?} m");
        // The lowest that a foot is, over the whole motion.
        let mut below: f64 = 0.0;
        for time_s in times(&scene, 0) {
            let at = places(&scene, 0, time_s);
            for side in ["L", "R"] {
                below = larger(below, -at[joint(skeleton, &format!("Foot.{side}_end"))?].y);
            }
        }
        if goals == "none" {
            free_below = below;
        }
        ensure!(
            below < free_below + 0.01,
            "{goals}: feet are {below:.3} m below the floor, {free_below:.3} without"
        );
        told.push(format!(
            "{goals}: hands {apart:.2} m apart, knees {:.2} m, feet {below:.2} m below",
            knees[0]
        ));
    }
    Ok(told.join("; "))
}

fn hanging_feet(packs: &Packs) -> Result<String> {
    let unit = Unit::Metres(0.056_444);
    let scene = brought(packs, "035/35_18.bvh", "single_knight_pack/KnightCharacter.glb", "none", unit)?;
    let skeleton = &scene.skeletons[0].skeleton;
    let rest: Vec<_> = skeleton.joints.iter().map(|joint| joint.rest).collect();
    let resting: Vec<V3> = model_matrices(skeleton, &rest).iter().map(|model| model.columns[3]).collect();
    let mut worst = 0.0;
    for side in ["L", "R"] {
        let [foot, shin] = [format!("Foot.{side}"), format!("LowerLeg.{side}_end")];
        let (foot, shin) = (joint(skeleton, &foot)?, joint(skeleton, &shin)?);
        let gap = resting[foot].distance(resting[shin]);
        for time_s in times(&scene, 0) {
            let at = places(&scene, 0, time_s);
            worst = larger(worst, (at[foot].distance(at[shin]) - gap).abs());
        }
    }
    // The knight is 5.4 m high.
    ensure!(worst < 0.02, "a foot is {worst:.3} m off the end of its shin");
    Ok(format!("at most {:.2} mm off the end of the shin", worst * 1e3))
}

fn horses(packs: &Packs) -> Result<String> {
    let (horse, man) = (packs.file("horse-animations.glb")?, packs.file("modular_men/Swat.glb")?);
    let mut told = String::new();
    for [source, target] in [[horse, man], [man, horse]] {
        told = packs.refused(&[&"retarget", &source, &target])?;
        ensure!(told.contains("is no human"), "{told}");
    }
    Ok(told.trim().to_owned())
}
