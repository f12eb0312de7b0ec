//! A character that a game plays: the mannequin's own graph of gaits, turns and a jump, and a wave over the upper body.
//!
//! The part between the two marks is the README's example; a test compares them.

use anyhow::Result;
use lissom::{archive::Archive, player::SkinnedMesh};
use lissom_build::mannequin;
use lissom_draw::palette;
use lissom_examples::{Figure, mannequin_archive, strip};
use lissom_motion::Animator;

fn main() -> Result<()> {
    let path = std::env::temp_dir().join(format!("lissom-graph-{}.lsm", std::process::id()));
    std::fs::write(&path, mannequin_archive(&mannequin::GRAPH_MOTIONS)?)?;
    let mut figures = Vec::new();
    let mut indices = Vec::new();
    let mut draw = |frame: u32, mesh: SkinnedMesh<'_>| {
        indices = mesh.indices.to_vec();
        if [40, 72, 90, 110, 124, 132, 158].contains(&frame) {
            let (positions, normals) = (mesh.positions.to_vec(), mesh.normals.to_vec());
            let label = format!("frame {frame}");
            figures.push(Figure { label, positions, normals, color: palette::SAGE, ..Figure::default() });
        }
    };

    // [README
    let archive = Archive::open(&path)?;
    let mut hero = Animator::new(&archive, "mannequin")?;
    let ahead = hero.graph().float("ahead")?; // look a name up once
    let (jump, grounded) = (hero.graph().trigger("jump")?, hero.graph().bool("grounded")?);
    hero.play("wave").on("upper_body").fade(0.2).start()?;
    for frame in 0..160 {
        hero.set(ahead, if frame < 50 { 0.0 } else { 2.4 })?; // m/s, from your gamepad
        hero.set(grounded, !(90..125).contains(&frame))?; // from your physics
        if frame == 75 {
            hero.trigger(jump)?;
        }
        hero.update(1.0 / 60.0)?; // then read pose, matrices, events, root motion
        for mesh in hero.body_mut().skin()? {
            draw(frame, mesh); // positions, normals and indices, ready for upload
        }
    }
    // README]

    std::fs::remove_file(&path)?;
    strip("graph", [1.0, 0.15, 0.35], &figures, &indices)
}
