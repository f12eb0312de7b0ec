//! A crowd of steady size allocates nothing: alone in its binary, since all threads are counted.

use lissom::{
    JointLod,
    archive::Archive,
    math::Vec3,
    pose::{Gaze, Pose},
};
use lissom_motion::{
    Graph, RootStep,
    crowd::{Crowd, Executor, Member, Outputs, PaletteFormat, PlayedClip, Rayon, Role, Serial},
};
use lissom_testkit::{
    alloc::{CountingAllocator, assert_no_alloc_anywhere},
    crowds::{self, Input},
    rng::Rng,
};
use std::{hint::black_box, sync::Arc};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Who is played by the graph of a member's place in the list: every other one changes by inertia.
const GRAPHS: [fn(&Archive) -> Arc<Graph>; 2] = [crowds::graph, crowds::inertial_graph];

/// Frames in which people are told things, go and are followed by others, are saved and rewound.
fn play(frames: usize, crowd: &mut Crowd, members: &mut [Member], executor: &dyn Executor, rng: &mut Rng) {
    let archive = crowds::archive();
    let graphs = GRAPHS.map(|graph| graph(&archive));
    let by = graphs.each_ref().map(|graph| crowd.add_graph(Arc::clone(graph)).unwrap());
    let gaze = Gaze::of(crowd.skeleton()).unwrap();
    let (mut changing, mut most) = (0, 0);
    let mut snapshot = crowd.snapshot();
    let mut round = |crowd: &mut Crowd, members: &mut [Member], frames: usize, rng: &mut Rng| {
        for frame in 0..frames {
            let at = rng.below(members.len());
            if frame % 3 == 0 {
                crowd.remove(members[at]).unwrap();
                members[at] = crowd.add(Role::Graph(by[at % 2]), crowds::place(rng)).unwrap();
            }
            for (i, member) in members.iter().enumerate() {
                if let Some(input) = Input::random(rng) {
                    input.tell(crowd, &graphs[i % 2], *member);
                }
            }
            crowd.set_seen(&members[at..=at], frame % 2 == 0).unwrap();
            crowd.set_rate(&members[..4], (1 + frame % 3) as u8).unwrap();
            crowd.set_level(&members[2..6], (frame / 7 % 3) as u8).unwrap();
            let hook = |member: Member, _: &RootStep, pose: &mut Pose<'_>| {
                if member.index().is_multiple_of(2) {
                    pose.look_at(&gaze, Vec3::X, 1.0)?;
                }
                Ok(())
            };
            crowd.update_with(rng.unit_f64() * 0.03, executor, None, &hook).unwrap();
            black_box(crowd.events().count());
            let running = members.iter().filter(|member| crowd.memory(**member).unwrap().is_running());
            (changing, most) = (changing + running.clone().count(), running.count().max(most));
            if frame % 5 == 0 {
                crowd.snapshot_into(&mut snapshot);
                crowd.restore(&snapshot).unwrap();
            }
        }
    };
    // The list of markers that were passed grows with the longest step: this one passes more than all that follow.
    crowd.update_on(4.0, executor).unwrap();
    round(crowd, members, 200, rng);
    assert_no_alloc_anywhere(|| round(crowd, members, frames, rng));
    assert!(changing > frames && most < members.len(), "{changing} changes, {most} at once");
}

#[test]
fn ten_thousand_frames_of_a_crowd_of_steady_size_allocate_nothing() {
    let archive = crowds::archive();
    let mut rng = Rng::new(9);
    let mut crowd = Crowd::new(&archive).unwrap();
    crowd.set_grain(2);
    let palettes = Some(PaletteFormat::F32);
    crowd.set_outputs(Outputs { palettes, before: true, between: true, morphs: true, ..Outputs::default() });
    for joints in [40, 20] {
        crowd.add_level(JointLod::prefix(joints)).unwrap();
    }
    let by = GRAPHS.map(|graph| crowd.add_graph(graph(&archive)).unwrap());
    let walk = crowd.clip("walk").unwrap();
    let mut members: Vec<Member> =
        (0..16).map(|i| crowd.add(Role::Graph(by[i % 2]), crowds::place(&mut rng)).unwrap()).collect();
    crowd.reserve_memory(16);
    crowd.add(Role::Clips(&[PlayedClip::new(walk, 1.0)]), crowds::place(&mut rng)).unwrap();
    play(10_000, &mut crowd, &mut members, &Serial, &mut rng);
    // From outside, handing work to a pool allocates.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    pool.install(|| play(10_000, &mut crowd, &mut members, &Rayon, &mut rng));
}
