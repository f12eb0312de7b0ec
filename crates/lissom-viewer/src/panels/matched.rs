//! The matching panel: which frame plays and what it costs, and what else a search could find.

use super::notice::notice;
use crate::{
    drive::{Directed, Jump, Matched, Now, PAST_S},
    look::{self, Palette},
    settings::Panel,
    shown::{BEST, Candidate, Candidates, playing_color, wanted_color},
    state::{Commands, View},
};
use egui::{Color32, CornerRadius, Grid, Rect, Sense, Stroke, Ui, pos2, vec2};
use egui_plot::{Corner, Legend, Line, Plot, PlotPoints, VLine};
use lissom_motion::matching::Database;

/// How wide the bars of the table are, in points.
const BAR: f32 = 58.0;
/// Groups that never cost more than this have no line.
const NOTHING: f32 = 1e-6;

pub(crate) fn matched(view: &View<'_>, ui: &mut Ui, commands: &mut Commands) {
    let Some(document) = &view.open.document else { return };
    if !document.is_matched() {
        ui.weak(
            "No state of the graph is played by motion matching. docs/MATCHING.md tells how to make one.",
        );
        return;
    }
    notice(Panel::Matching, view, ui, commands);
    let Some(directed) = &document.directed else { return };
    if directed.matched.is_empty() {
        ui.weak("No state that is played by motion matching has led yet.");
    }
    for matched in &directed.matched {
        if directed.matched.len() > 1 {
            ui.separator();
        }
        let candidates = view.stage.candidates.iter().find(|own| own.layer() == matched.layer);
        layer(directed, matched, candidates, ui);
    }
}

fn layer(directed: &Directed, matched: &Matched, candidates: Option<&Candidates>, ui: &mut Ui) {
    let palette = look::of(ui.visuals());
    let database = &*matched.asked.database;
    match &matched.now {
        Some(now) => playing(now, database, ui),
        None => {
            let name = directed.parts.layers.get(matched.layer).map_or("", |layer| layer.name.as_str());
            ui.weak(format!("Another state of the layer {name} leads now."));
        }
    }
    ui.horizontal_wrapped(|ui| {
        let best = format!("the {BEST} best others");
        let keys = [
            (wanted_color(palette), "wanted"),
            (playing_color(palette), "playing"),
            (palette.weak, best.as_str()),
        ];
        for (color, words) in keys {
            let (rect, _) = ui.allocate_exact_size(vec2(14.0, 10.0), Sense::hover());
            ui.painter().hline(rect.x_range(), rect.center().y, Stroke::new(2.4, color));
            ui.weak(words);
        }
    });
    plot(matched, palette, ui);
    if let Some(candidates) = candidates {
        table(database, candidates, palette, ui);
    }
    jumps(matched, ui);
}

/// What plays.
fn playing(now: &Now, database: &Database, ui: &mut Ui) {
    ui.strong(format!("{} at {:.2} s", now.clip, now.time_s));
    ui.label(format!(
        "frame {} of {} in {}, state {}",
        now.frame,
        database.frames(),
        now.database,
        now.state
    ));
    let jumps = if now.jumps == 1 { "jump" } else { "jumps" };
    ui.label(format!("{} searches, {} {jumps}", now.searches, now.jumps));
}

/// The colour of a group of features.
fn group_color(palette: &Palette, group: usize) -> Color32 {
    palette.series[group % palette.series.len()]
}

/// What the frame that plays cost, by groups of features.
fn plot(matched: &Matched, palette: &Palette, ui: &mut Ui) {
    ui.separator();
    ui.weak("What the playing frame costs, in squared deviations, over seconds");
    let Some(last) = matched.moments.back() else { return };
    let plot = Plot::new(("matching", matched.layer))
        .height(170.0)
        .legend(Legend::default().position(Corner::LeftTop));
    let plot = plot.allow_scroll(false).include_y(0.0).include_x(last.time_s - PAST_S).include_x(last.time_s);
    let jumps = matched.jumps.iter().filter(|jump| jump.time_s > last.time_s - PAST_S);
    plot.show(ui, |plot| {
        for jump in jumps {
            plot.vline(VLine::new("", jump.time_s).color(palette.outline));
        }
        let line = |cost: &dyn Fn(&[f32]) -> f32| -> PlotPoints<'_> {
            matched.moments.iter().map(|own| [own.time_s, f64::from(cost(&own.by_group))]).collect()
        };
        for (number, group) in matched.asked.database.groups().iter().enumerate() {
            let of = |costs: &[f32]| costs.get(number).copied().unwrap_or_default();
            if matched.moments.iter().any(|own| of(&own.by_group) > NOTHING) {
                let color = group_color(palette, number);
                plot.line(Line::new(group.name.as_str(), line(&of)).color(color).width(1.5));
            }
        }
        let all = line(&|costs| costs.iter().sum());
        plot.line(Line::new("all", all).color(palette.strong).width(1.5));
    });
    ui.weak("The pose costs nothing: a search asks for that of the playing frame.");
}

/// The last jumps.
fn jumps(matched: &Matched, ui: &mut Ui) {
    ui.separator();
    ui.strong("Jumps");
    if matched.jumps.is_empty() {
        ui.weak("none yet");
    }
    for Jump { time_s, from, to } in &matched.jumps {
        ui.horizontal_wrapped(|ui| {
            ui.monospace(format!("{time_s:6.2} s"));
            let [from, to] = [*from, *to].map(|frame| place(&matched.asked.database, frame));
            ui.label(format!("{from} to {to}"));
        });
    }
}

/// The clip of a frame, and when it is there.
fn place(database: &Database, frame: u32) -> String {
    let place = database.place(frame);
    let clip = place.and_then(|place| database.clips().get(place.clip as usize).map(|clip| (clip, place)));
    clip.map_or_else(String::new, |(clip, place)| format!("{clip} {:.2}", place.time_s))
}

/// What the last search could find.
fn table(database: &Database, candidates: &Candidates, palette: &Palette, ui: &mut Ui) {
    ui.separator();
    ui.strong("Best frames of the last search");
    let playing = candidates.playing.iter().map(|own| (own, true));
    let rows: Vec<(&Candidate, bool)> =
        playing.chain(candidates.best.iter().map(|own| (own, false))).collect();
    let most = rows.iter().map(|(own, _)| own.cost).fold(NOTHING, f32::max);
    Grid::new(("best", candidates.layer())).num_columns(4).striped(true).spacing([10.0, 3.0]).show(
        ui,
        |ui| {
            for head in ["clip", "at", "cost", "by features"] {
                ui.weak(head);
            }
            ui.end_row();
            for (own, plays) in rows {
                let name = if plays { format!("{} (plays)", own.clip) } else { own.clip.clone() };
                ui.label(name).on_hover_text(format!("frame {}", own.frame));
                ui.monospace(format!("{:.2}", own.time_s));
                ui.monospace(format!("{:.3}", own.cost));
                bar(database, own, most, palette, ui);
                ui.end_row();
            }
        },
    );
    ui.horizontal_wrapped(|ui| {
        let used = |number: usize| {
            let mut all = candidates.playing.iter().chain(&candidates.best);
            all.any(|own| own.by_group.get(number).is_some_and(|cost| *cost > NOTHING))
        };
        for (number, group) in database.groups().iter().enumerate().filter(|(number, _)| used(*number)) {
            let (rect, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
            ui.painter().rect_filled(rect, 2.0, group_color(palette, number));
            ui.weak(&group.name);
        }
    });
}

/// What each group adds to a frame's cost, one behind the other; the dearest frame's bar is whole.
fn bar(database: &Database, own: &Candidate, most: f32, palette: &Palette, ui: &mut Ui) {
    let (rect, response) = ui.allocate_exact_size(vec2(BAR, 12.0), Sense::hover());
    let mut from = rect.left();
    for (number, cost) in own.by_group.iter().enumerate() {
        let to = from + rect.width() * cost / most;
        let piece = Rect::from_min_max(pos2(from, rect.top()), pos2(to, rect.bottom()));
        ui.painter().rect_filled(piece, CornerRadius::ZERO, group_color(palette, number));
        from = to;
    }
    response.on_hover_ui(|ui| {
        for (group, cost) in database.groups().iter().zip(&own.by_group) {
            ui.label(format!("{}: {cost:.3}", group.name));
        }
    });
}
