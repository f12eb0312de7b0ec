//! The glTF importer on files made in code: right files against the specification, odd files against what the
//! importer's table says of them, hostile files against everything.

mod hostile;
mod meshes;
mod parts;
mod poses;
mod surfaces;
mod traps;

use lissom_build::{
    import::{ImportError, ReadOptions, gltf},
    scene::Scene,
};
use lissom_testkit::gltf::builder::Builder;

/// Imports, without other files.
fn import(bytes: &[u8]) -> Result<Scene, ImportError> {
    import_with(bytes, &ReadOptions::default())
}

fn import_with(bytes: &[u8], options: &ReadOptions) -> Result<Scene, ImportError> {
    let none = |uri: &str| {
        Err(ImportError::Format { place: lissom_build::import::Place::Byte(0), reason: uri.into() })
    };
    gltf::read_with(bytes, &mut { none }, options)
}

fn build(builder: &Builder) -> Scene {
    import(&builder.glb()).expect("this file is right")
}

/// The only warning, or all of them in a row.
fn warnings(scene: &Scene) -> String {
    scene.warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What is wrong with a file, for those who want nothing left out.
fn refusal(builder: &Builder) -> String {
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    import_with(&builder.glb(), &strict).expect_err("this file is wrong").to_string()
}
