//! A description as the file that says it. Order counts in it, which `serde_json`'s objects do not keep.

use lissom::track::Repeat;
use lissom_motion::{
    GraphParts,
    graph::{
        Amount, ConditionParts, Fade, FeetParts, Interruption, KeepSpeed, LayerParts, MatchedParts,
        MontageParts, MotionParts, Next, ParameterKind, PlaneBlend, PointParts, RootUse, SectionParts,
        StateParts, Test, TransitionParts,
    },
};
use std::collections::BTreeSet;

/// A value of a file.
pub(super) enum Json {
    /// As it stands: a number, a word, a text in quotes.
    Plain(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

type Fields = Vec<(String, Json)>;

/// Characters of a line that holds a whole value.
const WIDTH: usize = 110;

impl Json {
    fn text(text: &str) -> Self {
        Self::Plain(quoted(text))
    }

    fn of(value: impl ToString) -> Self {
        Self::Plain(value.to_string())
    }

    fn object<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Object(fields.map(|(key, value)| (key.to_owned(), value)).into())
    }

    /// On one line.
    fn line(&self) -> String {
        match self {
            Self::Plain(text) => text.clone(),
            Self::List(items) => {
                format!("[{}]", items.iter().map(Self::line).collect::<Vec<_>>().join(", "))
            }
            Self::Object(fields) => {
                let field = |(key, value): &(String, Self)| format!("{}: {}", quoted(key), value.line());
                format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// On as many lines as it needs; all but the first are moved in.
    pub(super) fn pretty(&self, indent: usize) -> String {
        let line = self.line();
        if line.chars().count().saturating_add(indent) <= WIDTH {
            return line;
        }
        let (inner, outer) = (" ".repeat(indent.saturating_add(2)), " ".repeat(indent));
        let next = indent.saturating_add(2);
        match self {
            Self::Plain(_) => line,
            Self::List(items) => {
                let items: Vec<String> =
                    items.iter().map(|item| format!("{inner}{}", item.pretty(next))).collect();
                format!("[\n{}\n{outer}]", items.join(",\n"))
            }
            Self::Object(fields) => {
                let field =
                    |(key, value): &(String, Self)| format!("{inner}{}: {}", quoted(key), value.pretty(next));
                format!("{{\n{}\n{outer}}}", fields.iter().map(field).collect::<Vec<_>>().join(",\n"))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The file. What is as it would be anyway is left out; groups are told by the names of their states alone.
pub(super) fn json(parts: &GraphParts) -> Json {
    let mut out = Fields::new();
    if !parts.parameters.is_empty() {
        let all = parts.parameters.iter().map(|p| (p.name.clone(), parameter(p.kind)));
        out.push(("parameters".into(), Json::Object(all.collect())));
    }
    if !parts.masks.is_empty() {
        let rules = |mask: &lissom_motion::graph::MaskParts| {
            let rule = |rule: &lissom_motion::graph::MaskRule| {
                let mut out = Fields::new();
                out.push(("joint".into(), Json::text(&rule.joint)));
                put(&mut out, "weight", number(rule.weight), rule.weight != 1.0);
                put(&mut out, "falloff", Json::of(rule.falloff), rule.falloff != 0);
                Json::Object(out)
            };
            Json::List(mask.rules.iter().map(rule).collect())
        };
        let all = parts.masks.iter().map(|mask| (mask.name.clone(), rules(mask)));
        out.push(("masks".into(), Json::Object(all.collect())));
    }
    put(
        &mut out,
        "clips",
        Json::List(parts.clips.iter().map(|clip| Json::text(clip)).collect()),
        !parts.clips.is_empty(),
    );
    let montages = parts.montages.iter().map(|one| (one.name.clone(), montage(one))).collect();
    put(&mut out, "montages", Json::Object(montages), !parts.montages.is_empty());
    let sync = parts.sync.iter().map(|name| Json::text(name)).collect();
    put(&mut out, "sync", Json::List(sync), !parts.sync.is_empty());
    let poses = parts.poses.iter().map(|name| Json::text(name)).collect();
    put(&mut out, "poses", Json::List(poses), !parts.poses.is_empty());
    let least = parts.blend_threshold;
    put(&mut out, "blend_threshold", number(least.unwrap_or_default()), least.is_some());
    put(&mut out, "hand_over", Json::of(true), parts.hand_over);
    put(&mut out, "inertia", Json::of(true), parts.inertia);
    out.push(("layers".into(), Json::List(parts.layers.iter().map(layer).collect())));
    Json::Object(out)
}

fn put(out: &mut Fields, key: &str, value: Json, is_said: bool) {
    if is_said {
        out.push((key.into(), value));
    }
}

/// As few digits as tell it from its neighbours in 32 bits.
fn number(value: f32) -> Json {
    Json::of(value)
}

fn parameter(kind: ParameterKind) -> Json {
    match kind {
        ParameterKind::Float { start, half_life_s: 0.0 } => Json::object([("float", number(start))]),
        ParameterKind::Float { start, half_life_s } => {
            Json::object([("float", number(start)), ("half_life_s", number(half_life_s))])
        }
        ParameterKind::Int { start } => Json::object([("int", Json::of(start))]),
        ParameterKind::Bool { start } => Json::object([("bool", Json::of(start))]),
        ParameterKind::Trigger => Json::text("trigger"),
        ParameterKind::Curve { start } => Json::object([("curve", number(start))]),
    }
}

fn layer(layer: &LayerParts) -> Json {
    let mut out = Fields::new();
    out.push(("name".into(), Json::text(&layer.name)));
    put(&mut out, "additive", Json::of(true), layer.additive);
    put(&mut out, "mask", Json::text(layer.mask.as_deref().unwrap_or_default()), layer.mask.is_some());
    put(&mut out, "weight", number(layer.weight), layer.weight != 1.0);
    put(
        &mut out,
        "weight_from",
        Json::text(layer.weight_from.as_deref().unwrap_or_default()),
        layer.weight_from.is_some(),
    );
    let states: Vec<Json> = layer.states.iter().map(state).collect();
    // Transitions need the key, also where there is nothing in it.
    put(&mut out, "states", Json::List(states), !(layer.states.is_empty() && layer.transitions.is_empty()));
    let ways: Vec<Json> = layer.transitions.iter().map(transition).collect();
    put(&mut out, "transitions", Json::List(ways), !layer.transitions.is_empty());
    Json::Object(out)
}

fn state(state: &StateParts) -> Json {
    let mut out = Fields::new();
    out.push(("name".into(), Json::text(&state.name)));
    match &state.motion {
        MotionParts::Clip(clip) => {
            out.push(("clip".into(), Json::text(clip)));
        }
        MotionParts::Line { by, points } => {
            out.push(("line".into(), Json::text(by)));
            let points = points.iter().map(|p| point(p, "at", number(p.at)));
            out.push(("points".into(), Json::List(points.collect())));
        }
        MotionParts::Plane { by, blend, points } => {
            out.push(("plane".into(), Json::List(by.iter().map(|by| Json::text(by)).collect())));
            match blend {
                PlaneBlend::Delaunay => {}
                PlaneBlend::Bands => put(&mut out, "blend", Json::text("bands"), true),
                PlaneBlend::DirectionalBands => put(&mut out, "blend", Json::text("directional_bands"), true),
            }
            let points = points.iter().map(|p| point(p, "at", Json::List(p.at.map(number).into())));
            out.push(("points".into(), Json::List(points.collect())));
        }
        MotionParts::Direct { rest, points } => {
            out.push(("direct".into(), Json::text(rest)));
            let points = points.iter().map(|p| point(p, "by", Json::text(&p.at)));
            out.push(("points".into(), Json::List(points.collect())));
        }
        MotionParts::Matched(own) => out.push(("matched".into(), matched(own))),
    }
    put(&mut out, "speed", number(state.speed), state.speed != 1.0);
    put(
        &mut out,
        "speed_from",
        Json::text(state.speed_from.as_deref().unwrap_or_default()),
        state.speed_from.is_some(),
    );
    put(&mut out, "by_code", Json::of(true), state.by_code);
    if let Some(keep) = state.keep_speed {
        let usual = KeepSpeed::default();
        let mut range = Fields::new();
        put(&mut range, "slowest", number(keep.slowest), keep.slowest != usual.slowest);
        put(&mut range, "fastest", number(keep.fastest), keep.fastest != usual.fastest);
        let said = if range.is_empty() { Json::of(true) } else { Json::Object(range) };
        out.push(("keep_speed".into(), said));
    }
    put(
        &mut out,
        "time_from",
        Json::text(state.time_from.as_deref().unwrap_or_default()),
        state.time_from.is_some(),
    );
    put(&mut out, "start", number(state.start), state.start != 0.0);
    root_use(&mut out, state.root);
    match state.repeat {
        Repeat::Loop => {}
        Repeat::Once => put(&mut out, "repeat", Json::text("once"), true),
        Repeat::PingPong => put(&mut out, "repeat", Json::text("ping_pong"), true),
    }
    Json::Object(out)
}

fn root_use(out: &mut Fields, root: RootUse) {
    match root {
        RootUse::Take => {}
        RootUse::Ignore => put(out, "root_motion", Json::text("ignore"), true),
        RootUse::Horizontal => put(out, "root_motion", Json::text("horizontal"), true),
        RootUse::Scaled(by) => put(out, "root_motion", number(by), true),
    }
}

fn montage(montage: &MontageParts) -> Json {
    let section = |section: &SectionParts| {
        let mut out = Fields::new();
        out.push(("name".into(), Json::text(&section.name)));
        put(&mut out, "from", number(section.from), section.from != 0.0);
        match &section.next {
            Next::On => {}
            Next::Section(name) => put(&mut out, "next", Json::text(name), true),
            Next::End => put(&mut out, "next", Json::of(false), true),
        }
        Json::Object(out)
    };
    let mut out = Fields::new();
    out.push(("clip".into(), Json::text(&montage.clip)));
    out.push(("sections".into(), Json::List(montage.sections.iter().map(section).collect())));
    root_use(&mut out, montage.root);
    Json::Object(out)
}

fn matched(own: &MatchedParts) -> Json {
    let texts = |texts: &[String]| Json::List(texts.iter().map(|text| Json::text(text)).collect());
    let plain = MatchedParts::new("", [""; 2]);
    let mut out = Fields::new();
    out.push(("database".into(), Json::text(&own.database)));
    out.push(("velocity".into(), texts(&own.velocity)));
    put(&mut out, "facing", Json::text(own.facing.as_deref().unwrap_or_default()), own.facing.is_some());
    for (key, amount, usual) in [
        ("velocity_half_life_s", &own.velocity_half_life_s, &plain.velocity_half_life_s),
        ("facing_half_life_s", &own.facing_half_life_s, &plain.facing_half_life_s),
        ("responsiveness", &own.responsiveness, &plain.responsiveness),
        ("transition_cost", &own.transition_cost, &plain.transition_cost),
    ] {
        let said = match amount {
            Amount::Number(v) => number(*v),
            Amount::Parameter(name) => Json::text(name),
        };
        put(&mut out, key, said, amount != usual);
    }
    put(&mut out, "tags", texts(&own.tags), !own.tags.is_empty());
    put(&mut out, "search_s", number(own.search_s), own.search_s != plain.search_s);
    put(&mut out, "sharp_mps", number(own.sharp_mps), own.sharp_mps != plain.sharp_mps);
    put(&mut out, "blend_s", number(own.blend_s), own.blend_s != plain.blend_s);
    if let Some(feet) = &own.feet {
        let usual = FeetParts::default();
        let mut how = Fields::new();
        put(&mut how, "contacts", texts(&feet.contacts), feet.contacts != usual.contacts);
        put(&mut how, "release_s", number(feet.release_s), feet.release_s != usual.release_s);
        put(&mut how, "reach_m", number(feet.reach_m), feet.reach_m != usual.reach_m);
        out.push(("feet".into(), if how.is_empty() { Json::of(true) } else { Json::Object(how) }));
    }
    Json::Object(out)
}

fn point<P>(point: &PointParts<P>, key: &str, place: Json) -> Json {
    let mut out = Fields::new();
    out.push((key.into(), place));
    out.push(("clip".into(), Json::text(&point.clip)));
    put(&mut out, "speed", number(point.speed), point.speed != 1.0);
    put(&mut out, "own_time", Json::of(true), point.own_time);
    Json::Object(out)
}

fn transition(way: &TransitionParts) -> Json {
    let plain = TransitionParts::new("", "");
    let mut out = Fields::new();
    out.push(("from".into(), Json::text(&way.from)));
    out.push(("to".into(), Json::text(&way.to)));
    put(&mut out, "when", when(&way.when), !way.when.is_empty());
    if let Some(only_if) = &way.only_if {
        out.push(("if".into(), rule(only_if)));
    }
    put(&mut out, "priority", Json::of(way.priority), way.priority != plain.priority);
    put(&mut out, "exit", number(way.exit.unwrap_or_default()), way.exit.is_some());
    put(&mut out, "fade_s", number(way.fade_s), way.fade_s != plain.fade_s);
    put(&mut out, "fade", Json::text("linear"), way.fade == Fade::Linear);
    let interruption = match way.interruption {
        Interruption::Never => "never",
        Interruption::Target => "target",
        Interruption::Source => "source",
        Interruption::Both => "both",
    };
    put(&mut out, "interruption", Json::text(interruption), way.interruption != plain.interruption);
    put(&mut out, "offset", number(way.offset), way.offset != plain.offset);
    put(&mut out, "sync", Json::of(true), way.sync);
    put(&mut out, "inertial", Json::of(true), way.inertial);
    put(&mut out, "again", Json::of(true), way.again);
    Json::Object(out)
}

fn rule(of: &ConditionParts) -> Json {
    let list = |rules: &[ConditionParts]| Json::List(rules.iter().map(rule).collect());
    match of {
        ConditionParts::Parameter(name, test) => Json::object([("when", when(&[(name.clone(), *test)]))]),
        ConditionParts::AfterSeconds(time_s) => Json::object([("after_s", number(*time_s))]),
        ConditionParts::AfterLaps(laps) => Json::object([("after_laps", number(*laps))]),
        ConditionParts::State { layer, state } => {
            Json::Object(vec![("layer".into(), Json::text(layer)), ("state".into(), Json::text(state))])
        }
        ConditionParts::OneShot { layer, clip } => Json::Object(vec![
            ("layer".into(), Json::text(layer)),
            ("one_shot".into(), clip.as_deref().map_or(Json::of(true), Json::text)),
        ]),
        ConditionParts::All(rules) => Json::object([("all", list(rules))]),
        ConditionParts::Any(rules) => Json::object([("any", list(rules))]),
        ConditionParts::Not(inner) => Json::object([("not", rule(inner))]),
    }
}

/// One object where no parameter is asked twice, else a list of them.
fn when(conditions: &[(String, Test)]) -> Json {
    let one = |test: Test| match test {
        Test::Above(than) => Json::object([("above", number(than))]),
        Test::Below(than) => Json::object([("below", number(than))]),
        Test::Is(this) => Json::object([("is", Json::of(this))]),
        Test::IsNot(this) => Json::object([("is_not", Json::of(this))]),
        Test::On => Json::of(true),
        Test::Off => Json::of(false),
    };
    let names: BTreeSet<&str> = conditions.iter().map(|(name, _)| name.as_str()).collect();
    if names.len() == conditions.len() {
        return Json::Object(conditions.iter().map(|(name, test)| (name.clone(), one(*test))).collect());
    }
    Json::List(conditions.iter().map(|(name, test)| Json::object([(name.as_str(), one(*test))])).collect())
}
