//! The viewer: tested in one profile, on a graphics device of software where there is no other.

use crate::{
    Options, foreign, guests,
    step::{self, Outcome},
    workspace,
};
use std::path::Path;

/// Debian's drivers, a software one among them.
const DRIVERS: &str = "mesa-vulkan-drivers";

/// Its tests, which drive the viewer as its users do and look at the pictures.
pub fn run(options: &Options) -> Result<Outcome, String> {
    // The programs in the documentation of all guests need no device.
    workspace::run(&mut guests::test(&["--doc"]))?;
    if let Some(skipped) = lacks_driver(options) {
        return Ok(skipped);
    }
    // The unit tests of the plugin and of crowds on the GPU run along.
    let mut tests = guests::test(&["--lib", "--bins", "--test", "ui"]);
    // From here on a test that finds no device fails.
    tests.env("LISSOM_NEED_GPU", "1");
    let runtime =
        std::env::var_os("XDG_RUNTIME_DIR").map_or_else(|| step::scratch("viewer"), |v| Ok(v.into()))?;
    workspace::run(tests.env("XDG_RUNTIME_DIR", &runtime))?;
    if let Some(assets) = &options.assets {
        // Naming the example would build a test harness of it.
        workspace::run(&mut guests::test(&["--no-run"]))?;
        let tour = workspace::target()?.join("debug/examples/tour");
        let mut tour = workspace::command(&tour.to_string_lossy());
        tour.args(VARIED.iter().map(|file| assets.join(file)));
        // A motion alone has no skeleton.
        tour.arg("--refused").arg(assets.join("assets/ozz/bin/pab_walk.ozz"));
        // What glibc keeps for each of the driver's threads is not what the viewer keeps.
        tour.env("MALLOC_ARENA_MAX", "2");
        workspace::run(tour.env("XDG_RUNTIME_DIR", &runtime))?;
    }
    Ok(Outcome::Passed)
}

/// Why a step that needs a graphics device is skipped, after it was tried to install one.
pub fn lacks_driver(options: &Options) -> Option<Outcome> {
    if !has_driver() && options.install {
        foreign::install_packages(&[DRIVERS]);
    }
    let skipped =
        || Outcome::Skipped(format!("there is no Vulkan driver; Debian: apt-get install {DRIVERS}"));
    (!has_driver()).then(skipped)
}

/// What is opened one after the other where there are reference files: every format, rigid, skinned and morphed, textured
/// and plain, with one joint and with hundreds. Neighbours have different names: a page tells by the name that it shows the next.
pub const VARIED: [&str; 21] = [
    "assets/khronos-sample-assets/Fox/glTF-Binary/Fox.glb",
    "assets/khronos-sample-assets/CesiumMan/glTF/CesiumMan.gltf",
    "assets/khronos-sample-assets/BoxAnimated/glTF-Embedded/BoxAnimated.gltf",
    "assets/khronos-sample-assets/CesiumMan/glTF-Draco/CesiumMan.gltf",
    "assets/khronos-sample-assets/AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb",
    "assets/khronos-sample-assets/MorphStressTest/glTF-Binary/MorphStressTest.glb",
    "assets/khronos-sample-assets/RecursiveSkeletons/glTF-Binary/RecursiveSkeletons.glb",
    "assets/khronos-sample-assets/NegativeScaleTest/glTF-Binary/NegativeScaleTest.glb",
    "assets/khronos-sample-assets/MeshoptCubeTest/glTF-Meshopt/MeshoptCubeTest.gltf",
    "assets/babylonjs/meshes/Alien/Alien.gltf",
    "assets/threejs/examples/models/gltf/RobotExpressive/RobotExpressive.glb",
    "assets/kenney/models/character.glb",
    "assets/webxr-hands/left.glb",
    "assets/mesh2motion/rigs/rig-human.glb",
    // No character: the motion after it is not brought onto one.
    "assets/ozz/bin/ruby_skeleton.ozz",
    "assets/cmu-bvh/082/82_18.bvh",
    "assets/ufbx/maya_game_sausage_7500_binary.fbx",
    "defects/vrm-samples/cryptovoxels.vrm",
    "defects/threejs/examples/models/gltf/Flamingo.glb",
    "defects/gdquest/Player/model/gdbot.glb",
    "defects/quaternius/animals_pack/Fox.glb",
];

/// True if the loader of Vulkan would find something; other systems bring theirs.
fn has_driver() -> bool {
    let some = |folder: &&str| Path::new(folder).read_dir().is_ok_and(|mut files| files.next().is_some());
    !cfg!(target_os = "linux") || ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"].iter().any(some)
}
