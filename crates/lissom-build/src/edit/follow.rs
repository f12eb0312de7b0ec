//! Rules followed: which edits a clip gets, and what comes of them.

use super::{Additive, ClipRule, Edit, EditError, EditKind, Looping, error::EditReason, parts::is_root};
use crate::{
    feet::{ContactRule, FeetError, FromFeet, PHASE_TRACK, SPEED_TRACK},
    pipeline::{clip_called, similar_clips},
    raw::{RawAnimation, RawEditError, RawSkeleton, RawUserTrack, TrackKind, UserKey},
    scene::{Marker, Scene, SceneAnimation},
    text::{pattern::fit, words::nearest},
};

/// How much a user track may be off at the end of a loop.
const TRACK_GAP: f64 = 1e-3;

/// Feet that slide faster than this share of the speed that they give are told.
const UNSTEADY: f64 = 0.5;

/// The rules, and how the scene is cooked as far as edits ask.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// In this order where several fit.
    pub rules: &'a [ClipRule],
    /// Of clips without one of their own, in metres.
    pub precision_m: f64,
    /// How far from a joint it is measured, in metres.
    pub shell_m: f64,
    /// Whether clips of which nobody says so may become loops: not those of archives, which say so themselves.
    pub finds_loops: bool,
}

/// What became of a scene's clips, beside the clips themselves.
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// One a clip.
    pub(crate) needs: Vec<Needs>,
    /// One a rule: whether a clip was found for it.
    pub used: Vec<bool>,
    /// What the clips were called before: the names that rules go by.
    pub names: Vec<String>,
}

/// What one clip needs of the cooker.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Needs {
    pub(crate) precision_m: Option<f64>,
    /// Joints of the raw skeleton with a precision of their own.
    pub(crate) joints: Vec<(usize, f64)>,
    /// The root motion that its feet gave, if that was asked for.
    pub(crate) from_feet: Option<FromFeet>,
    /// What is still to be done when all files are read.
    difference: Option<Edit>,
}

/// What one clip gets: of each kind of edit the last one said, in their order.
struct Plan<'a> {
    edits: Vec<&'a Edit>,
    /// What the first star of the pattern that gives the name stands for.
    stands_for: String,
}

impl<'a> Plan<'a> {
    fn of(
        clip: &str,
        made_by: Option<usize>,
        rules: &'a [ClipRule],
        names: &[String],
        used: &mut [bool],
    ) -> Self {
        let mut plan = Self { edits: Vec::new(), stands_for: clip.to_owned() };
        for (index, rule) in rules.iter().enumerate() {
            let fits = match rule.from {
                Some(_) => (made_by == Some(index)).then_some(clip),
                None => fit(meant(&rule.clips, names), clip),
            };
            let Some(stands_for) = fits else { continue };
            used[index] = true;
            for edit in &rule.edits {
                plan.edits.retain(|e| e.kind.key() != edit.kind.key());
                plan.edits.push(edit);
                if matches!(edit.kind, EditKind::Name(_)) {
                    plan.stands_for = stands_for.to_owned();
                }
            }
        }
        plan.edits.sort_by_key(|e| e.kind.rank());
        plan
    }

    /// What counts as standing.
    fn contacts(&self) -> ContactRule {
        let rule = self.edits.iter().find_map(|edit| match &edit.kind {
            EditKind::Contacts(rule) => rule.clone(),
            _ => None,
        });
        rule.unwrap_or_default()
    }
}

/// A pattern; where nothing fits it, the name of the clip that [`clip_called`] finds for it.
fn meant<'a>(pattern: &'a str, names: &'a [String]) -> &'a str {
    if names.iter().any(|name| fit(pattern, name).is_some()) {
        return pattern;
    }
    clip_called(names, pattern).and_then(|found| names.get(found)).map_or(pattern, String::as_str)
}

/// Follows the rules in one scene, but for differences between clips, which need all files: the pipeline takes those.
///
/// # Errors
///
/// [`EditError`]; the scene's clips are then gone.
pub fn follow(scene: &mut Scene, asked: Asked<'_>) -> Result<Edited, EditError> {
    let mut edited = Edited { used: vec![false; asked.rules.len()], ..Edited::default() };
    let mut clips: Vec<(Option<usize>, SceneAnimation)> =
        core::mem::take(&mut scene.animations).into_iter().map(|a| (None, a)).collect();
    let originals = clips.len();
    let names: Vec<String> = clips.iter().map(|(_, a)| a.motion.name.clone()).collect();
    edited.names.clone_from(&names);
    for (index, rule) in asked.rules.iter().enumerate() {
        let Some(from) = &rule.from else { continue };
        let found =
            clips[..originals].iter().find(|(_, a)| fit(meant(from, &names), &a.motion.name).is_some());
        if let Some((_, source)) = found {
            let mut made = source.clone();
            made.motion.name.clone_from(&rule.clips);
            clips.push((Some(index), made));
        }
    }
    for (made_by, clip) in clips {
        let plan = Plan::of(&clip.motion.name, made_by, asked.rules, &names, &mut edited.used);
        if plan.edits.iter().any(|e| e.kind == EditKind::Skip(true)) {
            continue;
        }
        // A clip without its skeleton is refused elsewhere.
        let skeleton = clip.skeleton.and_then(|s| scene.skeletons.get(s)).map(|s| s.skeleton.clone());
        let Some(skeleton) = skeleton else {
            scene.animations.push(clip);
            edited.needs.push(Needs::default());
            continue;
        };
        let (clip, needs) = edit(clip, &skeleton, &plan, asked, &mut |text| scene.warn("", text))?;
        scene.animations.push(clip);
        edited.needs.push(needs);
    }
    Ok(edited)
}

fn edit(
    mut clip: SceneAnimation,
    skeleton: &RawSkeleton,
    plan: &Plan<'_>,
    asked: Asked<'_>,
    warn: &mut dyn FnMut(String),
) -> Result<(SceneAnimation, Needs), EditError> {
    let mut needs = Needs::default();
    let automatic = Edit { kind: EditKind::Loop(Looping::Auto), line: None };
    let says = plan.edits.iter().any(|e| matches!(e.kind, EditKind::Loop(_)));
    let turn = plan.edits.partition_point(|e| e.kind.rank() < automatic.kind.rank());
    let (before, after) = plan.edits.split_at(turn);
    let own = (!says && asked.finds_loops).then_some(&automatic);
    let precision = plan.edits.iter().find_map(|e| match e.kind {
        EditKind::Precision(metres) => Some(metres),
        _ => None,
    });
    for edit in before.iter().copied().chain(own).chain(after.iter().copied()) {
        let name = clip.motion.name.clone();
        let wrong =
            |reason: EditReason| EditError { clip: name, key: edit.kind.key(), line: edit.line, reason };
        match &edit.kind {
            EditKind::Loop(looping) => {
                let precision_m = precision.unwrap_or(asked.precision_m);
                make_loop(&mut clip, skeleton, *looping, precision_m, asked.shell_m).map_err(wrong)?;
            }
            EditKind::RootMotion(Some(root)) if root.from_feet => {
                let found = clip.rooted_by_feet(skeleton, &plan.contacts()).map_err(wrong)?;
                needs.from_feet = Some(found);
                let (speed, slide) = (found.velocity.length(), found.slide);
                if slide > UNSTEADY * speed {
                    warn(format!(
                        "clip {:?}: root motion from feet: {speed:.2} m/s, but its feet are not steady and slide by {slide:.2} m/s",
                        clip.motion.name
                    ));
                }
            }
            EditKind::RootMotion(Some(root)) => clip = clip.rooted(skeleton, root).map_err(wrong)?,
            EditKind::Contacts(Some(rule)) => {
                let contacts = clip.contacts(skeleton, rule).map_err(|e| wrong(e.into()))?;
                if contacts.feet.iter().all(Vec::is_empty) {
                    warn(format!("clip {:?}: contacts: no foot stands in it", clip.motion.name));
                }
                add_markers(&mut clip, contacts.markers());
            }
            EditKind::Gait(true) => {
                let rule = plan.contacts();
                add_gait(&mut clip, skeleton, &rule).map_err(|e| wrong(e.into()))?;
            }
            EditKind::Name(name) => clip.motion.name = name.replace('*', &plan.stands_for),
            EditKind::Events(events) => add_events(&mut clip, events).map_err(wrong)?,
            EditKind::Precision(metres) => needs.precision_m = Some(*metres),
            EditKind::Joints(joints) => {
                for (pattern, metres) in joints {
                    let fits = |(_, j): &(usize, &crate::raw::RawJoint)| fit(pattern, &j.name).is_some();
                    let found: Vec<usize> =
                        skeleton.joints.iter().enumerate().filter(fits).map(|j| j.0).collect();
                    if found.is_empty() {
                        let near = nearest(pattern, skeleton.joints.iter().map(|j| j.name.as_str()));
                        let near = super::DidYouMean(near);
                        warn(format!(
                            "clip {:?}: joints: no joint is called {pattern:?}{near}",
                            clip.motion.name
                        ));
                    }
                    needs.joints.extend(found.into_iter().map(|joint| (joint, *metres)));
                }
            }
            EditKind::Additive(Additive::No) => {}
            EditKind::Additive(_) => needs.difference = Some(edit.clone()),
            kind => clip = clip.edited(skeleton, kind).map_err(|e| wrong(e.into()))?,
        }
    }
    Ok((clip, needs))
}

impl SceneAnimation {
    /// True if it moves, and ends where it starts within the precision: what import finds to be a loop.
    ///
    /// # Errors
    ///
    /// Those of [`RawAnimation::loop_check`].
    pub fn closes(
        &self,
        skeleton: &RawSkeleton,
        precision_m: f64,
        shell_m: f64,
    ) -> Result<bool, RawEditError> {
        let tracks_close = self
            .tracks
            .iter()
            // Where a loop ends is where its next lap starts: that is what root motion is for.
            .filter(|t| !is_root(&t.name) && t.name != PHASE_TRACK)
            .all(|t| t.sample(0.0).iter().zip(t.sample(1.0)).all(|(a, b)| (a - b).abs() <= TRACK_GAP));
        let moves =
            self.motion.tracks.iter().any(|t| t.moves()) || self.tracks.iter().any(|t| t.keys.len() > 1);
        Ok(moves && tracks_close && self.motion.loop_check(skeleton, shell_m)?.distance <= precision_m)
    }
}

fn make_loop(
    clip: &mut SceneAnimation,
    skeleton: &RawSkeleton,
    looping: Looping,
    precision_m: f64,
    shell_m: f64,
) -> Result<(), EditReason> {
    let motion = &mut clip.motion;
    match looping {
        Looping::No => motion.looping = false,
        Looping::Close => *motion = motion.closed(),
        Looping::Auto if motion.looping || skeleton.joints.is_empty() => {}
        Looping::Auto => clip.motion.looping = clip.closes(skeleton, precision_m, shell_m)?,
        Looping::Yes => {
            let gap = motion.loop_check(skeleton, shell_m)?;
            if gap.distance > precision_m {
                let joint = skeleton.joints[gap.joint].name.clone();
                return Err(EditReason::NoLoop { joint, distance_m: gap.distance });
            }
            motion.looping = true;
        }
    }
    Ok(())
}

fn add_events(clip: &mut SceneAnimation, events: &[Marker]) -> Result<(), EditReason> {
    let duration_s = clip.motion.duration_s;
    for event in events {
        let at_s = event.time_s + event.duration_s;
        if !(event.time_s >= 0.0 && at_s <= duration_s) {
            return Err(EditReason::Event { event: event.name.clone(), at_s, duration_s });
        }
    }
    add_markers(clip, events.to_vec());
    Ok(())
}

fn add_markers(clip: &mut SceneAnimation, markers: Vec<Marker>) {
    clip.markers.extend(markers);
    clip.markers.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
}

/// Tracks of phase and speed, in place of those that were there.
fn add_gait(clip: &mut SceneAnimation, skeleton: &RawSkeleton, rule: &ContactRule) -> Result<(), FeetError> {
    let phase = clip.contacts(skeleton, rule)?.phase()?;
    let value = [clip.ground_speed(skeleton, rule)?, 0.0, 0.0, 0.0];
    let keys = vec![UserKey { ratio: 0.0, value, step: false }];
    let speed = RawUserTrack { name: SPEED_TRACK.into(), kind: TrackKind::Float, keys };
    clip.tracks.retain(|track| track.name != phase.name && track.name != speed.name);
    clip.tracks.extend([phase, speed]);
    Ok(())
}

/// Makes additive clips of those that asked for it, now that every clip of the archive is there: each against the others as
/// they were before any became one. What is wrong is told for its scene.
pub(crate) fn take_differences(scenes: &mut [Option<(&mut Scene, &mut Edited)>]) -> Vec<Option<EditError>> {
    let mut wrong: Vec<Option<EditError>> = scenes.iter().map(|_| None).collect();
    let mut made = Vec::new();
    for (index, slot) in scenes.iter().enumerate() {
        let Some((scene, edited)) = slot else { continue };
        for (clip, needs) in edited.needs.iter().enumerate() {
            let Some(edit) = &needs.difference else { continue };
            let own = &scene.animations[clip];
            let Some(skeleton) = own.skeleton.and_then(|s| scene.skeletons.get(s)) else { continue };
            let EditKind::Additive(to) = &edit.kind else { continue };
            match difference(own, &skeleton.skeleton, to, index, scenes) {
                Ok(motion) => made.push((index, clip, motion)),
                Err(reason) => {
                    let (name, key) = (own.motion.name.clone(), edit.kind.key());
                    wrong[index] = Some(EditError { clip: name, key, line: edit.line, reason });
                }
            }
        }
    }
    for (index, clip, motion) in made {
        if let Some((scene, _)) = &mut scenes[index] {
            scene.animations[clip].motion = motion;
        }
    }
    wrong
}

fn difference(
    own: &SceneAnimation,
    skeleton: &RawSkeleton,
    to: &Additive,
    index: usize,
    scenes: &[Option<(&mut Scene, &mut Edited)>],
) -> Result<RawAnimation, EditReason> {
    let motion = &own.motion;
    let (wanted, at_s) = match to {
        Additive::No => return Ok(motion.clone()),
        Additive::Rest => {
            let rest: Vec<_> = skeleton.joints.iter().map(|j| j.rest).collect();
            return Ok(motion.added_to(skeleton, &rest)?);
        }
        Additive::First => return Ok(motion.added_to(skeleton, &motion.pose(skeleton, 0.0))?),
        Additive::Clip { name, at_s } => (name, at_s),
    };
    // Its own file first: names need only be unique there.
    let order = [index].into_iter().chain((0..scenes.len()).filter(|i| *i != index));
    let clips = || {
        order.clone().filter_map(|i| scenes[i].as_ref()).flat_map(|(scene, _)| {
            scene.animations.iter().filter_map(|a| Some((a, &scene.skeletons.get(a.skeleton?)?.skeleton)))
        })
    };
    let names: Vec<String> = clips().map(|(a, _)| a.motion.name.clone()).collect();
    let pattern = meant(wanted, &names);
    let Some((other, other_skeleton)) = clips().find(|(a, _)| fit(pattern, &a.motion.name).is_some()) else {
        let near = similar_clips(&names, wanted).first().map(|near| (*near).to_owned());
        return Err(EditReason::NoClip { wanted: wanted.clone(), near });
    };
    if other_skeleton != skeleton {
        return Err(EditReason::OtherSkeleton { other: other.motion.name.clone() });
    }
    Ok(match at_s {
        Some(at_s) => {
            let duration_s = other.motion.duration_s;
            if !(0.0..=duration_s).contains(at_s) {
                return Err(EditReason::Event { event: wanted.clone(), at_s: *at_s, duration_s });
            }
            motion.added_to(skeleton, &other.motion.pose(skeleton, *at_s))?
        }
        None => motion.added_to_motion(skeleton, &other.motion)?,
    })
}
