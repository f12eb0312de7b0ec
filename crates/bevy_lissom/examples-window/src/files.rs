//! The mannequin as files: written where the examples look for them, if they are not there yet.

use lissom_build::{
    cook::ClipBuilder,
    export::write_glb,
    mannequin::{self, Detail, Motion},
    pipeline,
    raw::{RawUserTrack, TrackKind, UserKey},
    scene::{Morph, Scene, SceneMesh},
};
use std::{env, error::Error, fs, path::PathBuf};

/// The mesh in every file.
pub const BODY: &str = "mannequin";

/// The morph targets of `morphs.lsm`.
pub const MORPHS: [&str; 2] = ["stout", "head"];

const MOTIONS: [Motion; 5] = [Motion::Idle, Motion::Walk, Motion::Jog, Motion::Run, Motion::Wave];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The folder that Bevy reads.
fn assets() -> PathBuf {
    PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("assets")
}

/// The file that the program was given, or else the mannequin: copied into a folder of its own among the assets, with this recipe beside
/// it. Returns its path among the assets.
///
/// # Errors
///
/// What cannot be read or written.
pub fn bring(folder: &str, recipe: &str) -> Result<String> {
    let given = env::args_os().nth(1).map(PathBuf::from);
    let own = assets().join(folder);
    fs::create_dir_all(&own)?;
    fs::write(own.join("lissom.toml"), recipe)?;
    let bytes = match &given {
        Some(file) => fs::read(file).map_err(|why| format!("{}: {why}", file.display()))?,
        None => {
            println!("no file was given: this is the mannequin");
            write_missing()?;
            fs::read(assets().join("hero.glb"))?
        }
    };
    let extension = given.as_ref().and_then(|file| file.extension()?.to_str()).unwrap_or("glb");
    let name = format!("hero.{extension}");
    fs::write(own.join(&name), bytes)?;
    Ok(format!("{folder}/{name}"))
}

/// Writes what is missing into the folder that Bevy reads.
pub(crate) fn write_missing() -> Result<()> {
    let folder = assets();
    fs::create_dir_all(&folder)?;
    let coarse = Detail { body_m: 0.04, hand_m: 0.012 };
    let files: [(&str, fn(Detail) -> Result<Vec<u8>>, Detail); 4] = [
        ("hero.lsm", |detail| archive(scene(detail)?), Detail::default()),
        ("crowd.lsm", |detail| archive(scene(detail)?), coarse),
        ("morphs.lsm", |detail| archive(morphing(scene(detail)?)), Detail::default()),
        ("hero.glb", |detail| Ok(write_glb(&scene(detail)?)?), Detail::default()),
    ];
    for (name, make, detail) in files {
        let path = folder.join(name);
        if !path.is_file() {
            fs::write(path, make(detail)?)?;
        }
    }
    Ok(())
}

/// The mannequin with some of its motions, in place, their travel beside them.
fn scene(detail: Detail) -> Result<Scene> {
    Ok(mannequin::game_scene(&MOTIONS, &detail)?)
}

fn archive(scene: Scene) -> Result<Vec<u8>> {
    Ok(pipeline::cook_scene(&scene, &ClipBuilder::default(), &pipeline::serial)?.archive)
}

/// A belly and a head that grow in the middle of every motion.
fn morphing(mut scene: Scene) -> Scene {
    let SceneMesh { mesh, morphs, .. } = &mut scene.meshes[0];
    let vertices = || mesh.positions.iter().zip(&mesh.normals);
    let stout = vertices().map(|([x, y, _], normal)| {
        let (x, y) = (x / 0.22, (y - 1.05) / 0.2);
        let size = 0.16 * (-(y * y) - x.powi(4)).exp();
        normal.map(|n| n * size)
    });
    let head = vertices().map(|([x, y, z], _)| {
        let size = ((y - 1.5) / 0.1).clamp(0.0, 1.0) * 0.7;
        [x * size, (y - 1.5) * size, z * size]
    });
    let target = |name: &str, positions| Morph { name: name.into(), positions, ..Morph::default() };
    *morphs = vec![target(MORPHS[0], stout.collect()), target(MORPHS[1], head.collect())];
    for animation in &mut scene.animations {
        for (target, peak) in MORPHS.iter().zip([0.3, 0.7]) {
            let key = |ratio, weight| UserKey { ratio, value: [weight, 0.0, 0.0, 0.0], step: false };
            animation.tracks.push(RawUserTrack {
                name: format!("morph/{BODY}/{target}"),
                kind: TrackKind::Float,
                keys: vec![key(0.0, 0.0), key(peak, 1.0), key(1.0, 0.0)],
            });
        }
    }
    scene
}
