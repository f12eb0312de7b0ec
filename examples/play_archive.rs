//! From a file to moved vertices, as a game does it: open, play by name, cross-fade, hear the steps, skin.
//!
//! The part between the two marks is the README's example; a test compares them.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::prelude::*;
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::{Figure, mannequin_archive, strip};

fn main() -> Result<()> {
    // A game has its files from `lissom import`; this one is made in code.
    let path = std::env::temp_dir().join(format!("lissom-{}.lsm", std::process::id()));
    std::fs::write(&path, mannequin_archive(&[Motion::Walk, Motion::Run])?)?;
    let mut figures = Vec::new();
    let mut indices = Vec::new();
    let mut draw = |frame: u32, mesh: SkinnedMesh<'_>| {
        indices = mesh.indices.to_vec();
        if frame.is_multiple_of(10) {
            let (positions, normals) = (mesh.positions.to_vec(), mesh.normals.to_vec());
            let label = format!("frame {frame}");
            figures.push(Figure { label, positions, normals, color: palette::SAGE, ..Figure::default() });
        }
    };

    // [README
    let archive = Archive::open(&path)?;
    let mut player = Player::new(&archive)?;
    player.play("walk")?;
    for frame in 0..90 {
        if frame == 30 {
            player.play_with("run", PlayOptions { fade_s: 0.4, ..PlayOptions::default() })?;
        }
        player.update(1.0 / 60.0)?;
        for event in player.events() {
            println!("frame {frame}: {} ({} {:.2})", event.marker.name, event.clip, event.weight);
        }
        for mesh in player.skin()? {
            draw(frame, mesh); // positions, normals and indices, ready for upload
        }
    }
    // README]

    std::fs::remove_file(&path)?;
    strip("play_archive", [1.0, 0.15, 0.35], &figures, &indices)
}
