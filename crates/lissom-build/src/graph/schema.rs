//! What may stand in a graph's file: tables that the reader follows and that the published schema is written from.

use super::{
    GraphFileError,
    json::{Node, Sort},
};
use crate::{
    edit::DidYouMean,
    text::{quote::Quote, words::nearest},
};
use serde_json::{Map, Value, json};

/// Groups within groups, at most.
const DEEPEST: usize = 8;

/// What a value may be.
pub(super) enum Kind {
    /// Any text.
    Text,
    /// One of these.
    Word(&'static [&'static str]),
    /// A number, at least and at most.
    Number(Option<f64>, Option<f64>),
    /// A whole number, at least and at most.
    Whole(i64, i64),
    /// True or false.
    Bool,
    /// A list.
    List(&'static Kind),
    /// Two of them.
    Pair(&'static Kind),
    /// An object with names for keys.
    Named(&'static Kind),
    /// An object with these keys.
    Table(&'static Table),
    /// One of these, told apart by what stands in JSON.
    Either(&'static [Kind]),
}

/// An object.
pub(super) struct Table {
    /// What it is called.
    name: &'static str,
    what: &'static str,
    keys: &'static [Key],
    /// Exactly one of these must be there; empty: no such rule.
    one_of: &'static [&'static str],
    /// The first needs the second.
    needs: &'static [(&'static str, &'static str)],
}

struct Key {
    name: &'static str,
    must: bool,
    kind: Kind,
    what: &'static str,
}

const fn must(name: &'static str, kind: Kind, what: &'static str) -> Key {
    Key { name, must: true, kind, what }
}

const fn may(name: &'static str, kind: Kind, what: &'static str) -> Key {
    Key { name, must: false, kind, what }
}

const SHARE: Kind = Kind::Number(Some(0.0), Some(1.0));
const SECONDS: Kind = Kind::Number(Some(0.0), None);
const NUMBER: Kind = Kind::Number(None, None);
const WHOLE: Kind = Kind::Whole(i32::MIN as i64, i32::MAX as i64);

/// The file.
pub(super) static GRAPH: Table = Table {
    name: "a graph",
    what: "What a character may do: states, transitions between them, layers over one another.",
    keys: &[
        may("$schema", Kind::Text, "Where this schema is, for editors."),
        may(
            "parameters",
            Kind::Named(&Kind::Either(&[Kind::Word(&["trigger"]), Kind::Table(&PARAMETER)])),
            "What a game sets, by name. \"trigger\": set by the game, taken away by the transition that it starts.",
        ),
        may(
            "masks",
            Kind::Named(&Kind::List(&Kind::Table(&RULE))),
            "Which joints a layer moves, by name. A later rule covers an earlier; other joints have weight 0.",
        ),
        may("clips", Kind::List(&Kind::Text), "Clips beside those of the states: for one-shots."),
        may(
            "montages",
            Kind::Named(&Kind::Table(&MONTAGE)),
            "Clips in sections, by name, for one-shots: code jumps from section to section.",
        ),
        may(
            "sync",
            Kind::List(&Kind::Text),
            "Markers by which clips are kept in step: gaits pass each of them once a lap, in this order.",
        ),
        may(
            "poses",
            Kind::List(&Kind::Text),
            "Names of poses that a character may keep, to go on from later: at most 8.",
        ),
        may(
            "blend_threshold",
            SHARE,
            "The least weight of a joint, above 0; 0.1 if nothing is said. Where clips have less together, the rest pose fills in.",
        ),
        may(
            "hand_over",
            Kind::Bool,
            "True if poses may be taken over from elsewhere, as from a ragdoll: characters then have room for it.",
        ),
        may(
            "inertia",
            Kind::Bool,
            "True if code may go to states by inertia, though no transition does: characters then have room for it.",
        ),
        must("layers", Kind::List(&Kind::Table(&LAYER)), "The lowest first."),
    ],
    one_of: &[],
    needs: &[],
};

static PARAMETER: Table = Table {
    name: "a parameter",
    what: "A number, a whole number or a switch, and what it is at the start; or a number that the clips set.",
    keys: &[
        may("float", NUMBER, "A number."),
        may(
            "half_life_s",
            SECONDS,
            "The number that is used follows the one that was set: half of the way in this time.",
        ),
        may("int", WHOLE, "A whole number."),
        may("bool", Kind::Bool, "On or off."),
        may(
            "curve",
            NUMBER,
            "A number that the clips set, by their track of this name; where none has it, this.",
        ),
    ],
    one_of: &["float", "int", "bool", "curve"],
    needs: &[("half_life_s", "float")],
};

static MONTAGE: Table = Table {
    name: "a montage",
    what: "A clip in sections, which is played as a one-shot.",
    keys: &[
        must("clip", Kind::Text, "The clip."),
        must("sections", Kind::List(&Kind::Table(&SECTION)), "One after the other; the first begins at 0."),
        may("root_motion", ROOT_USE, "What becomes of its root motion; take if nothing is said."),
    ],
    one_of: &[],
    needs: &[],
};

static SECTION: Table = Table {
    name: "a section",
    what: "A part of a montage: to where the next one begins.",
    keys: &[
        must("name", Kind::Text, "Unique in its montage."),
        may("from", SHARE, "Where it begins, as a share of the clip; 0 if nothing is said."),
        may(
            "next",
            Kind::Either(&[Kind::Text, Kind::Bool]),
            "The section that follows; if it is this one, it repeats. False: the one-shot ends. The one behind it if nothing is said.",
        ),
    ],
    one_of: &[],
    needs: &[],
};

const ROOT_USE: Kind = Kind::Either(&[NUMBER, Kind::Word(&["take", "ignore", "horizontal"])]);

static RULE: Table = Table {
    name: "a rule of a mask",
    what: "The weight of a joint and everything below it.",
    keys: &[
        must("joint", Kind::Text, "The first joint of this name."),
        may("weight", SHARE, "1 if nothing is said."),
        may(
            "falloff",
            Kind::Whole(0, 65_535),
            "The weight fades in over this number of joints down the chain.",
        ),
    ],
    one_of: &[],
    needs: &[],
};

static LAYER: Table = Table {
    name: "a layer",
    what: "States and the transitions between them. Without states it plays one-shots alone.",
    keys: &[
        must("name", Kind::Text, "Unique among layers."),
        may("additive", Kind::Bool, "True if its clips are differences that are added to the layers below."),
        may("mask", Kind::Text, "The name of a mask; without one: the whole body."),
        may("weight", SHARE, "1 if nothing is said."),
        may("weight_from", Kind::Text, "A float parameter that the weight is multiplied by."),
        may("states", Kind::List(&Kind::Table(&STATE)), "The first one is where it starts."),
        may(
            "transitions",
            Kind::List(&Kind::Table(&TRANSITION)),
            "Where priorities are equal, an earlier one goes first.",
        ),
    ],
    one_of: &[],
    needs: &[("transitions", "states")],
};

static STATE: Table = Table {
    name: "a state",
    what: "A clip, a blend of clips on a line, in a plane or by weights of their own, motion matching, or a group: states and transitions of their own.",
    keys: &[
        must("name", Kind::Text, "Unique in its layer."),
        may("clip", Kind::Text, "The clip that it plays."),
        may("line", Kind::Text, "Clips along a line, by this float parameter."),
        may("plane", Kind::Pair(&Kind::Text), "Clips in a plane, by these two float parameters."),
        may(
            "blend",
            Kind::Word(&["delaunay", "bands", "directional_bands"]),
            "How a place in a plane is shared among the clips around it; delaunay if nothing is said.",
        ),
        may(
            "direct",
            Kind::Text,
            "Clips that each have a float parameter as their weight, as faces are made. This clip has what they leave of 1.",
        ),
        may(
            "points",
            Kind::List(&Kind::Table(&POINT)),
            "Where the clips of a line or a plane stand, or which parameter weighs each.",
        ),
        may(
            "matched",
            Kind::Table(&MATCHED),
            "Motion matching: of a database's clips the one that fits best, from where it fits best.",
        ),
        may(
            "states",
            Kind::List(&Kind::Table(&STATE)),
            "A group. Outside, these are called GROUP/NAME; transitions may leave and enter the group as one.",
        ),
        may("transitions", Kind::List(&Kind::Table(&TRANSITION)), "Of a group, by the names within it."),
        may("speed", NUMBER, "1 as the clips were made; negative plays backward."),
        may("speed_from", Kind::Text, "A float parameter that the speed is multiplied by."),
        may("by_code", Kind::Bool, "True if code goes there: no transition has to lead to it."),
        may(
            "keep_speed",
            Kind::Either(&[Kind::Bool, Kind::Table(&KEEP_SPEED)]),
            "Of a blend by velocity in metres per second: it travels with the velocity asked for. A range: how far the playback rate may go.",
        ),
        may(
            "time_from",
            Kind::Text,
            "A float parameter that is its time, in laps: 0 is the start, 1 the end. For a door, a bow, a ladder.",
        ),
        may("start", SHARE, "Where it starts, as a share of its lap, if nothing else says so."),
        may(
            "root_motion",
            ROOT_USE,
            "What becomes of its root motion; take if nothing is said. Horizontal: without up and down. A number: scaled by it.",
        ),
        may(
            "repeat",
            Kind::Word(&["once", "loop", "ping_pong"]),
            "What happens at the ends; loop if nothing is said.",
        ),
    ],
    one_of: &["clip", "line", "plane", "direct", "matched", "states"],
    needs: &[
        ("line", "points"),
        ("plane", "points"),
        ("direct", "points"),
        ("blend", "plane"),
        ("transitions", "states"),
    ],
};

const AMOUNT: Kind = Kind::Either(&[NUMBER, Kind::Text]);

static MATCHED: Table = Table {
    name: "motion matching",
    what: "Which database plays a state, and where the character wants to go. Where a number may stand, a float parameter may, too.",
    keys: &[
        must("database", Kind::Text, "The database for motion matching."),
        must(
            "velocity",
            Kind::Pair(&Kind::Text),
            "Two float parameters: the velocity that is wanted, in metres per second to the character's left, and ahead.",
        ),
        may(
            "facing",
            Kind::Text,
            "A float parameter: where the character wants to face, in radians to its left; without one: where it goes.",
        ),
        may(
            "velocity_half_life_s",
            AMOUNT,
            "The velocity follows what is wanted: half of the way in this time; 0.2 if nothing is said.",
        ),
        may("facing_half_life_s", AMOUNT, "The same of where it faces; 0.2 if nothing is said."),
        may(
            "responsiveness",
            AMOUNT,
            "Half-lives and the cost of a transition are divided by it; 1 if nothing is said.",
        ),
        may(
            "transition_cost",
            AMOUNT,
            "By how much another frame must fit better than the one that plays, in squared deviations; 0.1 if nothing is said.",
        ),
        may("tags", Kind::List(&Kind::Text), "Only frames with all of these tags."),
        may("search_s", SECONDS, "Seconds from search to search; 0.1 if nothing is said."),
        may(
            "sharp_mps",
            SECONDS,
            "It searches at once if the velocity that is wanted changes by more, in metres per second; 1 if nothing is said.",
        ),
        may(
            "blend_s",
            SECONDS,
            "Seconds in which the difference to the old motion fades out; 0.3 if nothing is said.",
        ),
        may(
            "feet",
            Kind::Either(&[Kind::Bool, Kind::Table(&FEET)]),
            "True if feet stay where they stand, as markers of the clips say it. An object says how.",
        ),
    ],
    one_of: &[],
    needs: &[],
};

static FEET: Table = Table {
    name: "feet",
    what: "How feet stay where they stand.",
    keys: &[
        may(
            "contacts",
            Kind::Pair(&Kind::Text),
            "The markers that last in which the left foot stands, and the right one; contact_left and contact_right if nothing is said.",
        ),
        may(
            "release_s",
            Kind::Number(Some(0.0), Some(60.0)),
            "Seconds in which a foot that is let go comes back to the motion; 0.2 if nothing is said.",
        ),
        may(
            "reach_m",
            Kind::Number(Some(0.0), Some(100.0)),
            "Metres that a held foot may be off the motion; beyond, it is let go; 0.25 if nothing is said.",
        ),
    ],
    one_of: &[],
    needs: &[],
};

static KEEP_SPEED: Table = Table {
    name: "a range of rates",
    what: "How far the playback rate may go.",
    keys: &[
        may("slowest", SHARE, "The lowest rate; 0.5 if nothing is said."),
        may("fastest", Kind::Number(Some(1.0), None), "The highest rate; 1.5 if nothing is said."),
    ],
    one_of: &[],
    needs: &[],
};

static POINT: Table = Table {
    name: "a point",
    what: "Where a clip stands, or what weighs it.",
    keys: &[
        may("at", Kind::Either(&[NUMBER, Kind::Pair(&NUMBER)]), "A number on a line, two in a plane."),
        may("by", Kind::Text, "The float parameter that is its weight."),
        must("clip", Kind::Text, "The clip."),
        may("speed", NUMBER, "1 as the clip was made; above 0."),
        may(
            "own_time",
            Kind::Bool,
            "True if the clip does not share the lap of the others, as an idle among gaits: it plays at its own speed.",
        ),
    ],
    one_of: &["at", "by"],
    needs: &[],
};

static TRANSITION: Table = Table {
    name: "a transition",
    what: "A way from one state to another.",
    keys: &[
        must("from", Kind::Text, "A state, a group, or * for any state."),
        must("to", Kind::Text, "A state, or a group: its first state."),
        may(
            "when",
            Kind::Either(&[Kind::Named(&TEST), Kind::List(&Kind::Named(&TEST))]),
            "Parameters by name, and what is asked of them; all must hold. A list is for asking one parameter twice.",
        ),
        may("if", Kind::Table(&CONDITIONS), "This must hold, too: rules of rules."),
        may("priority", WHOLE, "A higher one goes first; 0 if nothing is said."),
        may(
            "exit",
            Kind::Number(Some(0.0), Some(1.0e6)),
            "Only when the state that it leaves passes this share of a lap; 1 is the end, 2.5 the middle of the third lap.",
        ),
        may("fade_s", SECONDS, "Seconds over which it goes; 0.2 if nothing is said."),
        may("fade", Kind::Word(&["smooth", "linear"]), "How it goes; smooth if nothing is said."),
        may(
            "interruption",
            Kind::Word(&["never", "target", "source", "both"]),
            "Transitions out of which state may start while it goes; target if nothing is said.",
        ),
        may("offset", SHARE, "Where the new state starts, as a share of a lap."),
        may(
            "inertial",
            Kind::Bool,
            "True if the new state plays alone at once and the difference to the old motion fades out: nothing is played twice.",
        ),
        may(
            "again",
            Kind::Bool,
            "True if a transition from * or from a group may lead from its own state, too: a hit interrupts a hit.",
        ),
        may("sync", Kind::Bool, "True if the new state starts where the old one is in its lap, in step."),
    ],
    one_of: &[],
    needs: &[],
};

static CONDITIONS: Table = Table {
    name: "a rule",
    what: "What a transition may ask beside its parameters.",
    keys: &[
        may("when", Kind::Named(&TEST), "A parameter by name, and what is asked of it."),
        may("after_s", SECONDS, "The state that is left has played for this many seconds or longer."),
        may(
            "after_laps",
            Kind::Number(Some(0.0), Some(1.0e6)),
            "The state that is left has played this many laps or more.",
        ),
        may("layer", Kind::Text, "A layer: of the state or of the one-shot."),
        may("state", Kind::Text, "A state or group: the layer led with it before the step."),
        may(
            "one_shot",
            Kind::Either(&[Kind::Bool, Kind::Text]),
            "A montage or a clip: the layer plays it as a one-shot. True: it plays any; false: none.",
        ),
        may("all", Kind::List(&Kind::Table(&CONDITIONS)), "All of these hold."),
        may("any", Kind::List(&Kind::Table(&CONDITIONS)), "One of these holds."),
        may("not", Kind::Table(&CONDITIONS), "This does not hold."),
    ],
    one_of: &["when", "after_s", "after_laps", "state", "one_shot", "all", "any", "not"],
    needs: &[("state", "layer"), ("one_shot", "layer")],
};

const TEST: Kind = Kind::Either(&[Kind::Bool, Kind::Table(&COMPARISON)]);

static COMPARISON: Table = Table {
    name: "a condition",
    what: "What is asked of a number. All must hold.",
    keys: &[
        may("above", NUMBER, "A float or an int is greater."),
        may("below", NUMBER, "A float or an int is less."),
        may("is", WHOLE, "An int is this."),
        may("is_not", WHOLE, "An int is not this."),
    ],
    one_of: &[],
    needs: &[],
};

/// Checks a file against the tables: afterwards every value is of its kind.
pub(super) fn check(node: &Node<'_>) -> Result<(), GraphFileError> {
    table(node, &GRAPH, 0)
}

fn table(node: &Node<'_>, of: &'static Table, depth: usize) -> Result<(), GraphFileError> {
    if depth > DEEPEST {
        let what = if core::ptr::eq(of, &CONDITIONS) { "rules within rules" } else { "groups within groups" };
        return Err(node.wrong(format!("{what} may be {DEEPEST} deep")));
    }
    if node.sort() != Sort::Object {
        return Err(node.wrong(format!("{} is an object: {{ ... }}", of.name)));
    }
    let fields = node.fields()?;
    for (name, value) in &fields {
        let Some(key) = of.keys.iter().find(|key| key.name == name) else {
            let near = nearest(name, of.keys.iter().map(|key| key.name));
            let text = format!("{} has no key {}{}", of.name, Quote(name), DidYouMean(near));
            return Err(value.wrong(text));
        };
        let group = core::ptr::eq(of, &STATE) && name == "states";
        let rule = core::ptr::eq(of, &CONDITIONS) && ["all", "any", "not"].contains(&name.as_str());
        // A rule counts from its transition, wherever this stands.
        let from = if core::ptr::eq(of, &TRANSITION) { 1 } else { depth };
        kind(value, key.name, &key.kind, from.saturating_add(usize::from(group || rule)))?;
    }
    let has = |name: &str| fields.iter().any(|(key, _)| key == name);
    if let Some(missing) = of.keys.iter().find(|key| key.must && !has(key.name)) {
        return Err(node.wrong(format!("{} needs a key {:?}", of.name, missing.name)));
    }
    if !of.one_of.is_empty() && of.one_of.iter().filter(|name| has(name)).count() != 1 {
        let names: Vec<String> = of.one_of.iter().map(|name| format!("{name:?}")).collect();
        return Err(node.wrong(format!("{} has exactly one of {}", of.name, names.join(", "))));
    }
    match of.needs.iter().find(|(first, second)| has(first) && !has(second)) {
        Some((first, second)) => Err(node.wrong(format!("{} with {first:?} needs {second:?} too", of.name))),
        None => Ok(()),
    }
}

fn kind(node: &Node<'_>, key: &str, of: &'static Kind, depth: usize) -> Result<(), GraphFileError> {
    let wrong = |reason: String| node.wrong(format!("{key:?}: {reason}"));
    if !fits(node.sort(), of) {
        return Err(wrong(format!("it must be {}", words(of))));
    }
    match of {
        Kind::Text | Kind::Bool => Ok(()),
        Kind::Word(known) => {
            let text = node.text()?;
            if known.contains(&text.as_str()) {
                return Ok(());
            }
            let near = DidYouMean(nearest(&text, known.iter().copied()));
            Err(wrong(format!("{} is not known; it must be {}{near}", Quote(&text), words(of))))
        }
        Kind::Number(least, most) => {
            let number = node.number()?;
            let inside = least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most);
            // What is too large for 32 bits would become infinite.
            if inside && (number as f32).is_finite() {
                Ok(())
            } else {
                Err(wrong(format!("it must be {}", words(of))))
            }
        }
        Kind::Whole(least, most) => {
            let inside = node.whole().is_ok_and(|number| (*least..=*most).contains(&number));
            if inside { Ok(()) } else { Err(wrong(format!("it must be {}", words(of)))) }
        }
        Kind::List(each) => node.items()?.iter().try_for_each(|item| kind(item, key, each, depth)),
        Kind::Pair(each) => {
            let items = node.items()?;
            if items.len() != 2 {
                return Err(wrong(format!("it must be {}", words(of))));
            }
            items.iter().try_for_each(|item| kind(item, key, each, depth))
        }
        Kind::Named(each) => {
            node.fields()?.iter().try_for_each(|(name, value)| kind(value, name, each, depth))
        }
        Kind::Table(of) => table(node, of, depth),
        Kind::Either(all) => match all.iter().find(|one| fits(node.sort(), one)) {
            Some(one) => kind(node, key, one, depth),
            None => Err(wrong(format!("it must be {}", words(of)))),
        },
    }
}

/// Whether a value of this sort can be meant.
fn fits(sort: Sort, kind: &Kind) -> bool {
    match kind {
        Kind::Text | Kind::Word(_) => sort == Sort::Text,
        Kind::Number(..) | Kind::Whole(..) => sort == Sort::Number,
        Kind::Bool => sort == Sort::Bool,
        Kind::List(_) | Kind::Pair(_) => sort == Sort::List,
        Kind::Named(_) | Kind::Table(_) => sort == Sort::Object,
        Kind::Either(all) => all.iter().any(|kind| fits(sort, kind)),
    }
}

/// What is allowed, for a message.
fn words(kind: &Kind) -> String {
    match kind {
        Kind::Text => "a text".into(),
        Kind::Word(known) => known.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or "),
        Kind::Number(None, None) => "a finite number".into(),
        Kind::Number(least, most) => match (least, most) {
            (Some(least), Some(most)) => format!("a number from {least} to {most}"),
            (Some(least), None) => format!("a number, at least {least}"),
            (None, Some(most)) => format!("a number, at most {most}"),
            (None, None) => "a finite number".into(),
        },
        Kind::Whole(least, most) => format!("a whole number from {least} to {most}"),
        Kind::Bool => "true or false".into(),
        Kind::List(_) => "a list: [ ... ]".into(),
        Kind::Pair(each) => format!("a list of two: {}", words(each)),
        Kind::Named(_) => "an object with names for keys: { ... }".into(),
        Kind::Table(table) => format!("{}: {{ ... }}", table.name),
        Kind::Either(all) => all.iter().map(words).collect::<Vec<_>>().join(", or "),
    }
}

/// The published schema (JSON Schema 2020-12), as text.
#[must_use]
pub fn schema() -> String {
    let mut tables = Vec::new();
    GRAPH.keys.iter().for_each(|key| collect(&key.kind, &mut tables));
    let mut file = of_table(&GRAPH);
    file.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    file.insert("title".into(), json!("A graph of Lissom"));
    let own = tables.iter().map(|table| (definition(table), Value::Object(of_table(table))));
    file.insert("$defs".into(), own.collect::<Map<_, _>>().into());
    // Written by us: it is text.
    format!("{:#}\n", Value::Object(file))
}

/// Adds the tables that a value may be, or have in it.
fn collect(kind: &Kind, tables: &mut Vec<&'static Table>) {
    match kind {
        Kind::List(each) | Kind::Pair(each) | Kind::Named(each) => collect(each, tables),
        Kind::Either(all) => all.iter().for_each(|one| collect(one, tables)),
        Kind::Table(table) if !tables.iter().any(|known| core::ptr::eq(*known, *table)) => {
            tables.push(table);
            table.keys.iter().for_each(|key| collect(&key.kind, tables));
        }
        _ => {}
    }
}

/// `a rule of a mask` as a name.
fn definition(table: &Table) -> String {
    table.name.trim_start_matches("a ").replace(' ', "_")
}

fn of_table(table: &Table) -> Map<String, Value> {
    let key = |key: &Key| {
        let mut value = of_kind(&key.kind);
        if let Some(fields) = value.as_object_mut() {
            fields.insert("description".into(), json!(key.what));
        }
        (key.name.to_owned(), value)
    };
    let mut out = Map::new();
    out.insert("description".into(), json!(table.what));
    out.insert("type".into(), json!("object"));
    out.insert("properties".into(), table.keys.iter().map(key).collect::<Map<_, _>>().into());
    out.insert("additionalProperties".into(), json!(false));
    let needed: Vec<&str> = table.keys.iter().filter(|key| key.must).map(|key| key.name).collect();
    if !needed.is_empty() {
        out.insert("required".into(), json!(needed));
    }
    if !table.one_of.is_empty() {
        let one: Vec<Value> = table.one_of.iter().map(|name| json!({ "required": [name] })).collect();
        out.insert("oneOf".into(), json!(one));
    }
    if !table.needs.is_empty() {
        let needs = table.needs.iter().map(|(first, second)| ((*first).to_owned(), json!([second])));
        out.insert("dependentRequired".into(), needs.collect::<Map<_, _>>().into());
    }
    out
}

fn of_kind(kind: &Kind) -> Value {
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Word(known) => json!({ "enum": known }),
        Kind::Number(least, most) => {
            let mut out = Map::new();
            out.insert("type".into(), json!("number"));
            let bounds = [("minimum", least), ("maximum", most)];
            out.extend(bounds.iter().filter_map(|(name, v)| Some(((*name).to_owned(), json!((**v)?)))));
            Value::Object(out)
        }
        Kind::Whole(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::List(each) => json!({ "type": "array", "items": of_kind(each) }),
        Kind::Pair(each) => {
            json!({ "type": "array", "items": of_kind(each), "minItems": 2, "maxItems": 2 })
        }
        Kind::Named(each) => json!({ "type": "object", "additionalProperties": of_kind(each) }),
        Kind::Table(table) => json!({ "$ref": format!("#/$defs/{}", definition(table)) }),
        Kind::Either(all) => json!({ "anyOf": all.iter().map(of_kind).collect::<Vec<_>>() }),
    }
}
