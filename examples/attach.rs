//! A staff in the right hand and a feather on the head of a walking figure.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::{
    job::{AttachJob, Attachment},
    math::{Mat34, Transform, Vec3},
};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::Actor;

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Walk])?;
    let joint = |name: &str| actor.skeleton.find(name).with_context(|| format!("no joint {name}"));
    let at = |x, y, z| Transform::from_translation(Vec3::new(x, y, z)).to_mat34();
    let attachments = [
        Attachment { joint: joint("prop_r")?, offset: at(0.0, 0.0, 0.0) },
        Attachment { joint: joint("head")?, offset: at(0.0, 0.2, -0.04) },
    ];
    let mut figures = Vec::new();
    for i in 0..6 {
        let pose = actor.pose("walk", f64::from(i) / 6.0)?;
        let models = actor.models(&pose)?;
        let mut places = [Mat34::IDENTITY; 2];
        AttachJob::new(&models, &attachments, &mut places).run()?;
        let [hand, head] = &places;
        println!("frame {i}: the staff is held at {:.2?}", hand.columns[3]);
        let mut figure = actor.figure(format!("{i}"), palette::PLASTER, &pose)?;
        // The staff lies along the thumb's side of the hand, the feather along the head's up axis.
        figure.rods.push((
            hand.mul_point([0.0, 0.0, -0.5]),
            hand.mul_point([0.0, 0.0, 0.6]),
            5.0,
            palette::PLUM,
        ));
        figure.rods.push((head.mul_point([0.0; 3]), head.mul_point([0.0, 0.22, -0.12]), 4.0, palette::CLAY));
        figures.push(figure);
    }
    actor.strip("attach", [0.7, 0.15, 1.0], &figures)
}
