//! From names to numbers: everything that can be wrong with a description is found here, once.

use super::{
    Amount, AnyKey, BoolKey, ClipFacts, Condition, ConditionParts, CurveKey, Curves, FeetParts, FloatKey,
    FloatStart, Graph, GraphClip, GraphError, GraphParts, IntKey, Layer, LayerParts, MAX_POINTS,
    MAX_SECTIONS, MAX_SYNC, MaskParts, Matched, MatchedParts, Montage, MontageKey, MontageParts, MotionParts,
    Next, Parameter, ParameterKind, Place, PointParts, Problem, RootUse, SectionParts, ShotOf, SpacePoint,
    State, StateParts, Test, Transition, TransitionParts, TriggerKey,
    matched::{By, Said},
    montage::Section,
    space::Space,
};
use crate::{
    kept::MAX_POSES,
    limits::{MAX_JUMPS, MAX_SHOTS, MAX_VOICES},
    matching::{Database, MAX_TAGS, MatchingLoadError},
    time::Head,
};
use alloc::{boxed::Box, collections::BTreeMap, format, string::String, sync::Arc, vec, vec::Vec};
use core::ops::Range;
use lissom::{
    Skeleton,
    bones::Side,
    hash::Fnv64,
    pose::Limb,
    track::{Repeat, Timeline},
};

/// Counts the changes of what a saved state is made of: one of another version is another graph's.
const STATE_FORMAT: u32 = 2;
/// Bytes of a name.
pub(super) const MAX_NAME: usize = 1024;
pub(super) const MAX_PARAMETERS: usize = 1024;
pub(super) const MAX_MASKS: usize = 256;
pub(super) const MAX_RULES: usize = 1024;
pub(super) const MAX_CLIPS: usize = 4096;
pub(super) const MAX_MONTAGES: usize = 1024;
pub(super) const MAX_STATES: usize = 1024;
pub(super) const MAX_TRANSITIONS: usize = 8192;
pub(super) const MAX_CONDITIONS: usize = 1 << 16;
/// Of all states together: a transition out of any state counts once for each.
const MAX_CANDIDATES: usize = 1 << 16;

impl Graph {
    /// Checks a description; `facts` says how long a clip is, in seconds, or all of its [`ClipFacts`], or that there is none of
    /// this name.
    ///
    /// Databases for motion matching are not looked for: a state that needs one is checked as far as it goes, and cannot be played
    /// ([`Graph::with_databases`]).
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, and where: a name that is unknown, taken or missing, a number that is not allowed,
    /// a parameter of the wrong kind, points that cannot be blended, a state that no way leads to, too much of something.
    pub fn new<F: Into<ClipFacts>>(
        parts: &GraphParts,
        mut facts: impl FnMut(&str) -> Option<F>,
    ) -> Result<Self, GraphError> {
        Self::compiled(parts, &mut |name| facts(name).map(Into::into), None)
    }

    /// The same with the databases that its states are played by: `databases` gives the one of a name, or says that there is
    /// none. `facts` are asked for the clips of databases, too.
    ///
    /// # Errors
    ///
    /// Those of [`Graph::new`]; a database that is not there or cannot be read, and tags that none of its frames has.
    pub fn with_databases<F: Into<ClipFacts>>(
        parts: &GraphParts,
        mut facts: impl FnMut(&str) -> Option<F>,
        mut databases: impl FnMut(&str) -> Result<Option<Arc<Database>>, MatchingLoadError>,
    ) -> Result<Self, GraphError> {
        Self::compiled(parts, &mut |name| facts(name).map(Into::into), Some(&mut databases))
    }

    fn compiled<'a>(
        parts: &'a GraphParts,
        facts: &'a mut dyn FnMut(&str) -> Option<ClipFacts>,
        databases: Option<Databases<'a>>,
    ) -> Result<Self, GraphError> {
        let mut compiler = Compiler::new(facts, databases, parts);
        compiler.parameters(parts)?;
        compiler.sync()?;
        check_poses(&parts.poses)?;
        if let Some(least) = parts.blend_threshold {
            let is_one = |v: f32| v.is_normal() && v > 0.0 && v <= 1.0;
            check("blend_threshold", least, "above 0, at most 1", is_one).map_err(of_graph)?;
        }
        compiler.masks(&parts.masks)?;
        for (i, name) in parts.clips.iter().enumerate() {
            compiler.clip(name).map_err(|problem| at(Place::Clip(i), format!("clip {name:?}"), problem))?;
        }
        compiler.montages(&parts.montages)?;
        limit("layers", parts.layers.len(), Self::MAX_LAYERS).map_err(of_graph)?;
        for (i, layer) in parts.layers.iter().enumerate() {
            compiler.layer(i, layer, &parts.layers[..i])?;
        }
        compiler.finish(parts)
    }
}

/// Who gives a database, if anybody does.
type Databases<'a> = &'a mut dyn FnMut(&str) -> Result<Option<Arc<Database>>, MatchingLoadError>;

struct Compiler<'a> {
    facts: &'a mut dyn FnMut(&str) -> Option<ClipFacts>,
    databases: Option<Databases<'a>>,
    sync: &'a [String],
    all_layers: &'a [LayerParts],
    /// True while no clip with markers that are not known was met.
    knows_markers: bool,
    /// Markers by which feet are held, and of each clip whether it has them; none if that is not known.
    contacts: Vec<&'a str>,
    has_contacts: Vec<Option<Box<[bool]>>>,
    keys: BTreeMap<&'a str, AnyKey>,
    mask_numbers: BTreeMap<&'a str, u16>,
    clip_numbers: BTreeMap<String, u16>,
    parameters: Vec<Parameter>,
    floats: Vec<FloatStart>,
    curves: Vec<Curves>,
    ints: Vec<i32>,
    flags: Vec<bool>,
    clips: Vec<GraphClip>,
    layers: Vec<Layer>,
    states: Vec<State>,
    spaces: Vec<Space>,
    matched: Vec<Matched>,
    montages: Vec<Montage>,
    transitions: Vec<Transition>,
    conditions: Vec<Condition>,
    candidates: Vec<u16>,
    most_entries: usize,
}

fn at(place: Place, name: String, problem: Problem) -> GraphError {
    GraphError { place, name, problem }
}

fn of_graph(problem: Problem) -> GraphError {
    at(Place::Graph, "the graph".into(), problem)
}

fn limit(what: &'static str, found: usize, allowed: usize) -> Result<(), Problem> {
    if found > allowed { Err(Problem::Limit { what, found, allowed }) } else { Ok(()) }
}

fn unknown(what: &'static str, name: &str) -> Problem {
    Problem::Unknown { what, name: name.into() }
}

fn check(
    field: &'static str,
    value: f32,
    allowed: &'static str,
    holds: impl Fn(f32) -> bool,
) -> Result<(), Problem> {
    if value.is_finite() && holds(value) {
        return Ok(());
    }
    Err(Problem::Value { field, value: f64::from(value), allowed })
}

fn finite(field: &'static str, value: f32) -> Result<(), Problem> {
    check(field, value, "a finite number", |_| true)
}

fn share(field: &'static str, value: f32) -> Result<(), Problem> {
    check(field, value, "in [0, 1]", |v| (0.0..=1.0).contains(&v))
}

fn check_name(name: &str) -> Result<(), Problem> {
    limit("bytes of a name", name.len(), MAX_NAME)?;
    if name.is_empty() || name == TransitionParts::ANY { Err(Problem::NoName) } else { Ok(()) }
}

/// A clip that is there, of a length that a time line has.
pub(super) fn check_duration(duration_s: f64) -> Result<f64, Problem> {
    if Timeline::new(duration_s, Repeat::Loop).is_ok() {
        return Ok(duration_s);
    }
    let allowed = "finite, at least 0";
    Err(Problem::Value { field: "duration_s", value: duration_s, allowed })
}

impl<'a> Compiler<'a> {
    fn new(
        facts: &'a mut dyn FnMut(&str) -> Option<ClipFacts>,
        databases: Option<Databases<'a>>,
        parts: &'a GraphParts,
    ) -> Self {
        Self {
            facts,
            databases,
            sync: &parts.sync,
            all_layers: &parts.layers,
            knows_markers: true,
            contacts: all_feet(parts).flat_map(|(.., feet)| &feet.contacts).map(String::as_str).collect(),
            has_contacts: Vec::new(),
            keys: BTreeMap::new(),
            mask_numbers: BTreeMap::new(),
            clip_numbers: BTreeMap::new(),
            parameters: Vec::new(),
            floats: Vec::new(),
            curves: Vec::new(),
            ints: Vec::new(),
            flags: Vec::new(),
            clips: Vec::new(),
            layers: Vec::new(),
            states: Vec::new(),
            spaces: Vec::new(),
            matched: Vec::new(),
            montages: Vec::new(),
            transitions: Vec::new(),
            conditions: Vec::new(),
            candidates: Vec::new(),
            most_entries: 0,
        }
    }

    fn parameters(&mut self, parts: &'a GraphParts) -> Result<(), GraphError> {
        limit("parameters", parts.parameters.len(), MAX_PARAMETERS).map_err(of_graph)?;
        for (i, parameter) in parts.parameters.iter().enumerate() {
            let name = &*parameter.name;
            let key = self.parameter(name, parameter.kind);
            let wrong = |problem| at(Place::Parameter(i), format!("parameter {name:?}"), problem);
            let key = key.map_err(wrong)?;
            self.keys.insert(name, key);
            self.parameters.push(Parameter { name: name.into(), key });
        }
        Ok(())
    }

    fn parameter(&mut self, name: &str, kind: ParameterKind) -> Result<AnyKey, Problem> {
        check_name(name)?;
        if self.keys.contains_key(name) {
            return Err(Problem::Twice { what: "parameter" });
        }
        Ok(match kind {
            ParameterKind::Float { start, half_life_s } => {
                finite("start", start)?;
                check("half_life_s", half_life_s, "finite, at least 0", |v| v >= 0.0)?;
                self.floats.push(FloatStart { start, half_life_s });
                AnyKey::Float(FloatKey(self.floats.len() as u16 - 1))
            }
            ParameterKind::Int { start } => {
                self.ints.push(start);
                AnyKey::Int(IntKey(self.ints.len() as u16 - 1))
            }
            ParameterKind::Bool { start } => {
                self.flags.push(start);
                AnyKey::Bool(BoolKey(self.flags.len() as u16 - 1))
            }
            ParameterKind::Trigger => {
                self.flags.push(false);
                AnyKey::Trigger(TriggerKey(self.flags.len() as u16 - 1))
            }
            ParameterKind::Curve { start } => {
                finite("start", start)?;
                let float = self.floats.len() as u16;
                self.floats.push(FloatStart { start, half_life_s: 0.0 });
                self.curves.push(Curves { float, name: name.into(), of_clips: Vec::new() });
                AnyKey::Curve(CurveKey(float))
            }
        })
    }

    fn sync(&self) -> Result<(), GraphError> {
        limit("markers to keep in step by", self.sync.len(), MAX_SYNC).map_err(of_graph)?;
        for (i, name) in self.sync.iter().enumerate() {
            let wrong = |problem| at(Place::Sync(i), format!("sync marker {name:?}"), problem);
            check_name(name).map_err(wrong)?;
            if self.sync[..i].contains(name) {
                return Err(wrong(Problem::Twice { what: "sync marker" }));
            }
        }
        Ok(())
    }

    fn masks(&mut self, masks: &'a [MaskParts]) -> Result<(), GraphError> {
        limit("masks", masks.len(), MAX_MASKS).map_err(of_graph)?;
        for (i, mask) in masks.iter().enumerate() {
            let wrong = |problem| at(Place::Mask(i), format!("mask {:?}", mask.name), problem);
            check_name(&mask.name).map_err(wrong)?;
            limit("rules", mask.rules.len(), MAX_RULES).map_err(wrong)?;
            for rule in &mask.rules {
                share("weight", rule.weight).map_err(wrong)?;
                limit("bytes of a name", rule.joint.len(), MAX_NAME).map_err(wrong)?;
            }
            if self.mask_numbers.insert(&mask.name, i as u16).is_some() {
                return Err(wrong(Problem::Twice { what: "mask" }));
            }
        }
        Ok(())
    }

    fn montages(&mut self, montages: &'a [MontageParts]) -> Result<(), GraphError> {
        limit("montages", montages.len(), MAX_MONTAGES).map_err(of_graph)?;
        for (i, montage) in montages.iter().enumerate() {
            let named = format!("montage {:?}", montage.name);
            let wrong = |problem| at(Place::Montage(i), named.clone(), problem);
            check_name(&montage.name).map_err(wrong)?;
            if montages[..i].iter().any(|other| other.name == montage.name) {
                return Err(wrong(Problem::Twice { what: "montage" }));
            }
            check_root(montage.root).map_err(wrong)?;
            if montage.sections.is_empty() {
                return Err(wrong(Problem::Points("a montage needs a section")));
            }
            limit("sections", montage.sections.len(), MAX_SECTIONS).map_err(wrong)?;
            let clip = self.clip(&montage.clip).map_err(wrong)?;
            let section = |s: usize| {
                section(&montage.sections, s).map_err(|problem| {
                    let named = format!("{named}, section {:?}", montage.sections[s].name);
                    at(Place::Section(i, s), named, problem)
                })
            };
            let sections = (0..montage.sections.len()).map(section).collect::<Result<_, _>>()?;
            self.montages.push(Montage { name: (&*montage.name).into(), clip, root: montage.root, sections });
        }
        Ok(())
    }

    /// The number of a clip, which may be new.
    fn clip(&mut self, name: &str) -> Result<u16, Problem> {
        if let Some(known) = self.clip_numbers.get(name) {
            return Ok(*known);
        }
        limit("clips", self.clips.len() + 1, MAX_CLIPS)?;
        limit("bytes of a name", name.len(), MAX_NAME)?;
        let facts = (self.facts)(name).ok_or_else(|| unknown("clip", name))?;
        let number = self.clips.len() as u16;
        self.clips.push(GraphClip::new(name, &facts, self.sync)?);
        self.knows_markers &= facts.markers.is_some();
        let has = |marker: &&str| facts.markers.iter().flatten().any(|(_, name)| name == marker);
        self.has_contacts.push(facts.markers.as_ref().map(|_| self.contacts.iter().map(has).collect()));
        for curves in &mut self.curves {
            curves.set(number, &facts);
        }
        self.clip_numbers.insert(name.into(), number);
        Ok(number)
    }

    fn key(&self, name: &str) -> Result<AnyKey, Problem> {
        self.keys.get(name).copied().ok_or_else(|| unknown("parameter", name))
    }

    fn float(&self, name: &str) -> Result<u16, Problem> {
        match self.key(name)? {
            AnyKey::Float(FloatKey(at)) | AnyKey::Curve(CurveKey(at)) => Ok(at),
            other => {
                Err(Problem::Kind { name: name.into(), found: other.kind(), allowed: "a float parameter" })
            }
        }
    }

    fn layer(&mut self, i: usize, layer: &'a LayerParts, before: &[LayerParts]) -> Result<(), GraphError> {
        let named = format!("layer {:?}", layer.name);
        let wrong = |problem| at(Place::Layer(i), named.clone(), problem);
        check_name(&layer.name).map_err(wrong)?;
        if before.iter().any(|other| other.name == layer.name) {
            return Err(wrong(Problem::Twice { what: "layer" }));
        }
        share("weight", layer.weight).map_err(wrong)?;
        let weight_from = layer.weight_from.as_deref().map(|by| self.float(by)).transpose().map_err(wrong)?;
        let mask =
            |name: &String| self.mask_numbers.get(&**name).copied().ok_or_else(|| unknown("mask", name));
        let mask = layer.mask.as_ref().map(mask).transpose().map_err(wrong)?;
        let (first_state, first_transition) = (self.states.len(), self.transitions.len());
        limit("states", first_state + layer.states.len(), MAX_STATES).map_err(wrong)?;
        limit("transitions", first_transition + layer.transitions.len(), MAX_TRANSITIONS).map_err(wrong)?;

        let mut names = BTreeMap::new();
        let mut most = 0;
        for (s, state) in layer.states.iter().enumerate() {
            let named = format!("{named}, state {:?}", state.name);
            let space = self.state(state).map_err(|(point, problem)| match point {
                Some(p) => at(Place::Point(i, s, p), format!("{named}, point {}", p + 1), problem),
                None => at(Place::State(i, s), named.clone(), problem),
            })?;
            if names.insert(&*state.name, s as u16).is_some() {
                return Err(at(Place::State(i, s), named, Problem::Twice { what: "state" }));
            }
            // One that is matched plays one clip, and shows what it leaves.
            let own = if self.states.last().is_some_and(|state| state.matched.is_some()) {
                2
            } else {
                space.most()
            };
            most = if own > most { own } else { most };
            self.spaces.push(space);
        }
        // A transition may start in a frame that shows as many voices as there are.
        self.most_entries += (MAX_VOICES + 1) * most + MAX_SHOTS + 1;
        if !self.montages.is_empty() {
            self.most_entries += MAX_SHOTS * (MAX_JUMPS + 1);
        }

        // Which states each transition leaves.
        let mut leaves: Vec<Vec<u16>> = vec![Vec::new(); layer.states.len()];
        let mut all_leaves = self.candidates.len();
        for (t, way) in layer.transitions.iter().enumerate() {
            let named = format!("{named}, transition from {:?} to {:?}", way.from, way.to);
            let wrong = |problem| at(Place::Transition(i, t), named.clone(), problem);
            let state_or_group = |name: &str| {
                let group = format!("{name}/");
                let first = layer.states.iter().position(|state| state.name.starts_with(&group));
                names.get(name).copied().or(first.map(|first| first as u16))
            };
            let to = state_or_group(&way.to).ok_or_else(|| wrong(unknown("state", &way.to)))?;
            let single = names.get(&*way.from).copied();
            let group = format!("{}/", way.from);
            let mut left = 0;
            for (s, state) in layer.states.iter().enumerate() {
                let leaves_it = match single {
                    Some(single) => usize::from(single) == s,
                    // From many at once it does not lead back to where it is, if it does not say so.
                    None => {
                        (way.from == TransitionParts::ANY || state.name.starts_with(&group))
                            && (way.again || s != usize::from(to))
                    }
                };
                if leaves_it {
                    leaves[s].push((first_transition + t) as u16);
                    left += 1;
                }
            }
            if left == 0 && state_or_group(&way.from).is_none() && way.from != TransitionParts::ANY {
                return Err(wrong(unknown("state", &way.from)));
            }
            all_leaves += left;
            limit("transitions out of states", all_leaves, MAX_CANDIDATES).map_err(wrong)?;
            let first = self.conditions.len();
            limit("conditions", first + way.when.len(), MAX_CONDITIONS).map_err(wrong)?;
            for (c, (parameter, test)) in way.when.iter().enumerate() {
                let condition = self.condition(parameter, *test);
                let wrong =
                    |problem| at(Place::Condition(i, t, c), format!("{named}, condition {}", c + 1), problem);
                self.conditions.push(condition.map_err(wrong)?);
            }
            if let Some(rule) = &way.only_if {
                let c = way.when.len();
                let wrong = |problem| at(Place::Condition(i, t, c), format!("{named}, rule"), problem);
                self.rule(rule, ConditionParts::DEEPEST).map_err(wrong)?;
            }
            let conditions = first as u32..self.conditions.len() as u32;
            let way = transition(way, first_state as u16 + to, conditions).map_err(wrong)?;
            self.transitions.push(way);
        }
        for (s, leaves) in leaves.iter_mut().enumerate() {
            // Stable: an earlier one goes first.
            leaves.sort_by_key(|way| core::cmp::Reverse(self.transitions[usize::from(*way)].priority));
            let first = self.candidates.len() as u32;
            self.candidates.extend_from_slice(leaves);
            self.states[first_state + s].candidates = first..self.candidates.len() as u32;
        }
        self.check_reached(i, layer, first_state)?;
        self.layers.push(Layer {
            name: (&*layer.name).into(),
            additive: layer.additive,
            mask,
            weight: layer.weight,
            weight_from,
            states: first_state as u16..self.states.len() as u16,
        });
        Ok(())
    }

    /// Adds a state; its clips are the caller's to keep. An error may belong to a point.
    fn state(&mut self, state: &'a StateParts) -> Result<Space, (Option<usize>, Problem)> {
        let whole = |problem| (None, problem);
        check_name(&state.name).map_err(whole)?;
        finite("speed", state.speed).map_err(whole)?;
        let speed_from = state.speed_from.as_deref().map(|by| self.float(by)).transpose().map_err(whole)?;
        let time_from = state.time_from.as_deref().map(|by| self.float(by)).transpose().map_err(whole)?;
        let has_speed = state.speed != 1.0 || state.speed_from.is_some() || state.keep_speed.is_some();
        if time_from.is_some() && has_speed {
            return Err(whole(Problem::Points("a state whose time is a parameter has no speed")));
        }
        share("start", state.start).map_err(whole)?;
        check_root(state.root).map_err(whole)?;
        if let Some(keep) = state.keep_speed {
            if matches!(state.motion, MotionParts::Clip(_) | MotionParts::Matched(_)) {
                return Err(whole(Problem::Points(
                    "only a blend has a speed to keep: its parameters ask for one",
                )));
            }
            if matches!(state.motion, MotionParts::Direct { .. }) {
                return Err(whole(Problem::Points("weights of clips ask for no speed that could be kept")));
            }
            check("slowest", keep.slowest, "above 0, at most 1", |v| v > 0.0 && v <= 1.0).map_err(whole)?;
            check("fastest", keep.fastest, "finite, at least 1", |v| v >= 1.0).map_err(whole)?;
        }
        let count = |points: usize| {
            if points == 0 {
                return Err((None, Problem::Points("a blend needs a clip")));
            }
            limit("points", points, MAX_POINTS).map_err(whole)
        };
        let mut matched = None;
        let (space, place) = match &state.motion {
            MotionParts::Matched(own) => {
                matched = Some(self.matched(state, own).map_err(whole)?);
                (Space::none(), [None; 2])
            }
            MotionParts::Clip(clip) => (Space::one(self.clip(clip).map_err(whole)?), [None; 2]),
            MotionParts::Line { by, points } => {
                count(points.len())?;
                let by = self.float(by).map_err(whole)?;
                let mut list = Vec::with_capacity(points.len());
                for (p, point) in points.iter().enumerate() {
                    let wrong = |problem| (Some(p), problem);
                    finite("at", point.at).map_err(wrong)?;
                    list.push((point.at, self.point(point).map_err(wrong)?));
                }
                (Space::line(&list).map_err(whole)?, [Some(by), None])
            }
            MotionParts::Plane { by: [x, y], blend, points } => {
                count(points.len())?;
                let by = [self.float(x).map_err(whole)?, self.float(y).map_err(whole)?];
                let mut list = Vec::with_capacity(points.len());
                for (p, point) in points.iter().enumerate() {
                    let wrong = |problem| (Some(p), problem);
                    point.at.iter().try_for_each(|v| finite("at", *v)).map_err(wrong)?;
                    list.push((point.at, self.point(point).map_err(wrong)?));
                }
                (Space::plane(*blend, &list).map_err(whole)?, by.map(Some))
            }
            MotionParts::Direct { rest, points } => {
                // The clip that has what they leave is one of them.
                count(points.len())?;
                limit("points", points.len() + 1, MAX_POINTS).map_err(whole)?;
                let clip = self.clip(rest).map_err(whole)?;
                let rest = SpacePoint { clip, own_time: false, speed: 1.0, number: 0 };
                let mut list = Vec::with_capacity(points.len());
                for (p, point) in points.iter().enumerate() {
                    let wrong = |problem| (Some(p), problem);
                    let by = self.float(&point.at).map_err(wrong)?;
                    list.push((by, self.point(point).map_err(wrong)?));
                }
                (Space::direct(rest, &list), [None; 2])
            }
        };
        self.states.push(State {
            name: (&*state.name).into(),
            space: self.spaces.len() as u16,
            matched,
            place,
            speed: state.speed,
            speed_from,
            keep_speed: state.keep_speed,
            time_from,
            start: state.start,
            root: state.root,
            repeat: state.repeat,
            candidates: 0..0,
        });
        Ok(space)
    }

    /// Adds what a state is matched by; its number.
    fn matched(&mut self, state: &StateParts, own: &MatchedParts) -> Result<u16, Problem> {
        let plain = state.speed == 1.0
            && state.speed_from.is_none()
            && state.time_from.is_none()
            && state.start == 0.0
            && state.repeat == Repeat::Loop;
        if !plain {
            return Err(Problem::Points(
                "a matched state has no speed, time, start or repetition of its own",
            ));
        }
        let [aside, ahead] = &own.velocity;
        let velocity = [self.float(aside)?, self.float(ahead)?];
        let facing = own.facing.as_deref().map(|by| self.float(by)).transpose()?;
        let (at_least, above) = ("finite, at least 0", "finite, above 0");
        let by = |field, amount: &Amount, positive: bool| match amount {
            Amount::Number(v) if positive => check(field, *v, above, |v| v > 0.0).map(|()| By::Number(*v)),
            Amount::Number(v) => check(field, *v, at_least, |v| v >= 0.0).map(|()| By::Number(*v)),
            Amount::Parameter(name) => self.float(name).map(By::Float),
        };
        let said = Said {
            velocity,
            facing,
            velocity_half_life_s: by("velocity_half_life_s", &own.velocity_half_life_s, false)?,
            facing_half_life_s: by("facing_half_life_s", &own.facing_half_life_s, false)?,
            responsiveness: by("responsiveness", &own.responsiveness, true)?,
            transition_cost: by("transition_cost", &own.transition_cost, false)?,
            search_s: own.search_s,
            sharp_mps: own.sharp_mps,
            blend_s: own.blend_s,
        };
        check("search_s", own.search_s, "from 0.001 to 3600", |v| (0.001..=3600.0).contains(&v))?;
        check("sharp_mps", own.sharp_mps, at_least, |v| v >= 0.0)?;
        check("blend_s", own.blend_s, above, |v| v > 0.0)?;
        limit("tags", own.tags.len(), MAX_TAGS)?;
        check_name(&own.database)?;
        let mut matched = Matched::new(&own.database, said);
        if let Some(feet) = &own.feet {
            check("release_s", feet.release_s, "from 0 to 60", |v| (0.0..=60.0).contains(&v))?;
            check("reach_m", feet.reach_m, "from 0 to 100", |v| (0.0..=100.0).contains(&v))?;
            feet.contacts.iter().try_for_each(|marker| check_name(marker))?;
            matched.feet = Some(Box::new(feet.clone()));
        }
        if let Some(databases) = &mut self.databases {
            let found = databases(&own.database).map_err(|error| Problem::Database(Box::new(error)))?;
            let database = found.ok_or_else(|| unknown("database", &own.database))?;
            let clips = database.clips().iter().map(|clip| self.clip(clip)).collect::<Result<Vec<_>, _>>()?;
            let markers = own.feet.iter().flat_map(|feet| &feet.contacts);
            markers.into_iter().try_for_each(|marker| self.contact(marker, &clips))?;
            let first_point = self.matched.last().map_or(0, |last| last.points.end);
            matched.take(database, &own.tags, clips, first_point)?;
        }
        self.matched.push(matched);
        Ok(self.matched.len() as u16 - 1)
    }

    /// One that is spelled wrong would hold no foot.
    fn contact(&self, marker: &str, clips: &[u16]) -> Result<(), Problem> {
        let Some(at) = self.contacts.iter().position(|own| *own == marker) else { return Ok(()) };
        let may_have = |clip: &u16| self.has_contacts[usize::from(*clip)].as_ref().is_none_or(|has| has[at]);
        if clips.iter().any(may_have) { Ok(()) } else { Err(unknown("marker", marker)) }
    }

    fn point<P>(&mut self, point: &'a PointParts<P>) -> Result<SpacePoint, Problem> {
        check("speed", point.speed, "finite, above 0", |v| v > 0.0)?;
        let (clip, own_time, speed) = (self.clip(&point.clip)?, point.own_time, point.speed);
        Ok(SpacePoint { clip, own_time, speed, number: 0 })
    }

    fn condition(&self, parameter: &str, test: Test) -> Result<Condition, Problem> {
        let key = self.key(parameter)?;
        if let Test::Above(than) | Test::Below(than) = test {
            finite("than", than)?;
        }
        Ok(match (key, test) {
            (AnyKey::Float(FloatKey(at)) | AnyKey::Curve(CurveKey(at)), Test::Above(than)) => {
                Condition::FloatAbove(at, than)
            }
            (AnyKey::Float(FloatKey(at)) | AnyKey::Curve(CurveKey(at)), Test::Below(than)) => {
                Condition::FloatBelow(at, than)
            }
            (AnyKey::Int(IntKey(at)), Test::Above(than)) => Condition::IntAbove(at, f64::from(than)),
            (AnyKey::Int(IntKey(at)), Test::Below(than)) => Condition::IntBelow(at, f64::from(than)),
            (AnyKey::Int(IntKey(at)), Test::Is(this)) => Condition::IntIs(at, this),
            (AnyKey::Int(IntKey(at)), Test::IsNot(this)) => Condition::IntIsNot(at, this),
            (AnyKey::Bool(BoolKey(at)), Test::On) => Condition::On(at),
            (AnyKey::Bool(BoolKey(at)), Test::Off) => Condition::Off(at),
            (AnyKey::Trigger(TriggerKey(at)), Test::On) => Condition::Trigger(at),
            (other, test) => {
                let allowed = match test {
                    Test::Above(_) | Test::Below(_) => "a float or an int",
                    Test::Is(_) | Test::IsNot(_) => "an int",
                    Test::On => "a bool or a trigger",
                    Test::Off => "a bool",
                };
                return Err(Problem::Kind { name: parameter.into(), found: other.kind(), allowed });
            }
        })
    }

    /// Adds a rule: itself, then what it is made of.
    fn rule(&mut self, rule: &'a ConditionParts, deeper: usize) -> Result<(), Problem> {
        let here = self.conditions.len();
        limit("conditions", here + 1, MAX_CONDITIONS)?;
        let Some(deeper) = deeper.checked_sub(1) else {
            let allowed = ConditionParts::DEEPEST;
            return Err(Problem::Limit { what: "rules within rules", found: allowed + 1, allowed });
        };
        let at_least = |field, value| check(field, value, "finite, at least 0", |v| v >= 0.0);
        match rule {
            ConditionParts::Parameter(name, test) => self.conditions.push(self.condition(name, *test)?),
            ConditionParts::AfterSeconds(time_s) => {
                at_least("after_s", *time_s)?;
                self.conditions.push(Condition::AfterSeconds(f64::from(*time_s)));
            }
            ConditionParts::AfterLaps(laps) => {
                at_least("after_laps", *laps)?;
                self.conditions.push(Condition::AfterLaps(f64::from(*laps)));
            }
            ConditionParts::State { layer, state } => self.leads(layer, state)?,
            ConditionParts::OneShot { layer, clip } => {
                let number = self.number_of(layer)?;
                let shot = clip.as_deref().map(|name| self.shot(name)).transpose()?;
                self.conditions.push(Condition::Plays(number as u16, shot));
            }
            ConditionParts::Not(rule) => {
                self.conditions.push(Condition::Not);
                self.rule(rule, deeper)?;
            }
            ConditionParts::All(rules) | ConditionParts::Any(rules) => {
                self.conditions.push(Condition::Not);
                rules.iter().try_for_each(|rule| self.rule(rule, deeper))?;
                let count = (self.conditions.len() - here - 1) as u32;
                let is_all = matches!(rule, ConditionParts::All(_));
                self.conditions[here] = if is_all { Condition::All(count) } else { Condition::Any(count) };
            }
        }
        Ok(())
    }

    /// What a one-shot of this name plays.
    fn shot(&mut self, name: &str) -> Result<u16, Problem> {
        let montage = self.montages.iter().position(|montage| *montage.name == *name);
        Ok(match montage {
            Some(number) => ShotOf::Montage(MontageKey(number as u16)).code(),
            None => self.clip(name)?,
        })
    }

    fn number_of(&self, layer: &str) -> Result<usize, Problem> {
        let found = self.all_layers.iter().position(|other| other.name == layer);
        found.ok_or_else(|| unknown("layer", layer))
    }

    /// Adds the rule that a layer leads with a state, or with one of a group.
    fn leads(&mut self, layer: &str, state: &str) -> Result<(), Problem> {
        let number = self.number_of(layer)?;
        let first: usize = self.all_layers[..number].iter().map(|other| other.states.len()).sum();
        let states = &self.all_layers[number].states;
        // A graph of too many states is refused with the layer that has them.
        let leads = |s: usize| Condition::Leads(number as u16, (first + s) as u16);
        if let Some(s) = states.iter().position(|other| other.name == state) {
            self.conditions.push(leads(s));
            return Ok(());
        }
        let group = format!("{state}/");
        let inside = (0..states.len()).filter(|s| states[*s].name.starts_with(&group));
        let count = inside.clone().count();
        if count == 0 {
            return Err(unknown("state", state));
        }
        limit("conditions", self.conditions.len() + 1 + count, MAX_CONDITIONS)?;
        self.conditions.push(Condition::Any(count as u32));
        self.conditions.extend(inside.map(leads));
        Ok(())
    }

    /// Every state of a layer can be come to from its first, or from one that code goes to.
    fn check_reached(&self, i: usize, layer: &LayerParts, first_state: usize) -> Result<(), GraphError> {
        let mut reached = vec![false; layer.states.len()];
        let mut open = Vec::new();
        for (s, _) in layer.states.iter().enumerate().filter(|(s, state)| *s == 0 || state.by_code) {
            reached[s] = true;
            open.push(first_state + s);
        }
        while let Some(state) = open.pop() {
            let Range { start, end } = self.states[state].candidates;
            for way in &self.candidates[start as usize..end as usize] {
                let to = usize::from(self.transitions[usize::from(*way)].to);
                if !core::mem::replace(&mut reached[to - first_state], true) {
                    open.push(to);
                }
            }
        }
        match reached.iter().position(|reached| !reached) {
            None => Ok(()),
            Some(s) => {
                let name = format!("layer {:?}, state {:?}", layer.name, layer.states[s].name);
                Err(at(Place::State(i, s), name, Problem::Unreachable))
            }
        }
    }

    fn finish(self, parts: &GraphParts) -> Result<Graph, GraphError> {
        // One that is spelled wrong would keep nothing in step.
        if !self.sync.is_empty() && self.knows_markers && self.clips.iter().all(|clip| clip.marks.is_none()) {
            return Err(at(Place::Sync(0), "sync".into(), Problem::Sync));
        }
        let unit = |repeat| Timeline::new(1.0, repeat);
        let units = [unit(Repeat::Once), unit(Repeat::Loop), unit(Repeat::PingPong)];
        let [Ok(once), Ok(looped), Ok(to_and_fro)] = units else {
            // A lap of length 1 is one that a time line has.
            return Err(of_graph(Problem::Points("there is no lap")));
        };
        let is_matched = !self.matched.is_empty();
        let mut graph = Graph {
            is_inertial: parts.inertia
                || is_matched
                || !parts.poses.is_empty()
                || self.transitions.iter().any(|way| way.inertial),
            asks_shots: self.conditions.iter().any(|rule| matches!(rule, Condition::Plays(..))),
            hand_over: parts.hand_over,
            blend_threshold: parts.blend_threshold,
            sync: self.sync.into(),
            poses: parts.poses.iter().map(|name| name.as_str().into()).collect(),
            shape: self.shape(parts),
            clips: self.clips.into(),
            parameters: self.parameters.into(),
            floats: self.floats.into(),
            curves: self.curves.into(),
            ints: self.ints.into(),
            flags: self.flags.into(),
            masks: parts.masks.as_slice().into(),
            layers: self.layers.into(),
            states: self.states.into(),
            spaces: self.spaces.into(),
            matched: self.matched.into(),
            montages: self.montages.into(),
            transitions: self.transitions.into(),
            conditions: self.conditions.into(),
            candidates: self.candidates.into(),
            units: [once, looped, to_and_fro],
            most_entries: self.most_entries,
        };
        let starts = graph.starts(&graph.floats);
        graph.matched.iter_mut().zip(starts).for_each(|(matched, start)| matched.start = start);
        Ok(graph)
    }

    /// A hash of all that a state refers to by number.
    fn shape(&self, parts: &GraphParts) -> u64 {
        let text = |hash: Fnv64, text: &str| hash.u32(text.len() as u32).bytes(text.as_bytes());
        let mut hash = Fnv64::new().u32(STATE_FORMAT);
        for parameter in &self.parameters {
            let (kind, number) = match parameter.key {
                AnyKey::Float(FloatKey(at)) => (0, at),
                AnyKey::Int(IntKey(at)) => (1, at),
                AnyKey::Bool(BoolKey(at)) => (2, at),
                AnyKey::Trigger(TriggerKey(at)) => (3, at),
                AnyKey::Curve(CurveKey(at)) => (4, at),
            };
            hash = text(hash, &parameter.name).u32(kind).u32(u32::from(number));
        }
        for name in parts.masks.iter().map(|mask| &mask.name).chain(&parts.poses) {
            hash = text(hash, name);
        }
        for montage in &self.montages {
            hash = text(hash, &montage.name);
            hash = montage.sections.iter().fold(hash, |hash, section| text(hash, &section.name));
        }
        for layer in &self.layers {
            hash = text(hash, &layer.name).u32(u32::from(layer.states.end));
        }
        for state in &self.states {
            hash = text(hash, &state.name);
        }
        // Frames are named by number, too.
        for matched in &self.matched {
            let database = matched.database.as_ref().map_or(0, |database| database.fingerprint());
            hash = hash.bytes(&database.to_le_bytes());
        }
        hash.u32(self.clips.len() as u32).finish()
    }
}

/// The states that hold feet.
fn all_feet(parts: &GraphParts) -> impl Iterator<Item = (Place, &LayerParts, &StateParts, &FeetParts)> {
    parts.layers.iter().enumerate().flat_map(|(i, layer)| {
        layer.states.iter().enumerate().filter_map(move |(s, state)| {
            let MotionParts::Matched(matched) = &state.motion else { return None };
            Some((Place::State(i, s), layer, state, matched.feet.as_ref()?))
        })
    })
}

impl GraphParts {
    /// True if a state of it holds feet.
    #[must_use]
    pub fn holds_feet(&self) -> bool {
        all_feet(self).next().is_some()
    }

    /// Checks that a skeleton has the legs that a state holds. A graph knows no skeleton, so this is beside [`Graph::new`].
    ///
    /// # Errors
    ///
    /// [`Problem::Legs`], at the first state that holds feet.
    pub fn check_legs(&self, skeleton: &Skeleton) -> Result<(), GraphError> {
        let Some((place, layer, state, _)) = all_feet(self).next() else { return Ok(()) };
        let name = format!("layer {:?}, state {:?}", layer.name, state.name);
        let missing = [Side::Left, Side::Right].into_iter().find_map(|side| Limb::leg(skeleton, side).err());
        missing.map_or(Ok(()), |problem| Err(at(place, name, Problem::Legs(problem))))
    }
}

fn check_poses(poses: &[String]) -> Result<(), GraphError> {
    limit("kept poses", poses.len(), MAX_POSES).map_err(of_graph)?;
    for (i, name) in poses.iter().enumerate() {
        let wrong = |problem| at(Place::Pose(i), format!("kept pose {name:?}"), problem);
        check_name(name).map_err(wrong)?;
        if poses[..i].contains(name) {
            return Err(wrong(Problem::Twice { what: "kept pose" }));
        }
    }
    Ok(())
}

fn check_root(root: RootUse) -> Result<(), Problem> {
    match root {
        RootUse::Scaled(by) => finite("root_motion", by),
        _ => Ok(()),
    }
}

fn section(all: &[SectionParts], s: usize) -> Result<Section, Problem> {
    let SectionParts { name, from, next } = &all[s];
    check_name(name)?;
    if all[..s].iter().any(|other| other.name == *name) {
        return Err(Problem::Twice { what: "section" });
    }
    match s.checked_sub(1) {
        None => check("from", *from, "0 where the first section begins", |v| v == 0.0)?,
        Some(before) => {
            let before = all[before].from;
            check("from", *from, "behind the section before, below 1", |v| v > before && v < 1.0)?;
        }
    }
    let next = match next {
        Next::On => (s + 1 < all.len()).then_some(s + 1),
        Next::End => None,
        Next::Section(name) => {
            let at = all.iter().position(|other| other.name == *name);
            Some(at.ok_or_else(|| unknown("section", name))?)
        }
    };
    let place = |share: f32| Head::at(f64::from(share), Repeat::Once);
    let to = all.get(s + 1).map_or(Head::END, |next| place(next.from));
    let next = next.map(|next| next as u8);
    Ok(Section { name: (&**name).into(), from: place(*from), to, next })
}

fn transition(way: &TransitionParts, to: u16, conditions: Range<u32>) -> Result<Transition, Problem> {
    if let Some(exit) = way.exit {
        check("exit", exit, "from 0 to 1,000,000", |v| (0.0..=1.0e6).contains(&v))?;
    }
    check("fade_s", way.fade_s, "finite, at least 0", |v| v >= 0.0)?;
    share("offset", way.offset)?;
    Ok(Transition {
        to,
        conditions,
        priority: way.priority,
        exit: way.exit,
        fade_s: way.fade_s,
        fade: way.fade,
        interruption: way.interruption,
        offset: way.offset,
        sync: way.sync,
        inertial: way.inertial && way.fade_s > 0.0,
    })
}
