//! Motions of other rigs on the mannequin, and the mannequin's on theirs: Carnegie Mellon's, ozz's, Mixamo's, a VRM's.
//!
//! What is measured is what people see: arms, legs and feet point where the source's do; a foot that stands in the source stands on the
//! ground of the target, does not slide there and is not below it; a pose that went there and back is the pose that it was; mirrored
//! twice is the original.

use crate::files;
use anyhow::{Context, Result, ensure};
use lissom_build::{
    edit::{self, ClipRule, Edit, EditKind},
    exact::{M34, Q4, Trs, V3, larger, smaller},
    feet::ContactRule,
    import::{self, Axis, ImportOptions},
    mannequin::{self, Motion},
    mesh::model_matrices,
    raw::RawSkeleton,
    retarget::{Bone, BoneMap, Goals, Part, Retarget, Side},
    scene::{Scene, SceneAnimation, SceneSkeleton},
};
use std::path::{Path, PathBuf};

/// Fewer are no check.
const RIGS: usize = 25;
const CLIPS: usize = 60;
const STANDS: usize = 5_000;
const LIMBS: usize = 80_000;
/// Of a file.
const MOST_CLIPS: usize = 8;
/// Seconds of a clip that are looked at, and looks a second.
const LONGEST_S: f64 = 20.0;
const RATE_HZ: f64 = 30.0;
/// How far from the ground a foot that stands may be, in metres, on legs of [`LEG_M`]; and of how many looks that must hold. A backflip and a
/// turn on a skateboard are among the motions, and a rig of legs of 25 cm: these four of 183 clips are above at times.
const GROUND_M: f64 = 0.02;
const LEG_M: f64 = 0.9;
/// A source's sole that is higher, in legs, does not stand on the floor.
const RAISED: f64 = 0.08;
const LEVEL: f64 = 0.99;
/// How far a limb may point away from where the source's does, in degrees, of all looks at it but for one in twenty.
const POINTS_DEG: f64 = 10.0;
const MOST_LOOKS: f64 = 0.95;
/// How fast a foot that stands may slide with goals, in metres per second on legs of [`LEG_M`], beside what the source's does; and how deep
/// feet may be below the ground, of all but this share of the looks.
const SLIDE: f64 = 0.10;
const BELOW_M: f64 = 0.03;
/// How far a shared bone may be off after there and back, in shares of the leg, and its turn in model space. What joints did that
/// are no bone of both is lost, so the pose that should come back has them at rest ([`bones_alone`]).
const BACK: f64 = 1e-6;

#[derive(Default)]
struct Sums {
    rigs: usize,
    clips: usize,
    /// Looks at a foot that stands, and how far from the ground the worst is: by turns alone, with goals.
    stands: usize,
    off: [f64; 2],
    above: [usize; 2],
    worst: [String; 2],
    back: f64,
    mirrored: f64,
    place: String,
    /// What is lost of joints that are no bones: how far bones are off the source's own pose, in legs.
    lost: f64,
    /// Looks at limbs and, of those at each clip, the worst 95th percentile of the angle to the source's, in degrees.
    limbs: usize,
    points: (f64, String),
    /// How fast feet that stand slide with goals, metres per second; how deep feet are below the ground, metres.
    slides: Vec<f64>,
    depths: Vec<f64>,
}

pub fn run(folder: &Path) -> Result<()> {
    let assets = folder.join("assets");
    let mut rigs: Vec<(PathBuf, ImportOptions)> = Vec::new();
    for file in files::below_named(&assets.join("cmu-bvh"), &["bvh"])? {
        rigs.push((file, ImportOptions::default()));
    }
    let ozz = assets.join("ozz/bin");
    for name in ["pab_walk_raw", "pab_jog_raw", "pab_run_raw", "pab_walk", "pab_atlas"] {
        let skeleton = Some(ozz.join("pab_skeleton.ozz"));
        rigs.push((ozz.join(name).with_extension("ozz"), ImportOptions { skeleton, ..Default::default() }));
    }
    let defects = folder.join("defects");
    let names = ["threejs/examples/models/gltf/Soldier.glb", "threejs/examples/models/gltf/Xbot.glb"];
    let mixamo = files::below_named(&defects.join("babylonjs"), &["glb"])?;
    let vrm = files::below_named(&defects.join("vrm-samples"), &["vrm"])?;
    let plain = ImportOptions { no_images: true, ..Default::default() };
    for file in names.iter().map(|name| defects.join(name)).chain(mixamo).chain(vrm) {
        rigs.push((file, plain.clone()));
    }
    let files: Vec<PathBuf> = rigs.iter().map(|(file, _)| file.clone()).collect();
    let options = |file: &Path| rigs.iter().find(|(own, _)| own == file).map(|(_, options)| options.clone());
    let one = |file: &Path, own: &mut Sums| rig(file, &options(file).unwrap_or_default(), own);
    let (all, failures) = files::look(&files, one, Sums::add);
    println!(
        "retarget: {} rigs, {} clips there and back, {} looks at feet that stand: at most {:.1} mm from the ground by turns alone ({}; {} above \
         {:.0} mm), {:.1} mm with goals ({}; {} above); there and back at most {:.1e} of a leg off ({}), beside what joints that are no \
         bones did, which is up to {:.3}; mirrored twice {:.1e} m off",
        all.rigs,
        all.clips,
        all.stands,
        all.off[0] * 1e3,
        all.worst[0],
        all.above[0],
        GROUND_M * 1e3,
        all.off[1] * 1e3,
        all.worst[1],
        all.above[1],
        all.back,
        all.place,
        all.lost,
        all.mirrored
    );
    let (slide, below) = (percentile(&all.slides), percentile(&all.depths));
    println!(
        "retarget: {} looks at arms, legs and feet: at the 95th percentile of a clip at most {:.2} degrees off the source's ({}); feet that \
         stand slide {slide:.3} m/s at the 95th percentile with goals, and feet are {:.1} mm below the ground",
        all.limbs,
        all.points.0,
        all.points.1,
        below * 1e3
    );
    failures.iter().for_each(|failure| println!("retarget: {failure}"));
    ensure!(failures.is_empty(), "{} files", failures.len());
    ensure!(slide <= SLIDE, "feet that stand slide {slide:.3} m/s, not {SLIDE}");
    ensure!(below <= BELOW_M, "feet are {:.1} mm below the ground, not {:.1}", below * 1e3, BELOW_M * 1e3);
    ensure!(all.limbs >= LIMBS, "{} looks at limbs are too few", all.limbs);
    let level = 1.0 - all.above[1] as f64 / all.stands as f64;
    ensure!(level >= LEVEL, "of feet that stand only {:.2} % do within {} mm", level * 100.0, GROUND_M * 1e3);
    ensure!(all.rigs >= RIGS && all.clips >= CLIPS && all.stands >= STANDS, "that is too few");
    Ok(())
}

impl Sums {
    fn add(&mut self, mut other: Self) {
        self.rigs += other.rigs;
        self.clips += other.clips;
        self.stands += other.stands;
        self.mirrored = larger(self.mirrored, other.mirrored);
        for i in 0..2 {
            if other.off[i] > self.off[i] {
                (self.off[i], self.worst[i]) = (other.off[i], core::mem::take(&mut other.worst[i]));
            }
            self.above[i] += other.above[i];
        }
        self.lost = larger(self.lost, other.lost);
        self.limbs += other.limbs;
        self.slides.append(&mut other.slides);
        self.depths.append(&mut other.depths);
        if other.points.0 > self.points.0 {
            self.points = core::mem::take(&mut other.points);
        }
        if other.back > self.back {
            (self.back, self.place) = (other.back, other.place);
        }
    }
}

/// One file's rig and the mannequin: its motions there and back, and three of the mannequin's the other way round.
fn rig(file: &Path, options: &ImportOptions, sums: &mut Sums) -> Result<()> {
    let scene = import::open(file, options)?;
    let stem = import::stem(file);
    let skeleton = &scene.skeletons.first().context("it has a skeleton")?.skeleton;
    let own = mannequin::skeleton();
    sums.rigs += 1;
    for animation in scene.animations.iter().filter(|a| a.skeleton == Some(0)).take(MOST_CLIPS) {
        pair(skeleton, &own, animation, &stem, sums)?;
    }
    for motion in [Motion::Walk, Motion::Run, Motion::Turn] {
        let motion = mannequin::clip(motion);
        let animation = SceneAnimation { skeleton: Some(0), motion, ..Default::default() };
        pair(&own, skeleton, &animation, &stem, sums)?;
    }
    Ok(())
}

fn pair(
    from: &RawSkeleton,
    to: &RawSkeleton,
    clip: &SceneAnimation,
    stem: &str,
    sums: &mut Sums,
) -> Result<()> {
    let (source, target) = (BoneMap::guess(from), BoneMap::guess(to));
    let goals = [Goals::default(), Goals { hands: false, feet: true }];
    let there = goals.map(|goals| Retarget::new((from, &source), (to, &target), goals));
    let [free, held] = there;
    let (free, held) = (free?, held?);
    let back = Retarget::new((to, &target), (from, &source), Goals::default())?;
    let name = format!("{stem} {}", clip.motion.name);
    sums.clips += 1;

    let contacts = clip.contacts(from, &ContactRule::default()).with_context(|| name.clone())?;
    let soles = Soles::new(to, &target);
    let own_soles = Soles::new(from, &source);
    let leg = own_soles.leg;
    let looks = (smaller(clip.motion.duration_s, LONGEST_S) * RATE_HZ) as usize;
    let levelled = [free.motion(&clip.motion, RATE_HZ)?, held.motion(&clip.motion, RATE_HZ)?];
    let (mut worst, mut stands) = ([0.0; 2], 0);
    let (mut worst_back, mut lost) = ((0.0, String::new()), 0.0);
    let mut limbs = Limbs::new((from, &source), (to, &target));
    let mut before: [Option<[V3; 2]>; 2] = [None; 2];
    for look in 0..=looks {
        let time_s = smaller(look as f64 / RATE_HZ, clip.motion.duration_s);
        let pose = clip.motion.pose(from, time_s);
        let moved = free.pose(&pose);
        let shown = levelled.each_ref().map(|motion| motion.pose(to, time_s));
        // As it is cooked, not as a pose alone.
        limbs.look(&pose, &shown[0]);
        let (was, is) = (places(from, &pose), places(to, &shown[1]));
        for side in 0..2 {
            sums.depths.push(larger(-soles.height(to, &shown[1], side), 0.0) * LEG_M / soles.leg);
            let inside = |(start, end): &(f64, f64)| time_s > start + 0.05 && time_s < end - 0.05;
            let stands = contacts.feet[side].iter().any(inside);
            let at = [was[own_soles.points[side][0].0], is[soles.points[side][0].0]];
            if let Some([own, other]) = before[side].filter(|_| stands) {
                // What the source's foot does there, in the measure of the legs, is no slide.
                let (own, other) =
                    (level(at[0] - own).length() * free.report().ratio, level(at[1] - other).length());
                sums.slides.push(larger(other - own, 0.0) * RATE_HZ * LEG_M / soles.leg);
            }
            before[side] = stands.then_some(at);
        }
        for side in 0..2 {
            // A little after it came down, a little before it leaves.
            let inside = |(start, end): &(f64, f64)| time_s > start + 0.05 && time_s < end - 0.05;
            if !contacts.feet[side].iter().any(inside) {
                continue;
            }
            // On a step or on rising ground a foot stands where the source has it, not on the floor.
            if own_soles.height(from, &pose, side) > RAISED * leg {
                continue;
            }
            stands += 1;
            for (i, pose) in shown.iter().enumerate() {
                let off = soles.height(to, pose, side).abs() * LEG_M / soles.leg;
                worst[i] = larger(worst[i], off);
                if off > sums.off[i] {
                    (sums.off[i], sums.worst[i]) = (off, format!("{name} at {time_s:.2} s"));
                }
                sums.above[i] += usize::from(off > GROUND_M);
            }
        }
        let again = back.pose(&moved);
        let shared: Vec<usize> =
            back.report().bones.iter().filter_map(|bone| source.joints.get(bone)).copied().collect();
        let alone = bones_alone(from, &source, &shared, &pose);
        let [own, was, is] = [&pose, &alone, &again].map(|pose| places(from, pose));
        let (was_turned, is_turned) = (turns(from, &alone), turns(from, &again));
        for (bone, joint) in back.report().bones.iter().zip(&shared) {
            let turn = 1.0 - was_turned[*joint].dot(is_turned[*joint]).abs();
            let off = larger(was[*joint].distance(is[*joint]) / leg, turn);
            lost = larger(lost, own[*joint].distance(is[*joint]) / leg);
            if off > worst_back.0 {
                worst_back = (off, format!("{name}, {bone} at {time_s:.2} s"));
            }
        }
    }
    println!(
        "retarget: {name:40} ratio {:.3}, {} bones; there and back {:.1e} of a leg off, {lost:.3} lost; {stands} looks at feet that \
         stand, {:.1} mm off by turns, {:.1} mm with goals",
        free.report().ratio,
        free.report().bones.len(),
        worst_back.0,
        worst[0] * 1e3,
        worst[1] * 1e3
    );
    let (points, limb) = limbs.worst();
    ensure!(points <= POINTS_DEG, "{name}: {limb} points {points:.1} degrees away from the source's");
    sums.limbs += limbs.count();
    if points > sums.points.0 {
        sums.points = (points, format!("{name}, {limb}"));
    }
    ensure!(worst_back.0 < BACK, "there and back is {:.1e} of a leg off: {}", worst_back.0, worst_back.1);
    sums.lost = larger(sums.lost, lost);
    if worst_back.0 > sums.back {
        (sums.back, sums.place) = worst_back;
    }
    sums.stands += stands;
    let [moved, _] = levelled;
    let moved = SceneAnimation { skeleton: Some(0), motion: moved, ..Default::default() };
    // Some rigs are not symmetric, and refuse a mirror; the mannequin is.
    match mirrored_twice(to, &moved) {
        Ok(off) => sums.mirrored = larger(sums.mirrored, off),
        Err(error) => ensure!(to.joints.len() != mannequin::skeleton().joints.len(), "{error}"),
    }
    ensure!(sums.mirrored < 1e-6, "{name}: mirrored twice is {} m off", sums.mirrored);
    Ok(())
}

fn level(v: V3) -> V3 {
    V3::new(v.x, 0.0, v.z)
}

/// What this share of the values is not above; 0 if there are none.
fn percentile(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let index = (values.len() as f64 * MOST_LOOKS) as usize;
    values.get(index.min(values.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// Angles between limbs of the source and of the target.
struct Limbs<'a> {
    skeletons: [&'a RawSkeleton; 2],
    /// The source's turns at rest.
    rest: Vec<Q4>,
    /// From the source's axes to the target's, by how both stand at rest.
    facing: Q4,
    limbs: Vec<Watched>,
}

/// A bone that both have, with the joint at its end.
struct Watched {
    bone: Bone,
    /// Start and end, of the source and of the target.
    joints: [[usize; 2]; 2],
    /// Feet differ by build: they are to be turned away from rest alike. The target's way at rest.
    foot: Option<V3>,
    angles: Vec<f64>,
}

impl<'a> Limbs<'a> {
    fn new((from, source): (&'a RawSkeleton, &BoneMap), (to, target): (&'a RawSkeleton, &BoneMap)) -> Self {
        let rest = |skeleton: &RawSkeleton| -> Vec<Trs> { skeleton.joints.iter().map(|j| j.rest).collect() };
        let (own, other) = (rest(from), rest(to));
        let at = [places(from, &own), places(to, &other)];
        let ends = [
            (Part::UpperArm, Part::LowerArm),
            (Part::LowerArm, Part::Hand),
            (Part::UpperLeg, Part::LowerLeg),
            (Part::LowerLeg, Part::Foot),
            (Part::Foot, Part::Toes),
        ];
        let mut limbs = Vec::new();
        for side in [Side::Left, Side::Right] {
            for (part, end) in ends {
                let pair = |map: &BoneMap| {
                    let joint = |part| map.joints.get(&Bone { part, side }).copied();
                    Some([joint(part)?, joint(end)?])
                };
                let Some((s, t)) = pair(source).zip(pair(target)) else { continue };
                let foot = (part == Part::Foot).then(|| at[1][t[1]] - at[1][t[0]]);
                limbs.push(Watched { bone: Bone { part, side }, joints: [s, t], foot, angles: Vec::new() });
            }
        }
        let frame = |map: &BoneMap, at: &[V3]| {
            let place = |part, side| at[map.joints.get(&Bone { part, side }).copied().unwrap_or_default()];
            let x = place(Part::UpperLeg, Side::Left) - place(Part::UpperLeg, Side::Right);
            // To the nearest axis: some stand a little askew.
            if x.x.abs() > x.z.abs() { (x.x.signum(), 0.0) } else { (0.0, x.z.signum()) }
        };
        let [(ax, az), (bx, bz)] = [frame(source, &at[0]), frame(target, &at[1])];
        let angle = libm::atan2(az * bx - ax * bz, ax * bx + az * bz);
        let facing = Q4::from_axis_angle(V3::Y, angle);
        Self { skeletons: [from, to], rest: turns(from, &own), facing, limbs }
    }

    /// Compares two poses.
    fn look(&mut self, source: &[Trs], target: &[Trs]) {
        let [from, to] = self.skeletons;
        let (was, is, turned) = (places(from, source), places(to, target), turns(from, source));
        for limb in &mut self.limbs {
            let [[a, b], [c, d]] = limb.joints;
            let shall = match limb.foot {
                None => self.facing.rotate(was[b] - was[a]),
                Some(rest) => {
                    let away = turned[a] * self.rest[a].conjugate();
                    (self.facing * away * self.facing.conjugate()).rotate(rest)
                }
            };
            let cosine = (is[d] - is[c]).normalize_or(V3::X).dot(shall.normalize_or(V3::Y));
            limb.angles.push(libm::acos(smaller(larger(cosine, -1.0), 1.0)).to_degrees());
        }
    }

    fn count(&self) -> usize {
        self.limbs.iter().map(|limb| limb.angles.len()).sum()
    }

    /// The 95th percentile of the limb that is farthest off, and which it is.
    fn worst(&self) -> (f64, String) {
        let all = self.limbs.iter().map(|limb| (percentile(&limb.angles), limb.bone.to_string()));
        all.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default()
    }
}

/// Where heels and toes are when the target stands at rest.
struct Soles {
    /// Of each foot: a joint, and its height above the ground.
    points: [Vec<(usize, f64)>; 2],
    leg: f64,
}

impl Soles {
    fn new(skeleton: &RawSkeleton, map: &BoneMap) -> Self {
        let rest: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
        let at = places(skeleton, &rest);
        let find = |part, side| map.joints.get(&Bone { part, side }).copied();
        let foot = |side| [Part::Foot, Part::Toes].into_iter().filter_map(move |part| find(part, side));
        let mut feet = [Side::Left, Side::Right].map(|side| foot(side).collect::<Vec<_>>());
        // Without toes, what hangs on the foot is where they would be.
        for foot in &mut feet {
            if let [heel] = foot[..] {
                foot.extend((0..at.len()).filter(|joint| skeleton.joints[*joint].parent == Some(heel)));
            }
        }
        let hip = find(Part::UpperLeg, Side::Left).unwrap_or_default();
        let knee = find(Part::LowerLeg, Side::Left).unwrap_or_default();
        let leg = at[hip].distance(at[knee]) + at[knee].distance(at[feet[0][0]]);
        // As retargeting sees it: a rest pose that does not stand on the ground stands on its lowest joint.
        let below = |joint: usize| {
            let mut up = Some(joint);
            while let Some(joint) = up.filter(|joint| !feet.iter().any(|foot| foot.first() == Some(joint))) {
                up = skeleton.joints[joint].parent;
            }
            up.is_some()
        };
        let lowest = (0..at.len()).filter(|joint| below(*joint)).map(|joint| at[joint].y);
        let lowest = lowest.fold(f64::INFINITY, smaller);
        let ground = if (-0.02..0.15).contains(&(lowest / leg)) { 0.0 } else { lowest };
        let points = feet.map(|foot| foot.into_iter().map(|joint| (joint, at[joint].y - ground)).collect());
        Self { points, leg }
    }

    /// How high a foot is above the ground, by what is lowest of it.
    fn height(&self, skeleton: &RawSkeleton, pose: &[Trs], side: usize) -> f64 {
        let at = places(skeleton, pose);
        self.points[side].iter().map(|(joint, rest)| at[*joint].y - rest).fold(f64::INFINITY, smaller)
    }
}

fn places(skeleton: &RawSkeleton, pose: &[Trs]) -> Vec<V3> {
    model_matrices(skeleton, pose).iter().map(|model| model.columns[3]).collect()
}

/// Every joint's rotation in model space.
fn turns(skeleton: &RawSkeleton, pose: &[Trs]) -> Vec<Q4> {
    let turn = |joint: usize| {
        let above = std::iter::successors(Some(joint), |joint| skeleton.joints[*joint].parent);
        above.fold(Q4::IDENTITY, |below, joint| pose[joint].rotation * below)
    };
    (0..pose.len()).map(turn).collect()
}

/// The pose that retargeting can bring back: shared bones turned in model space as they are, everything else at rest, and the
/// middle between the hip joints where it is. A unit test of `lissom-build` has its own, since a check shares no code with what
/// it checks.
fn bones_alone(skeleton: &RawSkeleton, map: &BoneMap, shared: &[usize], pose: &[Trs]) -> Vec<Trs> {
    let wanted = turns(skeleton, pose);
    let mut alone: Vec<Trs> = skeleton.joints.iter().map(|joint| joint.rest).collect();
    // Parents before children, however the file has them.
    let depth =
        |joint: &usize| std::iter::successors(Some(*joint), |joint| skeleton.joints[*joint].parent).count();
    let mut order: Vec<usize> = (0..alone.len()).collect();
    order.sort_by_key(depth);
    let mut turned = vec![Q4::IDENTITY; alone.len()];
    for joint in order {
        let parent = skeleton.joints[joint].parent.map_or(Q4::IDENTITY, |parent| turned[parent]);
        let is_shared = shared.contains(&joint);
        turned[joint] = if is_shared { wanted[joint] } else { parent * alone[joint].rotation };
        alone[joint].rotation = parent.conjugate() * turned[joint];
    }
    let at = |part, side| map.joints.get(&Bone { part, side }).copied().unwrap_or_default();
    let (left, right) = (at(Part::UpperLeg, Side::Left), at(Part::UpperLeg, Side::Right));
    let hips = at(Part::Hips, Side::Middle);
    let middle = |pose: &[Trs]| {
        let places = places(skeleton, pose);
        (places[left] + places[right]) * 0.5
    };
    let moved = middle(pose) - middle(&alone);
    let models = model_matrices(skeleton, &alone);
    let above = skeleton.joints[hips].parent.map_or(M34::IDENTITY, |parent| models[parent]);
    if let Some(back) = above.inverse() {
        alone[hips].translation = back.mul_point(models[hips].columns[3] + moved);
    }
    alone
}

/// How far the joints of a clip are off after two mirrors.
fn mirrored_twice(skeleton: &RawSkeleton, clip: &SceneAnimation) -> Result<f64> {
    let named = SceneSkeleton { skeleton: skeleton.clone(), ..Default::default() };
    let mut scene = Scene { skeletons: vec![named], animations: vec![clip.clone()], ..Default::default() };
    let mirror = Edit { kind: EditKind::Mirror(Some(Axis::X)), line: None };
    let rules = [ClipRule { clips: "*".into(), edits: vec![mirror], ..Default::default() }];
    for _ in 0..2 {
        let asked = edit::Asked { rules: &rules, precision_m: 1e-4, shell_m: 0.03, finds_loops: false };
        edit::follow(&mut scene, asked)?;
    }
    let mut off = 0.0;
    for i in 0..10 {
        let time_s = clip.motion.duration_s * f64::from(i) / 10.0;
        let (was, is) =
            (clip.motion.pose(skeleton, time_s), scene.animations[0].motion.pose(skeleton, time_s));
        for (a, b) in places(skeleton, &was).iter().zip(places(skeleton, &is)) {
            off = larger(off, a.distance(b));
        }
    }
    Ok(off)
}
