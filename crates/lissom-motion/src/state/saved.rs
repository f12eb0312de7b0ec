//! A state as bytes, and back: what is read may come from anywhere.
//!
//! Little-endian, one after the other: the graph's shape; floats (what was set, what is, and what rounding left of it); ints; flags; and for each layer
//! its voices, the state that code asked for, its one-shots (one that was pushed out first), each list after its
//! length, the one-shot that waits, how many it was told to play, and its mask. In a graph with states that are played by motion
//! matching, a voice has its clip, and what these states remember stands at the end.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::{
    Asked, Coming, Float, GoTo, GraphState, LayerState, Matching, OneShot, PushedOut, Queued, SearchTurn,
    Shot, Voice,
};
use crate::{
    error::StateError,
    graph::{Course, Fade, Graph, Interruption, Layer, MaskKey, Matched, ShotOf},
    reader::{Reader, Result},
    time::{Head, Ticks},
};
use alloc::{boxed::Box, vec::Vec};
use lissom::track::Repeat;

/// What a state comes by: a byte of bits.
const COMES: u8 = 1;
const LINEAR: u8 = 2;
const INERTIAL: u8 = 4;
/// Then two bits of what may interrupt it.
const INTERRUPTION: u8 = 3;
/// A bit of a one-shot, beside how it repeats.
const SHOT_INERTIAL: u8 = 4;
/// Where a layer moves the whole body.
const NO_MASK: u16 = u16::MAX;

impl GraphState {
    /// Adds its bytes.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let matching = self.matching.as_deref();
        let mut put = |part: &[u8]| bytes.extend_from_slice(part);
        put(&self.shape.to_le_bytes());
        for float in &self.floats {
            put(&float.target.to_le_bytes());
            put(&float.value.to_le_bytes());
            put(&float.rest.to_le_bytes());
        }
        for int in &self.ints {
            put(&int.to_le_bytes());
        }
        for flag in &self.flags {
            put(&[u8::from(*flag)]);
        }
        for layer in &self.layers {
            put(&[layer.voices.as_slice().len() as u8]);
            for voice in layer.voices.as_slice() {
                put(&voice.state.to_le_bytes());
                if matching.is_some() {
                    put(&voice.clip.to_le_bytes());
                }
                put_coming(&mut put, voice.coming);
                put(&[u8::from(voice.in_step)]);
                put(&voice.age.0.to_le_bytes());
                put_head(&mut put, voice.head);
                put(&voice.points.to_le_bytes());
            }
            put(&[u8::from(layer.asked.is_some())]);
            if let Some(Asked { state, how }) = layer.asked {
                put(&state.to_le_bytes());
                put_coming(&mut put, Some(how.coming()));
                put(&how.at.to_le_bytes());
            }
            // Both lengths in one byte.
            let [shots, pushed_out] = [layer.shots.as_slice().len(), usize::from(layer.pushed_out.is_some())];
            put(&[(shots | pushed_out << 4) as u8]);
            if let Some(PushedOut { plays, repeat, odd, into }) = layer.pushed_out {
                put(&plays.to_le_bytes());
                put(&[repeat as u8, u8::from(odd)]);
                put(&into);
            }
            layer.shots.as_slice().iter().for_each(|shot| put_shot(&mut put, shot));
            put(&[u8::from(layer.queued.is_some())]);
            if let Some(Queued { number, plays, course, how }) = layer.queued {
                put(&number.to_le_bytes());
                put(&plays.to_le_bytes());
                put_course(&mut put, plays, None, course);
                put_how(&mut put, &how);
                put(&how.at.to_le_bytes());
            }
            put(&layer.shots_played.to_le_bytes());
            put(&layer.mask.map_or(NO_MASK, |mask| mask.0).to_le_bytes());
        }
        if let Some(matching) = matching {
            put_matching(&mut put, matching);
        }
    }

    /// Reads what [`GraphState::write`] wrote for a graph of the same shape: the same parameters, states and layers.
    ///
    /// # Errors
    ///
    /// [`StateError::OtherGraph`]; [`StateError::Format`] for anything that no update leads to.
    pub fn read(graph: &Graph, bytes: &[u8]) -> core::result::Result<Self, StateError> {
        let mut from = Reader::new(bytes);
        if from.array().map(u64::from_le_bytes)? != graph.shape {
            return Err(StateError::OtherGraph);
        }
        let mut state = Self::new(graph);
        for float in &mut state.floats {
            *float = Float { target: from.f32()?, value: from.f32()?, rest: from.f32()? };
            // At most what rounding leaves.
            let most = f64::from(float.value.abs()) / f64::from(1 << 23) + f64::from(f32::MIN_POSITIVE);
            from.check(f64::from(float.rest.abs()) <= most, "no rest of a number")?;
        }
        for int in &mut state.ints {
            *int = i32::from_le_bytes(from.array()?);
        }
        for flag in &mut state.flags {
            *flag = from.bool()?;
        }
        for (layer, of) in state.layers.iter_mut().zip(&graph.layers) {
            *layer = from.layer(graph, of)?;
        }
        if let Some(matching) = &mut state.matching {
            from.matching(graph, matching)?;
        }
        from.end()?;
        Ok(state)
    }

    /// Its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Box<[u8]> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes.into()
    }
}

fn put_matching(put: &mut impl FnMut(&[u8]), matching: &Matching) {
    let Matching { steering, points, turn } = matching;
    for own in steering {
        put(&own.at_s.to_le_bytes());
        put(&own.time_s.to_le_bytes());
        put(&own.range.to_le_bytes());
        let [velocity, acceleration, wanted] = [own.velocity, own.acceleration, own.wanted];
        let numbers = [own.facing, own.turning, own.wanted_facing];
        let all = [velocity, acceleration, wanted];
        all.iter().flatten().chain(&numbers).for_each(|number| put(&number.to_le_bytes()));
        put(&[u8::from(own.is_led) | u8::from(own.must_search) << 1]);
        put(&own.cost.to_le_bytes());
        put(&own.searches.to_le_bytes());
        put(&own.jumps.to_le_bytes());
    }
    let numbers = points.iter().flat_map(|point| [point.position, point.direction]).flatten();
    numbers.for_each(|number| put(&number.to_le_bytes()));
    put(&turn.every.to_le_bytes());
    put(&turn.wait.to_le_bytes());
}

/// Bits, and seconds if there are any.
fn put_coming(put: &mut impl FnMut(&[u8]), coming: Option<Coming>) {
    let Some(Coming { fade_s, fade, interruption, inertial }) = coming else { return put(&[0]) };
    let bit = |is: bool, bit: u8| if is { bit } else { 0 };
    let bits = COMES | bit(fade == Fade::Linear, LINEAR) | bit(inertial, INERTIAL);
    put(&[bits | (interruption as u8) << INTERRUPTION]);
    put(&fade_s.to_le_bytes());
}

fn put_shot(put: &mut impl FnMut(&[u8]), shot: &Shot) {
    put(&shot.number.to_le_bytes());
    put(&shot.plays.to_le_bytes());
    put_course(put, shot.plays, Some(shot.section), shot.course);
    let Shot { speed, fade_in_s, fade_out_s, repeat, inertial, .. } = *shot;
    put_how(put, &OneShot { speed, fade_in_s, fade_out_s, repeat, inertial, ..OneShot::NEW });
    put(&shot.age.0.to_le_bytes());
    put(&shot.stopped_at.0.to_le_bytes());
    put_head(put, shot.head);
}

/// Of a montage: the section that plays, if it has begun, and what code wants.
fn put_course(put: &mut impl FnMut(&[u8]), plays: u16, section: Option<u8>, course: Course) {
    if let ShotOf::Montage(_) = ShotOf::of_code(plays) {
        section.iter().for_each(|section| put(&[*section]));
        put(&match course {
            Course::AsDescribed => [0, 0],
            Course::Then(next) => [1, next],
            Course::Ends => [2, 0],
            Course::Jumps(next) => [3, next],
        });
    }
}

/// All but where it starts, and that it waits.
fn put_how(put: &mut impl FnMut(&[u8]), how: &OneShot) {
    put(&how.speed.to_le_bytes());
    put(&how.fade_in_s.to_le_bytes());
    put(&how.fade_out_s.to_le_bytes());
    put(&[how.repeat as u8 | if how.inertial { SHOT_INERTIAL } else { 0 }]);
}

fn put_head(put: &mut impl FnMut(&[u8]), head: Head) {
    put(&head.lap.to_le_bytes());
    put(&head.part.to_le_bytes());
}

impl Reader<'_> {
    fn seconds(&mut self) -> Result<f64> {
        let time_s = self.f64()?;
        self.check(time_s >= 0.0, "a time before the start")?;
        Ok(time_s)
    }

    fn age(&mut self) -> Result<Ticks> {
        let age = Ticks(self.array().map(i64::from_le_bytes)?);
        self.check(age >= Ticks::ZERO, "a time before the start")?;
        Ok(age)
    }

    fn head(&mut self, repeat: Repeat) -> Result<Head> {
        let head =
            Head { lap: self.array().map(i64::from_le_bytes)?, part: self.array().map(u64::from_le_bytes)? };
        self.check((-Head::MAX_LAP..=Head::MAX_LAP).contains(&head.lap), "too many laps")?;
        let ends = repeat == Repeat::Once;
        self.check(!ends || (Head::START..=Head::END).contains(&head), "no place in the only lap")?;
        Ok(head)
    }

    fn coming(&mut self, graph: &Graph) -> Result<Option<Coming>> {
        let bits = self.u8()?;
        if bits == 0 {
            return Ok(None);
        }
        let interruption = match bits >> INTERRUPTION {
            0 => Interruption::Never,
            1 => Interruption::Target,
            2 => Interruption::Source,
            3 => Interruption::Both,
            _ => return Err(self.wrong("no rule of interruption")),
        };
        self.check(bits & COMES != 0, "a state that comes by nothing")?;
        let fade = if bits & LINEAR != 0 { Fade::Linear } else { Fade::Smooth };
        let fade_s = self.f32()?;
        let inertial = bits & INERTIAL != 0;
        self.check(fade_s >= 0.0, "a fade that takes less than nothing")?;
        self.check(!inertial || (fade_s > 0.0 && graph.is_inertial()), "inertia where there is none")?;
        Ok(Some(Coming { fade_s, fade, interruption, inertial }))
    }

    fn layer(&mut self, graph: &Graph, of: &Layer) -> Result<LayerState> {
        let mut layer = LayerState::default();
        let count = self.u8()?;
        let has_states = !of.states.is_empty();
        self.check((count > 0) == has_states, "a layer plays a state if it has states")?;
        for i in 0..count {
            let state = self.u16()?;
            self.check(of.states.contains(&state), "no state of this layer")?;
            let clip = if graph.matched.is_empty() { 0 } else { self.u16()? };
            let known = |matched: &Matched| matched.database.is_none() || matched.clips.contains(&clip);
            let of = graph.matched_of(graph.state(state));
            self.check(of.map_or(clip == 0, known), "no clip of this state")?;
            let coming = self.coming(graph)?;
            let in_step = self.bool()?;
            self.check(!in_step || i > 0, "in step with nothing")?;
            let age = self.age()?;
            let head = self.head(graph.repeat_of(state, clip))?;
            let points = self.u32()?;
            self.check(points & !graph.points_of(state) == 0, "a point that the state has not")?;
            let fits = layer.voices.push(Voice { state, clip, coming, in_step, age, head, points });
            self.check(fits, "more states than a layer plays at once")?;
        }
        if self.bool()? {
            let state = self.u16()?;
            self.check(of.states.contains(&state), "no state of this layer")?;
            let coming = self.coming(graph)?.ok_or_else(|| self.wrong("nothing that code asks for"))?;
            let Coming { fade_s, fade, interruption, inertial } = coming;
            let how = GoTo { fade_s, fade, interruption, inertial, at: self.f32()? };
            self.check(how.check().is_ok(), "no way to go to a state")?;
            layer.asked = Some(Asked { state, how });
        }
        let counts = self.u8()?;
        self.check(counts >> 4 <= 1, "more than one one-shot pushed out")?;
        if counts >> 4 == 1 {
            layer.pushed_out = Some(self.pushed_out(graph)?);
        }
        for _ in 0..counts & 15 {
            let shot = self.shot(graph)?;
            let fits = layer.shots.push(shot);
            self.check(fits, "more one-shots than a layer plays at once")?;
        }
        if self.bool()? {
            let number = self.array().map(u32::from_le_bytes)?;
            let plays = self.plays(graph)?;
            let course = self.course(graph, plays)?;
            let (how, at) = (self.how(graph)?, self.f32()?);
            let how = OneShot { at, queued: true, ..how };
            self.check(how.check().is_ok(), "no way to play a one-shot")?;
            layer.queued = Some(Queued { number, plays, course, how });
        }
        layer.shots_played = self.array().map(u32::from_le_bytes)?;
        let mask = Some(self.u16()?).filter(|mask| *mask != NO_MASK);
        self.check(mask.is_none_or(|mask| usize::from(mask) < graph.masks.len()), "no mask of this graph")?;
        layer.mask = mask.map(MaskKey);
        Ok(layer)
    }

    fn matching(&mut self, graph: &Graph, matching: &mut Matching) -> Result<()> {
        for (own, of) in matching.steering.iter_mut().zip(&graph.matched) {
            own.at_s = self.seconds()?;
            own.time_s = self.seconds()?;
            own.range = self.u32()?;
            let ranges = of.database.as_ref().map_or(1, |database| database.ranges().len());
            let is_there = usize::try_from(own.range).is_ok_and(|range| range < ranges);
            self.check(is_there, "no range of the database")?;
            own.velocity = [self.f32()?, self.f32()?];
            own.acceleration = [self.f32()?, self.f32()?];
            own.wanted = [self.f32()?, self.f32()?];
            (own.facing, own.turning, own.wanted_facing) = (self.f32()?, self.f32()?, self.f32()?);
            let bits = self.u8()?;
            self.check(bits >> 2 == 0, "a bit that nobody knows")?;
            (own.is_led, own.must_search) = (bits & 1 != 0, bits & 2 != 0);
            own.cost = self.i32()?;
            (own.searches, own.jumps) = (self.u32()?, self.u32()?);
        }
        for point in &mut matching.points {
            point.position = [self.f32()?, self.f32()?];
            point.direction = [self.f32()?, self.f32()?];
        }
        let (every, wait) = (self.u16()?, self.u16()?);
        self.check(every > 0, "a turn that never comes")?;
        matching.turn = SearchTurn { every, wait };
        Ok(())
    }

    fn how(&mut self, graph: &Graph) -> Result<OneShot> {
        let (speed, fade_in_s, fade_out_s) = (self.f32()?, self.f32()?, self.f32()?);
        let bits = self.u8()?;
        let inertial = bits & SHOT_INERTIAL != 0;
        self.check(!inertial || graph.is_inertial(), "inertia where there is none")?;
        let repeat = self.repeat(u32::from(bits & !SHOT_INERTIAL))?;
        let how = OneShot { speed, fade_in_s, fade_out_s, repeat, inertial, ..OneShot::NEW };
        self.check(how.check().is_ok(), "no way to play a one-shot")?;
        Ok(how)
    }

    fn shot(&mut self, graph: &Graph) -> Result<Shot> {
        let number = self.array().map(u32::from_le_bytes)?;
        let plays = self.plays(graph)?;
        let montage = graph.montage_of(plays);
        let section = if montage.is_some() { self.u8()? } else { 0 };
        let course = self.course(graph, plays)?;
        let OneShot { speed, fade_in_s, fade_out_s, repeat, inertial, .. } = self.how(graph)?;
        let (age, stopped_at) = (self.age()?, self.age()?);
        let stops = stopped_at < Ticks::NEVER;
        self.check(!stops || stopped_at <= age, "a one-shot that was stopped later than now")?;
        let head = self.head(repeat)?;
        if let Some(montage) = montage {
            let own = montage.sections.get(usize::from(section));
            let within = own.is_some_and(|own| (own.from..=own.to).contains(&head));
            self.check(repeat == Repeat::Once && within, "no place in its section")?;
        }
        Ok(Shot {
            number,
            plays,
            section,
            course,
            speed,
            fade_in_s,
            fade_out_s,
            repeat,
            inertial,
            age,
            stopped_at,
            head,
        })
    }

    fn pushed_out(&mut self, graph: &Graph) -> Result<PushedOut> {
        let (plays, repeat) = (self.plays(graph)?, u32::from(self.u8()?));
        let (repeat, odd, into) = (self.repeat(repeat)?, self.bool()?, self.array()?);
        let ends = repeat == Repeat::Once && odd;
        self.check(!ends || into == [0; 8], "no place in the only lap")?;
        Ok(PushedOut { plays, repeat, odd, into })
    }

    /// What a one-shot plays.
    fn plays(&mut self, graph: &Graph) -> Result<u16> {
        let plays = self.u16()?;
        self.check(graph.has_shot(ShotOf::of_code(plays)), "no clip or montage of this graph")?;
        Ok(plays)
    }

    /// What code wants of a montage; of a clip nothing.
    fn course(&mut self, graph: &Graph, plays: u16) -> Result<Course> {
        let Some(montage) = graph.montage_of(plays) else { return Ok(Course::AsDescribed) };
        let [code, next] = self.array()?;
        let known = usize::from(next) < montage.sections.len();
        self.check(known, "no section of this montage")?;
        match code {
            1 => Ok(Course::Then(next)),
            3 => Ok(Course::Jumps(next)),
            0 | 2 => {
                self.check(next == 0, "a section that nobody asked for")?;
                Ok(if code == 0 { Course::AsDescribed } else { Course::Ends })
            }
            _ => Err(self.wrong("no way through a montage")),
        }
    }
}
