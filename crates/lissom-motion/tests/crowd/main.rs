//! Crowds: what a member shows is what an animator shows, whoever else is there, however the work is cut.

mod animators;
mod care;
mod decoded;
mod errors;
mod feet;
mod kit;
mod matched;
mod mixes;
mod outputs;
mod rates;
mod saves;

use lissom::{archive::Archive, math::Mat4};
use lissom_motion::{Graph, crowd::Crowd};
use lissom_testkit::{alloc::CountingAllocator, crowds};
use std::sync::{Arc, LazyLock};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

static ARCHIVE: LazyLock<Archive> = LazyLock::new(crowds::archive);
static GRAPH: LazyLock<Arc<Graph>> = LazyLock::new(|| crowds::graph(&ARCHIVE));
static INERTIAL: LazyLock<Arc<Graph>> = LazyLock::new(|| crowds::inertial_graph(&ARCHIVE));

fn crowd() -> Crowd {
    Crowd::new(&ARCHIVE).unwrap()
}

fn bits(models: &[Mat4]) -> Vec<u32> {
    models.iter().flat_map(|m| m.to_cols_array()).map(f32::to_bits).collect()
}
