//! The work that the tables of jobs are about, as rows that anybody with a clock can measure: the command, and Node.

use crate::{
    ozz::{self, Goal},
    player::Way,
    rig,
    skinning::{
        Matrices, Mesh, Order, mannequin_mesh, palette, skin as skin_mesh, skin_archived, skin_interleaved,
        skin_with_handedness,
    },
};
use lissom::{
    Clip, Cursor, Skeleton,
    archive::Archive,
    job::{
        AimBatchJob, AimChain, AimCorrection, AimIkJob, AttachJob, Attachment, BlendJob, BlendLayer,
        DualQuatSkinJob, FootBatchJob, FootJob, Ground, Leg, LegCorrection, LocalToModelJob, Mix, MixEntry,
        MixJob, MixScratch, ModelToLocalJob, Models, MorphJob, PaletteJob, SampleJob, SampleTime, Stance,
        TwoBoneBatchJob, TwoBoneChain, TwoBoneCorrection, TwoBoneIkJob, Update,
    },
    math::{
        Mat4, Mat34, Quat, Transform, Vec3,
        simd::Backend,
        soa::{Lanes, SoaTransform},
    },
    mesh::{DualQuat, MorphTarget, MorphTargets, StridedMut, VertexOutput, dual_quat_palette},
    player::Player,
};
use lissom_build::{
    SkeletonBuilder,
    archive::ArchiveWriter,
    cook::{ClipBuilder, Effort, Form},
    mannequin::{self, Detail, Motion},
    mesh::VertexLayout,
    raw::{RawAnimation, RawSkeleton},
};
use std::hint::black_box;

/// Work that is done over and over.
pub struct Row {
    /// What is done.
    pub name: String,
    /// Joints or vertices of a round, or 1: what its time is divided by.
    pub items: usize,
    /// What ozz takes for it, and what we mean to.
    pub goal: Option<Goal>,
    /// Rounds that the shortest is looked for in.
    pub rounds: usize,
    /// A round.
    pub run: Box<dyn FnMut()>,
}

impl Row {
    fn new(
        name: impl Into<String>,
        items: usize,
        goal: Option<Goal>,
        rounds: usize,
        run: impl FnMut() + 'static,
    ) -> Self {
        Self { name: name.into(), items, goal, rounds, run: Box::new(run) }
    }
}

/// A clip, and how fast ozz plays it: forward, backward, same time, random.
pub struct Subject {
    /// For the rows' names.
    pub name: String,
    /// The clip's.
    pub skeleton: Skeleton,
    /// What is played.
    pub clip: Clip,
    /// Where ozz was measured.
    pub goals: Option<[Goal; 4]>,
}

impl Subject {
    /// Cooks a motion. It stays for the life of the program, since rows are about it.
    ///
    /// # Errors
    ///
    /// A skeleton or a motion that cannot be cooked.
    pub fn new(
        name: &str,
        skeleton: &RawSkeleton,
        animation: &RawAnimation,
        form: Form,
        goals: Option<[Goal; 4]>,
    ) -> anyhow::Result<&'static Self> {
        let built = SkeletonBuilder::build(skeleton)?;
        let cooked = ClipBuilder { form, ..ClipBuilder::default() }.build(&built, animation)?;
        let clip = Clip::from_bytes(&cooked.bytes)?;
        Ok(Box::leak(Box::new(Self { name: name.into(), skeleton: built.skeleton, clip, goals })))
    }

    /// The mannequin's walk in both forms, and its longest clip.
    ///
    /// # Errors
    ///
    /// None, but for a mannequin that is broken.
    pub fn of_mannequin() -> anyhow::Result<Vec<&'static Self>> {
        let skeleton = mannequin::skeleton();
        [
            ("mannequin walk", Motion::Walk, Form::Rows),
            ("mannequin walk, keys", Motion::Walk, Form::Keys),
            ("mannequin performance", Motion::Performance, Form::Rows),
        ]
        .into_iter()
        .map(|(name, motion, form)| Self::new(name, &skeleton, &mannequin::clip(motion), form, None))
        .collect()
    }
}

/// Everything that needs no files, in groups that belong together.
///
/// # Errors
///
/// Those of [`Subject::of_mannequin`].
pub fn all(backend: Backend) -> anyhow::Result<Vec<Vec<Row>>> {
    let subjects = Subject::of_mannequin()?;
    let mut groups: Vec<_> = subjects.iter().map(|subject| sampling(subject, backend)).collect();
    groups.extend(subjects.first().map(|walk| character(walk, backend)));
    groups.extend(jobs(backend));
    groups.push(ik());
    groups.push(opening()?);
    Ok(groups)
}

/// From the bytes of an archive to the first pose: everything checked, copied and made ready, a clip played, matrices there.
///
/// # Errors
///
/// None, but for a mannequin that is broken.
pub fn opening() -> anyhow::Result<Vec<Row>> {
    let built = SkeletonBuilder::build(&mannequin::skeleton())?;
    let mesh = mannequin::mesh(&Detail::default())?;
    let row = |name: &str, with_mesh: bool| -> anyhow::Result<Row> {
        let mut writer = ArchiveWriter::new().skeleton("mannequin", &built.skeleton)?;
        if with_mesh {
            writer = writer.mesh(&mesh, &built)?;
        }
        for motion in [Motion::Walk, Motion::Jog, Motion::Run] {
            let clip = mannequin::clip(motion);
            let bytes =
                ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() }.build(&built, &clip)?.bytes;
            writer = writer.clip(u16::from(bytes[4]), &clip.name, bytes)?;
        }
        let bytes = writer.finish()?;
        Ok(Row::new(name, 1, None, 200, move || {
            let archive = Archive::read(black_box(&bytes)).expect("what was written");
            let mut player = Player::new(&archive).expect("one skeleton");
            player.play("walk").expect("there is a walk");
            player.update(1.0 / 60.0).expect("a step");
            black_box(player.models());
        }))
    };
    Ok(vec![row("three gaits: bytes to first pose", false)?, row("the same with a mesh", true)?])
}

/// What is done with poses and vertices.
#[must_use]
pub fn jobs(backend: Backend) -> Vec<Vec<Row>> {
    let mut groups = vec![local_to_model(backend), others(backend), blend(backend)];
    groups.extend(skin(backend));
    groups
}

/// A clip in every way.
#[must_use]
pub fn sampling(subject: &'static Subject, backend: Backend) -> Vec<Row> {
    const ROUNDS: usize = 30;
    let Subject { name, skeleton, clip, goals } = subject;
    let row = |(i, way): (usize, Way)| {
        let times = way.times(clip.view().duration_s());
        let mut cursor = Cursor::with_room_for(clip.view());
        // Two outputs in turn, so that nothing can be left out because it was written before.
        let mut outputs = [(); 2].map(|()| vec![SoaTransform::IDENTITY; skeleton.group_count()]);
        let (name, items) = (format!("{name}, {}", way.name()), times.len() * skeleton.joint_count());
        Row::new(name, items, goals.map(|goals| goals[i]), ROUNDS, move || {
            for (i, t) in times.iter().enumerate() {
                let output = &mut outputs[i % 2];
                SampleJob::new(skeleton, clip.view(), &mut cursor, output)
                    .at(SampleTime::Clamped(*t))
                    .run_on(backend)
                    .expect("valid");
            }
        })
    };
    Way::ALL.into_iter().enumerate().map(row).collect()
}

/// One character: three samples a frame apart, a blend and model matrices; and the same as a mix.
#[must_use]
pub fn character(subject: &'static Subject, backend: Backend) -> Vec<Row> {
    const ROUNDS: usize = 200;
    const WEIGHTS: [f32; 3] = [0.5, 0.3, 0.2];
    let Subject { name, skeleton, clip, goals } = subject;
    let duration_s = clip.view().duration_s();
    let at = move |frame: u32, i: usize| {
        SampleTime::Wrapped(f64::from(frame) / 60.0 + duration_s * 0.3 * i as f64)
    };
    let pose = || vec![SoaTransform::IDENTITY; skeleton.group_count()];
    let apart = |with_models: bool| {
        let (mut poses, mut blended) = ([(); 3].map(|()| pose()), pose());
        let mut cursors = [(); 3].map(|()| Cursor::with_room_for(clip.view()));
        let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
        let mut frame = 0;
        move || {
            frame += 1;
            for (i, (cursor, pose)) in cursors.iter_mut().zip(&mut poses).enumerate() {
                SampleJob::new(skeleton, clip.view(), cursor, pose)
                    .at(at(frame, i))
                    .run_on(backend)
                    .expect("valid");
            }
            let layer = |i: usize| BlendLayer { weight: WEIGHTS[i], pose: &poses[i], joint_weights: None };
            let layers = [layer(0), layer(1), layer(2)];
            BlendJob::new(&layers, skeleton.rest_pose(), &mut blended).run_on(backend).expect("valid");
            if with_models {
                let (locals, models) = (&blended[..], Models::Mat4(&mut models));
                LocalToModelJob { skeleton, locals, root: None, update: Update::All, lod: None, models }
                    .run_on(backend)
                    .expect("valid");
            }
        }
    };
    let clips = [clip.clone(), clip.clone(), clip.clone()];
    let (mut scratch, mut blended) = (MixScratch::with_room_for(skeleton, &clips, 3), pose());
    let mut frame = 0;
    let mixed = move || {
        frame += 1;
        let mut mix = Mix::EMPTY;
        for (i, weight) in WEIGHTS.into_iter().enumerate() {
            assert!(mix.push(MixEntry::new(i, at(frame, i), weight)));
        }
        MixJob::new(skeleton, &clips, &mix, &mut scratch, &mut blended).run_on(backend).expect("valid");
    };
    let goal = goals.map(|_| ozz::CHARACTER);
    vec![
        Row::new(format!("{name}, a character"), 1, goal, ROUNDS, apart(true)),
        Row::new("three samples and a blend, as jobs", 1, None, ROUNDS, apart(false)),
        Row::new("three samples and a blend, as a mix", 1, None, ROUNDS, mixed),
    ]
}

const ROUNDS: usize = 300;

fn local_to_model(backend: Backend) -> Vec<Row> {
    let skeleton: &'static Skeleton = Box::leak(Box::new(rig::skeleton()));
    let joints = skeleton.joint_count();
    let pose: &'static [SoaTransform] = rig::pose(joints, 2).leak();
    let run = move |update: Update, models: Models<'_>| {
        LocalToModelJob { skeleton, locals: pose, root: None, update, lod: None, models }
            .run_on(backend)
            .expect("valid");
    };
    let wide = || Matrices::new(&vec![Mat4::IDENTITY; joints]);
    let (mut tiny, mut tiny_models) = (rig::pose(joints, 2), wide());
    tiny.iter_mut().for_each(|group| group.translation.x.0[3] = 1.0e-39);
    let (mut models, mut small, mut none) = (wide(), vec![Mat34::IDENTITY; joints], wide());
    let goal = Some(ozz::LOCAL_TO_MODEL);
    vec![
        Row::new("local to model, 4x4", joints, goal, ROUNDS, move || {
            run(Update::All, Models::Mat4(models.get_mut()));
        }),
        Row::new("local to model, 3x4", joints, goal, ROUNDS, move || {
            run(Update::All, Models::Mat34(&mut small));
        }),
        Row::new("local to model, subnormal numbers", joints, None, ROUNDS, move || {
            LocalToModelJob::new(skeleton, &tiny, tiny_models.get_mut()).run_on(backend).expect("valid");
        }),
        Row::new("local to model, no joint (a call)", 1, None, ROUNDS, move || {
            run(Update::Range(0..0), Models::Mat4(none.get_mut()));
        }),
    ]
}

/// What else is done with matrices and vertices, without goals.
fn others(backend: Backend) -> Vec<Row> {
    const VERTICES: usize = 2000;
    let skeleton: &'static Skeleton = Box::leak(Box::new(rig::skeleton()));
    let joints = skeleton.joint_count();
    let pose = rig::pose(joints, 2);
    let mut models = Matrices::new(&vec![Mat4::IDENTITY; joints]);
    let to = Models::Mat4(models.get_mut());
    LocalToModelJob { skeleton, locals: &pose, root: None, update: Update::All, lod: None, models: to }
        .run_on(backend)
        .expect("valid");
    let palette: &'static Matrices = Box::leak(Box::new(models));
    let mut locals = skeleton.rest_pose().to_vec();
    let binds = vec![Mat34::IDENTITY; joints];
    let attachments: Vec<_> =
        (0..joints).map(|joint| Attachment { joint, offset: Mat34::IDENTITY }).collect();
    let (mut skinned, mut attached) = (Matrices::new(&vec![Mat4::IDENTITY; joints]), binds.clone());
    let mesh: &'static Mesh = Box::leak(Box::new(Mesh::new(VERTICES, 4, joints, Order::Neighbours)));
    let (checked, mut turned) = (mesh.checked(joints), mesh.output());
    let mut turns = vec![DualQuat::from_mat34(&Mat34::IDENTITY); joints];
    dual_quat_palette(palette.get(), &mut turns);
    let (vertices, deltas): (Vec<u32>, Vec<_>) = (0..VERTICES as u32).map(|v| (v, [0.01; 3])).unzip();
    let target =
        MorphTarget { vertices: vertices.leak(), positions: deltas.leak(), normals: &[], tangents: &[] };
    let targets: &'static [MorphTarget<'static>] = vec![target; 2].leak();
    let targets = MorphTargets::new(targets, VERTICES).expect("valid");
    let mut morphed = vec![[0.0; 3]; VERTICES];
    vec![
        Row::new("model to local", joints, None, ROUNDS, move || {
            ModelToLocalJob::new(skeleton, palette.get(), &mut locals).run_on(backend).expect("valid");
        }),
        Row::new("attach", joints, None, ROUNDS, move || {
            AttachJob::new(palette.get(), &attachments, &mut attached).run_on(backend).expect("valid");
        }),
        Row::new("palette", joints, None, ROUNDS, move || {
            PaletteJob::new(palette.get(), &binds, skinned.get_mut()).run_on(backend).expect("valid");
        }),
        Row::new("skin P, 4 influences, dual quaternions", VERTICES, None, ROUNDS / 4, move || {
            let positions = StridedMut::packed(&mut turned[0]);
            let output = VertexOutput::Separate { positions, normals: None, tangents: None };
            DualQuatSkinJob::new(checked, &turns, mesh.positions(), output).run_on(backend).expect("valid");
        }),
        Row::new("morph P, 2 targets of all vertices", VERTICES, None, ROUNDS / 4, move || {
            let positions = StridedMut::packed(&mut morphed);
            let output = VertexOutput::Separate { positions, normals: None, tangents: None };
            MorphJob::new(targets, &[0.3, 0.6], mesh.positions(), output).run_on(backend).expect("valid");
        }),
    ]
}

fn blend(backend: Backend) -> Vec<Row> {
    let skeleton: &'static Skeleton = Box::leak(Box::new(rig::skeleton()));
    let joints = skeleton.joint_count();
    let poses: [&'static [SoaTransform]; 4] =
        core::array::from_fn(|i| &*rig::pose(joints, 10 + i as u64).leak());
    let weights: &'static [Lanes] = vec![Lanes::splat(0.5); poses[0].len()].leak();
    let layer = |(i, partial): (usize, bool)| BlendLayer {
        weight: 0.2 + 0.1 * i as f32,
        pose: poses[i],
        joint_weights: partial.then_some(weights),
    };
    let some = |count: usize, partial: bool| -> Vec<BlendLayer<'static>> {
        (0..count).map(|i| layer((i, partial && i > 0))).collect()
    };
    let row = |name: &str, layers: Vec<BlendLayer<'static>>, additive: Vec<BlendLayer<'static>>, goal| {
        let mut output = skeleton.rest_pose().to_vec();
        Row::new(name, joints, goal, ROUNDS, move || {
            BlendJob {
                layers: &layers,
                additive: &additive,
                threshold: BlendJob::DEFAULT_THRESHOLD,
                rest: skeleton.rest_pose(),
                lod: None,
                output: &mut output,
            }
            .run_on(backend)
            .expect("valid");
        })
    };
    let mut rows: Vec<Row> = (2..)
        .zip(ozz::BLEND)
        .map(|(count, goal)| row(&format!("blend, {count} layers"), some(count, false), vec![], Some(goal)))
        .collect();
    rows.push(row("blend, 1 full + 1 partial", some(2, true), vec![], None));
    rows.push(row("blend, 1 full + 2 partial", some(3, true), vec![], None));
    rows.push(row("blend, 1 full + 1 additive", some(1, false), vec![layer((1, false))], None));
    // A translation that is nearly 0 in one joint of sixteen.
    let tiny = |i: u64| -> &'static [SoaTransform] {
        let mut pose = rig::pose(joints, 10 + i);
        pose.iter_mut().for_each(|group| group.translation.x.0[3] = 1.0e-39);
        pose.leak()
    };
    let tiny = (0..3).map(|i| BlendLayer { weight: 0.3, pose: tiny(i), joint_weights: None }).collect();
    rows.push(row("blend, 3 layers, subnormal numbers", tiny, vec![], None));
    let (layers, mut output) = (some(2, false), skeleton.rest_pose().to_vec());
    rows.push(Row::new("blend, no joint (a call)", 1, None, ROUNDS, move || {
        let threshold = BlendJob::DEFAULT_THRESHOLD;
        BlendJob { layers: &layers, additive: &[], threshold, rest: &[], lod: None, output: &mut output }
            .run_on(backend)
            .expect("valid");
    }));
    rows
}

fn skin(backend: Backend) -> Vec<Vec<Row>> {
    const JOINTS: usize = 67;
    const VERTICES: usize = 2000;
    let palette: &'static Matrices = Box::leak(Box::new(palette(JOINTS)));
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
    let made = |influences, order| -> &'static Mesh {
        Box::leak(Box::new(Mesh::new(VERTICES, influences, JOINTS, order)))
    };
    let group = |(influences, order, goals): (usize, Order, Option<[Goal; 3]>)| {
        let mesh = made(influences, order);
        let checked = mesh.checked(JOINTS);
        let row = |(attributes, name): (usize, &str)| {
            let mixed = if order == Order::Mixed { ", mixed" } else { "" };
            let name = format!("skin {name}, {influences} influences{mixed}");
            let mut out = mesh.output();
            Row::new(name, VERTICES, goals.map(|goals| goals[attributes - 1]), ROUNDS / 4, move || {
                skin_mesh(backend, mesh, checked, palette.get(), attributes, &mut out);
            })
        };
        [(1, "P"), (2, "PN"), (3, "PNT")].into_iter().map(row).collect()
    };
    let mut groups: Vec<Vec<Row>> = shapes.into_iter().map(group).collect();
    let mesh = made(4, Order::Neighbours);
    let (checked, tangents, mut out) = (mesh.checked(JOINTS), mesh.tangents_with_handedness(), mesh.output());
    let name = "skin PNT, 4 influences, tangents of 16 B";
    groups.push(vec![Row::new(name, VERTICES, None, ROUNDS / 4, move || {
        skin_with_handedness(backend, mesh, checked, palette.get(), &tangents, &mut out);
    })]);
    let checked = mesh.checked_small(mesh.small_influences().leak(), JOINTS);
    let (from, mut to) = (mesh.interleaved(), mesh.interleaved());
    groups.push(vec![Row::new(
        "skin PN, 4 influences, interleaved",
        VERTICES,
        None,
        ROUNDS / 4,
        move || {
            skin_interleaved(backend, checked, palette.get(), &from, &mut to);
        },
    )]);
    groups.push(vec![
        archived(backend, "skin PN, mannequin", VertexLayout::Source),
        archived(backend, "skin PN, mannequin, laid out", VertexLayout::Skinning),
    ]);
    groups
}

/// The mannequin's mesh as an archive has it.
fn archived(backend: Backend, name: &str, layout: VertexLayout) -> Row {
    let mesh = mannequin_mesh(layout);
    let (vertices, palette) = (mesh.view().positions.len(), palette(mesh.view().inverse_binds.len()));
    let mut out = core::array::from_fn(|_| vec![[0.0; 3]; vertices]);
    Row::new(name, vertices, None, ROUNDS / 4, move || {
        skin_archived(backend, &mesh, palette.get(), &mut out);
    })
}

/// Two bones, and joints that aim: a call each. Plain code, the same on every backend.
#[must_use]
pub fn ik() -> Vec<Row> {
    const ROUNDS: usize = 2_000;
    const TARGETS: usize = CHAINS;
    let ([start, mid, end], targets) = (limb(), targets());
    let bones = move || {
        let mut correction = TwoBoneCorrection::default();
        for target in &targets {
            let job = TwoBoneIkJob::new([&start, &mid, &end], *target, &mut correction);
            TwoBoneIkJob { mid_axis: Vec3::NEG_X, pole: Vec3::Z, ..job }.run().expect("valid");
            black_box(&correction);
        }
    };
    let aim = move || {
        let (head, mut turns): ([Mat34; 1], _) = ([end], [AimCorrection::default()]);
        for target in &targets {
            AimIkJob::new(&head, &[1.0], *target, &mut turns).run().expect("valid");
            black_box(&turns);
        }
    };
    let aim_chain = move || {
        let (chain, mut turns) = ([end, mid, start], [AimCorrection::default(); 3]);
        for target in &targets {
            AimIkJob::new(&chain, &[0.5, 0.5, 1.0], *target, &mut turns).run().expect("valid");
            black_box(&turns);
        }
    };
    vec![
        Row::new("two bones", TARGETS, Some(ozz::TWO_BONE), ROUNDS, bones),
        Row::new("aim, a joint", TARGETS, Some(ozz::AIM), ROUNDS, aim),
        Row::new("aim, a chain of three", TARGETS, None, ROUNDS, aim_chain),
    ]
}

/// IK of many characters side by side, a chain or leg each.
#[must_use]
pub fn ik_in_lanes(backend: Backend) -> Vec<Row> {
    const ROUNDS: usize = 2_000;
    let limbs: &'static [[Mat34; 3]] = vec![limb(); CHAINS].leak();
    let targets: &'static [Vec3; CHAINS] = Box::leak(Box::new(targets()));
    let [.., end] = limb();
    let chain = |i: usize| {
        let [start, mid, end] = &limbs[i];
        let chain = TwoBoneChain::new([start, mid, end], targets[i]);
        TwoBoneChain { mid_axis: Vec3::NEG_X, pole: Vec3::Z, ..chain }
    };
    let chains: Vec<_> = (0..CHAINS).map(chain).collect();
    let mut corrections = [TwoBoneCorrection::default(); CHAINS];
    let bones = move || {
        TwoBoneBatchJob::new(&chains, &mut corrections).run_on(backend).expect("valid");
        black_box(&corrections);
    };
    let head: &'static [Mat34; 1] = Box::leak(Box::new([end]));
    let looks: Vec<_> = targets.iter().map(|target| AimChain::new(head, &[1.0], *target)).collect();
    let mut turns = [AimCorrection::default(); CHAINS];
    let aim = move || {
        AimBatchJob::new(&looks, &mut turns).run_on(backend).expect("valid");
        black_box(&turns);
    };
    let (legs, legs_again) = (legs(limbs, targets), legs(limbs, targets));
    let (mut pelvises, mut placed) = ([0.0; CHAINS / 2], [LegCorrection::default(); CHAINS]);
    let feet = move || {
        let stances: [Stance<'_>; CHAINS / 2] =
            core::array::from_fn(|i| Stance::new(&legs[2 * i..2 * i + 2]));
        FootBatchJob::new(&stances, &mut pelvises, &mut placed).run_on(backend).expect("valid");
        black_box(&placed);
    };
    let feet_alone = move || {
        for legs in legs_again.chunks(2) {
            let (mut pelvis, mut placed) = (0.0, [LegCorrection::default(); 2]);
            FootJob::new(legs, &mut pelvis, &mut placed).run_on(backend).expect("valid");
            black_box(&placed);
        }
    };
    vec![
        Row::new("two bones, side by side", CHAINS, Some(ozz::TWO_BONE_IN_LANES), ROUNDS, bones),
        Row::new("aim, side by side", CHAINS, Some(ozz::AIM_IN_LANES), ROUNDS, aim),
        Row::new("a leg on the ground, alone", CHAINS, None, ROUNDS, feet_alone),
        Row::new("a leg on the ground, side by side", CHAINS, None, ROUNDS, feet),
    ]
}

/// So many that no branch is learnt by heart.
const CHAINS: usize = 64;

/// A leg, bent a little.
fn limb() -> [Mat34; 3] {
    let bent = Quat::from_xyzw(0.3, 0.0, 0.0, 0.953_939_2);
    let at = |y: f32, rotation| {
        Transform { translation: Vec3::new(0.0, y, 0.0), rotation, scale: Vec3::ONE }.to_mat34()
    };
    let start = at(0.9, Quat::IDENTITY);
    let mid = start.mul(&at(-0.45, bent));
    [start, mid, mid.mul(&at(-0.42, Quat::IDENTITY))]
}

/// About the foot, within reach and beyond.
fn targets() -> [Vec3; CHAINS] {
    core::array::from_fn(|i| {
        let [a, b, c] = [7, 11, 13].map(|step| ((i * step) % 16) as f32 / 16.0 - 0.5);
        Vec3::new(0.4 * a, 0.2 + 0.4 * b, 0.1 + 0.5 * c)
    })
}

/// Feet on slopes.
fn legs(limbs: &'static [[Mat34; 3]], targets: &[Vec3]) -> Vec<Leg<'static>> {
    let leg = |([hip, knee, ankle], at): (&'static [Mat34; 3], &Vec3)| Leg {
        hip,
        knee,
        ankle,
        knee_axis: Vec3::NEG_X,
        ankle_height: 0.08,
        ground: Some(Ground {
            place: Vec3::new(0.0, 0.3 * at.y - 0.06, 0.0),
            normal: Vec3::new(at.x, 1.0, at.z),
        }),
        weight: 1.0,
    };
    limbs.iter().zip(targets).map(leg).collect()
}
