//! The panels round the picture, and the picture itself. Each reads a [`View`] and says what is to be done: none changes anything.

mod bar;
mod browse;
mod compression;
mod crowd;
mod curves;
mod diagram;
mod graph;
mod graph_edit;
mod keys;
mod mix;
mod retarget;
mod scene;
mod side;
mod timeline;
mod windows;
mod world;

pub(crate) use bar::bar;
pub(crate) use browse::browse;
pub(crate) use keys::keys;
pub(crate) use scene::{allocate, names, scene};
pub(crate) use side::side;
pub(crate) use timeline::timeline;
pub(crate) use windows::{help, loading, recording, report};

use crate::{
    settings::Panel,
    state::{Commands, View},
};

/// The panel at the right, if one is open.
pub(crate) fn right(view: &View<'_>, ui: &mut egui::Ui, commands: &mut Commands) {
    let Some(panel) = view.settings.panel else { return };
    let most = ui.available_width() * 0.6;
    egui::Panel::right("right").default_size(300.0).max_size(most).show(ui, |ui| {
        egui::ScrollArea::vertical().auto_shrink([false; 2]).show(ui, |ui| match panel {
            Panel::Mix => mix::mix(view, ui, commands),
            Panel::Graph => graph::graph(view, ui, commands),
            Panel::Compression => compression::compression(view, ui, commands),
            Panel::Curves => curves::curves(view, ui),
            Panel::Retarget => retarget::retarget(view, ui, commands),
            Panel::Crowd => crowd::crowd(view, ui, commands),
            Panel::World => world::world(view, ui, commands),
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        document::Document,
        settings::Settings,
        state::{Command, Edit, History, Open, Stage, UiState},
    };
    use egui_kittest::{Harness, kittest::Queryable};

    /// All that panels read, without a graphics device; and what they asked for.
    struct Read {
        open: Open,
        stage: Stage,
        ui: UiState,
        settings: Settings,
        history: History,
        asked: Commands,
    }

    /// The mannequin with a panel open, in a window that nobody draws.
    fn harness(panel: Option<Panel>) -> Harness<'static, Read> {
        let mut open = Open::default();
        open.document = Some(Document::mannequin().unwrap());
        let settings = Settings { panel, ..Settings::default() };
        let mut stage = Stage::default();
        stage.advance(0.0, &mut open, &settings).unwrap();
        stage.prepare(&open, &settings).unwrap();
        let (ui, history, asked) = (UiState::default(), History::default(), Commands::new());
        let read = Read { open, stage, ui, settings, history, asked };
        let mut harness = Harness::builder().with_size([900.0, 700.0]).build_ui_state(
            |ui, read: &mut Read| {
                let Read { open, stage, ui: state, settings, history, asked } = read;
                let view = View { open, stage, ui: state, settings, history };
                bar(&view, ui, asked);
                timeline(&view, ui, asked);
                side(&view, ui, asked);
                right(&view, ui, asked);
                keys(&view, ui.ctx(), asked);
                // The bar learns how wide it is.
                asked.retain(|command| match command {
                    Command::SwitchesWidth(width) => {
                        read.ui.switches_width = *width;
                        false
                    }
                    _ => true,
                });
            },
            read,
        );
        harness.run_steps(3);
        harness.state_mut().asked.clear();
        harness
    }

    /// What is asked for by a click on what is called so.
    fn click(panel: Option<Panel>, label: &str) -> Commands {
        let mut harness = harness(panel);
        harness.get_by_label(label).click();
        harness.run_steps(2);
        std::mem::take(&mut harness.state_mut().asked)
    }

    #[test]
    fn a_panel_at_rest_asks_for_nothing() {
        for panel in Panel::ALL.into_iter().map(Some).chain([None]) {
            let mut harness = harness(panel);
            harness.run_steps(5);
            assert!(harness.state().asked.is_empty(), "{panel:?}: {}", harness.state().asked.len());
        }
    }

    #[test]
    fn a_click_asks_for_what_it_says() {
        assert!(matches!(&click(None, "wave")[..], [Command::Play(clip)] if clip == "wave"));
        assert!(matches!(click(None, "pause")[..], [Command::PlayOrPause]));
        assert!(matches!(click(None, "floor")[..], [Command::Set(Settings { floor: false, .. })]));
        let panel = |commands: Commands| match commands[..] {
            [Command::Set(settings)] => settings.panel,
            _ => None,
        };
        assert_eq!(panel(click(None, "compression")), Some(Panel::Compression));
        assert!(matches!(click(Some(Panel::World), "wheel")[..], [Command::ChooseThing(Some(_))]));
        let set = click(Some(Panel::Graph), "set jump");
        assert!(matches!(&set[..], [Command::Parameter(name, _)] if name == "jump"));
        let once = click(Some(Panel::Graph), "play wave");
        assert!(matches!(&once[..], [Command::OneShot { clip, .. }] if clip == "wave"));
        // The worst moment of a clip.
        let mut harness = harness(Some(Panel::Compression));
        harness.get_all_by_label_contains(" mm at ").next().expect("clips were cooked").click();
        harness.run_steps(2);
        let asked = &harness.state().asked[..];
        assert!(matches!(asked, [Command::LookAt { clip, .. }] if clip == "walk"), "{}", asked.len());
    }

    #[test]
    fn a_slider_of_the_mix_asks_for_an_edit_and_changes_nothing() {
        let mut harness = harness(Some(Panel::Mix));
        let slider = harness.get_by_label("weight of run").rect();
        harness.hover_at(slider.center());
        harness.run_steps(1);
        harness.drag_at(slider.center());
        harness.run_steps(1);
        harness.drop_at(slider.center());
        harness.run_steps(1);
        let asked = &harness.state().asked;
        assert!(!asked.is_empty());
        for command in asked {
            assert!(
                matches!(command, Command::Edit(Edit::Mix(3, strip)) if (strip.weight - 0.5).abs() < 0.1)
            );
        }
        let document = harness.state().open.document.as_ref().unwrap();
        let crate::drive::Driver::Mix(mixer) = &document.driver else { panic!("the mix decides") };
        assert_eq!(mixer.channels[3].strip.weight, 0.0);
    }
}
