//! A twisted forearm, skinned by matrices and by dual quaternions, with boxes that are sure to contain it.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::{
    job::DualQuatSkinJob,
    math::{
        Vec3,
        scalar::{quat_from_axis_angle, quat_mul},
        soa,
    },
    mesh::{DualQuat, JointBounds, Strided, dual_quat_palette, exact_bounds, partition_by_influences},
};
use lissom_draw::palette;
use lissom_examples::{Actor, Figure, Vertices};

fn main() -> Result<()> {
    let actor = Actor::new(&[])?;
    let (influences, mesh) = (actor.mesh.influences(), actor.mesh.view());
    for part in partition_by_influences(&influences) {
        println!("{} vertices have {} influences", part.vertices.len(), part.influences);
    }
    let bounds = JointBounds::new(&influences, Strided::packed(mesh.positions), None)?;

    // Turn the left forearm about its own axis without its twist joint helping: the worst case for matrices.
    let forearm = actor.skeleton.find("forearm_l").context("the mannequin has a forearm")?;
    let twist = actor.skeleton.find("forearm_twist_l").context("the mannequin has a twist joint")?;
    let mut pose = actor.skeleton.rest_pose().to_vec();
    for (joint, angle) in [(forearm, 2.6), (twist, 0.0)] {
        let mut t = soa::lane(&pose, joint);
        t.rotation = quat_mul(t.rotation, quat_from_axis_angle(Vec3::X, angle));
        pose[joint / soa::GROUP].set_lane(joint % soa::GROUP, t);
    }
    let rest = actor.figure("rest", palette::PLASTER, actor.skeleton.rest_pose())?;
    let linear = actor.figure("matrices", palette::CLAY, &pose)?;

    let matrices = actor.palette(&actor.models(&pose)?)?;
    let mut motions = vec![DualQuat::IDENTITY; matrices.len()];
    dual_quat_palette(&matrices, &mut motions);
    let vertices = mesh.positions.len();
    let mut moved = Vertices::new(vertices);
    let job = DualQuatSkinJob::new(influences, &motions, Strided::packed(mesh.positions), moved.output());
    DualQuatSkinJob { normals: Some(Strided::packed(mesh.normals)), ..job }.run()?;
    let label = String::from("dual quaternions");
    let Vertices { positions, normals } = moved;
    let dual = Figure { label, positions, normals, color: palette::SAGE, ..Figure::default() };

    for (name, figure, safe) in [
        ("matrices", &linear, bounds.linear(&matrices, &[])?),
        ("dual quaternions", &dual, bounds.dual_quat(&motions, &[])?),
    ] {
        let exact = exact_bounds(Strided::packed(&figure.positions), vertices)?.context("vertices")?;
        let safe = safe.context("vertices")?;
        println!("{name}: exact {:?} to {:?}", exact.min, exact.max);
        println!("{name}: safe  {:?} to {:?}, contains it: {}", safe.min, safe.max, safe.contains(&exact));
    }
    actor.strip("skin", [0.8, 0.25, 1.0], &[rest, linear, dual])
}
