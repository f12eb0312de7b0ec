//! What this machine needs to stream the bytes of a whole sync: 132 an entity.

use lissom_math::{Qvs, Qvvs, Vec3};
use lissom_measure::timing::best_s;

/// Nanoseconds an entity to read 32 bytes of local and 4 of parent index, and to read and write 48 bytes of
/// world, over arrays of `n` entities, one thread.
pub fn ns_per_entity(n: usize) -> f64 {
    let local = vec![Qvs::from_position(Vec3::new(1.0, 2.0, 3.0)); n];
    let parent: Vec<u32> = (0..n as u32).collect();
    let mut world = vec![Qvvs::IDENTITY; n];
    let seconds = best_s(0.4, || {
        for ((l, p), w) in local.iter().zip(&parent).zip(&mut world) {
            // Bit patterns, not arithmetic: nothing here can become slow by its values.
            w.user = (w.user ^ *p) ^ l.position.x.to_bits();
            w.rotation = l.rotation;
            w.position = l.position;
            w.scale = l.scale;
        }
        std::hint::black_box(&mut world);
    });
    seconds * 1e9 / n as f64
}
