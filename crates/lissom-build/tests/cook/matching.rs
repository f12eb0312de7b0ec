//! Databases for motion matching: what is measured is what moves, and what cannot be measured is said.

use lissom::{archive::Archive, track::ROOT_TRACKS};
use lissom_build::{
    SkeletonBuilder,
    cook::{ClipBuilder, Effort},
    exact::{Q4, Trs, V3},
    mannequin::{self, Detail, Motion},
    matching::{
        CookedMatching, Counts, MatchedClips, MatchedJoint, MatchedMotion, MatchingError, MatchingRule, cook,
    },
    pipeline::{self, Cooked, Input, InputError, Options, Plan, serial, unwatched},
    raw::{RawAnimation, RawJoint, RawSkeleton, RawTrack, RawUserTrack, TrackKind, UserKey},
    scene::{Scene, SceneAnimation},
};
use lissom_motion::matching::{Database, DatabaseError, FeatureKind, FrameRange};

fn skeleton() -> RawSkeleton {
    let joint =
        |name: &str, parent, at: V3| RawJoint { name: name.into(), parent, rest: Trs::from_translation(at) };
    RawSkeleton {
        joints: vec![
            joint("Hips", None, V3::new(0.0, 1.0, 0.0)),
            joint("Toe of the left", Some(0), V3::new(0.2, -1.0, 0.1)),
        ],
    }
}

/// A way at a speed, with a turn in radians per second: an arc, or a line.
fn arc(name: &str, speed: f64, turn: f64, duration_s: f64) -> SceneAnimation {
    let (mut places, mut turns) = (Vec::new(), Vec::new());
    for i in 0..=1000 {
        let ratio = f64::from(i) / 1000.0;
        let (place, turned) = on_arc(speed, turn, ratio * duration_s);
        let key = |value| UserKey { ratio, value, step: false };
        places.push(key([place.x, place.y, place.z, 0.0]));
        turns.push(key([turned.x, turned.y, turned.z, turned.w]));
    }
    let [place, turned] = ROOT_TRACKS.map(String::from);
    SceneAnimation {
        skeleton: Some(0),
        motion: RawAnimation {
            name: name.into(),
            duration_s,
            tracks: vec![RawTrack::default(); 2],
            ..RawAnimation::default()
        },
        tracks: vec![
            RawUserTrack { name: place, kind: TrackKind::Float3, keys: places },
            RawUserTrack { name: turned, kind: TrackKind::Quat, keys: turns },
        ],
        ..SceneAnimation::default()
    }
}

/// Where one is after so many seconds.
fn on_arc(speed: f64, turn: f64, time_s: f64) -> (V3, Q4) {
    let angle = turn * time_s;
    let place = if turn == 0.0 {
        V3::new(0.0, 0.0, speed * time_s)
    } else {
        let radius = speed / turn;
        V3::new(radius * (1.0 - libm::cos(angle)), 0.0, radius * libm::sin(angle))
    };
    (place, Q4::from_axis_angle(V3::Y, angle))
}

fn all(name: &str) -> MatchedClips {
    MatchedClips { clips: name.into(), ..MatchedClips::default() }
}

fn tagged(name: &str, range_s: (Option<f64>, Option<f64>), tags: &[&str]) -> MatchedClips {
    MatchedClips { range_s, tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), ..all(name) }
}

fn arcs_rule() -> MatchingRule {
    let mut rule = MatchingRule { clips: vec![all("*")], ..MatchingRule::new("arcs") };
    rule.joints.retain(|joint| joint.joint == "hips");
    rule.joints[0].joint = "Hips".into();
    rule.joints.push(MatchedJoint {
        joint: "Toe of the left".into(),
        position: Counts::AsItsKind,
        velocity: Counts::AsItsKind,
    });
    rule.trajectory_s = vec![-0.5, 0.5, 1.0];
    rule
}

fn cooked(rule: &MatchingRule, animations: &[SceneAnimation]) -> Result<CookedMatching, MatchingError> {
    let skeleton = skeleton();
    let identity = SkeletonBuilder::build(&skeleton).unwrap().skeleton.identity();
    let motions: Vec<MatchedMotion<'_>> = animations
        .iter()
        .map(|animation| MatchedMotion {
            name: &animation.motion.name,
            mirrored: false,
            animation,
            skeleton: &skeleton,
            identity,
        })
        .collect();
    cook(rule, &motions)
}

#[test]
fn an_arc_is_measured_as_it_is_in_the_frame_of_the_character() {
    let ways = [("line", 1.5, 0.0), ("left", 2.0, 0.8), ("right", 1.0, -1.2)];
    let animations: Vec<SceneAnimation> = ways.iter().map(|(n, v, w)| arc(n, *v, *w, 4.0)).collect();
    let cooked = cooked(&arcs_rule(), &animations).unwrap();
    assert!(cooked.clamped.is_empty());
    let database = Database::new(&cooked.parts).unwrap();
    assert_eq!(database.frames(), 3 * 121);
    assert_eq!(database.candidates(), 3 * 111);
    let mut values = vec![0.0; database.features().len()];
    for frame in 0..database.frames() {
        let place = database.place(frame).unwrap();
        // The past of a clip's start and the future of its end are not known.
        if !(0.6..2.9).contains(&place.time_s) {
            continue;
        }
        let (_, speed, turn) = ways[place.clip as usize];
        database.values(frame, &mut values).unwrap();
        for (feature, value) in database.features().iter().zip(&values) {
            let toe = V3::new(0.2, 0.0, 0.1);
            // A point that is carried along moves with the character, and turns about it.
            let carried = |p: V3| V3::new(turn * p.z, 0.0, speed - turn * p.x);
            let expected = match &feature.kind {
                FeatureKind::JointPosition { .. } => toe,
                FeatureKind::JointVelocity { joint } if joint == "Hips" => carried(V3::ZERO),
                FeatureKind::JointVelocity { .. } => carried(toe),
                FeatureKind::TrajectoryPosition { time_s } => on_arc(speed, turn, f64::from(*time_s)).0,
                FeatureKind::TrajectoryDirection { time_s } => {
                    on_arc(speed, turn, f64::from(*time_s)).1.rotate(V3::new(0.0, 0.0, 1.0))
                }
                FeatureKind::Track { .. } => panic!("nobody asked for a track"),
            };
            let expected = [expected.x, expected.y, expected.z][usize::from(feature.axis)];
            assert!((f64::from(*value) - expected).abs() < 0.01, "{feature:?}: {value}, {expected}");
        }
    }
}

#[test]
fn groups_of_weight_one_have_a_deviation_of_one() {
    let animations = [arc("a", 1.0, 0.5, 5.0), arc("b", 3.0, -1.0, 5.0)];
    let mut rule = arcs_rule();
    rule.weights.direction = 2.0;
    rule.weights.trajectory = 1.0;
    let cooked = cooked(&rule, &animations).unwrap();
    let database = Database::new(&cooked.parts).unwrap();
    let steps = f64::from(lissom_motion::matching::steps(cooked.parts.columns()));
    let features = database.features().len();
    for (i, group) in database.groups().iter().enumerate() {
        let of = (0..features).filter(|f| database.features()[*f].group as usize == i);
        let of: Vec<usize> = of.filter(|f| database.features()[*f].scale > 0.0).collect();
        if of.is_empty() {
            continue;
        }
        let squares: f64 = of
            .iter()
            .flat_map(|f| cooked.parts.rows.iter().skip(*f).step_by(features))
            .map(|v| f64::from(*v) * f64::from(*v))
            .sum();
        let deviation = (squares / (of.len() as f64 * f64::from(database.frames()))).sqrt() / steps;
        assert!((deviation - f64::from(group.weight)).abs() < 0.01, "{}: {deviation}", group.name);
    }
    // A toe that never moves in the character's frame does not count, and is not divided by nothing.
    assert!(database.features().iter().any(|f| f.scale == 0.0));
}

#[test]
fn a_loop_goes_on_where_a_clip_that_is_none_stays() {
    let mut closed = arc("loop", 2.0, 0.4, 1.0);
    closed.motion.looping = true;
    let open = arc("open", 2.0, 0.4, 1.0);
    let mut rule = arcs_rule();
    rule.no_entry_s = [0.0, 0.0];
    let cooked = cooked(&rule, &[closed, open]).unwrap();
    let database = Database::new(&cooked.parts).unwrap();
    let at = |range: u32, time_s: f32, seconds: f32| {
        let mut values = vec![0.0; database.features().len()];
        database.values(database.frame_at(range, time_s).unwrap(), &mut values).unwrap();
        let kind = FeatureKind::TrajectoryPosition { time_s: seconds };
        let is = |f: &lissom_motion::matching::Feature| f.kind == kind && f.axis == 2;
        f64::from(values[database.features().iter().position(is).unwrap()])
    };
    let expected = on_arc(2.0, 0.4, 1.0).0.z;
    assert!((at(0, 1.0, 1.0) - expected).abs() < 0.02, "{} {expected}", at(0, 1.0, 1.0));
    assert!((at(0, 0.0, -0.5) - on_arc(2.0, 0.4, -0.5).0.z).abs() < 0.02);
    assert!(at(1, 1.0, 1.0).abs() < 0.02 && at(1, 0.0, -0.5).abs() < 0.02);
}

#[test]
fn ranges_and_tags_are_those_of_the_rule() {
    let animations = [arc("walk", 1.0, 0.1, 3.0), arc("run", 3.0, 0.1, 3.0), arc("short", 3.0, 0.1, 0.2)];
    let mut rule = arcs_rule();
    rule.no_entry_s = [0.1, 0.5];
    rule.clips = vec![
        tagged("walk", (None, Some(1.0)), &["start", "calm"]),
        tagged("walk", (Some(2.0), None), &["calm"]),
        tagged("r*", (None, None), &["fast"]),
        tagged("short", (None, None), &["fast"]),
    ];
    let cooked = cooked(&rule, &animations).unwrap();
    let parts = &cooked.parts;
    assert_eq!(parts.tags, ["calm", "fast", "start"]);
    let ranges: Vec<_> = parts.ranges.iter().map(|r| (r.clip, r.start_s, r.tags, r.frames)).collect();
    // The clip that is too short to be found in is left out.
    assert_eq!(ranges, [(0, 0.0, 5, 31), (0, 2.0, 1, 31), (1, 0.0, 2, 91)]);
    let entries: Vec<_> = parts.ranges.iter().map(|r| (r.entry_from, r.entry_to)).collect();
    assert_eq!(entries, [(3, 16), (3, 16), (3, 76)]);
    assert_eq!(cooked.candidates, 13 + 13 + 73);
}

/// Clip, first frame, tags, frames, and which of them may be found.
fn ranges(cooked: &CookedMatching) -> Vec<(u32, u32, u32, u32, [u32; 2])> {
    let parts = &cooked.parts;
    let first = |start_s: f32| libm::rintf(start_s * parts.rate_hz) as u32;
    let range = |r: &FrameRange| (r.clip, first(r.start_s), r.tags, r.frames, [r.entry_from, r.entry_to]);
    parts.ranges.iter().map(range).collect()
}

#[test]
fn entries_that_overlap_are_cut_and_no_frame_is_there_twice() {
    let animations = [arc("walk", 1.0, 0.1, 3.0), arc("run", 3.0, 0.1, 3.0)];
    let mut rule = arcs_rule();
    rule.no_entry_s = [0.0, 0.5];
    rule.clips = vec![all("*"), tagged("walk", (Some(1.0), Some(2.0)), &["turn"])];
    let whole = cooked(&rule, &animations).unwrap();
    // The walk is found up to 0.5 s before its end, also where the shorter range ends.
    let walk = [(0, 0, 0, 30, [0, 30]), (0, 30, 1, 31, [0, 31]), (0, 61, 0, 30, [0, 15])];
    assert_eq!(ranges(&whole), [&walk[..], &[(1, 0, 0, 91, [0, 76])]].concat());
    let database = Database::new(&whole.parts).unwrap();
    let mut values = vec![0.0; database.features().len()];
    for frame in 0..91 {
        database.values(frame, &mut values).unwrap();
        let query = database.query(&values).unwrap().playing(&database, frame, 0, 0.0).unwrap();
        let found = database.search(&query.leaving()).unwrap();
        let ([own, other], turn) = ([frame, found.frame].map(|frame| database.place(frame).unwrap()), 30..61);
        assert!(found.stays || own != other, "{own:?}");
        assert_eq!(database.ranges()[own.range as usize].tags == 1, turn.contains(&frame));
    }
    // Every order and every cut says the same of each frame, between them all is covered, and gaps stay.
    let three = [
        tagged("walk", (Some(0.4), Some(1.2)), &["a"]),
        tagged("walk", (Some(1.0), Some(1.6)), &["b"]),
        tagged("walk", (Some(2.05), None), &["a"]),
    ];
    rule.clips = three.to_vec();
    let forward = cooked(&rule, &animations).unwrap();
    rule.clips.reverse();
    assert_eq!(ranges(&cooked(&rule, &animations).unwrap()), ranges(&forward));
    // Of the first entry frames 12 to 21 are found, of the second 30 to 33, of the third 62 to 75.
    let expected =
        [(0, 12, 1, 18, [0, 10]), (0, 30, 3, 7, [0, 4]), (0, 37, 2, 12, [0, 0]), (0, 62, 1, 29, [0, 14])];
    assert_eq!(ranges(&forward), expected);
    // What may be found of a piece is one stretch: where it begins again, there is a cut.
    rule.clips = vec![tagged("walk", (None, Some(1.0)), &[]), tagged("walk", (Some(0.9), None), &[])];
    let again = cooked(&rule, &animations).unwrap();
    assert_eq!(ranges(&again), [(0, 0, 0, 27, [0, 16]), (0, 27, 0, 64, [0, 49])]);
}

#[test]
fn entries_have_no_entry_and_costs_of_their_own() {
    let animations = [arc("walk", 1.0, 0.1, 3.0), arc("start", 1.0, 0.1, 3.0)];
    let mut rule = arcs_rule();
    rule.no_entry_s = [0.0, 0.5];
    let start = MatchedClips { no_entry_s: Some([0.0, 2.5]), cost: 0.25, ..all("start") };
    rule.clips = vec![all("walk"), start];
    let own = cooked(&rule, &animations).unwrap();
    assert_eq!(ranges(&own), [(0, 0, 0, 91, [0, 76]), (1, 0, 0, 91, [0, 16])]);
    let database = Database::new(&own.parts).unwrap();
    let mut values = vec![0.0; database.features().len()];
    for (frame, cost) in [(10, 0.0), (91 + 10, 0.25)] {
        database.values(frame, &mut values).unwrap();
        let query = database.query(&values).unwrap();
        let told = database.in_deviations(database.cost(&query, frame).unwrap());
        assert!((told - cost).abs() < 0.01, "{told}");
    }
    // Both are the same motion: the one that costs nothing is found.
    assert_eq!(database.search(&database.query(&values).unwrap()).unwrap().frame, 10);
    rule.clips[1].cost = 0.0;
    assert!(cooked(&rule, &animations).unwrap().parts.biases.is_empty());
}

#[test]
fn tracks_and_joints_count_by_their_weights() {
    let lean = |ratio: f64| [3.0 * ratio, -ratio, 0.0, 0.0];
    let with = |kind, name: &str| {
        let mut walk = arc(name, 1.0, 0.1, 3.0);
        let keys = [0.0, 1.0].map(|ratio| UserKey { ratio, value: lean(ratio), step: false });
        walk.tracks.push(RawUserTrack { name: "lean".into(), kind, keys: keys.into() });
        walk
    };
    let mut rule = arcs_rule();
    rule.tracks = vec![("lean".into(), 0.5)];
    rule.joints[1].velocity = Counts::By(3.0);
    let animations = [with(TrackKind::Float2, "walk"), with(TrackKind::Float2, "run")];
    let own = cooked(&rule, &animations).unwrap();
    let database = Database::new(&own.parts).unwrap();
    let group = |name: &str| database.groups().iter().find(|group| group.name == name).unwrap().weight;
    assert_eq!([group("track lean"), group("Toe of the left velocity")], [0.5, 3.0]);
    assert_eq!(group("Hips velocity"), 1.0, "the weight of its kind");
    let mut values = vec![0.0; database.features().len()];
    for frame in 0..182 {
        database.values(frame, &mut values).unwrap();
        let ratio = f64::from(database.place(frame).unwrap().time_s) / 3.0;
        let kind = FeatureKind::Track { name: "lean".into() };
        let tracks = database.features().iter().zip(&values).filter(|(feature, _)| feature.kind == kind);
        let found: Vec<f64> = tracks.map(|(_, value)| f64::from(*value)).collect();
        assert_eq!(found.len(), 2);
        assert!(found.iter().zip(lean(ratio)).all(|(a, b)| (a - b).abs() < 0.01), "{frame}: {found:?}");
    }
    let no_track =
        |clip: &str, needed| MatchingError::NoTrack { clip: clip.into(), track: "lean".into(), needed };
    let refused = |animations: &[SceneAnimation]| cooked(&rule, animations).unwrap_err();
    let bare = arc("run", 1.0, 0.1, 3.0);
    assert_eq!(refused(&[with(TrackKind::Float2, "walk"), bare]), no_track("run", "two numbers"));
    let other = with(TrackKind::Float3, "run");
    assert_eq!(refused(&[with(TrackKind::Float2, "walk"), other]), no_track("run", "two numbers"));
    assert_eq!(refused(&[with(TrackKind::Quat, "walk")]), no_track("walk", "one to three numbers"));
}

#[test]
fn what_cannot_be_measured_is_said() {
    let good = [arc("walk", 1.0, 0.1, 3.0)];
    let refused = |change: &dyn Fn(&mut MatchingRule), animations: &[SceneAnimation]| {
        let mut rule = arcs_rule();
        change(&mut rule);
        cooked(&rule, animations).unwrap_err()
    };
    let mut bare = good.clone();
    bare[0].tracks.pop();
    assert_eq!(refused(&|_| (), &bare), MatchingError::NoRoot { clip: "walk".into() });
    let mut additive = good.clone();
    additive[0].motion.additive = true;
    assert_eq!(refused(&|_| (), &additive), MatchingError::Additive { clip: "walk".into() });
    let no_clip = MatchingError::NoClip { pattern: "run*".into() };
    assert_eq!(refused(&|rule| rule.clips.push(all("run*")), &good), no_clip);
    let no_joint = MatchingError::NoJoint { joint: "left_foot".into() };
    assert_eq!(refused(&|rule| rule.joints[0].joint = "left_foot".into(), &good), no_joint);
    let nothing = |rule: &mut MatchingRule| {
        rule.joints.clear();
        rule.trajectory_s.clear();
    };
    assert_eq!(refused(&nothing, &good), MatchingError::NoFeature);
    let far = refused(&|rule| rule.trajectory_s = vec![0.1; 20], &good);
    assert!(matches!(far, MatchingError::Database(DatabaseError::Limit { what: "features", .. })), "{far}");
    let shut = refused(&|rule| rule.no_entry_s = [2.0, 2.0], &good);
    assert!(matches!(shut, MatchingError::Database(DatabaseError::None(_))), "{shut}");
    let mut nowhere = good.clone();
    nowhere[0].tracks[0].keys[500].value[0] = f64::NAN;
    assert_eq!(refused(&|_| (), &nowhere), MatchingError::NotFinite { clip: "walk".into() });
}

/// The mannequin's gaits as a file.
fn mannequin_file() -> Vec<u8> {
    let motions = [Motion::Walk, Motion::Run, Motion::StrafeLeft, Motion::TurnRight];
    let scene = mannequin::game_scene(&motions, &Detail::default()).unwrap();
    let scene = Scene { meshes: Vec::new(), graphs: Vec::new(), ..scene };
    pipeline::cook_scene(&scene, &ClipBuilder::default(), &serial).unwrap().archive
}

fn piped(file: &[u8], rules: Vec<MatchingRule>) -> Cooked {
    let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let plan = Plan::new(Options { matching: rules, cook, ..Options::default() }).unwrap();
    let (mut done, mut all) = (0, 0);
    let mut watch = |progress: pipeline::Progress<'_>| {
        (done, all) = (progress.done, progress.all);
        std::ops::ControlFlow::Continue(())
    };
    let cooked = plan.cook(&[Input::bytes("hero.lsm", file)], &serial, &mut watch).unwrap();
    assert_eq!(done, all, "copies are counted as steps");
    cooked
}

#[test]
fn a_recipe_puts_a_database_and_mirrored_clips_into_the_archive() {
    let file = mannequin_file();
    let text = b"[matching.gaits]\nclips = ['*']\nmirrored = true\n";
    let rules = lissom_build::recipe::read(text).unwrap().matching;
    let cooked = piped(&file, rules.clone());
    let report = cooked.matching[0].as_ref().unwrap();
    assert_eq!((report.name.as_str(), report.features), ("gaits", 27));
    let archive = cooked.archive.unwrap();
    assert_eq!(piped(&file, rules.clone()).archive.as_ref(), Some(&archive), "the same bytes again");
    // Cooked again, its copies are not copied.
    let again = piped(&archive, rules).archive.unwrap();
    let again = Archive::read(&again).unwrap();
    let archive = Archive::read(&archive).unwrap();
    let names = |archive: &Archive| archive.clips().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(names(&archive), names(&again));
    assert_eq!(names(&archive).len(), 8);
    let database = Database::load(&archive, "gaits").unwrap();
    let found = Database::load(&again, "gaits").unwrap();
    assert_eq!((database.frames(), database.clips()), (found.frames(), found.clips()));
    assert_eq!(database.frames() as usize, report.frames);
    // Left and right have changed places in a copy.
    let clip = |name: &str| database.clips().iter().position(|own| own == name).unwrap() as u32;
    let range = |name: &str| {
        let clip = clip(name);
        database.ranges().iter().position(|range| range.clip == clip).unwrap() as u32
    };
    let original = database.clips()[0].clone();
    let (plain, copy) = (range(&original), range(&format!("{original}_mirrored")));
    assert!(database.ranges()[copy as usize].mirrored && !database.ranges()[plain as usize].mirrored);
    let value = |frame: u32, group: &str, axis: u8| {
        let mut values = [0.0; 27];
        database.values(frame, &mut values).unwrap();
        let group = database.groups().iter().position(|own| own.name == group).unwrap() as u32;
        let is = |f: &lissom_motion::matching::Feature| f.group == group && f.axis == axis;
        values[database.features().iter().position(is).unwrap()]
    };
    for (a, b) in database.frames_of(plain).zip(database.frames_of(copy)) {
        let near = |x: f32, y: f32| assert!((x - y).abs() < 0.02, "{x} {y}");
        near(value(a, "left_foot position", 0), -value(b, "right_foot position", 0));
        near(value(a, "right_foot velocity", 2), value(b, "left_foot velocity", 2));
        near(value(a, "direction", 0), -value(b, "direction", 0));
    }
    // A frame that is asked for is found, or one of the same cost before it.
    let mut values = [0.0; 27];
    for frame in (0..database.frames()).step_by(7) {
        database.values(frame, &mut values).unwrap();
        let found = database.search(&database.query(&values).unwrap()).unwrap();
        let place = database.place(frame).unwrap();
        let range = &database.ranges()[place.range as usize];
        let at = frame - database.frames_of(place.range).start;
        if (range.entry_from..range.entry_to).contains(&at) {
            assert!(found.cost == 0 && found.frame <= frame, "{found:?} for {frame}");
        }
    }
}

#[test]
fn an_archive_without_a_database_that_was_asked_for_is_none() {
    let file = mannequin_file();
    let rule = |clips: &str| MatchingRule { clips: vec![all(clips)], ..MatchingRule::new("gaits") };
    let cooked = piped(&file, vec![rule("*"), rule("swim")]);
    assert!(cooked.archive.is_none() && cooked.matching[0].is_ok());
    let Err(InputError::Matching { name, source }) = &cooked.matching[1] else { panic!() };
    assert_eq!((name.as_str(), source.to_string().as_str()), ("gaits", "no clip fits \"swim\""));
}

#[test]
fn one_that_is_for_another_skeleton_or_clip_does_not_load() {
    use lissom_motion::matching::MatchingLoadError as E;
    let file = mannequin_file();
    let rule = MatchingRule { clips: vec![all("*")], ..MatchingRule::new("gaits") };
    let whole = piped(&file, vec![rule]).archive.unwrap();
    let archive = Archive::read(&whole).unwrap();
    let parts = lissom_motion::matching::DatabaseParts::read(&archive.matching("gaits").unwrap()).unwrap();
    let with = |change: &dyn Fn(&mut lissom_motion::matching::DatabaseParts)| {
        let mut parts = parts.clone();
        change(&mut parts);
        let mut writer = lissom_build::archive::ArchiveWriter::new();
        let view = lissom::archive::AlignedBytes::copy_of(&whole);
        let view = lissom::archive::ArchiveView::read(&view, &Default::default()).unwrap();
        for section in view.sections() {
            let is_it = section.kind == lissom::archive::SectionKind::Matching;
            let payload = if is_it { parts.to_bytes() } else { section.payload.to_vec() };
            writer =
                writer.section(section.kind, section.version, section.flags, section.name, payload).unwrap();
        }
        Database::load(&Archive::read(&writer.finish().unwrap()).unwrap(), "gaits").map(drop)
    };
    assert_eq!(with(&|_| ()), Ok(()));
    assert_eq!(with(&|p| p.skeleton ^= 1), Err(E::OtherSkeleton { name: "gaits".into() }));
    let no_clip = E::NoClip { name: "gaits".into(), clip: "swim".into() };
    assert_eq!(with(&|p| p.clips[0] = "swim".into()), Err(no_clip));
    assert!(matches!(with(&|p| p.rate_hz = -1.0), Err(E::Database { .. })));
    assert!(matches!(with(&|p| p.rows.truncate(9)), Err(E::Format { .. })));
    assert!(matches!(Database::load(&archive, "swim"), Err(E::Archive(_))));
}

#[test]
fn unwatched_is_enough() {
    let plan = Plan::new(Options {
        matching: vec![MatchingRule { clips: vec![all("*")], mirrored: true, ..MatchingRule::new("gaits") }],
        ..Options::default()
    })
    .unwrap();
    let file = mannequin_file();
    let inputs = [Input::bytes("hero.lsm", &file)];
    let cooked = plan.cook(&inputs, &serial, &mut unwatched).unwrap();
    let archive = lissom::archive::AlignedBytes::copy_of(&cooked.archive.unwrap());
    assert!(plan.is_unchanged(&archive, &inputs));
    let other = Plan::new(Options::default()).unwrap();
    assert!(!other.is_unchanged(&archive, &inputs), "the rule is part of the stamp");
}
