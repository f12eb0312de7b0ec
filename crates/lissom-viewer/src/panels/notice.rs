//! Who moves the character.

use crate::{
    settings::{Drives, Panel},
    state::{Command, Commands, View},
};

/// Says who moves the character or what the picture shows, where that is not this panel; and lets it.
pub(super) fn notice(panel: Panel, view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let settings = view.settings;
    let (now, offered, command) = match (panel.drives(), panel.shows()) {
        (Some(drives), _) if settings.drives != drives || !view.shows_document() => {
            let who = match (view.shows_document(), settings.drives) {
                (false, _) => "The picture shows something else.",
                (_, Drives::Clip) => "A clip moves the character.",
                (_, Drives::Mix) => "The mix moves the character.",
                (_, Drives::Graph) => "The graph moves the character.",
            };
            (who, format!("let the {} do it", drives.name()), Command::Drive(drives))
        }
        (_, Some(shows)) if settings.shows != shows => {
            ("The picture shows the character.", format!("show the {}", panel.name()), Command::Show(shows))
        }
        _ => return,
    };
    ui.horizontal_wrapped(|ui| {
        ui.weak(now);
        if ui.button(offered).clicked() {
            commands.push(command);
        }
    });
    ui.separator();
}
