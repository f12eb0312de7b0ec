//! The glTF importer on files made in code: right files against the specification, odd files against what the
//! importer's table says of them, hostile files against everything.
#![cfg(feature = "gltf")]

mod hostile;
mod meshes;
mod poses;
mod traps;

use lissom_build::{
    import::{ImportError, ImportLimits, gltf},
    scene::Scene,
};
use lissom_testkit::gltf::builder::Builder;

/// Imports, without other files.
fn import(bytes: &[u8]) -> Result<Scene, ImportError> {
    let none = |uri: &str| {
        Err(ImportError::Format { place: lissom_build::import::Place::Byte(0), reason: uri.into() })
    };
    gltf::read(bytes, &mut { none }, &ImportLimits::default())
}

fn build(builder: &Builder) -> Scene {
    import(&builder.glb()).expect("this file is right")
}

/// The only warning, or all of them in a row.
fn warnings(scene: &Scene) -> String {
    scene.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn refusal(builder: &Builder) -> String {
    import(&builder.glb()).expect_err("this file is wrong").to_string()
}
