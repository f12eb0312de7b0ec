//! Units and axes that a file does not say, or says wrongly: guessed by the size of the body, and told.
//!
//! BVH has neither. A human is 1.4 to 2.2 m high: the unit that makes the skeleton one is taken. FBX has both, but
//! exporters often write centimetres and mean metres, or the reverse: where the file's unit makes a body of no
//! sensible size, it is taken for such a mistake. A body that lies in the rest pose and in the motion is set upright.

use super::{Axis, Format};
use crate::{
    exact::{M34, Trs, V3, larger, smaller},
    mesh::model_matrices,
    raw::RawSkeleton,
    retarget::{Bone, BoneMap, Part, Side},
    scene::Scene,
};

/// Units of capture files, in metres. The last is of the BVH files that were made from the CMU library: an inch over 0.45.
const UNITS: [(f64, &str); 6] = [
    (1.0, "metres"),
    (0.01, "centimetres"),
    (0.001, "millimetres"),
    (0.0254, "inches"),
    (0.3048, "feet"),
    (0.0254 / 0.45, "units of 0.056444 m (as in the CMU library)"),
];
/// Metres that a human is high, from the sole to the top of the head.
const HUMAN: (f64, f64) = (1.4, 2.2);
/// The same for a child and a giant.
const ANY_HUMAN: (f64, f64) = (0.7, 3.0);
/// What is taken where no usual unit fits.
const MEAN_HUMAN: f64 = 1.7;
/// A human is this many times higher than the way along the bones from the ankle to the hips and on to the head's joint.
const ABOVE_JOINTS: f64 = 1.2;
/// Joints of a body that is no human's, at least: a few points say nothing.
const FEWEST_JOINTS: usize = 8;
/// Metres that such a body is long.
const ANY_BODY: (f64, f64) = (0.1, 10.0);
/// What FBX files mean instead of what they say: metres for centimetres, the reverse, and the same with millimetres and inches.
const MISTAKES: [f64; 6] = [100.0, 0.01, 1000.0, 0.001, 1.0 / 0.0254, 0.0254];
/// Metres that are believed of an FBX file: of a human, of another body.
const BELIEVED: [(f64, f64); 2] = [(0.3, 10.0), (0.03, 100.0)];
/// Metres that make another unit better than what an FBX file says.
const BETTER: [(f64, f64); 2] = [(1.0, 2.5), (0.1, 5.0)];

fn within(v: f64, (least, most): (f64, f64)) -> bool {
    (least..=most).contains(&v)
}

/// Metres per unit, where the caller does not say. Tells what was guessed.
pub(super) fn unit(format: Format, scene: &mut Scene) -> f64 {
    match format {
        Format::Bvh => bvh(scene),
        Format::Fbx => fbx(scene),
        _ => format.unit_m(),
    }
}

fn bvh(scene: &mut Scene) -> f64 {
    let Some(skeleton) = scene.skeletons.first().map(|s| &s.skeleton) else { return 1.0 };
    let guess = match stature(skeleton) {
        Some(high) => {
            let fits = |range, (metres, _): &&(f64, &str)| within(high * *metres, range);
            let usual = UNITS.iter().find(|u| fits(HUMAN, u));
            let usual = usual.or_else(|| UNITS.iter().take(3).find(|u| fits(ANY_HUMAN, u)));
            match usual {
                Some(unit) => Some((unit.0, format!("{} make this skeleton a human's", unit.1))),
                None => Some((
                    MEAN_HUMAN / high,
                    format!(
                        "no usual unit makes this skeleton a human's, but a height of {MEAN_HUMAN} m does"
                    ),
                )),
            }
        }
        None => {
            let long = extent(skeleton).filter(|_| skeleton.joints.len() >= FEWEST_JOINTS);
            let fits = |long: f64| UNITS.iter().take(3).find(|(metres, _)| within(long * metres, ANY_BODY));
            long.and_then(fits)
                .map(|unit| (unit.0, format!("{} make this skeleton as long as an animal", unit.1)))
        }
    };
    match guess {
        Some((metres, why)) if metres != 1.0 && metres.is_finite() && metres > 0.0 => {
            scene.warn(
                "",
                format!("BVH does not say its unit; {why}, so that was taken; a unit that is given wins"),
            );
            metres
        }
        _ => 1.0,
    }
}

fn fbx(scene: &mut Scene) -> f64 {
    let Some(skeleton) = scene.skeletons.first().map(|s| &s.skeleton) else { return 1.0 };
    let human = stature(skeleton);
    let kind = usize::from(human.is_none());
    let (Some(believed), Some(better)) = (BELIEVED.get(kind), BETTER.get(kind)) else { return 1.0 };
    let high = human.or_else(|| longest(scene)).unwrap_or_default();
    if within(high, *believed) || !(high > 0.0 && high.is_finite()) {
        return 1.0;
    }
    let Some(factor) = MISTAKES.into_iter().find(|factor| within(high * factor, *better)) else { return 1.0 };
    scene.warn("", format!("its unit makes a body of {high:.3} m; lengths were taken times {factor:.4}, which makes {:.3} m; a unit that is given wins", high * factor));
    factor
}

/// What is up in a BVH or FBX file whose rest pose and motion agree that it is not y; said in a warning.
pub(super) fn up(format: Format, scene: &mut Scene) -> Axis {
    let found = matches!(format, Format::Bvh | Format::Fbx).then(|| upright(scene)).flatten();
    match found {
        Some(axis) if axis != Axis::Y => {
            scene.warn("", format!("the body stands along {axis:?} in the rest pose and in the motion, so that was taken for up; an axis that is given wins"));
            axis
        }
        _ => Axis::Y,
    }
}

#[allow(clippy::arithmetic_side_effects, reason = "vectors of floats: nothing overflows")]
fn upright(scene: &Scene) -> Option<Axis> {
    let skeleton = &scene.skeletons.first()?.skeleton;
    let map = BoneMap::guess(skeleton);
    let joint = |part, side| map.joints.get(&Bone { part, side }).copied();
    let head = joint(Part::Head, Side::Middle)?;
    let feet = [joint(Part::Foot, Side::Left)?, joint(Part::Foot, Side::Right)?];
    let along = |pose: &[Trs]| -> Option<V3> {
        let models = model_matrices(skeleton, pose);
        let at = |joint: usize| models.get(joint).map(|m: &M34| m.mul_point(V3::ZERO));
        let [left, right] = feet.map(at);
        Some((at(head)? - (left? + right?).scaled(0.5)).normalize_or(V3::ZERO))
    };
    let rest: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
    let (axis, share) = nearest(along(&rest)?);
    let motion = &scene.animations.first()?.motion;
    let mut mean = V3::ZERO;
    for step in 0..8_u8 {
        let pose = motion.pose(skeleton, motion.duration_s * f64::from(step) / 7.0);
        mean = mean + along(&pose)?.scaled(0.125);
    }
    let (moving, of_motion) = nearest(mean);
    (axis == moving && share > 0.9 && of_motion > 0.7).then_some(axis)
}

/// The axis that a direction is nearest to, and how much of it is along that.
fn nearest(direction: V3) -> (Axis, f64) {
    let axes = [Axis::Y, Axis::Z, Axis::X, Axis::MinusX, Axis::MinusY, Axis::MinusZ];
    let along = |axis: Axis| axis.direction().dot(direction);
    axes.into_iter()
        .map(|a| (a, along(a)))
        .fold((Axis::Y, -2.0), |best, own| if own.1 > best.1 { own } else { best })
}

/// How high a human with these bones is, whatever the pose; `None` if it is no human's skeleton.
#[allow(clippy::arithmetic_side_effects, reason = "vectors of floats: nothing overflows")]
fn stature(skeleton: &RawSkeleton) -> Option<f64> {
    let map = BoneMap::guess(skeleton);
    if map.missing().next().is_some() {
        return None;
    }
    let joint = |part, side| map.joints.get(&Bone { part, side }).copied();
    let hips = joint(Part::Hips, Side::Middle)?;
    let rest: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(skeleton, &rest);
    let at = |joint: usize| models.get(joint).map(|m| m.mul_point(V3::ZERO));
    // Along the bones, so that no pose makes anybody smaller.
    let from_hips = |end: usize| {
        let (mut sum, mut here) = (0.0, end);
        while here != hips {
            let parent = skeleton.joints.get(here)?.parent?;
            sum += (at(here)? - at(parent)?).length();
            here = parent;
        }
        Some(sum)
    };
    let legs = [Side::Left, Side::Right].map(|side| joint(Part::Foot, side).and_then(from_hips));
    let leg = larger(legs[0]?, legs[1]?);
    let head = from_hips(joint(Part::Head, Side::Middle)?)?;
    Some((leg + head) * ABOVE_JOINTS).filter(|high| *high > 0.0 && high.is_finite())
}

/// The longest side of the box around the joints in the rest pose.
fn extent(skeleton: &RawSkeleton) -> Option<f64> {
    let rest: Vec<Trs> = skeleton.joints.iter().map(|j| j.rest).collect();
    let points = model_matrices(skeleton, &rest);
    box_of(points.iter().map(|m| m.mul_point(V3::ZERO)))
}

/// The longest side of the box around the meshes, or around the joints where there are none.
fn longest(scene: &Scene) -> Option<f64> {
    let skeleton = &scene.skeletons.first()?.skeleton;
    let positions = scene.meshes.iter().flat_map(|m| &m.mesh.positions);
    let point = |[x, y, z]: [f32; 3]| V3::new(f64::from(x), f64::from(y), f64::from(z));
    box_of(positions.map(|p| point(*p))).or_else(|| extent(skeleton))
}

#[allow(clippy::arithmetic_side_effects, reason = "vectors of floats: nothing overflows")]
fn box_of(points: impl Iterator<Item = V3>) -> Option<f64> {
    let mut range: Option<(V3, V3)> = None;
    for p in points {
        let (a, b) = range.unwrap_or((p, p));
        let low = V3::new(smaller(a.x, p.x), smaller(a.y, p.y), smaller(a.z, p.z));
        range = Some((low, V3::new(larger(b.x, p.x), larger(b.y, p.y), larger(b.z, p.z))));
    }
    let (low, high) = range?;
    let sides = high - low;
    Some(larger(sides.x, larger(sides.y, sides.z)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        mannequin::{self, Motion},
        scene::{SceneAnimation, SceneSkeleton},
    };

    /// The mannequin as a file with other lengths has it.
    fn walking(times: f64) -> Scene {
        let mut scene = Scene {
            skeletons: vec![SceneSkeleton { skeleton: mannequin::skeleton(), ..Default::default() }],
            animations: vec![SceneAnimation {
                skeleton: Some(0),
                motion: mannequin::clip(Motion::Walk),
                ..Default::default()
            }],
            ..Default::default()
        };
        scene.scale_lengths(times);
        scene
    }

    #[test]
    fn the_unit_that_makes_a_human_is_taken_and_told() {
        for (metres, name) in UNITS {
            let mut scene = walking(1.0 / metres);
            let found = unit(Format::Bvh, &mut scene);
            assert_eq!(found, metres, "{name}");
            let told: Vec<_> = scene.warnings.iter().map(|w| w.text.clone()).collect();
            assert_eq!(told.len(), usize::from(metres != 1.0), "{told:?}");
            assert!(
                told.iter().all(|t| t.contains(name) && t.contains("a unit that is given wins")),
                "{told:?}"
            );
        }
    }

    #[test]
    fn a_child_keeps_a_usual_unit_and_what_fits_none_is_made_a_human() {
        let own = stature(&mannequin::skeleton()).unwrap();
        assert!(within(own, HUMAN), "{own}");
        assert_eq!(unit(Format::Bvh, &mut walking(0.9 / own * 100.0)), 0.01);
        let mut strange = walking(12.0 / own);
        let found = unit(Format::Bvh, &mut strange);
        assert!((12.0 * found - MEAN_HUMAN).abs() < 1e-9, "{found}");
        assert!(strange.warnings[0].text.contains("no usual unit"), "{:?}", strange.warnings);
    }

    #[test]
    fn few_joints_say_nothing_and_the_pose_does_not_count() {
        let mut scene = walking(100.0);
        scene.skeletons[0].skeleton.joints.truncate(3);
        assert_eq!((unit(Format::Bvh, &mut scene), scene.warnings.len()), (1.0, 0));
        // Curled up, as some files rest.
        let mut curled = walking(100.0);
        let q = crate::exact::Q4::from_axis_angle(V3::X, 1.5);
        curled.skeletons[0].skeleton.joints.iter_mut().for_each(|j| j.rest.rotation = q);
        assert_eq!(unit(Format::Bvh, &mut curled), 0.01);
        assert_eq!(unit(Format::Gltf, &mut walking(100.0)), 1.0);
        assert_eq!(unit(Format::Acl, &mut walking(100.0)), 0.01);
    }

    #[test]
    fn fbx_is_believed_unless_no_body_is_of_that_size() {
        for believed in [0.5, 1.0, 4.0] {
            let mut scene = walking(believed);
            assert_eq!((unit(Format::Fbx, &mut scene), scene.warnings.len()), (1.0, 0));
        }
        for mistake in [100.0, 0.01, 1000.0] {
            let mut scene = walking(1.0 / mistake);
            assert_eq!(unit(Format::Fbx, &mut scene), mistake);
            assert_eq!(scene.warnings.len(), 1);
        }
    }

    #[test]
    fn a_body_that_stands_along_z_in_rest_and_motion_is_set_upright() {
        let mut scene = walking(1.0);
        assert_eq!((up(Format::Bvh, &mut scene), scene.warnings.len()), (Axis::Y, 0));
        let lay = Axis::Z.upright(Axis::MinusY).unwrap().conjugate();
        scene.turn(lay);
        let lying = scene.animations[0].clone();
        // glTF says what is up, and its writers keep to it.
        assert_eq!((up(Format::Gltf, &mut scene), scene.warnings.len()), (Axis::Y, 0));
        for format in [Format::Bvh, Format::Fbx] {
            scene.warnings.clear();
            assert_eq!(up(format, &mut scene), Axis::Z);
            assert!(scene.warnings[0].text.contains("an axis that is given wins"));
        }
        // Somebody who lies while the rest pose stands is left alone.
        let mut asleep = walking(1.0);
        asleep.animations = vec![lying];
        assert_eq!((up(Format::Bvh, &mut asleep), asleep.warnings.len()), (Axis::Y, 0));
    }
}
