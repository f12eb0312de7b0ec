//! Mixes as functions of time: played by somebody else they show what the crowd shows, and a member that goes on as before changes
//! nothing.

use super::{GRAPH, INERTIAL, bits, crowd};
use lissom::{
    Clip, JointLod,
    job::{InertiaJob, LocalToModelJob, MixJob, MixScratch, SampleTime},
    math::{Mat4, soa::Lanes},
};
use lissom_motion::{
    Graph, RootStep,
    crowd::{
        Crowd, GraphId, Member, NO_MASK, Outputs, PlayedClip, Rayon, Role, Serial, TICKS_PER_S, TIME_ERROR_S,
        WEIGHT_ERROR,
    },
    frame::{Frame, Layer, cover},
};
use lissom_testkit::{
    crowds::{self, Input},
    rng::Rng,
};
use std::sync::Arc;

/// Plays what a slot says, as anybody could who has the clips.
struct Reader {
    clips: Vec<Clip>,
    masks: Vec<Vec<Lanes>>,
    scratch: MixScratch,
}

impl Reader {
    fn new(crowd: &Crowd) -> Self {
        let clips = crowd.clips().to_vec();
        let scratch = MixScratch::with_room_for(crowd.skeleton(), &clips, 16);
        Self { clips, masks: crowd.masks().map(<[Lanes]>::to_vec).collect(), scratch }
    }

    fn models(&mut self, crowd: &Crowd, member: Member) -> Vec<Mat4> {
        let (mixes, slot, skeleton) = (crowd.mixes().unwrap(), member.index(), crowd.skeleton());
        let (head, groups) = (mixes.heads()[slot], skeleton.group_count());
        let ticks = mixes.tick().wrapping_sub(head.since);
        let layers: Vec<Layer<'_>> = mixes
            .layers(slot)
            .iter()
            .map(|layer| Layer {
                weight: layer.weight_at(ticks),
                mask: (layer.mask != NO_MASK).then(|| &self.masks[usize::from(layer.mask)][..]),
                additive: layer.additive != 0,
            })
            .collect();
        let mut rows = vec![Lanes::splat(0.0); layers.len() * groups];
        assert!(cover(&layers, groups, &mut rows));
        let mut pose = skeleton.rest_pose().to_vec();
        let mix = mixes.mix(slot);
        let mut job = MixJob::new(skeleton, &self.clips, &mix, &mut self.scratch, &mut pose);
        job.masks = &rows;
        job.run().unwrap();
        if head.duration_s > 0.0 {
            let offsets = crowd.memory(member).unwrap().offsets();
            let (elapsed_s, duration_s) = (head.elapsed_s(ticks), head.duration_s);
            InertiaJob::new(offsets, f64::from(elapsed_s), f64::from(duration_s), &mut pose).run().unwrap();
        }
        let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
        LocalToModelJob::new(skeleton, &pose, &mut models).run().unwrap();
        models
    }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// How far joints, and points a tenth of a metre beside them, are apart.
fn apart_m(a: &[Mat4], b: &[Mat4]) -> f64 {
    let mut worst: f64 = 0.0;
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a.to_cols_array(), b.to_cols_array());
        let off = |column: usize| -> f64 {
            let part = |i: usize| f64::from(a[column * 4 + i]) - f64::from(b[column * 4 + i]);
            (part(0) * part(0) + part(1) * part(1) + part(2) * part(2)).sqrt()
        };
        let beside = (0..3).map(off).fold(0.0, larger) * 0.1;
        worst = larger(worst, off(3) + beside);
    }
    worst
}

/// Two crowds that are told the same: one poses, one writes mixes.
struct Twins {
    posing: Crowd,
    mixing: Crowd,
    ids: Vec<GraphId>,
    members: Vec<(Member, Option<&'static Arc<Graph>>)>,
}

impl Twins {
    fn new() -> Self {
        let [mut posing, mut mixing] = [crowd(), crowd()];
        mixing.set_grain(4);
        let mut ids = Vec::new();
        for crowd in [&mut posing, &mut mixing] {
            crowd.add_level(JointLod::prefix(20)).unwrap();
        }
        // A graph that comes after the outputs were chosen has more entries.
        mixing.set_outputs(Outputs { mixes: true, ..Outputs::default() });
        for graph in [&GRAPH, &INERTIAL] {
            ids.push(posing.add_graph(Arc::clone(graph)).unwrap());
            assert_eq!(mixing.add_graph(Arc::clone(graph)).unwrap(), ids[ids.len() - 1]);
        }
        Self { posing, mixing, ids, members: Vec::new() }
    }

    fn join(&mut self, rng: &mut Rng) {
        let (which, place) = (rng.below(3), crowds::place(rng));
        let [walk, run] = ["walk", "run"].map(|name| self.posing.clip(name).unwrap());
        let clips = [PlayedClip::new(walk, 0.7).at(rng.unit_f64()), PlayedClip::new(run, 0.3)];
        let role = self.ids.get(which).map_or(Role::InStep(&clips), |id| Role::Graph(*id));
        let member = self.posing.add(role, place).unwrap();
        assert_eq!(self.mixing.add(role, place).unwrap(), member);
        self.members.push((member, [Some(&*GRAPH), Some(&*INERTIAL), None][which]));
    }

    fn both(&mut self, mut told: impl FnMut(&mut Crowd)) {
        told(&mut self.posing);
        told(&mut self.mixing);
    }
}

#[test]
fn what_is_played_elsewhere_is_what_the_crowd_shows() {
    let (mut twins, mut rng) = (Twins::new(), Rng::new(31));
    let mut reader = Reader::new(&twins.mixing);
    let mut one = twins.mixing.member_pose();
    let mut uploaded: Vec<u32> = Vec::new();
    let (mut worst_m, mut compared, mut changed, mut inert) = (0.0_f64, 0, 0, 0);
    for frame in 0..400 {
        if frame < 40 || rng.one_in(20) {
            twins.join(&mut rng);
        }
        if rng.one_in(40) {
            let (gone, _) = twins.members.swap_remove(rng.below(twins.members.len()));
            twins.both(|crowd| crowd.remove(gone).unwrap());
        }
        for at in 0..twins.members.len() {
            let (member, graph) = twins.members[at];
            if let (Some(graph), Some(input)) = (graph, Input::random(&mut rng)) {
                twins.both(|crowd| input.tell(crowd, graph, member));
            }
            let draw = rng.below(200);
            let pace = [0.0, 0.5, 1.0, 1.0, 2.0][rng.below(5)];
            let every = 1 + rng.below(3) as u8;
            twins.both(|crowd| match draw {
                0 => crowd.set_pace(&[member], pace).unwrap(),
                1 => crowd.set_seen(&[member], false).unwrap(),
                2 | 3 => crowd.set_seen(&[member], true).unwrap(),
                4 => crowd.set_rate(&[member], every).unwrap(),
                _ => {}
            });
        }
        if frame == 200 {
            twins.both(|crowd| {
                let saved = crowd.snapshot();
                crowd.update(0.4).unwrap();
                crowd.restore(&saved).unwrap();
            });
        }
        let dt_s = if rng.one_in(9) { 0.0 } else { rng.unit_f64() * 0.05 };
        twins.posing.update(dt_s).unwrap();
        twins.mixing.update_on(dt_s, if frame % 2 == 0 { &Serial } else { &Rayon }).unwrap();

        let mixes = twins.mixing.mixes().unwrap();
        // Whoever keeps what was listed as changed has all of it.
        uploaded.resize(mixes.heads().len(), 0);
        let mut listed: Vec<usize> = mixes.changed().collect();
        changed += listed.len();
        listed.sort_unstable();
        assert!(listed.windows(2).all(|pair| pair[0] != pair[1]), "each once");
        for slot in listed {
            uploaded[slot] = checksum(&twins.mixing, slot);
        }
        for (slot, head) in mixes.heads().iter().enumerate() {
            let waits = usize::from(head.clips) > mixes.clips_each();
            assert!(waits || uploaded[slot] == checksum(&twins.mixing, slot), "frame {frame}, slot {slot}");
        }
        for (member, _) in &twins.members {
            let head = mixes.heads()[member.index()];
            let posed = twins.posing.posed_in(*member).unwrap();
            // A crowd that poses has the poses that were held when it was saved; this one makes them anew.
            if twins.mixing.posed_in(*member).unwrap() != posed {
                assert!(frame >= 200, "frame {frame}, {member}");
                continue;
            }
            if !head.is_posed(mixes.turn(), mixes.is_paused()) {
                continue;
            }
            let shown = twins.posing.models(*member).unwrap().unwrap();
            twins.mixing.pose_of(*member, &mut one).unwrap();
            assert_eq!(bits(one.models()), bits(shown), "frame {frame}, {member}: asked for");
            let played = reader.models(&twins.mixing, *member);
            worst_m = larger(worst_m, apart_m(&played, shown));
            compared += 1;
            inert += usize::from(head.duration_s > 0.0);
        }
    }
    assert!(compared > 8000 && inert > 300, "{compared} {inert}");
    assert!(worst_m < 1.0e-4, "{worst_m}, {changed} slots written");
}

/// Something that changes with anything that is written of a slot.
fn checksum(crowd: &Crowd, slot: usize) -> u32 {
    let mixes = crowd.mixes().unwrap();
    let mut head = mixes.heads()[slot];
    // Counts on its own: nobody is told of a change that is not seen.
    head.remembered = 0;
    let mut hash = lissom::hash::Fnv64::new().bytes(bytemuck::bytes_of(&head));
    hash = hash.bytes(bytemuck::cast_slice(mixes.clips(slot)));
    hash.bytes(bytemuck::cast_slice(mixes.layers(slot))).finish() as u32
}

#[test]
fn times_and_weights_are_within_their_bounds_and_all_else_is_exact() {
    let (mut twins, mut rng) = (Twins::new(), Rng::new(7));
    (0..60).for_each(|_| twins.join(&mut rng));
    let mut entries = 0;
    for _ in 0..200 {
        for at in 0..twins.members.len() {
            let (member, graph) = twins.members[at];
            if let (Some(graph), Some(input)) = (graph, Input::random(&mut rng)) {
                input.tell(&mut twins.mixing, graph, member);
            }
        }
        twins.mixing.update(1.0 / 60.0).unwrap();
        let mixes = twins.mixing.mixes().unwrap();
        for (member, graph) in twins.members.iter().filter_map(|(member, graph)| Some((*member, (*graph)?))) {
            let mut frame = Frame::new(graph);
            let mut state = twins.mixing.state(member).unwrap().clone();
            graph.update(&mut state, 0.0, &mut frame).unwrap();
            let id = twins.ids[usize::from(Arc::ptr_eq(graph, &INERTIAL))];
            let numbers = twins.mixing.graph_clips(id).unwrap();
            let (own, told) = (frame.mix(|clip| numbers[clip]), mixes.mix(member.index()));
            assert_eq!(own.entries().len(), told.entries().len());
            for (a, b) in own.entries().iter().zip(told.entries()) {
                assert_eq!((a.clip, a.mask, a.additive), (b.clip, b.mask, b.additive));
                assert!((a.weight - b.weight).abs() <= WEIGHT_ERROR, "{a:?} {b:?}");
                let length_s = twins.mixing.clips()[a.clip].view().duration_s();
                let (SampleTime::Ratio(own), SampleTime::Ratio(told)) = (a.time, b.time) else {
                    panic!("{a:?} {b:?}")
                };
                let off_s = (own - told).abs() * length_s;
                // Nothing here plays faster than four times.
                assert!(off_s <= TIME_ERROR_S + 4.0 * 1.5 / TICKS_PER_S, "{off_s}: {a:?} {b:?}");
                entries += 1;
            }
            let head = mixes.heads()[member.index()];
            let ticks = mixes.tick().wrapping_sub(head.since);
            for (layer, own) in mixes.layers(member.index()).iter().zip(frame.layers()) {
                assert_eq!((layer.additive != 0, layer.mask == NO_MASK), (own.additive, own.mask.is_none()));
                assert!((layer.weight_at(ticks) - own.weight).abs() <= WEIGHT_ERROR);
            }
        }
    }
    assert!(entries > 10_000, "{entries}");
}

#[test]
fn a_member_that_goes_on_as_before_writes_nothing() {
    let mut crowd = crowd();
    crowd.set_outputs(Outputs { mixes: true, ..Outputs::default() });
    let run = crowd.clip("run").unwrap();
    let walk = crowd.clip("walk").unwrap();
    let clips = |i: u32| {
        [
            PlayedClip::new(run, 0.4).at(f64::from(i) * 0.013),
            PlayedClip::new(walk, 0.6).at(f64::from(i) * 0.017),
        ]
    };
    let members: Vec<Member> =
        (0..100).map(|i| crowd.add(Role::Clips(&clips(i)), RootStep::IDENTITY).unwrap()).collect();
    let changed = |crowd: &Crowd| crowd.mixes().unwrap().changed().count();
    crowd.update(1.0 / 60.0).unwrap();
    assert_eq!(changed(&crowd), 100);
    let mut later = 0;
    for step in 0..6000 {
        // Steps of any length, a minute and a half of them.
        crowd.update(if step % 3 == 0 { 0.021 } else { 1.0 / 77.0 }).unwrap();
        later += changed(&crowd);
    }
    // At a seam a clip may be on the other side of it, by less than a tick.
    assert!(later <= 20, "{later} of 600,000");
    crowd.set_pace(&members[..3], 0.0).unwrap();
    crowd.update(0.01).unwrap();
    assert_eq!(changed(&crowd), 3);
    crowd.update(0.01).unwrap();
    assert_eq!(changed(&crowd), 0);
    crowd.set_pace(&members[..3], 1.0).unwrap();
    crowd.remove(members[50]).unwrap();
    crowd.update(0.01).unwrap();
    assert_eq!(changed(&crowd), 4);
}
