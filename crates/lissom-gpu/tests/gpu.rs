//! Crowds on the GPU beside crowds on the CPU.
//!
//! A graphics device is needed; a software one will do (`apt install mesa-vulkan-drivers`). Where there is none, each test says so and
//! ends; with `LISSOM_NEED_GPU` set, as CI does, that is a failure.
#![allow(clippy::print_stderr, reason = "a test that cannot run says why, and how far off it was")]
#![allow(
    clippy::disallowed_methods,
    reason = "what a GPU draws promises no bits, and is compared within a bound"
)]

use lissom::{JointLod, archive::Archive};
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort, Form},
    exact::{Q4, Trs, V3},
    raw::{Channel, Curve, Key, RawAnimation, RawJoint, RawSkeleton, RawTrack},
};
use lissom_gpu::{GpuCrowd, GpuError, GpuOptions, KeyFormat};
use lissom_motion::{
    Graph, GraphParts, RootStep,
    crowd::{Crowd, Member, Outputs, PaletteFormat, PaletteRows, PlayedClip, Role},
    graph::{LayerParts, StateParts},
};
use lissom_testkit::{
    crowds::{self, Input},
    rng::Rng,
};
use std::sync::Arc;
use wgpu::{Buffer, Device, Queue};

/// What is promised: a tenth of a millimetre, and two millimetres in halves. Numbers below 1 lose 2⁻¹² in a half, those below 2 twice
/// as much: 0.6 mm over 2.6 m of coordinates and 0.5 mm of the translation, on each axis.
const MOST_M: f64 = 1.0e-4;
const MOST_IN_HALVES_M: f64 = 2.0e-3;

/// A device with WebGPU's default limits, whatever else it could do.
fn device() -> Option<(Device, Queue)> {
    let found = pollster::block_on(async {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions::default())
            .await
            .map_err(|e| e.to_string())?;
        let descriptor =
            wgpu::DeviceDescriptor { required_limits: wgpu::Limits::default(), ..Default::default() };
        adapter.request_device(&descriptor).await.map_err(|e| e.to_string())
    });
    match found {
        Ok(found) => Some(found),
        Err(why) => {
            assert!(std::env::var_os("LISSOM_NEED_GPU").is_none(), "{why}");
            eprintln!("SKIPPED: there is no graphics device ({why})");
            None
        }
    }
}

/// A frame of a crowd that was updated: uploaded, posed, submitted.
fn show(gpu: &mut GpuCrowd, device: &Device, queue: &Queue, crowd: &Crowd) -> usize {
    let uploaded = gpu.upload(device, queue, crowd).unwrap();
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    gpu.encode(&mut encoder, None);
    queue.submit([encoder.finish()]);
    uploaded.bytes
}

fn mixing(archive: &Archive) -> Crowd {
    let mut crowd = Crowd::new(archive).unwrap();
    crowd.set_outputs(Outputs { mixes: true, ..Outputs::default() });
    crowd
}

/// A crowd of graphs with everything, told random things.
struct Random {
    crowd: Crowd,
    graphs: [Arc<Graph>; 2],
    roles: [Role<'static>; 2],
    members: Vec<(Member, usize)>,
    rng: Rng,
}

impl Random {
    fn new(archive: &Archive, seed: u64) -> Self {
        let mut crowd = mixing(archive);
        crowd.add_level(JointLod::prefix(20)).unwrap();
        let graphs = [crowds::graph(archive), crowds::inertial_graph(archive)];
        let roles = [0, 1].map(|i: usize| Role::Graph(crowd.add_graph(Arc::clone(&graphs[i])).unwrap()));
        let mut made = Self { crowd, graphs, roles, members: Vec::new(), rng: Rng::new(seed) };
        (0..60).for_each(|_| made.join());
        made
    }

    fn join(&mut self) {
        let which = self.rng.below(2);
        let place = crowds::place(&mut self.rng);
        self.members.push((self.crowd.add(self.roles[which], place).unwrap(), which));
    }

    fn step(&mut self) {
        let Self { crowd, graphs, members, rng, .. } = self;
        if rng.one_in(10) {
            crowd.remove(members.swap_remove(rng.below(members.len())).0).unwrap();
        }
        for (member, which) in &*members {
            if let Some(input) = Input::random(rng) {
                input.tell(crowd, &graphs[*which], *member);
            }
            match rng.below(150) {
                0 => crowd.set_pace(&[*member], [0.0, 0.5, 1.0, 2.0][rng.below(4)]).unwrap(),
                1 => crowd.set_pace(&[*member], 1.0).unwrap(),
                2 => crowd.set_seen(&[*member], rng.one_in(2)).unwrap(),
                3 => crowd.set_level(&[*member], rng.below(2) as u8).unwrap(),
                4 => crowd.set_rate(&[*member], 1 + rng.below(3) as u8).unwrap(),
                _ => {}
            }
        }
        let dt_s = if rng.one_in(9) { 0.0 } else { rng.unit_f64() * 0.04 };
        crowd.update(dt_s).unwrap();
        if self.rng.one_in(9) && self.members.len() < 90 {
            self.join();
            self.crowd.update(0.01).unwrap();
        }
    }
}

#[test]
fn every_feature_of_a_graph_is_shown_as_the_cpu_shows_it() {
    let Some((device, queue)) = device() else { return };
    let archive = crowds::archive();
    let plain = GpuOptions::default();
    let kinds = [
        ("f32 keys", plain.clone(), MOST_M),
        ("21-bit keys", GpuOptions { keys: KeyFormat::Rodrigues21, ..plain.clone() }, MOST_M),
        ("halves", GpuOptions { format: PaletteFormat::F16, ..plain.clone() }, MOST_IN_HALVES_M),
        ("small chunks", GpuOptions { most_chunk: 16, ..plain.clone() }, MOST_M),
        (
            "room for two changes",
            GpuOptions { most_changes: 2, models: true, before: true, ..plain.clone() },
            MOST_M,
        ),
    ];
    for (i, (name, options, most_m)) in kinds.into_iter().enumerate() {
        let mut random = Random::new(&archive, 40 + i as u64);
        let mut gpu = GpuCrowd::new(&device, &random.crowd, options).unwrap();
        let (mut worst, mut on_cpu) = (0.0_f64, 0);
        for frame in 0..120 {
            if frame == 60 {
                let saved = random.crowd.snapshot();
                random.crowd.update(0.3).unwrap();
                random.crowd.restore(&saved).unwrap();
            }
            // By the CPU for a while, now and then.
            let (member, _) = random.members[random.rng.below(random.members.len())];
            gpu.core_mut().set_on_cpu(&random.crowd, member, frame % 3 == 0).unwrap();
            random.step();
            show(&mut gpu, &device, &queue, &random.crowd);
            on_cpu = on_cpu.max(gpu.core().on_cpu().len());
            worst =
                worst.max(gpu.self_test(&device, &queue, &random.crowd, most_m).unwrap_or_else(|error| {
                    panic!("{name}, frame {frame}: {error}, {:?}", gpu.core().trouble())
                }));
        }
        assert!(worst > 0.0 && on_cpu > 0, "{name}: {worst} {on_cpu}");
        eprintln!("{name}: at most {:.4} mm, {on_cpu} by the CPU", worst * 1000.0);
    }
}

/// How the joints of a skeleton hang together.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Chain,
    /// Chains of eight on a spine.
    Ribs,
}

/// A skeleton of so many joints with two clips that move all of them.
fn rig(joints: usize, shape: Shape, scaled: bool) -> Archive {
    turned_rig(joints, shape, scaled, 0.0)
}

/// The same with the first joint turned by so many radians in one clip, and as far the other way in the other.
fn turned_rig(joints: usize, shape: Shape, scaled: bool, turn: f64) -> Archive {
    let parent = |joint: usize| match (joint, shape) {
        (0, _) => None,
        (_, Shape::Chain) => Some(joint - 1),
        (_, Shape::Ribs) if joint.is_multiple_of(8) => Some(joint - 8),
        (_, Shape::Ribs) => Some(joint - 1),
    };
    let depth = if shape == Shape::Chain { joints } else { joints / 8 + 8 };
    let step = 2.0 / depth as f64;
    let rest = |joint: usize| Trs {
        translation: V3::new(0.3 * step * (joint % 3) as f64, step, 0.2 * step),
        rotation: Q4::new(0.1 * ((joint % 5) as f64 - 2.0) / depth as f64, 0.0, 0.0, 1.0),
        scale: V3::ONE,
    };
    let raw = RawSkeleton {
        joints: (0..joints)
            .map(|joint| RawJoint { name: format!("j{joint}"), parent: parent(joint), rest: rest(joint) })
            .collect(),
    };
    let built = SkeletonBuilder::build(&raw).unwrap();
    let mut writer = ArchiveWriter::new().skeleton("skeleton", &built.skeleton).unwrap();
    for (number, name) in ["a", "b"].into_iter().enumerate() {
        let key = |joint: usize, i: usize| {
            let way = ((i as f64 + joint as f64 + number as f64 * 0.7) * 1.3).sin() * 4.0 / depth as f64;
            if joint == 0 && turn != 0.0 {
                let half = (if number == 0 { turn } else { -turn } + 0.01 * i as f64) * 0.5;
                return Q4::new(half.sin(), 0.0, 0.0, half.cos());
            }
            let (x, z) = (way * 0.5, way * 0.3);
            Q4::new(x, 0.02 * way, z, (1.0 - x * x - z * z).max(0.0).sqrt()).normalize()
        };
        let times = |i: usize| i as f64 / 10.0;
        let tracks = (0..joints)
            .map(|joint| {
                let rotation = Channel {
                    curve: Curve::Linear,
                    keys: (0..=6).map(|i| Key { time_s: times(i), value: key(joint, i % 6) }).collect(),
                    tangents: Vec::new(),
                };
                let mut track = RawTrack { rotation, ..RawTrack::default() };
                if joint == 0 || joint == joints / 2 {
                    let at = rest(joint).translation;
                    let keys = vec![
                        Key { time_s: 0.0, value: at },
                        Key { time_s: 0.6, value: at + V3::new(0.1, 0.0, 0.05) },
                    ];
                    track.translation = Channel { curve: Curve::Linear, keys, tangents: Vec::new() };
                }
                if scaled && joint % 7 == 3 {
                    let keys = vec![
                        Key { time_s: 0.0, value: V3::ONE },
                        Key {
                            time_s: 0.6,
                            value: V3::new(1.0 + 0.3 / depth as f64, 1.0, 1.0 - 0.2 / depth as f64),
                        },
                    ];
                    track.scale = Channel { curve: Curve::Linear, keys, tangents: Vec::new() };
                }
                track
            })
            .collect();
        let raw =
            RawAnimation { name: name.into(), duration_s: 0.6, looping: false, additive: false, tracks };
        let builder = ClipBuilder { form: Form::Rows, effort: Effort::Fast, ..ClipBuilder::default() };
        let bytes = builder.build(&built, &raw).unwrap().bytes;
        writer = writer.clip(u16::from(bytes[4]), name, bytes).unwrap();
    }
    Archive::read(&writer.finish().unwrap()).unwrap()
}

/// Members that play one or two of its clips, each from elsewhere.
fn players(archive: &Archive, count: usize) -> (Crowd, Vec<Member>) {
    let mut crowd = mixing(archive);
    let [a, b] = ["a", "b"].map(|name| crowd.clip(name).unwrap());
    let members = (0..count)
        .map(|i| {
            let at = i as f64 * 0.618;
            let clips =
                [PlayedClip::new(a, 1.0).at(at), PlayedClip::new(b, (i % 3) as f32 * 0.5).at(at * 0.7)];
            crowd.add(Role::Clips(&clips), RootStep::IDENTITY).unwrap()
        })
        .collect();
    (crowd, members)
}

fn agrees(device: &Device, queue: &Queue, archive: &Archive, options: &GpuOptions, what: &str) {
    let (mut crowd, members) = players(archive, 20);
    let level = crowd.add_level(JointLod::prefix(crowd.skeleton().joint_count().div_ceil(2))).unwrap();
    crowd.set_level(&members[15..], level).unwrap();
    let mut gpu = GpuCrowd::new(device, &crowd, options.clone()).unwrap();
    let mut worst = 0.0_f64;
    for _ in 0..6 {
        crowd.update(0.037).unwrap();
        show(&mut gpu, device, queue, &crowd);
        assert!(gpu.core().on_cpu().is_empty(), "{what}: {:?}", gpu.core().trouble());
        worst =
            worst.max(gpu.self_test(device, queue, &crowd, MOST_M).unwrap_or_else(|e| panic!("{what}: {e}")));
    }
    eprintln!("{what}: at most {:.4} mm", worst * 1000.0);
}

#[test]
fn skeletons_of_every_size_and_depth_are_posed() {
    let Some((device, queue)) = device() else { return };
    let plain = GpuOptions::default();
    for joints in [1, 63, 64, 65, 256, 300, 1024] {
        let archive = rig(joints, Shape::Ribs, false);
        agrees(&device, &queue, &archive, &plain, &format!("{joints} joints"));
    }
    agrees(&device, &queue, &rig(255, Shape::Chain, false), &plain, "a chain of 255");
    agrees(&device, &queue, &rig(300, Shape::Chain, false), &plain, "a chain of 300");
    let packed = GpuOptions { keys: KeyFormat::Rodrigues21, ..plain.clone() };
    for joints in [65, 256, 300] {
        let archive = rig(joints, Shape::Ribs, true);
        agrees(&device, &queue, &archive, &plain, &format!("{joints} joints with scales"));
        agrees(&device, &queue, &archive, &packed, &format!("{joints} joints with scales, packed"));
    }
}

#[test]
fn rotations_far_apart_are_blended_the_shorter_way() {
    let Some((device, queue)) = device() else { return };
    // 260 degrees one way are 100 the other.
    let archive = turned_rig(8, Shape::Ribs, false, 130.0_f64.to_radians());
    for keys in [KeyFormat::F32, KeyFormat::Rodrigues21] {
        let options = GpuOptions { keys, ..GpuOptions::default() };
        agrees(&device, &queue, &archive, &options, &format!("130 degrees either way, {keys:?}"));
    }
}

#[test]
fn what_hardly_weighs_leaves_the_rest_pose() {
    let Some((device, queue)) = device() else { return };
    let archive = rig(40, Shape::Ribs, true);
    let parts = GraphParts::new()
        .float("much", 1.0)
        .layer(LayerParts::new("body").state(StateParts::clip("a", "a")).weighed_by("much"));
    let mut crowd = mixing(&archive);
    // One with a threshold of its own.
    for parts in [parts.clone(), parts.filled_below(0.5)] {
        let graph = Arc::new(Graph::of_archive(&parts, &archive).unwrap());
        let role = Role::Graph(crowd.add_graph(Arc::clone(&graph)).unwrap());
        for i in 0..12 {
            let member = crowd.add(role, RootStep::IDENTITY).unwrap();
            crowd.set(member, graph.float("much").unwrap(), 0.03 * i as f32).unwrap();
        }
    }
    let mut gpu = GpuCrowd::new(&device, &crowd, GpuOptions::default()).unwrap();
    for _ in 0..5 {
        crowd.update(0.05).unwrap();
        show(&mut gpu, &device, &queue, &crowd);
        assert!(gpu.core().on_cpu().is_empty(), "{:?}", gpu.core().trouble());
        gpu.self_test(&device, &queue, &crowd, MOST_M).unwrap();
    }
}

#[test]
fn a_skeleton_that_is_too_large_is_refused_by_name() {
    let Some((device, _)) = device() else { return };
    let crowd = mixing(&rig(1025, Shape::Ribs, false));
    let error = GpuCrowd::new(&device, &crowd, GpuOptions::default()).unwrap_err();
    assert_eq!(error, GpuError::Joints { found: 1025, most: 1024 });
}

#[test]
fn clips_come_when_they_are_played_and_go_when_there_is_no_room() {
    let Some((device, queue)) = device() else { return };
    let archive = rig(64, Shape::Ribs, false);
    let (mut crowd, members) = players(&archive, 10);
    let clips = |crowd: &Crowd, name: &str| [PlayedClip::new(crowd.clip(name).unwrap(), 1.0)];
    let [a, b] = ["a", "b"].map(|name| clips(&crowd, name));
    for member in &members {
        crowd.set_played_clips(*member, &a).unwrap();
    }
    // Room for one of the two.
    let number = |name: &str| usize::from(archive_clip(&archive, name));
    let (first, second) = (number("a"), number("b"));
    let mut all = GpuCrowd::new(&device, &crowd, GpuOptions::default()).unwrap();
    let sizes = [first, second].map(|clip| {
        all.core_mut().clips_mut().add(crowd.skeleton(), clip).unwrap();
        all.core().clips().get(clip).unwrap().bytes
    });
    let most_key_bytes = sizes[0].max(sizes[1]) + 1024;
    assert!(most_key_bytes < sizes[0] + sizes[1], "{sizes:?}");
    let options = GpuOptions { most_key_bytes, ..GpuOptions::default() };
    let mut gpu = GpuCrowd::new(&device, &crowd, options).unwrap();
    let frame = |crowd: &mut Crowd, gpu: &mut GpuCrowd| {
        crowd.update(0.02).unwrap();
        show(gpu, &device, &queue, crowd);
        gpu.self_test(&device, &queue, crowd, MOST_M).unwrap();
        gpu.core().on_cpu().len()
    };
    assert_eq!(frame(&mut crowd, &mut gpu), 0);
    assert_eq!(gpu.core().clips().bytes(), sizes[0]);
    assert!(gpu.core().clips().get(second).is_none());
    assert!(matches!(gpu.core_mut().clips_mut().evict(first), Err(GpuError::Played { members: 10, .. })));
    // One plays the other: it does not fit, so the CPU poses it.
    crowd.set_played_clips(members[3], &b).unwrap();
    assert_eq!(frame(&mut crowd, &mut gpu), 1);
    assert!(matches!(gpu.core().trouble(), Some(GpuError::Room { .. })), "{:?}", gpu.core().trouble());
    // All do: the first one goes.
    for member in &members {
        crowd.set_played_clips(*member, &b).unwrap();
    }
    assert_eq!(frame(&mut crowd, &mut gpu), 0);
    assert!(gpu.core().clips().get(first).is_none() && gpu.core().clips().get(second).is_some());
    for member in &members {
        crowd.remove(*member).unwrap();
    }
    frame(&mut crowd, &mut gpu);
    gpu.core_mut().clips_mut().evict(second).unwrap();
    assert_eq!(gpu.core().clips().bytes(), 0);
    let nobody = GpuError::NoSuchClip { found: 9, clips: 2 };
    assert_eq!(gpu.core_mut().clips_mut().evict(9), Err(nobody));
}

fn archive_clip(archive: &Archive, name: &str) -> u16 {
    Crowd::new(archive).unwrap().clip(name).unwrap()
}

#[test]
fn keys_that_miss_their_bound_leave_the_member_to_the_cpu() {
    let Some((device, queue)) = device() else { return };
    let (mut crowd, _) = players(&rig(64, Shape::Ribs, false), 4);
    let options = GpuOptions { most_key_error_m: 0.0, ..GpuOptions::default() };
    let mut gpu = GpuCrowd::new(&device, &crowd, options).unwrap();
    crowd.update(0.02).unwrap();
    show(&mut gpu, &device, &queue, &crowd);
    assert_eq!(gpu.core().on_cpu().len(), 4);
    assert!(matches!(gpu.core().trouble(), Some(GpuError::Keys { .. })));
    assert!(gpu.self_test(&device, &queue, &crowd, 1.0e-9).unwrap() < 1.0e-9, "they are the CPU's");
}

#[test]
fn a_steady_crowd_uploads_nothing_but_the_time() {
    let Some((device, queue)) = device() else { return };
    let (mut crowd, members) = players(&rig(64, Shape::Ribs, false), 1000);
    let mut gpu = GpuCrowd::new(&device, &crowd, GpuOptions::default()).unwrap();
    crowd.update(0.02).unwrap();
    assert!(show(&mut gpu, &device, &queue, &crowd) > 100_000);
    let (mut most, mut sum) = (0, 0);
    for _ in 0..60 {
        crowd.update(1.0 / 60.0).unwrap();
        let bytes = show(&mut gpu, &device, &queue, &crowd);
        (most, sum) = (most.max(bytes), sum + bytes);
    }
    // A clip at a seam is told again: some in a thousand members and a second.
    assert!(sum < 60 * 32 + 20 * 100, "{sum}, at most {most}");
    // One that changes is a record of its own.
    crowd.set_pace(&members[..1], 0.5).unwrap();
    crowd.update(1.0 / 60.0).unwrap();
    let bytes = show(&mut gpu, &device, &queue, &crowd);
    assert!((100..400).contains(&bytes), "{bytes}");
    gpu.self_test(&device, &queue, &crowd, MOST_M).unwrap();
}

#[test]
fn a_device_that_is_lost_is_told_and_another_takes_over() {
    let Some((lost, queue)) = device() else { return };
    let archive = rig(64, Shape::Ribs, false);
    let (mut crowd, _) = players(&archive, 30);
    let mut gpu = GpuCrowd::new(&lost, &crowd, GpuOptions::default()).unwrap();
    gpu.watch(&lost);
    crowd.update(0.02).unwrap();
    show(&mut gpu, &lost, &queue, &crowd);
    lost.destroy();
    let _ = lost.poll(wgpu::PollType::wait_indefinitely());
    let saved = crowd.snapshot();
    crowd.update(0.02).unwrap();
    assert!(matches!(gpu.upload(&lost, &queue, &crowd), Err(GpuError::Lost { .. })));
    assert!(matches!(gpu.read_palettes(&lost, &queue, &[]), Err(GpuError::Lost { .. })));
    let Some((device, queue)) = device() else { return };
    crowd.restore(&saved).unwrap();
    let mut gpu = GpuCrowd::new(&device, &crowd, GpuOptions::default()).unwrap();
    crowd.update(0.02).unwrap();
    show(&mut gpu, &device, &queue, &crowd);
    assert!(gpu.self_test(&device, &queue, &crowd, MOST_M).unwrap() > 0.0);
}

#[test]
fn boxes_hold_their_spheres_and_the_frame_before_is_kept() {
    let Some((device, queue)) = device() else { return };
    for joints in [65, 300] {
        let (mut crowd, members) = players(&rig(joints, Shape::Ribs, false), 9);
        let spheres: Vec<[f32; 4]> =
            (0..joints).map(|j| [0.01 * j as f32, 0.3, -0.1, if j % 4 == 3 { -1.0 } else { 0.05 }]).collect();
        let options = GpuOptions {
            before: true,
            spheres: Some(spheres.clone()),
            places: true,
            ..GpuOptions::default()
        };
        let mut gpu = GpuCrowd::new(&device, &crowd, options).unwrap();
        gpu.core_mut().set_on_cpu(&crowd, members[4], true).unwrap();
        crowd.set_rate(&members[..2], 3).unwrap();
        let place = |i: usize| RootStep { translation: [i as f64, 0.5, 7.0], rotation: [0.0, 0.6, 0.0, 0.8] };
        for (i, member) in members.iter().enumerate() {
            crowd.set_place(*member, place(i)).unwrap();
        }
        let mut last: Option<Vec<Vec<PaletteRows>>> = None;
        for _ in 0..7 {
            crowd.update(0.02).unwrap();
            show(&mut gpu, &device, &queue, &crowd);
            gpu.self_test(&device, &queue, &crowd, MOST_M).unwrap();
            let shown = gpu.read_palettes(&device, &queue, &members).unwrap().wait(&device).unwrap();
            let boxes = floats(&device, &queue, gpu.boxes(0).unwrap());
            for (member, palette) in members.iter().zip(&shown) {
                let own = &boxes[member.index() * 8..][..8];
                let (mut low, mut high) = ([f32::MAX; 3], [f32::MIN; 3]);
                for (rows, [x, y, z, r]) in palette.iter().zip(&spheres).filter(|(_, s)| s[3] >= 0.0) {
                    for axis in 0..3 {
                        let [a, b, c, d] = rows[axis];
                        let (middle, r) = (a * x + b * y + c * z + d, r * (a * a + b * b + c * c).sqrt());
                        low[axis] = low[axis].min(middle - r);
                        high[axis] = high[axis].max(middle + r);
                    }
                }
                for axis in 0..3 {
                    assert!((own[axis] - low[axis]).abs() < 1.0e-4, "{joints}: {own:?} {low:?}");
                    assert!((own[axis + 4] - high[axis]).abs() < 1.0e-4, "{joints}: {own:?} {high:?}");
                }
            }
            if let Some(last) = last {
                let before = gpu.palette(members[0]).unwrap().before.unwrap();
                let kept = floats(&device, &queue, before);
                let flat: Vec<f32> = last.iter().flatten().flatten().flatten().copied().collect();
                assert!(kept[..flat.len()] == flat[..], "the palettes of the frame before");
            }
            last = Some(shown);
        }
    }
}

fn floats(device: &Device, queue: &Queue, buffer: &Buffer) -> Vec<f32> {
    let read = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: buffer.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &read, 0, buffer.size());
    queue.submit([encoder.finish()]);
    read.slice(..).map_async(wgpu::MapMode::Read, |_| ());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let view = read.slice(..).get_mapped_range().unwrap();
    view.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}
