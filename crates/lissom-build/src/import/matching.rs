//! A motion and a skeleton that come from different files.

use super::{
    MotionFit,
    rawclip::WantedPrecision,
    rebase::{self, Fit},
};
use crate::{
    exact::{M34, Trs, V3},
    mesh::model_matrices,
    raw::{RawAnimation, RawJoint, RawSkeleton, RawTrack},
    scene::{Scene, SceneMesh, SceneSkeleton},
};
use std::collections::{BTreeMap, BTreeSet};

/// How joints of the motion find theirs in the skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Name,
    /// The file has no names.
    Index,
}

/// Why a motion cannot be given this skeleton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// The file has no joint names, and its tracks are not as many as the skeleton's joints.
    #[error(
        "{what} has {found} tracks without names, the skeleton has {joints} joints: they cannot be matched by place"
    )]
    Count {
        /// The animation or mesh.
        what: String,
        /// Its tracks, or one more than its last joint.
        found: usize,
        /// Joints of the skeleton.
        joints: usize,
    },
    /// Nothing matches.
    #[error("not one of its {found} joints is in the skeleton (the first is {first:?})")]
    Nothing {
        /// Joints of the file.
        found: usize,
        /// The first of them.
        first: String,
    },
    /// Too little matches: this is another kind of body.
    #[error(
        "only {matched} of its {found} joints are in the skeleton, which has {joints}; at least {needed} must be, a \
         quarter of the smaller one"
    )]
    Few {
        /// Joints that both have.
        matched: usize,
        /// Joints of the file.
        found: usize,
        /// Joints of the skeleton.
        joints: usize,
        /// What would do.
        needed: usize,
    },
    /// The rest poses are different poses, the bones differ, and the joints' axes differ too.
    #[error(
        "it rests in another pose than the skeleton: the bone to {joint:?} points {degrees:.0} degrees away, and {same} of \
         {all} bones are the same, so its motion would come out wrong; --retarget brings it onto another body, --as-is takes \
         it as it is, --rebase goes by the rest poses"
    )]
    Rest {
        /// The joint at the end of the bone that is farthest off.
        joint: String,
        /// How far.
        degrees: f64,
        /// Bones that are the same in both.
        same: usize,
        /// Bones that both have.
        all: usize,
    },
    /// The rest poses differ, and the skeletons hang together otherwise.
    #[error(
        "it rests in another pose than the skeleton, and {joint:?} hangs on {own}, there on {target}; --retarget brings it \
         onto another body, --as-is takes it as it is"
    )]
    Parent {
        /// The joint.
        joint: String,
        /// What it hangs on in the file.
        own: String,
        /// What it hangs on in the skeleton.
        target: String,
    },
}

/// Gives everything in the scene this skeleton in place of its own. What has no counterpart is dropped, or rests,
/// and is named in a warning. Where the skeleton rests otherwise, motions are taken as they are or re-based to its rest
/// pose ([`rebase`]).
pub(super) fn attach(
    scene: &mut Scene,
    target: SceneSkeleton,
    by: By,
    asked: MotionFit,
) -> Result<(), MatchError> {
    let joints = target.skeleton.joints.len();
    let mut maps = Vec::with_capacity(scene.skeletons.len());
    for index in 0..scene.skeletons.len() {
        let places = map_joints(scene, index, &target.skeleton, by)?;
        let own = scene.skeletons.get(index).filter(|_| by == By::Name);
        let is_bound = is_bound_at_rest(scene, index);
        let fit = own.map_or(Ok(Fit::Same), |own| {
            rebase::fit(&own.skeleton, &target.skeleton, &places, asked, is_bound)
        })?;
        scene.fitted = scene.fitted.max(Some(fit.how()));
        for text in fit.notes() {
            scene.warn(format!("skeleton {index}"), text);
        }
        maps.push(JointMap { places, fit });
    }
    let mut animations = std::mem::take(&mut scene.animations);
    for (index, animation) in animations.iter_mut().enumerate() {
        let place = format!("animation {index} {:?}", animation.motion.name);
        match animation.skeleton.and_then(|s| maps.get(s)) {
            Some(map) => {
                move_precision(&mut animation.precision, &map.places, joints);
                let mut tracks = animation.motion.tracks.iter().enumerate();
                let rough = tracks.find(|(joint, track)| map.fit.is_rough(*joint, track));
                let rough =
                    rough.and_then(|(joint, _)| target.skeleton.joints.get((*map.places.get(joint)?)?));
                if let Some(joint) = rough {
                    let text = format!(
                        "it scales {:?} unevenly along axes that the skeleton does not have; that is nearly as in the file, \
                         not exactly",
                        joint.name
                    );
                    scene.warn(place.clone(), text);
                }
                let dropped = move_tracks(&mut animation.motion, map, joints);
                if dropped > 0 {
                    scene.warn(
                        place,
                        format!("{dropped} tracks were dropped: the skeleton has no such joints"),
                    );
                }
            }
            None => {
                let found = animation.motion.tracks.len();
                if found != joints {
                    return Err(MatchError::Count { what: place, found, joints });
                }
            }
        }
        animation.skeleton = Some(0);
    }
    scene.animations = animations;
    let rest: Vec<Trs> = target.skeleton.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(&target.skeleton, &rest);
    for (index, mut mesh) in std::mem::take(&mut scene.meshes).into_iter().enumerate() {
        let place = format!("mesh {index} {:?}", mesh.mesh.name);
        let Some(map) = maps.get(mesh.skeleton) else { continue };
        match move_mesh(&mut mesh, map, &models) {
            Ok(()) => scene.meshes.push(mesh),
            Err(joint) => {
                let from = scene.skeletons.get(mesh.skeleton).and_then(|s| s.skeleton.joints.get(joint));
                let name = from.map_or_else(|| joint.to_string(), |j| j.name.clone());
                scene.warn(place, format!("dropped: it follows {name:?}, which the skeleton does not have"));
            }
        }
    }
    scene.skeletons = vec![target];
    Ok(())
}

/// Gives motions that have no skeleton this one of another file; tracks go by place.
///
/// # Errors
///
/// [`MatchError::Count`].
pub(crate) fn lend(scene: &mut Scene, target: &SceneSkeleton) -> Result<(), MatchError> {
    attach(scene, target.clone(), By::Index, MotionFit::Auto)
}

/// Gives motions of other skeletons this one; joints go by name. Motions of a skeleton that shares no joint with it are
/// left out with a warning.
///
/// # Errors
///
/// [`MatchError::Nothing`] if that is all of them, and what the motions' rest pose is refused for.
#[cfg(feature = "gltf")]
pub(crate) fn retarget(scene: &mut Scene, target: &SceneSkeleton) -> Result<(), MatchError> {
    let known = |s: &SceneSkeleton| {
        let is_there = |j: &&RawJoint| target.skeleton.joints.iter().any(|t| t.name == j.name);
        let matched = s.skeleton.joints.iter().filter(is_there).count();
        matched >= needed(s.skeleton.joints.len(), target.skeleton.joints.len())
    };
    let fits: Vec<bool> = scene.skeletons.iter().map(known).collect();
    if !fits.contains(&true) {
        let joints = scene.skeletons.iter().flat_map(|s| &s.skeleton.joints);
        let first = joints.clone().next().map(|j| j.name.clone()).unwrap_or_default();
        return Err(MatchError::Nothing { found: joints.count(), first });
    }
    let mut places = Vec::with_capacity(fits.len());
    let mut next = 0_usize;
    for fits in &fits {
        places.push(fits.then_some(next));
        next = next.saturating_add(usize::from(*fits));
    }
    for mut animation in std::mem::take(&mut scene.animations) {
        match animation.skeleton.and_then(|s| places.get(s).copied().flatten()) {
            Some(place) => {
                animation.skeleton = Some(place);
                scene.animations.push(animation);
            }
            None => {
                let place = format!("clip {:?}", animation.motion.name);
                scene.warn(place, "it is for another skeleton; it was left out");
            }
        }
    }
    let mut fits = fits.into_iter();
    scene.skeletons.retain(|_| fits.next() == Some(true));
    scene.meshes.clear();
    attach(scene, target.clone(), By::Name, MotionFit::Auto)
}

/// Where the joints of a skeleton are in the target, and what becomes of their motion.
struct JointMap {
    places: Vec<Option<usize>>,
    fit: Fit,
}

/// For each joint of a skeleton of the scene its place in the target.
fn map_joints(
    scene: &mut Scene,
    index: usize,
    target: &RawSkeleton,
    by: By,
) -> Result<Vec<Option<usize>>, MatchError> {
    let Some(own) = scene.skeletons.get(index) else { return Ok(Vec::new()) };
    let found = own.skeleton.joints.len();
    let joints = target.joints.len();
    if by == By::Index {
        if found > joints {
            return Err(MatchError::Count { what: format!("skeleton {index}"), found, joints });
        }
        return Ok((0..found).map(Some).collect());
    }
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, joint) in target.joints.iter().enumerate() {
        places.entry(&joint.name).or_insert(place);
    }
    let map: Vec<_> = own.skeleton.joints.iter().map(|j| places.get(j.name.as_str()).copied()).collect();
    if map.iter().all(Option::is_none) {
        let first = own.skeleton.joints.first().map(|j| j.name.clone()).unwrap_or_default();
        return Err(MatchError::Nothing { found, first });
    }
    let (matched, needed) = (map.iter().flatten().count(), needed(found, joints));
    if matched < needed {
        return Err(MatchError::Few { matched, found, joints, needed });
    }

    let mut notes = Vec::new();
    let missing: Vec<&str> = own
        .skeleton
        .joints
        .iter()
        .zip(&map)
        .filter_map(|(j, m)| m.is_none().then_some(j.name.as_str()))
        .collect();
    if !missing.is_empty() {
        notes.push(format!(
            "{} of {found} joints are not in the skeleton: {}",
            missing.len(),
            list(&missing)
        ));
    }
    let mut used = vec![false; joints];
    for place in map.iter().flatten() {
        if let Some(used) = used.get_mut(*place) {
            *used = true;
        }
    }
    let unused: Vec<&str> =
        target.joints.iter().zip(&used).filter_map(|(j, used)| (!used).then_some(j.name.as_str())).collect();
    if !unused.is_empty() {
        let count = unused.len();
        notes.push(format!(
            "{count} of the skeleton's {joints} joints are not in this file: {}",
            list(&unused)
        ));
    }
    let mut moved = Vec::new();
    for (joint, place) in own.skeleton.joints.iter().zip(&map) {
        let theirs = place.and_then(|p| target.joints.get(p)).and_then(|j| j.parent);
        if place.is_some() && joint.parent.map(|p| map.get(p).copied().flatten()) != theirs.map(Some) {
            moved.push(joint.name.as_str());
        }
    }
    if !moved.is_empty() {
        let count = moved.len();
        notes.push(format!("{count} joints have another parent in the skeleton: {}", list(&moved)));
    }
    notes.into_iter().for_each(|text| scene.warn(format!("skeleton {index}"), text));
    Ok(map)
}

/// Joints that two skeletons of these sizes must share to be of one kind of body: a quarter of the smaller one.
fn needed(own: usize, target: usize) -> usize {
    own.min(target).div_ceil(4).max(1)
}

/// True if a mesh of a skeleton is bound to joints in the pose that they rest in: somebody chose that pose. The nodes of a
/// motion may stand anywhere.
fn is_bound_at_rest(scene: &Scene, index: usize) -> bool {
    /// Of turns, and of the distance between joints and the origin.
    const SAME: f64 = 0.01;
    let Some(own) = scene.skeletons.get(index) else { return false };
    let rest: Vec<Trs> = own.skeleton.joints.iter().map(|j| j.rest).collect();
    let models = model_matrices(&own.skeleton, &rest);
    scene.meshes.iter().filter(|mesh| mesh.skeleton == index).any(|mesh| {
        let raw = &mesh.mesh;
        let used: BTreeSet<u16> = raw
            .influences
            .joints
            .iter()
            .zip(&raw.influences.weights)
            .filter(|(_, w)| **w > 0.0)
            .map(|(j, _)| *j)
            .collect();
        let moved = used.iter().filter_map(|joint| {
            let joint = usize::from(*joint);
            Some((models.get(joint)?, models.get(joint)?.mul(raw.inverse_binds.get(joint)?)))
        });
        let moved: Vec<(&M34, M34)> = moved.collect();
        let Some((_, first)) = moved.first() else { return false };
        let alike =
            |(model, m): &(&M34, M34)| {
                let room = model.mul_point(V3::ZERO).length() + 1.0;
                m.columns.iter().zip(&first.columns).enumerate().all(|(column, (a, b))| {
                    a.distance(*b) <= SAME * if column == 3 { room } else { b.length() }
                })
            };
        // One joint alone is always bound as it rests.
        moved.len() > 1 && moved.iter().all(alike)
    })
}

/// The first few names.
fn list(names: &[&str]) -> String {
    const SHOWN: usize = 6;
    let mut text = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(", …");
    }
    text
}

/// Puts the tracks where the skeleton has their joints; gives the number of moving ones that have no place.
fn move_tracks(motion: &mut RawAnimation, map: &JointMap, joints: usize) -> usize {
    let mut tracks = vec![RawTrack::default(); joints];
    let mut dropped = 0;
    for (joint, (track, place)) in std::mem::take(&mut motion.tracks).into_iter().zip(&map.places).enumerate()
    {
        match place.and_then(|p| tracks.get_mut(p)) {
            Some(to) => *to = map.fit.track(joint, track),
            None => dropped = usize::from(track != RawTrack::default()).saturating_add(dropped),
        }
    }
    motion.tracks = tracks;
    dropped
}

/// Puts each joint's precision where the skeleton has it. Joints that the file does not know get the finest of it,
/// for they may carry those that it knows.
fn move_precision(precision: &mut Vec<WantedPrecision>, map: &[Option<usize>], joints: usize) {
    let Some(finest) = precision.iter().copied().min_by(|a, b| a.precision.total_cmp(&b.precision)) else {
        return;
    };
    let mut moved = vec![finest; joints];
    for (own, place) in precision.iter().zip(map) {
        if let Some(to) = place.and_then(|p| moved.get_mut(p)) {
            *to = *own;
        }
    }
    *precision = moved;
}

/// Points the mesh at the skeleton's joints. Joints that the file does not know are bound where they rest.
/// Gives the joint that a vertex follows and the skeleton does not have.
fn move_mesh(mesh: &mut SceneMesh, map: &JointMap, models: &[M34]) -> Result<(), usize> {
    let raw = &mut mesh.mesh;
    for (joint, weight) in raw.influences.joints.iter_mut().zip(&raw.influences.weights) {
        let from = usize::from(*joint);
        *joint = match map.places.get(from).copied().flatten() {
            _ if *weight == 0.0 => 0,
            Some(place) => u16::try_from(place).map_err(|_| from)?,
            None => return Err(from),
        };
    }
    let mut binds: Vec<M34> = models.iter().map(|m| m.inverse().unwrap_or(M34::IDENTITY)).collect();
    for (joint, (bind, place)) in raw.inverse_binds.iter().zip(&map.places).enumerate() {
        if let Some(to) = place.and_then(|p| binds.get_mut(p)) {
            *to = map.fit.bind(joint, bind);
        }
    }
    raw.inverse_binds = binds;
    mesh.skeleton = 0;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        mannequin::{self, Detail, Motion},
        raw::Channel,
        scene::SceneAnimation,
    };

    fn joint(name: &str, parent: Option<usize>) -> RawJoint {
        RawJoint { name: name.into(), parent, rest: Trs::IDENTITY }
    }

    fn skeleton(joints: &[(&str, Option<usize>)]) -> SceneSkeleton {
        let joints = joints.iter().map(|(n, p)| joint(n, *p)).collect();
        SceneSkeleton { name: "target".into(), skeleton: RawSkeleton { joints }, ..Default::default() }
    }

    /// Joint i stands at x = i.
    fn motion(joints: usize) -> SceneAnimation {
        let track = |i: usize| RawTrack {
            translation: Channel::constant(V3::new(i as f64, 0.0, 0.0)),
            ..Default::default()
        };
        let tracks = (0..joints).map(track).collect();
        let motion =
            RawAnimation { name: "m".into(), duration_s: 1.0, looping: false, additive: false, tracks };
        SceneAnimation { skeleton: Some(0), motion, ..Default::default() }
    }

    fn places(scene: &Scene) -> Vec<Option<f64>> {
        let tracks = &scene.animations[0].motion.tracks;
        tracks.iter().map(|t| t.translation.keys.first().map(|k| k.value.x)).collect()
    }

    #[test]
    fn tracks_find_their_joints_by_name_and_the_rest_is_reported() {
        let own = skeleton(&[("hips", None), ("tail", Some(0)), ("head", Some(1))]);
        let mut scene = Scene { skeletons: vec![own], animations: vec![motion(3)], ..Default::default() };
        let target = skeleton(&[("head", Some(2)), ("ear", Some(0)), ("hips", None)]);
        attach(&mut scene, target.clone(), By::Name, MotionFit::Auto).unwrap();
        assert_eq!(places(&scene), [Some(2.0), None, Some(0.0)]);
        assert_eq!(scene.skeletons.as_slice(), std::slice::from_ref(&target));
        let warnings: Vec<_> = scene.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            warnings,
            [
                "skeleton 0: 1 of 3 joints are not in the skeleton: tail",
                "skeleton 0: 1 of the skeleton's 3 joints are not in this file: ear",
                "skeleton 0: 1 joints have another parent in the skeleton: head",
                "animation 0 \"m\": 1 tracks were dropped: the skeleton has no such joints",
            ]
        );
        let other = skeleton(&[("x", None)]);
        let mut scene = Scene { skeletons: vec![other], animations: vec![motion(1)], ..Default::default() };
        let nothing = attach(&mut scene, target, By::Name, MotionFit::Auto);
        assert_eq!(nothing, Err(MatchError::Nothing { found: 1, first: "x".into() }));
    }

    #[test]
    fn a_skeleton_of_another_kind_is_refused_with_how_many_joints_match() {
        let chain = |names: &[String]| {
            let joints = names.iter().enumerate().map(|(i, name)| (name.as_str(), i.checked_sub(1)));
            skeleton(&joints.collect::<Vec<_>>())
        };
        let names = |word: &str, count: usize, shared: usize| -> Vec<String> {
            (0..count).map(|i| if i < shared { format!("both{i}") } else { format!("{word}{i}") }).collect()
        };
        let attached = |own: usize, target: usize, shared: usize| {
            let file = chain(&names("own", own, shared));
            let mut scene =
                Scene { skeletons: vec![file], animations: vec![motion(own)], ..Default::default() };
            attach(&mut scene, chain(&names("target", target, shared)), By::Name, MotionFit::Auto)
        };
        let few = MatchError::Few { matched: 2, found: 57, joints: 49, needed: 13 };
        assert_eq!(attached(57, 49, 2), Err(few.clone()));
        let said = "only 2 of its 57 joints are in the skeleton, which has 49; at least 13 must be, a quarter of the smaller one";
        assert_eq!(few.to_string(), said);
        // A file may have only what moves, and a skeleton only what is seen from afar.
        for (own, target, shared, goes) in
            [(57, 49, 12, false), (57, 49, 13, true), (3, 49, 1, true), (100, 8, 2, true)]
        {
            assert_eq!(attached(own, target, shared).is_ok(), goes, "{shared} of {own} and {target}");
        }
    }

    #[test]
    fn each_joint_keeps_its_precision() {
        let own = skeleton(&[("hips", None), ("tail", Some(0)), ("head", Some(1))]);
        let precision = |shell: f64, precision: f64| WantedPrecision { shell, precision };
        let mut animation = motion(3);
        animation.precision = vec![precision(1.0, 0.3), precision(2.0, 0.2), precision(3.0, 0.1)];
        let mut scene = Scene { skeletons: vec![own], animations: vec![animation], ..Default::default() };
        let target = skeleton(&[("head", Some(2)), ("ear", Some(0)), ("hips", None)]);
        attach(&mut scene, target, By::Name, MotionFit::Auto).unwrap();
        let is = &scene.animations[0].precision;
        assert_eq!(is, &[precision(3.0, 0.1), precision(3.0, 0.1), precision(1.0, 0.3)]);
    }

    #[test]
    fn tracks_without_names_go_by_place_if_they_are_as_many() {
        let target = skeleton(&[("a", None), ("b", Some(0))]);
        let alone = |tracks| Scene {
            animations: vec![SceneAnimation { skeleton: None, ..motion(tracks) }],
            ..Default::default()
        };
        let mut scene = alone(2);
        attach(&mut scene, target.clone(), By::Index, MotionFit::Auto).unwrap();
        assert_eq!((places(&scene), scene.animations[0].skeleton), (vec![Some(0.0), Some(1.0)], Some(0)));
        let wrong = attach(&mut alone(3), target, By::Index, MotionFit::Auto).unwrap_err();
        assert!(
            wrong.to_string().starts_with("animation 0 \"m\" has 3 tracks without names, the skeleton has 2")
        );
    }

    #[test]
    fn a_mesh_moves_with_the_joints_of_the_other_file() {
        let own = mannequin::skeleton();
        let mesh = mannequin::mesh(&Detail { body_m: 0.04, hand_m: 0.012 }).unwrap();
        let walk = mannequin::clip(Motion::Walk);
        let posed = |s: &RawSkeleton, mesh: &crate::mesh::RawMesh, a: &RawAnimation| {
            mesh.skin(&model_matrices(s, &a.pose(s, 0.4))).0
        };
        let before = posed(&own, &mesh, &walk);
        // The same joints, stored the other way round, and one more.
        let last = own.joints.len() - 1;
        let mut joints: Vec<RawJoint> = own.joints.iter().rev().cloned().collect();
        joints.iter_mut().for_each(|j| j.parent = j.parent.map(|p| last - p));
        joints.push(joint("tail", Some(last)));
        let target =
            SceneSkeleton { name: String::new(), skeleton: RawSkeleton { joints }, ..Default::default() };
        let mut scene = Scene {
            skeletons: vec![SceneSkeleton { name: String::new(), skeleton: own, ..Default::default() }],
            animations: vec![SceneAnimation { skeleton: Some(0), motion: walk, ..Default::default() }],
            meshes: vec![SceneMesh { skeleton: 0, mesh, morphs: Vec::new(), ..Default::default() }],
            ..Default::default()
        };
        attach(&mut scene, target.clone(), By::Name, MotionFit::Auto).unwrap();
        let mesh = &scene.meshes[0].mesh;
        mesh.validate(last + 2).unwrap();
        let after = posed(&target.skeleton, mesh, &scene.animations[0].motion);
        assert_eq!(before, after);
        // A joint that the mesh needs is missing.
        let mut without = target;
        without.skeleton.joints.iter_mut().for_each(|j| {
            if j.name.contains("spine") || j.name.contains("Spine") {
                j.name = format!("not {}", j.name);
            }
        });
        attach(&mut scene, without, By::Name, MotionFit::Auto).unwrap();
        assert!(scene.meshes.is_empty());
        assert!(scene.warnings.iter().any(|w| w.text.starts_with("dropped: it follows")));
    }
}
