//! The jobs on poses and vertices, each on every backend, beside ozz's figures and our goals.

use crate::{
    ozz::{self, Goal},
    sampling,
};
use anyhow::Result;
use lissom::{
    job::{BlendJob, BlendLayer, LocalToModelJob, Models, Update},
    math::{Mat4, simd::Backend, soa::SoaTransform},
};
use lissom_bench::{
    rig,
    skinning::{Matrices, Mesh, Order, palette, skin as skin_mesh, skin_interleaved},
};
use lissom_cli::timing::{best_ns, calibration_ns};
use std::path::Path;

const ROUNDS: usize = 300;

/// Prints the table, on one backend or on all that there are; the folder is for [`sampling::Stage`].
pub fn print(only: Option<Backend>, folder: Option<&Path>) -> Result<()> {
    let stage = sampling::Stage::new(folder)?;
    println!(
        "ns an item; calibration: ns a step of a dependent multiply and add, taken before the row's group"
    );
    println!(
        "{:<34} {:>8} {:>9} {:>11} {:>7} {:>6}",
        "work", "backend", "ns/item", "calibration", "of ozz", "goal"
    );
    for backend in Backend::all().filter(|b| only.is_none_or(|only| only == *b)) {
        stage.print(backend);
        local_to_model(backend);
        blend(backend);
        skin(backend);
    }
    beyond_caches();
    Ok(())
}

/// Prints rows that were measured right after one calibration.
pub struct Table {
    backend: Backend,
    calibration_ns: f64,
}

impl Table {
    /// Calibrates.
    pub fn new(backend: Backend) -> Self {
        Self { backend, calibration_ns: calibration_ns() }
    }

    /// Our nanoseconds through ozz's, by this calibration.
    pub fn quotient(&self, ns: f64, goal: Goal) -> f64 {
        goal.quotient(ns, self.calibration_ns)
    }

    /// A mean of quotients and the goals for AVX-512 and AVX2.
    pub fn mean(&self, work: &str, quotient: f64, goals: [f64; 2]) {
        let (backend, calibration) = (self.backend, self.calibration_ns);
        let goal = ozz::part(backend, goals);
        println!("{work:<34} {backend:>8} {:>9} {calibration:>11.3} {quotient:>7.2} {goal:>6.2}", "-");
    }

    /// A figure, and the goal if there is one.
    pub fn row(&self, work: &str, ns: f64, goal: Option<Goal>) {
        let (backend, calibration) = (self.backend, self.calibration_ns);
        print!("{work:<34} {backend:>8} {ns:>9.2} {calibration:>11.3}");
        match goal {
            Some(goal) => println!(" {:>7.2} {:>6.2}", goal.quotient(ns, calibration), goal.of(backend)),
            None => println!(" {:>7} {:>6}", "-", "-"),
        }
    }
}

fn local_to_model(backend: Backend) {
    let table = Table::new(backend);
    let skeleton = rig::skeleton();
    let joints = skeleton.joint_count();
    let pose = rig::pose(joints, 2);
    let mut models = Matrices::new(&vec![Mat4::IDENTITY; joints]);
    let mut small = vec![lissom::math::Mat34::IDENTITY; joints];
    let run = |update: Update, models: Models<'_>| {
        let (skeleton, locals) = (&skeleton, &pose);
        LocalToModelJob { skeleton, locals, root: None, update, lod: None, models }
            .run_on(backend)
            .expect("valid");
    };
    let ns = best_ns(ROUNDS, || run(Update::All, Models::Mat4(models.get_mut())));
    table.row("local to model, 4x4", ns / joints as f64, Some(ozz::LOCAL_TO_MODEL));
    let ns = best_ns(ROUNDS, || run(Update::All, Models::Mat34(&mut small)));
    table.row("local to model, 3x4", ns / joints as f64, Some(ozz::LOCAL_TO_MODEL));
    let ns = best_ns(ROUNDS, || run(Update::Range(0..0), Models::Mat4(models.get_mut())));
    table.row("local to model, no joint (a call)", ns, None);
}

fn blend(backend: Backend) {
    let table = Table::new(backend);
    let skeleton = rig::skeleton();
    let joints = skeleton.joint_count();
    let poses: Vec<Vec<SoaTransform>> = (0..4).map(|i| rig::pose(joints, 10 + i)).collect();
    let weights = vec![lissom::math::soa::Lanes::splat(0.5); poses[0].len()];
    let mut output = skeleton.rest_pose().to_vec();
    let layer = |i: usize, partial: bool| BlendLayer {
        weight: 0.2 + 0.1 * i as f32,
        pose: &poses[i],
        joint_weights: partial.then_some(&weights),
    };
    let full: Vec<_> = (0..4).map(|i| layer(i, false)).collect();
    let partial: Vec<_> = (0..4).map(|i| layer(i, i > 0)).collect();
    let mut time = |work: &str, layers: &[BlendLayer<'_>], additive: &[BlendLayer<'_>], goal| {
        let ns = best_ns(ROUNDS, || {
            BlendJob {
                layers,
                additive,
                threshold: BlendJob::DEFAULT_THRESHOLD,
                rest: skeleton.rest_pose(),
                lod: None,
                output: &mut output,
            }
            .run_on(backend)
            .expect("valid");
        });
        table.row(work, ns / joints as f64, goal);
    };
    for (count, goal) in (2..).zip(ozz::BLEND) {
        time(&format!("blend, {count} layers"), &full[..count], &[], Some(goal));
    }
    time("blend, 1 full + 1 partial", &partial[..2], &[], None);
    time("blend, 1 full + 2 partial", &partial[..3], &[], None);
    time("blend, 1 full + 1 additive", &full[..1], &full[1..2], None);
    let ns = best_ns(ROUNDS, || {
        let (layers, threshold) = (&full[..2], BlendJob::DEFAULT_THRESHOLD);
        BlendJob { layers, additive: &[], threshold, rest: &[], lod: None, output: &mut output }
            .run_on(backend)
            .expect("valid");
    });
    table.row("blend, no joint (a call)", ns, None);
}

fn skin(backend: Backend) {
    let joints = 67;
    let palette = palette(joints);
    let vertices = 2000;
    let shapes = [
        (1, Order::Neighbours, Some(ozz::SKIN_1_SHARED)),
        (1, Order::Mixed, Some(ozz::SKIN_1_MIXED)),
        (2, Order::Neighbours, None),
        (3, Order::Neighbours, None),
        (4, Order::Neighbours, Some(ozz::SKIN_4)),
        (4, Order::Mixed, Some(ozz::SKIN_4)),
        (5, Order::Neighbours, None),
        (8, Order::Neighbours, None),
    ];
    for (influences, order, goals) in shapes {
        let table = Table::new(backend);
        let mesh = Mesh::new(vertices, influences, joints, order);
        let checked = mesh.checked(joints);
        let mut out = mesh.output();
        for (attributes, name) in [(1, "P"), (2, "PN"), (3, "PNT")] {
            let ns = best_ns(ROUNDS / 4, || {
                skin_mesh(backend, &mesh, checked, palette.get(), attributes, &mut out)
            });
            let mixed = if order == Order::Mixed { ", mixed" } else { "" };
            let work = format!("skin {name}, {influences} influences{mixed}");
            table.row(&work, ns / vertices as f64, goals.map(|g| g[attributes - 1]));
        }
    }
    let table = Table::new(backend);
    let mesh = Mesh::new(vertices, 4, joints, Order::Neighbours);
    let bytes = mesh.small_influences();
    let checked = mesh.checked_small(&bytes, joints);
    let (from, mut to) = (mesh.interleaved(), mesh.interleaved());
    let ns = best_ns(ROUNDS / 4, || skin_interleaved(backend, checked, palette.get(), &from, &mut to));
    table.row("skin PN, 4 influences, interleaved", ns / vertices as f64, None);
}

/// A mesh that no cache holds: bytes read and written a second, beside a plain copy of as many bytes.
fn beyond_caches() {
    let vertices = 4_000_000;
    let joints = 67;
    let palette = palette(joints);
    let mesh = Mesh::new(vertices, 4, joints, Order::Neighbours);
    let checked = mesh.checked(joints);
    let mut out = mesh.output();
    println!(
        "\n{vertices} vertices, 4 influences, PNT: {} MB read and written",
        mesh.bytes_moved(3) / 1_000_000
    );
    for backend in Backend::all().filter(|b| ["avx2", "avx512"].contains(&b.name())) {
        let ns = best_ns(5, || skin_mesh(backend, &mesh, checked, palette.get(), 3, &mut out));
        println!(
            "skin on {backend}: {:.1} GB/s, {:.2} ns a vertex",
            mesh.bytes_moved(3) as f64 / ns,
            ns / vertices as f64
        );
    }
    let from = vec![1u8; mesh.bytes_moved(3) / 2];
    let mut to = vec![0u8; from.len()];
    let ns = best_ns(5, || to.copy_from_slice(&from));
    println!("plain copy: {:.1} GB/s", 2.0 * from.len() as f64 / ns);
}
