//! A description as bytes, and back: what is read may come from anywhere. `FORMAT.md` has it byte by byte.
//!
//! What is read here is a description, no more: [`Graph::new`](super::Graph::new) checks what it says.
#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    clippy::panic
)]

use super::{
    Amount, ConditionParts, Fade, FeetParts, Graph, GraphParts, Interruption, KeepSpeed, LayerParts,
    MAX_POINTS, MAX_SYNC, MaskParts, MaskRule, MatchedParts, MotionParts, ParameterKind, ParameterParts,
    PlaneBlend, PointParts, RootUse, StateParts, Test, TransitionParts,
    compile::{
        MAX_CLIPS, MAX_CONDITIONS, MAX_MASKS, MAX_MONTAGES, MAX_NAME, MAX_PARAMETERS, MAX_RULES, MAX_STATES,
        MAX_TRANSITIONS,
    },
    montage::{MAX_SECTIONS, MontageParts, Next, SectionParts},
};
use crate::{
    kept::MAX_POSES,
    matching::MAX_TAGS,
    reader::{FormatError, Reader, Result},
};
use alloc::{boxed::Box, string::String, vec::Vec};

/// Where a transition has no exit.
const NO_EXIT: f32 = -1.0;
/// Where a state keeps no speed.
const NO_KEEP: KeepSpeed = KeepSpeed { slowest: 0.0, fastest: 0.0 };
/// Bits of a state, beside how it repeats.
const BY_CODE: u32 = 4;
/// Then its time, start and root motion stand after what it plays.
const MORE: u32 = 8;
/// Where a transition has no rule.
const NO_RULE: u32 = 0;
/// Bits of a transition.
const SYNC: u32 = 1;
const INERTIAL: u32 = 2;
const AGAIN: u32 = 4;
/// Bits of a graph.
const HAND_OVER: u32 = 1;
const INERTIA: u32 = 2;
/// Then names of kept poses stand at the end.
const POSES: u32 = 4;
/// Then the least weight of a joint stands at the end.
const BLEND: u32 = 8;
/// Then montages stand at the end.
const MONTAGES: u32 = 16;

impl GraphParts {
    /// Adds its bytes. What [`Graph::new`] takes is read back as it is.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        let mut to = Writer(bytes);
        to.count(self.parameters.len());
        for ParameterParts { name, kind } in &self.parameters {
            to.text(name);
            let (code, start, half_life_s) = match *kind {
                ParameterKind::Float { start, half_life_s } => (0, start.to_bits(), half_life_s),
                ParameterKind::Int { start } => (1, start.cast_unsigned(), 0.0),
                ParameterKind::Bool { start } => (2, u32::from(start), 0.0),
                ParameterKind::Trigger => (3, 0, 0.0),
                ParameterKind::Curve { start } => (4, start.to_bits(), 0.0),
            };
            to.u32(code);
            to.u32(start);
            to.f32(half_life_s);
        }
        to.count(self.masks.len());
        for mask in &self.masks {
            to.text(&mask.name);
            to.count(mask.rules.len());
            for rule in &mask.rules {
                to.text(&rule.joint);
                to.f32(rule.weight);
                to.u32(u32::from(rule.falloff));
            }
        }
        to.count(self.clips.len());
        self.clips.iter().for_each(|clip| to.text(clip));
        to.count(self.layers.len());
        self.layers.iter().for_each(|layer| to.layer(layer));
        if self.has_more() {
            let bit = |is: bool, bit: u32| if is { bit } else { 0 };
            let poses = bit(!self.poses.is_empty(), POSES);
            let blend = bit(self.blend_threshold.is_some(), BLEND);
            let montages = bit(!self.montages.is_empty(), MONTAGES);
            to.u32(bit(self.hand_over, HAND_OVER) | bit(self.inertia, INERTIA) | poses | blend | montages);
            to.count(self.sync.len());
            self.sync.iter().for_each(|name| to.text(name));
            if poses != 0 {
                to.count(self.poses.len());
                self.poses.iter().for_each(|name| to.text(name));
            }
            self.blend_threshold.iter().for_each(|least| to.f32(*least));
            if montages != 0 {
                to.count(self.montages.len());
                self.montages.iter().for_each(|montage| to.montage(montage));
            }
        }
    }

    /// True if it says something that stands after the layers.
    fn has_more(&self) -> bool {
        let lists = !self.sync.is_empty() || !self.poses.is_empty() || !self.montages.is_empty();
        self.hand_over || self.inertia || lists || self.blend_threshold.is_some()
    }

    /// Its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes);
        bytes
    }

    /// Reads what [`GraphParts::write`] wrote. Takes no more memory than a few times the bytes.
    ///
    /// # Errors
    ///
    /// [`FormatError`]: the first byte that cannot be meant.
    pub fn read(bytes: &[u8]) -> core::result::Result<Self, FormatError> {
        let mut from = Reader::new(bytes);
        let mut parts = Self::new();
        parts.parameters = from.list(MAX_PARAMETERS, 16, Reader::parameter)?;
        parts.masks = from.list(MAX_MASKS, 8, Reader::mask)?;
        parts.clips = from.list(MAX_CLIPS, 4, Reader::name)?;
        parts.layers = from.list(Graph::MAX_LAYERS, 28, Reader::layer_parts)?;
        if !from.is_at_end() {
            let bits = from.u32()?;
            let known = HAND_OVER | INERTIA | POSES | BLEND | MONTAGES;
            from.check(bits & !known == 0, "a bit that nobody knows")?;
            (parts.hand_over, parts.inertia) = (bits & HAND_OVER != 0, bits & INERTIA != 0);
            parts.sync = from.list(MAX_SYNC, 4, Reader::name)?;
            if bits & POSES != 0 {
                parts.poses = from.list(MAX_POSES, 4, Reader::name)?;
                from.check(!parts.poses.is_empty(), "no name of a kept pose")?;
            }
            if bits & BLEND != 0 {
                parts.blend_threshold = Some(from.f32()?);
            }
            if bits & MONTAGES != 0 {
                parts.montages = from.list(MAX_MONTAGES, 20, Reader::montage)?;
                from.check(!parts.montages.is_empty(), "no montage")?;
            }
            from.check(parts.has_more(), "more, and it says nothing")?;
        }
        from.end()?;
        Ok(parts)
    }
}

/// True if a state says something that stands after what it plays.
fn has_more(state: &StateParts) -> bool {
    // By bits: a negative 0 is something else.
    state.time_from.is_some() || state.start.to_bits() != 0 || state.root != RootUse::Take
}

struct Writer<'a>(&'a mut Vec<u8>);

impl Writer<'_> {
    fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn f32(&mut self, value: f32) {
        self.u32(value.to_bits());
    }

    /// No list is too long for it in practice; the reader refuses one that is.
    fn count(&mut self, count: usize) {
        self.u32(u32::try_from(count).unwrap_or(u32::MAX));
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    /// A name; an empty one for none.
    fn some(&mut self, text: Option<&String>) {
        self.text(text.map_or("", String::as_str));
    }

    fn layer(&mut self, layer: &LayerParts) {
        self.text(&layer.name);
        self.u32(u32::from(layer.additive));
        self.some(layer.mask.as_ref());
        self.f32(layer.weight);
        self.some(layer.weight_from.as_ref());
        self.count(layer.states.len());
        layer.states.iter().for_each(|state| self.state(state));
        self.count(layer.transitions.len());
        layer.transitions.iter().for_each(|way| self.transition(way));
    }

    fn state(&mut self, state: &StateParts) {
        self.text(&state.name);
        self.f32(state.speed);
        self.some(state.speed_from.as_ref());
        let bit = |is: bool, bit: u32| if is { bit } else { 0 };
        self.u32(state.repeat as u32 | bit(state.by_code, BY_CODE) | bit(has_more(state), MORE));
        let keep = state.keep_speed.unwrap_or(NO_KEEP);
        self.f32(keep.slowest);
        self.f32(keep.fastest);
        match &state.motion {
            MotionParts::Clip(clip) => {
                self.u32(0);
                self.text(clip);
            }
            MotionParts::Line { by, points } => {
                self.u32(1);
                self.text(by);
                self.count(points.len());
                for point in points {
                    self.f32(point.at);
                    self.point(point);
                }
            }
            MotionParts::Plane { by: [x, y], blend, points } => {
                self.u32(2);
                self.text(x);
                self.text(y);
                self.u32(*blend as u32);
                self.count(points.len());
                for point in points {
                    point.at.iter().for_each(|v| self.f32(*v));
                    self.point(point);
                }
            }
            MotionParts::Matched(matched) => {
                self.u32(if matched.feet.is_some() { 5 } else { 3 });
                self.matched(matched);
            }
            MotionParts::Direct { rest, points } => {
                self.u32(4);
                self.text(rest);
                self.count(points.len());
                for point in points {
                    self.text(&point.at);
                    self.point(point);
                }
            }
        }
        if has_more(state) {
            self.some(state.time_from.as_ref());
            self.f32(state.start);
            self.root(state.root);
        }
    }

    fn root(&mut self, root: RootUse) {
        let (code, by) = match root {
            RootUse::Take => (0, 0.0),
            RootUse::Ignore => (1, 0.0),
            RootUse::Horizontal => (2, 0.0),
            RootUse::Scaled(by) => (3, by),
        };
        self.u32(code);
        self.f32(by);
    }

    fn montage(&mut self, montage: &MontageParts) {
        self.text(&montage.name);
        self.text(&montage.clip);
        self.root(montage.root);
        self.count(montage.sections.len());
        for SectionParts { name, from, next } in &montage.sections {
            self.text(name);
            self.f32(*from);
            match next {
                Next::On => self.u32(0),
                Next::End => self.u32(1),
                Next::Section(name) => {
                    self.u32(2);
                    self.text(name);
                }
            }
        }
    }

    fn matched(&mut self, matched: &MatchedParts) {
        self.text(&matched.database);
        matched.velocity.iter().for_each(|by| self.text(by));
        self.some(matched.facing.as_ref());
        self.amount(&matched.velocity_half_life_s);
        self.amount(&matched.facing_half_life_s);
        self.amount(&matched.responsiveness);
        self.amount(&matched.transition_cost);
        self.count(matched.tags.len());
        matched.tags.iter().for_each(|tag| self.text(tag));
        self.f32(matched.search_s);
        self.f32(matched.sharp_mps);
        self.f32(matched.blend_s);
        if let Some(FeetParts { contacts, release_s, reach_m }) = &matched.feet {
            contacts.iter().for_each(|marker| self.text(marker));
            self.f32(*release_s);
            self.f32(*reach_m);
        }
    }

    fn amount(&mut self, amount: &Amount) {
        match amount {
            Amount::Number(number) => {
                self.u32(0);
                self.f32(*number);
            }
            Amount::Parameter(parameter) => {
                self.u32(1);
                self.text(parameter);
            }
        }
    }

    /// A point without its place.
    fn point<P>(&mut self, point: &PointParts<P>) {
        self.text(&point.clip);
        self.f32(point.speed);
        self.u32(u32::from(point.own_time));
    }

    fn transition(&mut self, way: &TransitionParts) {
        self.text(&way.from);
        self.text(&way.to);
        self.u32(way.priority.cast_unsigned());
        self.f32(way.exit.unwrap_or(NO_EXIT));
        self.f32(way.fade_s);
        self.u32(way.fade as u32);
        self.u32(way.interruption as u32);
        self.f32(way.offset);
        let bit = |is: bool, bit: u32| if is { bit } else { 0 };
        self.u32(bit(way.sync, SYNC) | bit(way.inertial, INERTIAL) | bit(way.again, AGAIN));
        self.count(way.when.len());
        way.when.iter().for_each(|(parameter, test)| self.condition(parameter, *test));
        match &way.only_if {
            Some(rule) => self.rule(rule),
            None => self.u32(NO_RULE),
        }
    }

    fn condition(&mut self, parameter: &str, test: Test) {
        self.text(parameter);
        let (code, than) = match test {
            Test::Above(than) => (0, than.to_bits()),
            Test::Below(than) => (1, than.to_bits()),
            Test::Is(this) => (2, this.cast_unsigned()),
            Test::IsNot(this) => (3, this.cast_unsigned()),
            Test::On => (4, 0),
            Test::Off => (5, 0),
        };
        self.u32(code);
        self.u32(than);
    }

    fn rule(&mut self, rule: &ConditionParts) {
        match rule {
            ConditionParts::Parameter(parameter, test) => {
                self.u32(1);
                self.condition(parameter, *test);
            }
            ConditionParts::AfterSeconds(time_s) => {
                self.u32(2);
                self.f32(*time_s);
            }
            ConditionParts::AfterLaps(laps) => {
                self.u32(3);
                self.f32(*laps);
            }
            ConditionParts::State { layer, state } => {
                self.u32(4);
                self.text(layer);
                self.text(state);
            }
            ConditionParts::OneShot { layer, clip } => {
                self.u32(if clip.is_some() { 8 } else { 9 });
                self.text(layer);
                clip.iter().for_each(|clip| self.text(clip));
            }
            ConditionParts::All(rules) | ConditionParts::Any(rules) => {
                self.u32(if matches!(rule, ConditionParts::All(_)) { 5 } else { 6 });
                self.count(rules.len());
                rules.iter().for_each(|rule| self.rule(rule));
            }
            ConditionParts::Not(rule) => {
                self.u32(7);
                self.rule(rule);
            }
        }
    }
}

impl Reader<'_> {
    fn name(&mut self) -> Result<String> {
        Ok(self.text(MAX_NAME)?.into())
    }

    /// A name; an empty one is none.
    fn some(&mut self) -> Result<Option<String>> {
        Ok(Some(self.name()?).filter(|name| !name.is_empty()))
    }

    /// Four bytes that must be 0.
    fn zero(&mut self) -> Result<()> {
        let found = self.u32()?;
        self.check(found == 0, "not 0 where 0 must stand")
    }

    fn flag(&mut self) -> Result<bool> {
        let found = self.u32()?;
        self.check(found <= 1, "neither 0 nor 1")?;
        Ok(found == 1)
    }

    fn parameter(&mut self) -> Result<ParameterParts> {
        let name = self.name()?;
        let kind = match self.u32()? {
            0 => ParameterKind::Float { start: self.f32()?, half_life_s: self.f32()? },
            1 => {
                let start = self.i32()?;
                self.zero()?;
                ParameterKind::Int { start }
            }
            2 => {
                let start = self.flag()?;
                self.zero()?;
                ParameterKind::Bool { start }
            }
            3 => {
                self.zero()?;
                self.zero()?;
                ParameterKind::Trigger
            }
            4 => {
                let start = self.f32()?;
                self.zero()?;
                ParameterKind::Curve { start }
            }
            _ => return Err(self.wrong("no kind of parameter")),
        };
        Ok(ParameterParts { name, kind })
    }

    fn mask(&mut self) -> Result<MaskParts> {
        let name = self.name()?;
        Ok(MaskParts { name, rules: self.list(MAX_RULES, 12, Self::rule)? })
    }

    fn rule(&mut self) -> Result<MaskRule> {
        let (joint, weight) = (self.name()?, self.f32()?);
        let falloff = self.u32()?;
        let falloff = u16::try_from(falloff).map_err(|_| self.wrong("a falloff above 65,535"))?;
        Ok(MaskRule { joint, weight, falloff })
    }

    fn layer_parts(&mut self) -> Result<LayerParts> {
        let mut layer = LayerParts::new(self.text(MAX_NAME)?);
        layer.additive = self.flag()?;
        layer.mask = self.some()?;
        layer.weight = self.f32()?;
        layer.weight_from = self.some()?;
        layer.states = self.list(MAX_STATES, 32, Self::state)?;
        layer.transitions = self.list(MAX_TRANSITIONS, 44, Self::transition)?;
        Ok(layer)
    }

    fn state(&mut self) -> Result<StateParts> {
        let (name, speed, speed_from) = (self.name()?, self.f32()?, self.some()?);
        let bits = self.u32()?;
        let (repeat, by_code) = (self.repeat(bits & !(BY_CODE | MORE))?, bits & BY_CODE != 0);
        let has_more_bit = bits & MORE != 0;
        let keep = KeepSpeed { slowest: self.f32()?, fastest: self.f32()? };
        let motion = match self.u32()? {
            0 => MotionParts::Clip(self.name()?),
            1 => {
                let by = self.name()?;
                let points = self.list(MAX_POINTS, 16, |from| {
                    let at = from.f32()?;
                    from.point(at)
                })?;
                MotionParts::Line { by, points }
            }
            2 => {
                let by = [self.name()?, self.name()?];
                let blend = match self.u32()? {
                    0 => PlaneBlend::Delaunay,
                    1 => PlaneBlend::Bands,
                    2 => PlaneBlend::DirectionalBands,
                    _ => return Err(self.wrong("no way to blend")),
                };
                let points = self.list(MAX_POINTS, 20, |from| {
                    let at = [from.f32()?, from.f32()?];
                    from.point(at)
                })?;
                MotionParts::Plane { by, blend, points }
            }
            3 => MotionParts::Matched(Box::new(self.matched()?)),
            5 => {
                let matched = self.matched()?;
                let contacts = [self.name()?, self.name()?];
                let feet = Some(FeetParts { contacts, release_s: self.f32()?, reach_m: self.f32()? });
                MotionParts::Matched(Box::new(MatchedParts { feet, ..matched }))
            }
            4 => {
                let rest = self.name()?;
                let points = self.list(MAX_POINTS, 16, |from| {
                    let by = from.name()?;
                    from.point(by)
                })?;
                MotionParts::Direct { rest, points }
            }
            _ => return Err(self.wrong("no kind of state")),
        };
        // By bits: a negative 0 is something else, and refused later.
        let bits = |keep: &KeepSpeed| [keep.slowest, keep.fastest].map(f32::to_bits);
        let keep_speed = Some(keep).filter(|keep| bits(keep) != bits(&NO_KEEP));
        let mut state =
            StateParts { speed, speed_from, repeat, by_code, keep_speed, ..StateParts::new(&name, motion) };
        if has_more_bit {
            state.time_from = self.some()?;
            state.start = self.f32()?;
            state.root = self.root()?;
            self.check(has_more(&state), "more of a state, and it says nothing")?;
        }
        Ok(state)
    }

    fn root(&mut self) -> Result<RootUse> {
        Ok(match self.u32()? {
            3 => RootUse::Scaled(self.f32()?),
            code => {
                self.zero()?;
                match code {
                    0 => RootUse::Take,
                    1 => RootUse::Ignore,
                    2 => RootUse::Horizontal,
                    _ => return Err(self.wrong("no use of root motion")),
                }
            }
        })
    }

    fn montage(&mut self) -> Result<MontageParts> {
        let (name, clip, root) = (self.name()?, self.name()?, self.root()?);
        let sections = self.list(MAX_SECTIONS, 12, |from| {
            let (name, begin) = (from.name()?, from.f32()?);
            let next = match from.u32()? {
                0 => Next::On,
                1 => Next::End,
                2 => Next::Section(from.name()?),
                _ => return Err(from.wrong("nothing that may follow a section")),
            };
            Ok(SectionParts { name, from: begin, next })
        })?;
        Ok(MontageParts { name, clip, sections, root })
    }

    fn matched(&mut self) -> Result<MatchedParts> {
        Ok(MatchedParts {
            database: self.name()?,
            velocity: [self.name()?, self.name()?],
            facing: self.some()?,
            velocity_half_life_s: self.amount()?,
            facing_half_life_s: self.amount()?,
            responsiveness: self.amount()?,
            transition_cost: self.amount()?,
            tags: self.list(MAX_TAGS, 4, Self::name)?,
            search_s: self.f32()?,
            sharp_mps: self.f32()?,
            blend_s: self.f32()?,
            feet: None,
        })
    }

    fn amount(&mut self) -> Result<Amount> {
        Ok(match self.u32()? {
            0 => Amount::Number(self.f32()?),
            1 => Amount::Parameter(self.name()?),
            _ => return Err(self.wrong("neither a number nor a parameter")),
        })
    }

    fn point<P>(&mut self, at: P) -> Result<PointParts<P>> {
        Ok(PointParts { at, clip: self.name()?, speed: self.f32()?, own_time: self.flag()? })
    }

    fn transition(&mut self) -> Result<TransitionParts> {
        let (from, to) = (self.text(MAX_NAME)?, self.text(MAX_NAME)?);
        let mut way = TransitionParts::new(from, to).priority(self.i32()?);
        let exit = self.f32()?;
        way.exit = (exit != NO_EXIT).then_some(exit);
        way.fade_s = self.f32()?;
        way.fade = match self.u32()? {
            0 => Fade::Smooth,
            1 => Fade::Linear,
            _ => return Err(self.wrong("no shape of a fade")),
        };
        way.interruption = match self.u32()? {
            0 => Interruption::Never,
            1 => Interruption::Target,
            2 => Interruption::Source,
            3 => Interruption::Both,
            _ => return Err(self.wrong("no rule of interruption")),
        };
        way.offset = self.f32()?;
        let bits = self.u32()?;
        self.check(bits & !(SYNC | INERTIAL | AGAIN) == 0, "a bit that nobody knows")?;
        (way.sync, way.inertial) = (bits & SYNC != 0, bits & INERTIAL != 0);
        way.again = bits & AGAIN != 0;
        way.when = self.list(MAX_CONDITIONS, 12, Self::condition)?;
        way.only_if = match self.u32()? {
            NO_RULE => None,
            code => Some(self.rule_of(code, ConditionParts::DEEPEST)?),
        };
        Ok(way)
    }

    /// A rule of this code, and what it is made of.
    fn rule_of(&mut self, code: u32, deeper: usize) -> Result<ConditionParts> {
        let deeper = deeper.checked_sub(1).ok_or_else(|| self.wrong("too many rules within rules"))?;
        let inner = |from: &mut Self| {
            let code = from.u32()?;
            from.rule_of(code, deeper)
        };
        Ok(match code {
            1 => {
                let (parameter, test) = self.condition()?;
                ConditionParts::Parameter(parameter, test)
            }
            2 => ConditionParts::AfterSeconds(self.f32()?),
            3 => ConditionParts::AfterLaps(self.f32()?),
            4 => ConditionParts::State { layer: self.name()?, state: self.name()? },
            5 => ConditionParts::All(self.list(MAX_CONDITIONS, 8, inner)?),
            6 => ConditionParts::Any(self.list(MAX_CONDITIONS, 8, inner)?),
            7 => ConditionParts::Not(Box::new(inner(self)?)),
            8 => ConditionParts::OneShot { layer: self.name()?, clip: Some(self.name()?) },
            9 => ConditionParts::OneShot { layer: self.name()?, clip: None },
            _ => return Err(self.wrong("no kind of rule")),
        })
    }

    fn condition(&mut self) -> Result<(String, Test)> {
        let parameter = self.name()?;
        let test = match self.u32()? {
            0 => Test::Above(self.f32()?),
            1 => Test::Below(self.f32()?),
            2 => Test::Is(self.i32()?),
            3 => Test::IsNot(self.i32()?),
            code @ (4 | 5) => {
                self.zero()?;
                if code == 4 { Test::On } else { Test::Off }
            }
            _ => return Err(self.wrong("no test")),
        };
        Ok((parameter, test))
    }
}
