//! Keys, where no field wants them. One table says what they do, to those who press them and to those who ask.

use crate::{
    camera::Side,
    settings::{Panel, Settings},
    state::{Command, Commands, View},
};
use egui::{Key, KeyboardShortcut as Chord, Modifiers};

const PLAIN: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;
const ALT: Modifiers = Modifiers::ALT;
const SHIFT: Modifiers = Modifiers::SHIFT;
const BOTH: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };

/// What a key does; `None`: nothing now.
type Does = fn(&View<'_>) -> Option<Command>;

/// Keys that do something, and how that is said.
pub(super) struct Bound {
    pub chord: Chord,
    pub words: &'static str,
    does: Does,
}

const fn bound(modifiers: Modifiers, key: Key, words: &'static str, does: Does) -> Bound {
    Bound { chord: Chord::new(modifiers, key), words, does }
}

/// A switch that is turned over.
macro_rules! turn {
    ($field:ident) => {
        |view| Some(Command::Set(Settings { $field: !view.settings.$field, ..*view.settings }))
    };
}

/// A panel that is opened, or closed.
macro_rules! panel {
    ($name:ident) => {
        |view| {
            let panel = Panel::$name;
            Some(if view.ui.panels.has(panel) { Command::Close(panel) } else { Command::Open(panel) })
        }
    };
}

/// Groups of keys. Of two that begin alike the one with more keys comes first: the other would take it, too.
pub(super) const GROUPS: [(&str, &[Bound]); 6] = [
    (
        "time",
        &[
            bound(PLAIN, Key::Space, "play and pause", |_| Some(Command::PlayOrPause)),
            bound(SHIFT, Key::ArrowLeft, "ten frames back", |view| frames(view, -10.0)),
            bound(SHIFT, Key::ArrowRight, "ten frames on", |view| frames(view, 10.0)),
            bound(PLAIN, Key::ArrowLeft, "a frame back", |view| frames(view, -1.0)),
            bound(PLAIN, Key::ArrowRight, "a frame on", |view| frames(view, 1.0)),
            bound(PLAIN, Key::Home, "to the start", |view| go(view, 0.0)),
            bound(PLAIN, Key::End, "to the end", |view| go(view, view.open.duration_s())),
            bound(PLAIN, Key::PageUp, "the clip before", |view| clip(view, -1)),
            bound(PLAIN, Key::PageDown, "the next clip", |view| clip(view, 1)),
            bound(PLAIN, Key::OpenBracket, "slower", |view| speed(view, -0.25)),
            bound(PLAIN, Key::CloseBracket, "faster", |view| speed(view, 0.25)),
            bound(PLAIN, Key::Backslash, "the speed of the file", |_| Some(Command::Speed(1.0))),
            bound(PLAIN, Key::L, "loop", |view| Some(Command::Repeat(!view.settings.repeat))),
            bound(PLAIN, Key::I, "play from here on", |view| ends(view, true)),
            bound(PLAIN, Key::O, "play up to here", |view| ends(view, false)),
            bound(PLAIN, Key::X, "play all again", |view| view.open.range.map(|_| Command::Range(None))),
        ],
    ),
    (
        "camera",
        &[
            bound(PLAIN, Key::F, "all in view", |_| Some(Command::Frame)),
            bound(ALT, Key::Num1, "from the front", |_| Some(Command::LookFrom(Side::Front))),
            bound(ALT, Key::Num2, "from the back", |_| Some(Command::LookFrom(Side::Back))),
            bound(ALT, Key::Num3, "from its left", |_| Some(Command::LookFrom(Side::Left))),
            bound(ALT, Key::Num4, "from its right", |_| Some(Command::LookFrom(Side::Right))),
            bound(ALT, Key::Num5, "from the top", |_| Some(Command::LookFrom(Side::Top))),
            bound(ALT, Key::Num6, "from below", |_| Some(Command::LookFrom(Side::Bottom))),
            bound(PLAIN, Key::P, "perspective, or parallel rays", |_| Some(Command::Parallel)),
            bound(PLAIN, Key::C, "the camera goes along", turn!(follow)),
        ],
    ),
    (
        "what is drawn",
        &[
            bound(PLAIN, Key::M, "meshes", turn!(meshes)),
            bound(PLAIN, Key::S, "skeleton", turn!(bones)),
            bound(PLAIN, Key::G, "floor", turn!(floor)),
            bound(PLAIN, Key::B, "plain background", turn!(plain)),
            bound(PLAIN, Key::W, "edges of triangles", turn!(wire)),
            bound(PLAIN, Key::N, "normals", turn!(normals)),
            bound(PLAIN, Key::T, "dark, or light", |_| Some(Command::Theme)),
        ],
    ),
    (
        "panels",
        &[
            bound(CTRL, Key::Num1, "clips", panel!(Clips)),
            bound(CTRL, Key::Num2, "display", panel!(Display)),
            bound(CTRL, Key::Num3, "inspect", panel!(Inspect)),
            bound(CTRL, Key::Num4, "mix", panel!(Mix)),
            bound(BOTH, Key::Num5, "matching", panel!(Matching)),
            bound(CTRL, Key::Num5, "graph", panel!(Graph)),
            bound(CTRL, Key::Num6, "compression", panel!(Compression)),
            bound(CTRL, Key::Num7, "curves", panel!(Curves)),
            bound(CTRL, Key::Num8, "retarget", panel!(Retarget)),
            bound(CTRL, Key::Num9, "crowd", panel!(Crowd)),
            bound(CTRL, Key::Num0, "world", panel!(World)),
        ],
    ),
    (
        "work",
        &[
            bound(CTRL, Key::O, "open files", |_| Some(Command::Browse { beside: false })),
            bound(BOTH, Key::Z, "do again", |_| Some(Command::Redo)),
            bound(CTRL, Key::Y, "do again", |_| Some(Command::Redo)),
            bound(CTRL, Key::Z, "take back", |_| Some(Command::Undo)),
            bound(PLAIN, Key::Questionmark, "these keys", |view| Some(Command::Help(!view.ui.help))),
            bound(PLAIN, Key::Escape, "close what was told", |_| Some(Command::Escape)),
        ],
    ),
    (
        "graph",
        &[
            bound(PLAIN, Key::Num1, "its first trigger", |_| Some(Command::Trigger(0))),
            bound(PLAIN, Key::Num2, "its second", |_| Some(Command::Trigger(1))),
            bound(PLAIN, Key::Num3, "its third, and so on up to 9", |_| Some(Command::Trigger(2))),
            bound(PLAIN, Key::Num4, "", |_| Some(Command::Trigger(3))),
            bound(PLAIN, Key::Num5, "", |_| Some(Command::Trigger(4))),
            bound(PLAIN, Key::Num6, "", |_| Some(Command::Trigger(5))),
            bound(PLAIN, Key::Num7, "", |_| Some(Command::Trigger(6))),
            bound(PLAIN, Key::Num8, "", |_| Some(Command::Trigger(7))),
            bound(PLAIN, Key::Num9, "", |_| Some(Command::Trigger(8))),
        ],
    ),
];

/// What the mouse does.
pub(super) const MOUSE: [(&str, &str); 9] = [
    ("drag, middle drag", "turn"),
    ("shift or right drag", "move"),
    ("wheel, pinch", "nearer, farther"),
    ("double click", "all in view"),
    ("click on a joint", "choose it, where the skeleton is shown"),
    ("wheel on the time line", "more or less of it; alt drag: a part that plays alone"),
    ("drop files", "open them; motions come onto the character"),
    ("shift while dropping", "open them beside what is open"),
    ("drop a graph (.json)", "play it with the clips that are open"),
];

/// `ctrl shift Z`.
pub(super) fn said(chord: &Chord) -> String {
    let held = [
        (chord.modifiers.command, "ctrl "),
        (chord.modifiers.shift, "shift "),
        (chord.modifiers.alt, "alt "),
    ];
    let held: String = held.into_iter().filter(|(held, _)| *held).map(|(_, word)| word).collect();
    let key = match chord.logical_key {
        Key::Space => "space",
        Key::Questionmark => "?",
        Key::ArrowLeft => "left",
        Key::ArrowRight => "right",
        Key::PageUp => "page up",
        Key::PageDown => "page down",
        Key::OpenBracket => "[",
        Key::CloseBracket => "]",
        Key::Backslash => "\\",
        Key::Escape => "esc",
        Key::Home => "home",
        Key::End => "end",
        key => key.name(),
    };
    held + key
}

/// The keys that open and close a panel.
pub(super) fn key_of(panel: Panel) -> Option<String> {
    let (_, keys) = GROUPS.iter().find(|(name, _)| *name == "panels")?;
    keys.iter().find(|bound| bound.words == panel.name()).map(|bound| said(&bound.chord))
}

pub(crate) fn keys(view: &View<'_>, ctx: &egui::Context, commands: &mut Commands) {
    // Who writes wants letters; what else has the focus wants the keys that use it.
    if ctx.text_edit_focused() {
        return;
    }
    let focus = ctx.egui_wants_keyboard_input();
    for bound in GROUPS.iter().flat_map(|(_, keys)| *keys) {
        if focus && bound.chord.modifiers.is_none() {
            continue;
        }
        // A question mark is typed in many ways.
        let pressed = match bound.chord.logical_key {
            Key::Questionmark => ctx.input(|i| i.key_pressed(Key::Questionmark)),
            _ => ctx.input_mut(|i| i.consume_shortcut(&bound.chord)),
        };
        if pressed {
            commands.extend((bound.does)(view));
        }
    }
}

fn go(view: &View<'_>, time_s: f64) -> Option<Command> {
    view.time_s()?;
    Some(Command::Scrub(time_s.clamp(0.0, view.open.duration_s())))
}

fn frames(view: &View<'_>, count: f64) -> Option<Command> {
    go(view, view.time_s()? + count / view.stage.rate_hz())
}

fn clip(view: &View<'_>, by: isize) -> Option<Command> {
    let document = view.open.document.as_ref()?;
    let all = &document.clips;
    let now = all.iter().position(|clip| Some(clip.name.as_str()) == document.player.playing());
    let next = match now {
        Some(now) => (now as isize + by).rem_euclid(all.len() as isize) as usize,
        None => 0,
    };
    Some(Command::Play(all.get(next)?.name.clone()))
}

fn speed(view: &View<'_>, by: f64) -> Option<Command> {
    Some(Command::Speed((view.open.speed + by).clamp(-2.0, 2.0)))
}

/// A part of the clip that begins or ends here.
fn ends(view: &View<'_>, begins: bool) -> Option<Command> {
    let now = view.time_s()?;
    let [from_s, to_s] = view.open.range.unwrap_or([0.0, view.open.duration_s()]);
    let range = if begins { [now, to_s] } else { [from_s, now] };
    (range[1] - range[0] > 1e-3).then_some(Command::Range(Some(range)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_key_does_two_things_and_longer_ones_come_first() {
        let all: Vec<&Bound> = GROUPS.iter().flat_map(|(_, keys)| *keys).collect();
        let chords: BTreeSet<String> = all.iter().map(|bound| said(&bound.chord)).collect();
        assert_eq!(chords.len(), all.len());
        for (i, bound) in all.iter().enumerate() {
            for later in &all[i + 1..] {
                let (a, b) = (bound.chord, later.chord);
                // Shift is not asked for by who does not need it: `consume_shortcut` says so.
                let takes = a.logical_key == b.logical_key && b.modifiers.shift && !a.modifiers.shift;
                assert!(
                    !(takes && a.modifiers.command == b.modifiers.command),
                    "{} takes {}",
                    said(&a),
                    said(&b)
                );
            }
        }
    }

    #[test]
    fn every_panel_has_its_keys() {
        let mut keys = BTreeSet::new();
        for panel in Panel::ALL {
            assert!(keys.insert(key_of(panel).unwrap_or_else(|| panic!("{panel:?}"))));
        }
    }
}
