//! The pose jobs, each on every backend, beside ozz's figures.

use lissom::{
    job::{BlendJob, BlendLayer, LocalToModelJob, Models, Update},
    math::{Mat4, simd::Backend, soa::SoaTransform},
};
use lissom_bench::{
    rig,
    skinning::{Matrices, Mesh, palette, skin as skin_mesh},
};
use lissom_cli::timing::{best_ns, calibration_ns};

const ROUNDS: usize = 300;

/// Prints the table.
pub fn print() {
    println!("calibration: {:.3} ns a step of a dependent multiply and add", calibration_ns());
    println!("{:<34} {:>8} {:>9} {:>8} {:>7}", "work", "backend", "ns/item", "ozz", "ratio");
    local_to_model();
    blend();
    skin();
    beyond_caches();
}

fn row(work: &str, backend: Backend, ns: f64, ozz: Option<f64>) {
    match ozz {
        Some(ozz) => println!("{work:<34} {backend:>8} {ns:>9.2} {ozz:>8.2} {:>7.2}", ns / ozz),
        None => println!("{work:<34} {backend:>8} {ns:>9.2} {:>8} {:>7}", "-", "-"),
    }
}

fn local_to_model() {
    let skeleton = rig::skeleton();
    let joints = skeleton.joint_count();
    let pose = rig::pose(joints, 2);
    let mut models = Matrices::new(&vec![Mat4::IDENTITY; joints]);
    let mut small = vec![lissom::math::Mat34::IDENTITY; joints];
    for backend in Backend::all() {
        let run = |models: Models<'_>| {
            let (skeleton, locals) = (&skeleton, &pose);
            LocalToModelJob { skeleton, locals, root: None, update: Update::All, lod: None, models }
                .run_on(backend)
                .expect("valid");
        };
        let ns = best_ns(ROUNDS, || run(Models::Mat4(models.get_mut())));
        row("local to model, 4x4", backend, ns / joints as f64, Some(6.3));
        let ns = best_ns(ROUNDS, || run(Models::Mat34(&mut small)));
        row("local to model, 3x4", backend, ns / joints as f64, Some(6.3));
    }
}

fn blend() {
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
    for backend in Backend::all() {
        let mut time = |work: &str, layers: &[BlendLayer<'_>], additive: &[BlendLayer<'_>], ozz| {
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
            row(work, backend, ns / joints as f64, ozz);
        };
        time("blend, 2 layers", &full[..2], &[], Some(2.5));
        time("blend, 3 layers", &full[..3], &[], Some(3.6));
        time("blend, 4 layers", &full, &[], Some(4.6));
        time("blend, 1 full + 1 partial", &partial[..2], &[], None);
        time("blend, 1 full + 2 partial", &partial[..3], &[], None);
        time("blend, 1 full + 1 additive", &full[..1], &full[1..2], None);
    }
}

fn skin() {
    let joints = 67;
    let palette = palette(joints);
    let vertices = 2000;
    for backend in Backend::all() {
        for influences in [1, 2, 3, 4, 5, 8] {
            let mesh = Mesh::new(vertices, influences, joints);
            let checked = mesh.checked(joints);
            let mut out = mesh.output();
            for (attributes, name, ozz) in [(1, "P", 4.2), (2, "PN", 5.1), (3, "PNT", 6.5)] {
                let ns = best_ns(ROUNDS / 4, || {
                    skin_mesh(backend, &mesh, checked, palette.get(), attributes, &mut out)
                });
                let ozz = (influences == 4).then_some(ozz);
                row(&format!("skin {name}, {influences} influences"), backend, ns / vertices as f64, ozz);
            }
        }
    }
}

/// A mesh that no cache holds: bytes read and written a second, beside a plain copy of as many bytes.
fn beyond_caches() {
    let vertices = 4_000_000;
    let joints = 67;
    let palette = palette(joints);
    let mesh = Mesh::new(vertices, 4, joints);
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
