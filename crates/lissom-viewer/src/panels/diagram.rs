//! A layer of a graph as a drawing: states as boxes, transitions as arrows. What plays is lit.

use crate::look;
use egui::{Align2, Pos2, Rect, Sense, Stroke, TextStyle, Vec2, pos2, vec2};
use lissom_motion::graph::{LayerParts, TransitionParts};

const BOX: Vec2 = vec2(96.0, 30.0);
const STEP: Vec2 = vec2(124.0, 62.0);
/// How far from a box a way round it runs: between two boxes there is room for three.
const BESIDE: f32 = 8.0;
/// From one way to the next that would run at the same place.
const APART: f32 = 6.0;

/// How a state is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lit {
    /// It leads.
    Lead,
    /// It is heard still.
    Fading,
    No,
}

/// How a state is drawn while these play, the oldest first.
fn lit(state: &str, playing: &[&str]) -> Lit {
    match playing.split_last() {
        Some((lead, _)) if *lead == state => Lit::Lead,
        Some((_, older)) if older.contains(&state) => Lit::Fading,
        _ => Lit::No,
    }
}

/// True if a transition from one state to another runs: the second took over from the first.
fn runs(from: &str, to: &str, playing: &[&str]) -> bool {
    playing.windows(2).any(|pair| pair == [from, to])
}

/// A layer that plays these states, the oldest first.
pub(super) fn diagram(layer: &LayerParts, playing: &[&str], ui: &mut egui::Ui) {
    let columns = columns(ui.available_width());
    let rows = layer.states.len().div_ceil(columns);
    let size = vec2(ui.available_width(), rows as f32 * STEP.y);
    let (area, _) = ui.allocate_exact_size(size, Sense::hover());
    let boxes = boxes(layer.states.len(), columns, area.min);
    let (visuals, painter) = (ui.visuals(), ui.painter_at(area));
    let stroke = Stroke::new(1.2, visuals.widgets.noninteractive.fg_stroke.color);
    let palette = look::of(visuals);
    let mut lit_ways = Vec::new();
    for way in ways(layer, &boxes) {
        let [from, to] = [way.from, way.to].map(|state| layer.states[state].name.as_str());
        if runs(from, to, playing) {
            lit_ways.push(way);
        } else {
            arrow(&painter, &way.line, stroke);
        }
    }
    // Over the others.
    for way in lit_ways {
        arrow(&painter, &way.line, Stroke::new(2.4, palette.link));
    }
    let font = TextStyle::Small.resolve(ui.style());
    for (rect, state) in boxes.into_iter().zip(&layer.states) {
        let lit = lit(&state.name, playing);
        let (fill, ink) = match lit {
            Lit::Lead => (palette.accent, palette.on_accent),
            Lit::Fading | Lit::No => (palette.raised, palette.text),
        };
        painter.rect_filled(rect, 5.0, fill);
        if lit == Lit::Fading {
            painter.rect_stroke(rect, 5.0, Stroke::new(2.0, palette.link), egui::StrokeKind::Inside);
        }
        painter.text(rect.center(), Align2::CENTER_CENTER, &state.name, font.clone(), ink);
    }
}

fn columns(width: f32) -> usize {
    ((width / STEP.x) as usize).clamp(1, 6)
}

fn boxes(count: usize, columns: usize, corner: Pos2) -> Vec<Rect> {
    let place = |index: usize| {
        let (column, row) = (index % columns, index / columns);
        corner + vec2(column as f32 * STEP.x + 4.0, row as f32 * STEP.y + 14.0)
    };
    (0..count).map(|index| Rect::from_min_size(place(index), BOX)).collect()
}

/// A transition, from state to state.
struct Way {
    from: usize,
    to: usize,
    line: Vec<Pos2>,
}

/// A line for every transition, from box to box.
fn ways(layer: &LayerParts, boxes: &[Rect]) -> Vec<Way> {
    // A group's transitions are those of its states.
    let of = |name: &str| -> Vec<usize> {
        let inside = |state: &str| {
            name == TransitionParts::ANY || state == name || state.starts_with(&format!("{name}/"))
        };
        (0..layer.states.len()).filter(|s| inside(&layer.states[*s].name)).collect()
    };
    let (mut ways, mut round) = (Vec::new(), 0);
    for way in &layer.transitions {
        for from in of(&way.from) {
            let Some(to) = of(&way.to).first().copied().filter(|to| *to != from) else { continue };
            let line = straight(boxes[from], boxes[to]);
            let blocked =
                |(index, rect): (usize, &Rect)| index != from && index != to && crosses(*rect, line);
            let line = if boxes.iter().enumerate().any(blocked) {
                round = (round + 1) % 3;
                beside(boxes[from], boxes[to], ((round + 2) % 3) as f32 * APART)
            } else {
                line.to_vec()
            };
            ways.push(Way { from, to, line });
        }
    }
    ways
}

/// From one box to another; there and back are two lines beside each other.
fn straight(from: Rect, to: Rect) -> [Pos2; 2] {
    let along = (to.center() - from.center()).normalized();
    let beside = along.rot90() * 7.0;
    let border = |rect: Rect, towards: Vec2| -> Pos2 {
        let half = rect.size() * 0.5;
        let reach = |axis: usize| match towards[axis] {
            slight if slight.abs() < 1e-3 => f32::INFINITY,
            towards => (half[axis].copysign(towards) - beside[axis]) / towards,
        };
        rect.center() + beside + towards * reach(0).min(reach(1))
    };
    [border(from, along), border(to, -along)]
}

/// True if a line goes through a box.
fn crosses(rect: Rect, [a, b]: [Pos2; 2]) -> bool {
    let (way, mut from, mut to) = (b - a, 0.0_f32, 1.0_f32);
    for axis in 0..2 {
        let [low, high] = [rect.min, rect.max].map(|side| (side[axis] - a[axis]) / way[axis]);
        if way[axis].abs() < 1e-6 {
            if a[axis] < rect.min[axis] || a[axis] > rect.max[axis] {
                return false;
            }
        } else {
            (from, to) = (from.max(low.min(high)), to.min(low.max(high)));
        }
    }
    from <= to
}

/// Between the rows and columns, where no box is: out of one box, along, and into the other.
fn beside(from: Rect, to: Rect, further: f32) -> Vec<Pos2> {
    // Down to what is below, else up: also to what is in the same row.
    let down = to.top() > from.top();
    let leave = |rect: Rect, down: bool| {
        let (edge, out) = if down { (rect.bottom(), 1.0) } else { (rect.top(), -1.0) };
        (edge, edge + out * (BESIDE + further * 0.5))
    };
    let (start, first) = leave(from, down);
    let (end, last) = leave(to, !down && to.top() < from.top());
    let x = to.right() + BESIDE + further;
    // Not where the straight ones are.
    let [out, into] = [from, to].map(|rect| rect.right() - 28.0 - further);
    vec![pos2(out, start), pos2(out, first), pos2(x, first), pos2(x, last), pos2(into, last), pos2(into, end)]
}

fn arrow(painter: &egui::Painter, way: &[Pos2], stroke: Stroke) {
    painter.line(way.to_vec(), stroke);
    if let [.., before, end] = way {
        let along = (*end - *before).normalized();
        for side in [-0.5, 0.5] {
            let back = -(along + along.rot90() * side) * 7.0;
            painter.line_segment([*end, *end + back], stroke);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::of_mannequin;
    use lissom_motion::graph::StateParts;

    /// No way goes through a box; `true` if one goes round.
    fn looked_at(layer: &LayerParts, columns: usize) -> bool {
        let boxes = boxes(layer.states.len(), columns, pos2(10.0, 20.0));
        let ways = ways(layer, &boxes);
        for Way { line: way, .. } in &ways {
            let ends = [way[0], way[way.len() - 1]];
            for rect in boxes.iter().filter(|rect| ends.iter().all(|end| rect.distance_to_pos(*end) > 7.5)) {
                let through = way.windows(2).any(|part| crosses(*rect, [part[0], part[1]]));
                assert!(!through, "{columns} columns: {way:?} {rect:?}");
            }
        }
        ways.iter().any(|way| way.line.len() > 2)
    }

    #[test]
    fn what_plays_is_lit_and_so_is_the_way_that_it_came() {
        let playing = ["walk", "jump", "air"];
        let of = |state| lit(state, &playing);
        assert_eq!(
            [of("air"), of("jump"), of("walk"), of("land")],
            [Lit::Lead, Lit::Fading, Lit::Fading, Lit::No]
        );
        assert_eq!(lit("air", &[]), Lit::No);
        assert!(runs("walk", "jump", &playing) && runs("jump", "air", &playing));
        assert!(!runs("jump", "walk", &playing) && !runs("walk", "air", &playing));
        // A group's transition is lit from the one state that it was taken from.
        let layer = LayerParts::new("all")
            .state(StateParts::clip("a", "walk"))
            .state(StateParts::clip("b", "walk"))
            .state(StateParts::clip("c", "walk"))
            .transition(TransitionParts::new(TransitionParts::ANY, "c"));
        let boxes = boxes(3, 2, pos2(0.0, 0.0));
        let ways = ways(&layer, &boxes);
        assert_eq!(ways.iter().map(|way| (way.from, way.to)).collect::<Vec<_>>(), [(0, 2), (1, 2)]);
    }

    #[test]
    fn no_arrow_runs_behind_a_state() {
        let mannequin = &of_mannequin().layers[0];
        assert!(looked_at(mannequin, 2), "from landing to moving it goes round the jump");
        // Everybody to everybody.
        let mut all = LayerParts::new("all");
        for from in 0..7 {
            all = all.state(StateParts::clip(&format!("s{from}"), "walk"));
            for to in (0..7).filter(|to| *to != from) {
                all = all.transition(TransitionParts::new(&format!("s{from}"), &format!("s{to}")));
            }
        }
        for columns in 1..=6 {
            looked_at(mannequin, columns);
            looked_at(&all, columns);
        }
    }
}
