//! Skinning under criterion: `cargo bench -p lissom-bench --bench skin`.
#![allow(missing_docs, reason = "criterion's macros make public items")]

use criterion::{Criterion, criterion_group, criterion_main};
use lissom::math::simd::Backend;
use lissom_bench::skinning::{Mesh, Order, palette, skin};

fn benches(c: &mut Criterion) {
    let palette = palette(67);
    for influences in [1, 2, 3, 4, 8] {
        let mesh = Mesh::new(2000, influences, 67, Order::Neighbours);
        let checked = mesh.checked(67);
        let mut out = mesh.output();
        for (attributes, name) in [(1, "P"), (2, "PN"), (3, "PNT")] {
            c.bench_function(&format!("skin/2000 vertices, {influences} influences, {name}"), |b| {
                b.iter(|| skin(Backend::best(), &mesh, checked, palette.get(), attributes, &mut out));
            });
        }
    }
}

criterion_group!(all, benches);
criterion_main!(all);
