//! `lissom mannequin`: the character as a file.

use anyhow::Result;
use lissom_build::cook::ClipBuilder;
use lissom_build::export::write_glb;
use lissom_build::mannequin::{self, Detail, Motion};
use lissom_build::pipeline;
use lissom_show::files::write_whole;
use lissom_show::stage::in_parallel;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The file to write: a model, or an archive as a game plays it, with motions in place and the graph `mannequin`
    #[arg(short, long, value_name = "FILE.glb|FILE.lsm", default_value = "mannequin.glb")]
    output: PathBuf,
    /// Metres between vertices on the body, 0.005 to 0.04
    #[arg(long, value_name = "METRES", default_value_t = Detail::default().body_m)]
    body_m: f64,
    /// Metres between vertices on the hands, 0.002 to 0.012
    #[arg(long, value_name = "METRES", default_value_t = Detail::default().hand_m)]
    hand_m: f64,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let detail = Detail { body_m: arguments.body_m, hand_m: arguments.hand_m };
    let is_archive = arguments.output.extension().is_some_and(|end| end.eq_ignore_ascii_case("lsm"));
    let (scene, bytes) = if is_archive {
        let scene = mannequin::game_scene(&Motion::ALL, &detail)?;
        let bytes = pipeline::cook_scene(&scene, &ClipBuilder::default(), &in_parallel)?.archive;
        (scene, bytes)
    } else {
        let scene = mannequin::scene(&Motion::ALL, &detail)?;
        let bytes = write_glb(&scene)?;
        (scene, bytes)
    };
    write_whole(&arguments.output, &bytes)?;
    let (skeleton, mesh) = (&scene.skeletons[0].skeleton, &scene.meshes[0].mesh);
    writeln!(
        out,
        "{}: {} joints, {} vertices, {} triangles, {} animations, {} bytes",
        arguments.output.display(),
        skeleton.joints.len(),
        mesh.positions.len(),
        mesh.triangle_count(),
        scene.animations.len(),
        bytes.len(),
    )?;
    Ok(())
}
