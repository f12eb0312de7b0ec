//! A graph as a picture. A state is a box with a row for each way out; a row leads along a rail, one for each state that is
//! led to, to that state's box. So words stand in boxes, lines beside them, and neither lies over the other.

use lissom::track::Repeat;
use lissom_draw::chart::{Anchor, Ink, Shape, Sketch};
use lissom_motion::{
    GraphParts,
    graph::{
        ConditionParts, Interruption, LayerParts, MotionParts, Next, ParameterKind, StateParts, Test,
        TransitionParts,
    },
};

/// Pixels of a letter, on average, and of a row.
const LETTER: f64 = 6.8;
const ROW: f64 = 18.0;
const HEAD: f64 = 24.0;
const GAP: f64 = 16.0;
const MARGIN: f64 = 20.0;
/// Between rails.
const RAIL: f64 = 14.0;
/// Letters of a row, at most.
const LONGEST: usize = 100;

struct Card {
    title: String,
    detail: String,
    is_start: bool,
    /// The state that it stands for; none for any state, and for groups.
    state: Option<usize>,
    /// What leads out: words, and the state that it leads to.
    ways: Vec<(String, usize)>,
}

/// The picture.
pub(super) fn graph(name: &str, parts: &GraphParts) -> Sketch {
    let mut notes = vec![format!("parameters: {}", listed(parts.parameters.iter().map(parameter)))];
    for montage in &parts.montages {
        let sections = montage.sections.iter().map(|section| match &section.next {
            Next::On => section.name.clone(),
            Next::Section(next) => format!("{}, then {next}", section.name),
            Next::End => format!("{}, the end", section.name),
        });
        notes.push(format!("montage {} of {}: {}", montage.name, montage.clip, listed(sections)));
    }
    if !parts.clips.is_empty() {
        notes.push(format!("one-shots: {}", listed(parts.clips.iter().cloned())));
    }
    for mask in &parts.masks {
        let rules = mask.rules.iter().map(|rule| {
            let weight = if rule.weight == 1.0 { String::new() } else { format!(" {}", rule.weight) };
            let falloff =
                if rule.falloff == 0 { String::new() } else { format!(" over {} joints", rule.falloff) };
            format!("{} and below{weight}{falloff}", rule.joint)
        });
        notes.push(format!("mask {}: {}", mask.name, listed(rules)));
    }
    let layers: Vec<(&LayerParts, Vec<Card>)> =
        parts.layers.iter().map(|layer| (layer, cards(layer))).collect();
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0) as f64 * LETTER;
    let lengths = |card: &Card| {
        let head = card.title.chars().count() + card.detail.chars().count() + 6;
        card.ways.iter().map(|(text, _)| text.chars().count() + 4).chain([head]).max().unwrap_or(0)
    };
    let inside = widest(&mut layers.iter().flat_map(|(_, cards)| cards.iter().map(lengths)));
    let above = widest(&mut notes.iter().map(|note| note.chars().count()));
    let titles = widest(&mut layers.iter().map(|(layer, _)| heading(layer).chars().count() + 4));
    let rails = layers.iter().map(|(_, cards)| rails(cards).len()).max().unwrap_or(0) as f64;
    let box_width = larger(inside, 260.0);
    let width = larger(larger(box_width + RAIL * (rails + 1.5), above), titles) + 2.0 * MARGIN;
    let card_height = |card: &Card| HEAD + ROW * card.ways.len() as f64 + GAP;
    let layer_height = |cards: &[Card]| 2.0 * HEAD + cards.iter().map(card_height).sum::<f64>();
    let top = MARGIN + HEAD + ROW * notes.len() as f64 + GAP;
    let height = top + layers.iter().map(|(_, cards)| layer_height(cards)).sum::<f64>() + MARGIN - GAP;

    let mut sketch = Sketch::new(width, height, &format!("graph {name}"));
    sketch.heading((MARGIN, MARGIN + 12.0), name);
    for (i, note) in notes.iter().enumerate() {
        sketch.text((MARGIN, MARGIN + HEAD + ROW * (i as f64 + 0.6)), note, Anchor::Start, Ink::Soft);
    }
    let mut y = top;
    for (layer, cards) in &layers {
        sketch.heading((MARGIN, y + 14.0), heading(layer));
        y += HEAD * 1.5;
        draw_layer(&mut sketch, cards, y, box_width);
        y += cards.iter().map(card_height).sum::<f64>() + 0.5 * HEAD;
    }
    sketch
}

/// The states that something leads to, in their order: each has a rail.
fn rails(cards: &[Card]) -> Vec<usize> {
    let mut all: Vec<usize> = cards.iter().flat_map(|card| card.ways.iter().map(|(_, to)| *to)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn draw_layer(sketch: &mut Sketch, cards: &[Card], top: f64, width: f64) {
    let rails = rails(cards);
    let right = MARGIN + width;
    let rail_x = |rail: usize| right + RAIL * (rail as f64 + 1.2);
    let mut heads = Vec::new();
    let mut rows = Vec::new();
    let mut y = top;
    for card in cards {
        let height = HEAD + ROW * card.ways.len() as f64;
        let ink = card
            .state
            .and_then(|state| rails.iter().position(|to| *to == state))
            .map_or(Ink::Soft, Ink::Series);
        sketch.rect((MARGIN, y), (width, height), Ink::Grid, 0.22);
        sketch.rect((MARGIN, y), (width, HEAD), ink, 0.2);
        sketch.rect((MARGIN, y), (4.0, HEAD), ink, 1.0);
        let title = y + HEAD * 0.68;
        if card.is_start {
            sketch.shapes.push(Shape::Dot {
                at: (MARGIN - 8.0, y + HEAD * 0.5),
                radius: 4.0,
                ink: Ink::Text,
            });
        }
        sketch.shapes.push(Shape::Text {
            at: (MARGIN + 12.0, title),
            text: card.title.clone(),
            anchor: Anchor::Start,
            ink: Ink::Text,
            strong: true,
        });
        sketch.text((right - 12.0, title), &card.detail, Anchor::End, Ink::Soft);
        if let Some(state) = card.state {
            heads.push((state, y + HEAD * 0.5));
        }
        for (i, (text, to)) in card.ways.iter().enumerate() {
            let middle = y + HEAD + ROW * (i as f64 + 0.5);
            sketch.text((MARGIN + 24.0, middle + 4.0), text, Anchor::Start, Ink::Text);
            rows.push((middle, *to));
        }
        y += height + GAP;
    }
    for (rail, to) in rails.iter().enumerate() {
        let (ink, x) = (Ink::Series(rail), rail_x(rail));
        let Some((_, head)) = heads.iter().find(|(state, _)| state == to) else { continue };
        let own: Vec<f64> = rows.iter().filter(|(_, target)| target == to).map(|(y, _)| *y).collect();
        let low = own.iter().fold(*head, |a, b| if *b < a { *b } else { a });
        let high = own.iter().fold(*head, |a, b| if *b > a { *b } else { a });
        sketch.line(vec![(x, low), (x, high)], 1.6, ink);
        for y in own {
            sketch.shapes.push(Shape::Dot { at: (right, y), radius: 3.0, ink });
            sketch.line(vec![(right, y), (x, y)], 1.2, ink);
        }
        sketch.line(vec![(x, *head), (right + 6.0, *head)], 1.6, ink);
        let tip = vec![(right, *head), (right + 9.0, head - 4.5), (right + 9.0, head + 4.5)];
        sketch.shapes.push(Shape::Area { points: tip, ink, alpha: 1.0 });
    }
}

fn cards(layer: &LayerParts) -> Vec<Card> {
    // A group is entered at its first state.
    let target = |name: &str| {
        let group = format!("{name}/");
        let state = layer.states.iter().position(|state| state.name == name);
        state.or_else(|| layer.states.iter().position(|state| state.name.starts_with(&group)))
    };
    let ways = |from: &str| {
        let own = layer.transitions.iter().filter(|way| way.from == from);
        own.filter_map(|way| Some((words(way), target(&way.to)?))).collect::<Vec<_>>()
    };
    let mut cards = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for way in &layer.transitions {
        let is_state = layer.states.iter().any(|state| state.name == way.from);
        if is_state || seen.contains(&way.from.as_str()) {
            continue;
        }
        seen.push(&way.from);
        let any = way.from == TransitionParts::ANY;
        let title = if any { "any state".into() } else { format!("any of {}", way.from) };
        cards.push(Card {
            title,
            detail: String::new(),
            is_start: false,
            state: None,
            ways: ways(&way.from),
        });
    }
    for (i, state) in layer.states.iter().enumerate() {
        cards.push(Card {
            title: state.name.clone(),
            detail: motion(state),
            is_start: i == 0,
            state: Some(i),
            ways: ways(&state.name),
        });
    }
    cards
}

fn heading(layer: &LayerParts) -> String {
    let mut words = vec![format!("layer {}", layer.name)];
    if layer.additive {
        words.push("added".into());
    }
    if let Some(mask) = &layer.mask {
        words.push(format!("masked by {mask}"));
    }
    if layer.weight != 1.0 {
        words.push(format!("weight {}", layer.weight));
    }
    if let Some(by) = &layer.weight_from {
        words.push(format!("weight by {by}"));
    }
    if layer.states.is_empty() {
        words.push("one-shots alone".into());
    }
    words.join(", ")
}

fn parameter(parameter: &lissom_motion::graph::ParameterParts) -> String {
    let kind = match parameter.kind {
        ParameterKind::Float { half_life_s, .. } if half_life_s > 0.0 => "float, damped",
        ParameterKind::Float { .. } => "float",
        ParameterKind::Int { .. } => "int",
        ParameterKind::Bool { .. } => "bool",
        ParameterKind::Trigger => "trigger",
        ParameterKind::Curve { .. } => "curve",
    };
    format!("{} ({kind})", parameter.name)
}

fn motion(state: &StateParts) -> String {
    let mut text = match &state.motion {
        MotionParts::Clip(clip) => format!("clip {clip}"),
        MotionParts::Line { by, points } => {
            format!("by {by}: {}", listed(points.iter().map(|point| format!("{} {}", point.clip, point.at))))
        }
        MotionParts::Plane { by: [x, y], points, .. } => {
            format!("by {x} and {y}: {}", listed(points.iter().map(|point| point.clip.clone())))
        }
        MotionParts::Direct { rest, points } => {
            let weighed = points.iter().map(|point| format!("{} by {}", point.clip, point.at));
            format!("by weights: {rest}, {}", listed(weighed))
        }
        MotionParts::Matched(matched) => {
            let [x, y] = &matched.velocity;
            format!("matched in {} by {x} and {y}", matched.database)
        }
    };
    match state.repeat {
        Repeat::Loop => {}
        Repeat::Once => text.push_str(", once"),
        Repeat::PingPong => text.push_str(", to and fro"),
    }
    if state.speed != 1.0 {
        text.push_str(&format!(", speed {}", state.speed));
    }
    if let Some(by) = &state.speed_from {
        text.push_str(&format!(", speed by {by}"));
    }
    cut(text)
}

/// A way out, in words.
fn words(way: &TransitionParts) -> String {
    let mut text = format!("to {}", way.to);
    let mut asked: Vec<String> = way.when.iter().map(|(name, test)| tested(name, test)).collect();
    asked.extend(way.only_if.as_ref().map(rule));
    if !asked.is_empty() {
        text.push_str(&format!(" if {}", asked.join(" and ")));
    }
    if let Some(exit) = way.exit {
        text.push_str(&format!(" at {} % of the lap", libm::round(f64::from(exit) * 100.0)));
    }
    text.push_str(&format!(", {} s", way.fade_s));
    if way.sync {
        text.push_str(", in step");
    }
    if way.inertial {
        text.push_str(", by inertia");
    }
    if way.priority != 0 {
        text.push_str(&format!(", priority {}", way.priority));
    }
    match way.interruption {
        Interruption::Target => {}
        Interruption::Never => text.push_str(", to its end"),
        Interruption::Source | Interruption::Both => text.push_str(", may be interrupted"),
    }
    cut(text)
}

fn tested(name: &str, test: &Test) -> String {
    match test {
        Test::Above(than) => format!("{name} > {than}"),
        Test::Below(than) => format!("{name} < {than}"),
        Test::Is(this) => format!("{name} is {this}"),
        Test::IsNot(this) => format!("{name} is not {this}"),
        Test::On => name.into(),
        Test::Off => format!("not {name}"),
    }
}

fn rule(of: &ConditionParts) -> String {
    let joined = |rules: &[ConditionParts], word: &str| {
        format!("({})", rules.iter().map(rule).collect::<Vec<_>>().join(word))
    };
    match of {
        ConditionParts::Parameter(name, test) => tested(name, test),
        ConditionParts::AfterSeconds(time_s) => format!("after {time_s} s"),
        ConditionParts::AfterLaps(laps) => format!("after {laps} laps"),
        ConditionParts::State { layer, state } => format!("{layer} is in {state}"),
        ConditionParts::OneShot { layer, clip } => {
            format!("{layer} plays {}", clip.as_deref().unwrap_or("a one-shot"))
        }
        ConditionParts::All(rules) => joined(rules, " and "),
        ConditionParts::Any(rules) => joined(rules, " or "),
        ConditionParts::Not(inner) => format!("not {}", rule(inner)),
    }
}

fn listed(words: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = words.collect();
    if all.is_empty() { "none".into() } else { cut(all.join(", ")) }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
