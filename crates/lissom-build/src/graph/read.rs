//! From a file to a description, with the place of every part in the file.

use super::{
    GraphFile, GraphFileError,
    json::{Node, Sort},
    schema,
};
use lissom::track::Repeat;
use lissom_motion::{
    GraphParts,
    graph::{
        Amount, ConditionParts, Fade, FeetParts, Interruption, KeepSpeed, LayerParts, MaskParts, MaskRule,
        MatchedParts, MontageParts, MotionParts, Next, ParameterKind, ParameterParts, Place, PlaneBlend,
        PointParts, RootUse, SectionParts, StateParts, Test, TransitionParts,
    },
};
use std::collections::BTreeMap;

type Result<T> = core::result::Result<T, GraphFileError>;

/// Reads a file.
pub(super) fn read(text: &str) -> Result<GraphFile> {
    let top = Node::new(text)?;
    schema::check(&top)?;
    let mut file = GraphFile {
        text: text.into(),
        parts: GraphParts::new(),
        places: BTreeMap::new(),
        rules: BTreeMap::new(),
    };
    let mut note = |place: Place, node: &Node<'_>| {
        file.places.insert(place, node.offset());
    };
    let top = Object::of(&top)?;
    let parts = &mut file.parts;
    for (i, (name, node)) in top.named("parameters")?.into_iter().enumerate() {
        note(Place::Parameter(i), &node);
        parts.parameters.push(ParameterParts { name, kind: parameter(&node)? });
    }
    for (i, (name, node)) in top.named("masks")?.into_iter().enumerate() {
        note(Place::Mask(i), &node);
        let nodes = node.items()?;
        file.rules.extend(nodes.iter().enumerate().map(|(r, node)| ((i, r), node.offset())));
        let rules = nodes.iter().map(rule).collect::<Result<_>>()?;
        parts.masks.push(MaskParts { name, rules });
    }
    for (i, node) in top.list("clips")?.into_iter().enumerate() {
        note(Place::Clip(i), &node);
        parts.clips.push(node.text()?);
    }
    for (i, (name, node)) in top.named("montages")?.into_iter().enumerate() {
        note(Place::Montage(i), &node);
        let from = Object::of(&node)?;
        let mut montage = MontageParts::new(&name, &from.text("clip")?.unwrap_or_default());
        montage.root = from.get("root_motion").map_or(Ok(RootUse::Take), |node| root_use(&node))?;
        for (s, node) in from.list("sections")?.into_iter().enumerate() {
            note(Place::Section(i, s), &node);
            montage.sections.push(section(&node)?);
        }
        parts.montages.push(montage);
    }
    for (i, node) in top.list("sync")?.into_iter().enumerate() {
        note(Place::Sync(i), &node);
        parts.sync.push(node.text()?);
    }
    for (i, node) in top.list("poses")?.into_iter().enumerate() {
        note(Place::Pose(i), &node);
        parts.poses.push(node.text()?);
    }
    parts.blend_threshold = top.number("blend_threshold")?;
    parts.hand_over = top.bool("hand_over")?;
    parts.inertia = top.bool("inertia")?;
    for (i, node) in top.list("layers")?.into_iter().enumerate() {
        note(Place::Layer(i), &node);
        let from = Object::of(&node)?;
        let mut inside = Inside::of(&from)?;
        for (s, (_, node, points)) in inside.states.iter().enumerate() {
            note(Place::State(i, s), node);
            points.iter().enumerate().for_each(|(p, point)| note(Place::Point(i, s, p), point));
        }
        for (t, (_, node, conditions)) in inside.transitions.iter().enumerate() {
            note(Place::Transition(i, t), node);
            conditions.iter().enumerate().for_each(|(c, one)| note(Place::Condition(i, t, c), one));
        }
        let mut layer = LayerParts::new(&from.text("name")?.unwrap_or_default());
        layer.additive = from.bool("additive")?;
        layer.mask = from.text("mask")?;
        layer.weight = from.number("weight")?.unwrap_or(layer.weight);
        layer.weight_from = from.text("weight_from")?;
        layer.states = inside.states.drain(..).map(|(state, ..)| state).collect();
        layer.transitions = inside.transitions.drain(..).map(|(way, ..)| way).collect();
        parts.layers.push(layer);
    }
    Ok(file)
}

/// An object whose values are of the kinds that the schema asks for.
struct Object<'a>(Vec<(String, Node<'a>)>);

impl<'a> Object<'a> {
    fn of(node: &Node<'a>) -> Result<Self> {
        node.fields().map(Self)
    }

    fn get(&self, key: &str) -> Option<Node<'a>> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, node)| *node)
    }

    fn text(&self, key: &str) -> Result<Option<String>> {
        self.get(key).map(|node| node.text()).transpose()
    }

    fn number(&self, key: &str) -> Result<Option<f32>> {
        Ok(self.get(key).map(|node| node.number()).transpose()?.map(|v| v as f32))
    }

    fn whole(&self, key: &str) -> Result<Option<i32>> {
        self.get(key).map(|node| whole(&node)).transpose()
    }

    fn bool(&self, key: &str) -> Result<bool> {
        Ok(self.get(key).map(|node| node.bool()).transpose()?.unwrap_or(false))
    }

    fn list(&self, key: &str) -> Result<Vec<Node<'a>>> {
        self.get(key).map_or(Ok(Vec::new()), |node| node.items())
    }

    fn named(&self, key: &str) -> Result<Vec<(String, Node<'a>)>> {
        self.get(key).map_or(Ok(Vec::new()), |node| node.fields())
    }

    /// What a word stands for; the first if there is none.
    fn word<T: Copy>(&self, key: &str, known: &[(&str, T)]) -> Result<Option<T>> {
        let Some(word) = self.text(key)? else { return Ok(None) };
        Ok(known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value))
    }
}

fn whole(node: &Node<'_>) -> Result<i32> {
    i32::try_from(node.whole()?).map_err(|_| node.wrong("this is too large"))
}

fn parameter(node: &Node<'_>) -> Result<ParameterKind> {
    if node.sort() == Sort::Text {
        return Ok(ParameterKind::Trigger);
    }
    let from = Object::of(node)?;
    if let Some(start) = from.number("float")? {
        let half_life_s = from.number("half_life_s")?.unwrap_or(0.0);
        return Ok(ParameterKind::Float { start, half_life_s });
    }
    if let Some(start) = from.number("curve")? {
        return Ok(ParameterKind::Curve { start });
    }
    Ok(match from.whole("int")? {
        Some(start) => ParameterKind::Int { start },
        None => ParameterKind::Bool { start: from.bool("bool")? },
    })
}

fn rule(node: &Node<'_>) -> Result<MaskRule> {
    let from = Object::of(node)?;
    let falloff = from.whole("falloff")?.unwrap_or(0);
    Ok(MaskRule {
        joint: from.text("joint")?.unwrap_or_default(),
        weight: from.number("weight")?.unwrap_or(1.0),
        falloff: u16::try_from(falloff).map_err(|_| node.wrong("the falloff is too large"))?,
    })
}

fn section(node: &Node<'_>) -> Result<SectionParts> {
    let from = Object::of(node)?;
    let next = match from.get("next") {
        None => Next::On,
        Some(next) if next.sort() != Sort::Bool => Next::Section(next.text()?),
        Some(next) if next.bool()? => Next::On,
        Some(_) => Next::End,
    };
    let name = from.text("name")?.unwrap_or_default();
    Ok(SectionParts { name, from: from.number("from")?.unwrap_or(0.0), next })
}

/// States and transitions of a layer or a group, where each stands, and where its points and conditions do.
#[derive(Default)]
struct Inside<'a> {
    states: Vec<(StateParts, Node<'a>, Vec<Node<'a>>)>,
    transitions: Vec<(TransitionParts, Node<'a>, Vec<Node<'a>>)>,
}

impl<'a> Inside<'a> {
    fn of(from: &Object<'a>) -> Result<Self> {
        let mut all = Self::default();
        for node in from.list("states")? {
            all.state(&node)?;
        }
        for node in from.list("transitions")? {
            let (way, conditions) = transition(&node)?;
            all.transitions.push((way, node, conditions));
        }
        Ok(all)
    }

    fn state(&mut self, node: &Node<'a>) -> Result<()> {
        let from = Object::of(node)?;
        let name = from.text("name")?.unwrap_or_default();
        if from.get("states").is_some() {
            return self.group(&name, Self::of(&from)?);
        }
        let (motion, points) = motion(&from)?;
        let mut state = StateParts::new(&name, motion);
        state.speed = from.number("speed")?.unwrap_or(state.speed);
        state.speed_from = from.text("speed_from")?;
        state.by_code = from.bool("by_code")?;
        state.time_from = from.text("time_from")?;
        state.start = from.number("start")?.unwrap_or(state.start);
        state.root = from.get("root_motion").map_or(Ok(RootUse::Take), |node| root_use(&node))?;
        state.keep_speed = from.get("keep_speed").map(|node| keep_speed(&node)).transpose()?.flatten();
        let known = [("once", Repeat::Once), ("loop", Repeat::Loop), ("ping_pong", Repeat::PingPong)];
        state.repeat = from.word("repeat", &known)?.unwrap_or(state.repeat);
        self.states.push((state, *node, points));
        Ok(())
    }

    /// As [`LayerParts::group`] does it: names get longer, the order stays.
    fn group(&mut self, name: &str, inside: Self) -> Result<()> {
        let mut inner = LayerParts::new(name);
        let (mut states, mut transitions) = (Vec::new(), Vec::new());
        for (state, node, points) in inside.states {
            inner.states.push(state);
            states.push((node, points));
        }
        for (way, node, conditions) in inside.transitions {
            inner.transitions.push(way);
            transitions.push((node, conditions));
        }
        let outer = LayerParts::new("").group(name, inner);
        let states = outer.states.into_iter().zip(states);
        self.states.extend(states.map(|(state, (node, points))| (state, node, points)));
        let transitions = outer.transitions.into_iter().zip(transitions);
        self.transitions.extend(transitions.map(|(way, (node, conditions))| (way, node, conditions)));
        Ok(())
    }
}

fn motion<'a>(from: &Object<'a>) -> Result<(MotionParts, Vec<Node<'a>>)> {
    if let Some(clip) = from.text("clip")? {
        return Ok((MotionParts::Clip(clip), Vec::new()));
    }
    if let Some(node) = from.get("matched") {
        return Ok((MotionParts::Matched(Box::new(matched(&node)?)), Vec::new()));
    }
    let nodes = from.list("points")?;
    if let Some(by) = from.text("line")? {
        let mut points = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let point = Object::of(node)?;
            let at = point.get("at").filter(|at| at.sort() == Sort::Number);
            let at = at.ok_or_else(|| node.wrong("on a line, \"at\" is one number"))?;
            points.push(point_at(&point, at.number()? as f32)?);
        }
        return Ok((MotionParts::Line { by, points }, nodes));
    }
    if let Some(rest) = from.text("direct")? {
        let mut points = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let point = Object::of(node)?;
            let by = point.text("by")?.ok_or_else(|| node.wrong("its weight is a parameter: \"by\""))?;
            points.push(point_at(&point, by)?);
        }
        return Ok((MotionParts::Direct { rest, points }, nodes));
    }
    let by: Vec<String> = from.list("plane")?.iter().map(Node::text).collect::<Result<_>>()?;
    let by = <[String; 2]>::try_from(by).unwrap_or_default();
    let known = [
        ("delaunay", PlaneBlend::Delaunay),
        ("bands", PlaneBlend::Bands),
        ("directional_bands", PlaneBlend::DirectionalBands),
    ];
    let blend = from.word("blend", &known)?.unwrap_or_default();
    let mut points = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let point = Object::of(node)?;
        let at = point.get("at").filter(|at| at.sort() == Sort::List);
        let at = at.ok_or_else(|| node.wrong("in a plane, \"at\" is two numbers: [x, y]"))?;
        let at: Vec<f64> = at.items()?.iter().map(Node::number).collect::<Result<_>>()?;
        let at = <[f64; 2]>::try_from(at).unwrap_or_default();
        points.push(point_at(&point, at.map(|v| v as f32))?);
    }
    Ok((MotionParts::Plane { by, blend, points }, nodes))
}

fn matched(node: &Node<'_>) -> Result<MatchedParts> {
    let from = Object::of(node)?;
    let texts = |key: &str| from.list(key)?.iter().map(Node::text).collect::<Result<Vec<String>>>();
    let mut matched = MatchedParts::new(&from.text("database")?.unwrap_or_default(), [""; 2]);
    matched.velocity = <[String; 2]>::try_from(texts("velocity")?).unwrap_or_default();
    matched.facing = from.text("facing")?;
    for (key, amount) in [
        ("velocity_half_life_s", &mut matched.velocity_half_life_s),
        ("facing_half_life_s", &mut matched.facing_half_life_s),
        ("responsiveness", &mut matched.responsiveness),
        ("transition_cost", &mut matched.transition_cost),
    ] {
        if let Some(node) = from.get(key) {
            *amount = match node.sort() {
                Sort::Text => Amount::Parameter(node.text()?),
                _ => Amount::Number(node.number()? as f32),
            };
        }
    }
    matched.tags = texts("tags")?;
    matched.search_s = from.number("search_s")?.unwrap_or(matched.search_s);
    matched.sharp_mps = from.number("sharp_mps")?.unwrap_or(matched.sharp_mps);
    matched.blend_s = from.number("blend_s")?.unwrap_or(matched.blend_s);
    matched.feet = from.get("feet").map_or(Ok(None), |node| feet(&node))?;
    Ok(matched)
}

/// `true`, or how.
fn feet(node: &Node<'_>) -> Result<Option<FeetParts>> {
    let usual = FeetParts::default();
    if node.sort() == Sort::Bool {
        return Ok(node.bool()?.then_some(usual));
    }
    let from = Object::of(node)?;
    let contacts = from.list("contacts")?.iter().map(Node::text).collect::<Result<Vec<String>>>()?;
    Ok(Some(FeetParts {
        contacts: contacts.try_into().unwrap_or(usual.contacts),
        release_s: from.number("release_s")?.unwrap_or(usual.release_s),
        reach_m: from.number("reach_m")?.unwrap_or(usual.reach_m),
    }))
}

fn point_at<P>(from: &Object<'_>, at: P) -> Result<PointParts<P>> {
    let mut point = PointParts::new(at, &from.text("clip")?.unwrap_or_default());
    point.speed = from.number("speed")?.unwrap_or(point.speed);
    point.own_time = from.bool("own_time")?;
    Ok(point)
}

/// A word, or a number that it is scaled by.
fn root_use(node: &Node<'_>) -> Result<RootUse> {
    if node.sort() == Sort::Number {
        return Ok(RootUse::Scaled(node.number()? as f32));
    }
    Ok(match &*node.text()? {
        "ignore" => RootUse::Ignore,
        "horizontal" => RootUse::Horizontal,
        _ => RootUse::Take,
    })
}

/// `true`, or how far the rate may go.
fn keep_speed(node: &Node<'_>) -> Result<Option<KeepSpeed>> {
    let usual = KeepSpeed::default();
    if node.sort() == Sort::Bool {
        return Ok(node.bool()?.then_some(usual));
    }
    let from = Object::of(node)?;
    Ok(Some(KeepSpeed {
        slowest: from.number("slowest")?.unwrap_or(usual.slowest),
        fastest: from.number("fastest")?.unwrap_or(usual.fastest),
    }))
}

fn transition<'a>(node: &Node<'a>) -> Result<(TransitionParts, Vec<Node<'a>>)> {
    let from = Object::of(node)?;
    let ends = [from.text("from")?.unwrap_or_default(), from.text("to")?.unwrap_or_default()];
    let mut way = TransitionParts::new(&ends[0], &ends[1]);
    way.priority = from.whole("priority")?.unwrap_or(way.priority);
    way.exit = from.number("exit")?;
    way.fade_s = from.number("fade_s")?.unwrap_or(way.fade_s);
    way.fade = from.word("fade", &[("smooth", Fade::Smooth), ("linear", Fade::Linear)])?.unwrap_or(way.fade);
    let known = [
        ("never", Interruption::Never),
        ("target", Interruption::Target),
        ("source", Interruption::Source),
        ("both", Interruption::Both),
    ];
    way.interruption = from.word("interruption", &known)?.unwrap_or(way.interruption);
    way.offset = from.number("offset")?.unwrap_or(way.offset);
    way.sync = from.bool("sync")?;
    way.inertial = from.bool("inertial")?;
    way.again = from.bool("again")?;
    let mut places = Vec::new();
    for asked in match from.get("when") {
        Some(list) if list.sort() == Sort::List => list.items()?,
        one => one.into_iter().collect(),
    } {
        for (parameter, node) in asked.fields()? {
            for test in tests(&node)? {
                way.when.push((parameter.clone(), test));
                places.push(node);
            }
        }
    }
    if let Some(node) = from.get("if") {
        way.only_if = Some(only_if(&node)?);
        places.push(node);
    }
    Ok((way, places))
}

/// A rule. The tables have bounded how deep it is.
fn only_if(node: &Node<'_>) -> Result<ConditionParts> {
    let from = Object::of(node)?;
    let layer = from.text("layer")?;
    if layer.is_some() && from.get("state").is_none() && from.get("one_shot").is_none() {
        return Err(node.wrong("a rule with \"layer\" needs \"state\" or \"one_shot\" too"));
    }
    if let Some(when) = from.get("when") {
        let mut all = Vec::new();
        for (parameter, node) in when.fields()? {
            all.extend(
                tests(&node)?.into_iter().map(|test| ConditionParts::Parameter(parameter.clone(), test)),
            );
        }
        let one = <[ConditionParts; 1]>::try_from(all);
        return one.map(|[one]| one).map_err(|_| when.wrong("a rule asks one thing; \"all\" is for more"));
    }
    if let Some(time_s) = from.number("after_s")? {
        return Ok(ConditionParts::AfterSeconds(time_s));
    }
    if let Some(laps) = from.number("after_laps")? {
        return Ok(ConditionParts::AfterLaps(laps));
    }
    if let Some(state) = from.text("state")? {
        return Ok(ConditionParts::State { layer: layer.unwrap_or_default(), state });
    }
    if let Some(clip) = from.get("one_shot") {
        let layer = layer.unwrap_or_default();
        if clip.sort() != Sort::Bool {
            return Ok(ConditionParts::OneShot { layer, clip: Some(clip.text()?) });
        }
        let any = ConditionParts::OneShot { layer, clip: None };
        return Ok(if clip.bool()? { any } else { any.negated() });
    }
    if let Some(inner) = from.get("not") {
        return Ok(only_if(&inner)?.negated());
    }
    let list = |key: &str| from.list(key)?.iter().map(only_if).collect::<Result<Vec<_>>>();
    Ok(if from.get("any").is_some() {
        ConditionParts::Any(list("any")?)
    } else {
        ConditionParts::All(list("all")?)
    })
}

fn tests(node: &Node<'_>) -> Result<Vec<Test>> {
    if node.sort() == Sort::Bool {
        return Ok(vec![if node.bool()? { Test::On } else { Test::Off }]);
    }
    let mut tests = Vec::new();
    for (word, value) in node.fields()? {
        tests.push(match word.as_str() {
            "above" => Test::Above(value.number()? as f32),
            "below" => Test::Below(value.number()? as f32),
            "is" => Test::Is(whole(&value)?),
            _ => Test::IsNot(whole(&value)?),
        });
    }
    if tests.is_empty() {
        return Err(node.wrong("a condition asks something: { \"above\": 2 }"));
    }
    Ok(tests)
}
