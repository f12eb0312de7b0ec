//! Keys, where no field wants them.

use crate::state::{Command, Commands, View};
use egui::{Key, Modifiers};

/// Steps of the arrow keys, in seconds.
const FRAME_S: f64 = 1.0 / 30.0;

pub(crate) fn keys(view: &View<'_>, ctx: &egui::Context, commands: &mut Commands) {
    if ctx.egui_wants_keyboard_input() {
        return;
    }
    // The longer one first: the shorter would take it, too.
    for (modifiers, key, redo) in [
        (Modifiers::COMMAND | Modifiers::SHIFT, Key::Z, true),
        (Modifiers::COMMAND, Key::Y, true),
        (Modifiers::COMMAND, Key::Z, false),
    ] {
        if ctx.input_mut(|i| i.consume_key(modifiers, key)) {
            commands.push(if redo { Command::Redo } else { Command::Undo });
        }
    }
    let pressed = |key| ctx.input(|i| i.key_pressed(key));
    if pressed(Key::Space) {
        commands.push(Command::PlayOrPause);
    }
    if pressed(Key::F) {
        commands.push(Command::Frame);
    }
    if pressed(Key::Questionmark) {
        commands.push(Command::Help(!view.ui.help));
    }
    if pressed(Key::Escape) {
        commands.extend([Command::Help(false), Command::Report(false)]);
        commands.extend([Command::DismissFailure, Command::DismissTold]);
    }
    use Key::{Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9};
    const DIGITS: [Key; 9] = [Num1, Num2, Num3, Num4, Num5, Num6, Num7, Num8, Num9];
    commands.extend((0..DIGITS.len()).filter(|nth| pressed(DIGITS[*nth])).map(Command::Trigger));
    let duration_s = view.open.duration_s();
    let now = view.time_s().unwrap_or(0.0);
    for (key, time_s) in [
        (Key::ArrowLeft, now - FRAME_S),
        (Key::ArrowRight, now + FRAME_S),
        (Key::Home, 0.0),
        (Key::End, duration_s),
    ] {
        if pressed(key) {
            commands.push(Command::Scrub(time_s.clamp(0.0, duration_s)));
        }
    }
}
