//! The panels round the picture, and the picture itself. Each reads a [`View`] and says what is to be done: none changes anything.

mod bar;
mod browse;
mod compression;
mod content;
mod crowd;
mod curves;
mod diagram;
mod gizmo;
mod graph;
mod graph_edit;
mod inspect;
mod keys;
mod matched;
mod mix;
mod notice;
mod rail;
mod retarget;
mod scene;
mod side;
mod tiles;
mod timeline;
mod windows;
mod world;

pub(crate) use bar::bar;
pub(crate) use browse::browse;
pub(crate) use keys::keys;
pub(crate) use rail::rail;
pub(crate) use tiles::tiles;
pub(crate) use timeline::timeline;
pub(crate) use windows::{help, loading, recording, report};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        document::Document,
        look::dress,
        matched_file,
        settings::{Drives, Panel, Panels, Settings, Shows},
        state::{Command, Commands, Edit, History, Layout, Open, Stage, UiState, View},
    };
    use egui_kittest::{Harness, kittest::Queryable};

    /// All that panels read, without a graphics device; and what they asked for.
    struct Read {
        open: Open,
        stage: Stage,
        ui: UiState,
        settings: Settings,
        history: History,
        layout: Layout,
        asked: Commands,
    }

    /// The mannequin with a panel open, in a window that nobody draws.
    fn harness(panel: Option<Panel>) -> Harness<'static, Read> {
        harness_of(Document::mannequin().unwrap(), panel, 0.0)
    }

    /// The same of a document, after some time.
    fn harness_of(document: Document, panel: Option<Panel>, seconds: f64) -> Harness<'static, Read> {
        let mut open = Open::default();
        open.document = Some(document);
        let mut settings = Settings::default();
        let mut layout = Layout::default();
        if let Some(panel) = panel {
            layout.open(panel);
            settings.drives = panel.drives().unwrap_or_default();
            settings.shows = panel.shows().unwrap_or_default();
        }
        let mut stage = Stage::default();
        stage.advance(0.0, &mut open, &settings).unwrap();
        for _ in 0..(seconds * 60.0) as usize {
            stage.advance(1.0 / 60.0, &mut open, &settings).unwrap();
        }
        let mut ui = UiState::default();
        ui.panels = Panels::of(|panel| layout.has(panel));
        ui.seen = ui.panels;
        stage.prepare(&open, &settings, ui.seen).unwrap();
        let (history, asked) = (History::default(), Commands::new());
        let read = Read { open, stage, ui, settings, history, layout, asked };
        let mut harness =
            Harness::builder().with_size([1100.0, 700.0]).with_context_setup(dress).build_ui_state(
                |ui, read: &mut Read| {
                    let Read { open, stage, ui: state, settings, history, layout, asked } = read;
                    let view = View { open, stage, ui: state, settings, history };
                    bar(&view, ui, asked);
                    timeline(&view, ui, asked);
                    rail(&view, ui, asked);
                    tiles(&view, layout, ui, asked);
                    let ctx = ui.ctx().clone();
                    for window in [help, report, browse, recording, loading, keys] {
                        window(&view, &ctx, asked);
                    }
                    // What is learnt of where things are.
                    for command in
                        asked.extract_if(.., |c| matches!(c, Command::BarWidth(_) | Command::Seen(_)))
                    {
                        match command {
                            Command::BarWidth(width) => read.ui.bar_width = width,
                            Command::Seen(rect) => read.stage.seen = Some(rect),
                            _ => {}
                        }
                    }
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
        assert!(matches!(click(None, "compression")[..], [Command::Open(Panel::Compression)]));
        assert!(matches!(click(Some(Panel::Graph), "graph")[..], [Command::Close(Panel::Graph)]));
        assert!(matches!(click(Some(Panel::Graph), "close graph")[..], [Command::Close(Panel::Graph)]));
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
    fn a_panel_that_does_not_move_the_character_says_who_does() {
        for (panel, shown) in [(Panel::Mix, "let the mix do it"), (Panel::Graph, "let the graph do it")] {
            let mut harness = harness(Some(panel));
            assert!(harness.query_by_label(shown).is_none());
            harness.state_mut().settings.drives = Drives::Clip;
            harness.run_steps(2);
            harness.get_by_label(shown).click();
            harness.run_steps(2);
            let asked = &harness.state().asked[..];
            assert!(matches!(asked, [Command::Drive(drives)] if Some(*drives) == panel.drives()));
        }
        let mut harness = harness(Some(Panel::World));
        harness.state_mut().settings.shows = Default::default();
        harness.run_steps(2);
        harness.get_by_label("show the world").click();
        harness.run_steps(2);
        assert!(matches!(harness.state().asked[..], [Command::Show(Shows::World)]));
    }

    #[test]
    fn the_matching_panel_tells_what_plays_and_what_else_there_is() {
        let empty = harness(Some(Panel::Matching));
        assert!(
            empty.query_by_label_contains("No state of the graph is played by motion matching").is_some()
        );
        let made = |panel| {
            let archive = matched_file::archive();
            let mut document = Document::of_archive("hero.lsm".into(), archive, Vec::new()).unwrap();
            document.set_graph(matched_file::graph());
            harness_of(document, panel, 2.0)
        };
        // The rail offers it only where there is something to see.
        let offers = |harness: &Harness<'_, Read>| {
            harness.query_by_role_and_label(egui::Role::Button, "matching").is_some()
        };
        assert!(!offers(&harness(None)) && offers(&made(None)));
        let told = made(Some(Panel::Matching));
        let read = told.state();
        assert_eq!(read.stage.candidates.len(), 1);
        let directed = read.open.document.as_ref().unwrap().directed.as_ref().unwrap();
        let now = directed.matched[0].now.as_ref().unwrap();
        assert_eq!(now.clip, "idle", "nobody has asked it to go");
        assert!(told.query_by_label(&format!("idle at {:.2} s", now.time_s)).is_some());
        let searches = format!("{} searches", now.searches);
        assert!(now.searches > 15 && told.query_by_label_contains(&searches).is_some(), "{searches}");
        assert!(told.query_by_label("idle (plays)").is_some());
        let best = &read.stage.candidates[0].best;
        for own in [&best[0], &best[9]] {
            assert!(told.query_all_by_label(&format!("{:.3}", own.cost)).next().is_some(), "{}", own.cost);
        }
        // A panel that nobody sees looks at no database.
        let hidden = made(Some(Panel::Graph));
        assert!(hidden.state().stage.candidates.is_empty());
        assert!(hidden.query_by_label("matching…").is_some(), "the graph leads there");
    }

    #[test]
    fn windows_ask_to_be_closed() {
        let mut harness = harness(None);
        harness.state_mut().ui.help = true;
        harness.run_steps(3);
        assert!(harness.query_by_label("play and pause").is_some(), "keys are listed");
        harness.key_press(egui::Key::Escape);
        harness.run_steps(2);
        assert!(matches!(harness.state().asked[..], [Command::Escape]));
        harness.state_mut().asked.clear();
        harness.get_by_label("Close window").click();
        harness.run_steps(2);
        assert!(matches!(harness.state().asked[..], [Command::Help(false), ..]));
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
        assert_eq!(document.mixer.as_ref().expect("the mix moves it").channels[3].strip.weight, 0.0);
    }
}
