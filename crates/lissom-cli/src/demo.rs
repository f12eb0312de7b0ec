//! `lissom demo`: what there is, in a table.

use anyhow::Result;
use lissom_build::mannequin::{self, Detail, Motion};
use lissom_build::raw::RawAnimation;
use std::io::Write;

pub(crate) fn run(out: &mut impl Write) -> Result<()> {
    let skeleton = mannequin::skeleton();
    let mesh = mannequin::mesh(&Detail::default())?;
    writeln!(out, "Lissom {}: a data-oriented animation runtime.\n", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "It brings a character of its own, made in code, the same bits on every machine:\n")?;
    writeln!(out, "  joints     {:>6}", skeleton.joints.len())?;
    writeln!(out, "  vertices   {:>6}   (at most 4 joints each)", mesh.positions.len())?;
    writeln!(out, "  triangles  {:>6}\n", mesh.triangle_count())?;
    writeln!(out, "  {:<12} {:>8} {:>6} {:>7} {:>8}   plays", "clip", "seconds", "keys", "joints", "m/s")?;
    for motion in Motion::ALL {
        let clip = mannequin::clip(motion);
        let (keys, moving) = count(&clip);
        writeln!(
            out,
            "  {:<12} {:>8.3} {:>6} {:>7} {:>8.2}   {}",
            clip.name,
            clip.duration_s,
            keys,
            moving,
            motion.speed(),
            if clip.looping { "in a loop" } else { "once" },
        )?;
    }
    writeln!(out, "\nWhat to do next:\n")?;
    writeln!(out, "  lissom mannequin -o FILE.glb    write it for Blender, a browser viewer, an engine")?;
    writeln!(out, "  lissom help                     every command")?;
    writeln!(out, "\nFrom a checkout: cargo run --release -- mannequin -o FILE.glb")?;
    Ok(())
}

/// Keys of a clip, and joints that have any.
fn count(clip: &RawAnimation) -> (usize, usize) {
    let of = |t: &lissom_build::raw::RawTrack| {
        t.translation.keys.len() + t.rotation.keys.len() + t.scale.keys.len()
    };
    let keys: Vec<usize> = clip.tracks.iter().map(of).collect();
    (keys.iter().sum(), keys.iter().filter(|k| **k > 0).count())
}
