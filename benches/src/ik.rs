//! What IK costs a call, beside ozz's figures: two bones, and one joint that aims.

use crate::{jobs::Table, ozz};
use lissom::{
    job::{AimCorrection, AimIkJob, TwoBoneCorrection, TwoBoneIkJob},
    math::{Mat34, Quat, Transform, Vec3, simd::Backend},
};
use lissom_cli::timing::best_ns;
use std::hint::black_box;

const ROUNDS: usize = 2_000;
/// Targets, so that no branch is learnt by heart.
const TARGETS: usize = 64;

/// Prints the rows. Plain code: one backend stands for all.
///
/// # Errors
///
/// None in practice: the chain is fixed.
pub fn print() -> anyhow::Result<()> {
    println!("ns a call; the quotient is by the calibration loop, which ozz's figures were taken beside too");
    println!(
        "{:<34} {:>8} {:>9} {:>11} {:>7} {:>6}",
        "work", "backend", "ns/call", "calibration", "of ozz", "goal"
    );
    let bent = Quat::from_xyzw(0.3, 0.0, 0.0, 0.953_939_2);
    let at = |y: f32, rotation| {
        Transform { translation: Vec3::new(0.0, y, 0.0), rotation, scale: Vec3::ONE }.to_mat34()
    };
    let start = at(0.9, Quat::IDENTITY);
    let mid = start.mul(&at(-0.45, bent));
    let end = mid.mul(&at(-0.42, Quat::IDENTITY));
    // About the foot, within reach and beyond.
    let targets: Vec<Vec3> = (0..TARGETS)
        .map(|i| {
            let [a, b, c] = [7, 11, 13].map(|step| ((i * step) % 16) as f32 / 16.0 - 0.5);
            Vec3::new(0.4 * a, 0.2 + 0.4 * b, 0.1 + 0.5 * c)
        })
        .collect();
    let table = Table::new(Backend::best());

    let mut correction = TwoBoneCorrection::default();
    let ns = best_ns(ROUNDS, || {
        for target in &targets {
            let job = TwoBoneIkJob::new([&start, &mid, &end], *target, &mut correction);
            TwoBoneIkJob { mid_axis: Vec3::NEG_X, pole: Vec3::Z, ..job }.run().expect("valid");
            black_box(&correction);
        }
    });
    table.row("two bones", ns / TARGETS as f64, Some(ozz::TWO_BONE));

    let head: [Mat34; 1] = [end];
    let mut turns = [AimCorrection::default()];
    let ns = best_ns(ROUNDS, || {
        for target in &targets {
            AimIkJob::new(&head, &[1.0], *target, &mut turns).run().expect("valid");
            black_box(&turns);
        }
    });
    table.row("aim, a joint", ns / TARGETS as f64, Some(ozz::AIM));
    let chain = [end, mid, start];
    let mut turns = [AimCorrection::default(); 3];
    let ns = best_ns(ROUNDS, || {
        for target in &targets {
            AimIkJob::new(&chain, &[0.5, 0.5, 1.0], *target, &mut turns).run().expect("valid");
            black_box(&turns);
        }
    });
    table.row("aim, a chain of three", ns / TARGETS as f64, None);
    Ok(())
}
