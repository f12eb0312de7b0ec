//! Icons, drawn with a few strokes. None stands alone: each comes with a word.

use egui::{Atom, Button, Color32, Painter, Pos2, Rect, Response, Shape, Stroke, Ui, Vec2, vec2};

/// How large one is beside text, in points.
const SIZE: f32 = 14.0;

/// A part of an icon, in a square of 16 by 16.
enum Part {
    /// A line through points.
    Line(&'static [(f32, f32)]),
    /// The same, closed.
    Loop(&'static [(f32, f32)]),
    /// The same, filled. It must be convex.
    Fill(&'static [(f32, f32)]),
    /// A circle round a point, and a filled one.
    Ring(f32, f32, f32),
    Dot(f32, f32, f32),
    /// A part of a circle: from an angle to another, in degrees; 0 is right, 90 is down.
    Arc(f32, f32, f32, f32, f32),
}

macro_rules! icons {
    ($($(#[$about:meta])* $name:ident = [$($part:expr),* $(,)?]),* $(,)?) => {
        /// What can be drawn.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Icon { $($(#[$about])* $name),* }

        impl Icon {
            #[cfg(test)]
            pub const ALL: &[Self] = &[$(Self::$name),*];

            fn parts(self) -> &'static [Part] {
                use Part::{Arc, Dot, Fill, Line, Loop, Ring};
                match self { $(Self::$name => const { &[$($part),*] }),* }
            }
        }
    };
}

icons! {
    Play = [Fill(&[(4.5, 2.5), (13.0, 8.0), (4.5, 13.5)])],
    Pause = [Fill(&[(4.0, 3.0), (6.6, 3.0), (6.6, 13.0), (4.0, 13.0)]), Fill(&[(9.4, 3.0), (12.0, 3.0), (12.0, 13.0), (9.4, 13.0)])],
    Range = [Line(&[(5.0, 3.0), (3.0, 3.0), (3.0, 13.0), (5.0, 13.0)]), Line(&[(11.0, 3.0), (13.0, 3.0), (13.0, 13.0), (11.0, 13.0)]), Line(&[(6.0, 8.0), (10.0, 8.0)])],
    Undo = [Line(&[(6.5, 3.0), (3.0, 6.5), (6.5, 10.0)]), Line(&[(3.0, 6.5), (9.5, 6.5), (12.2, 7.6), (13.0, 10.0), (12.2, 12.2), (9.5, 13.0), (7.0, 13.0)])],
    Redo = [Line(&[(9.5, 3.0), (13.0, 6.5), (9.5, 10.0)]), Line(&[(13.0, 6.5), (6.5, 6.5), (3.8, 7.6), (3.0, 10.0), (3.8, 12.2), (6.5, 13.0), (9.0, 13.0)])],
    Open = [Line(&[(2.0, 13.0), (2.0, 3.5), (6.0, 3.5), (7.5, 5.5), (13.0, 5.5), (13.0, 7.5)]), Loop(&[(2.0, 13.0), (4.4, 7.5), (15.0, 7.5), (12.6, 13.0)])],
    Save = [Line(&[(8.0, 2.0), (8.0, 10.0)]), Line(&[(4.5, 6.8), (8.0, 10.3), (11.5, 6.8)]), Line(&[(2.5, 11.0), (2.5, 13.5), (13.5, 13.5), (13.5, 11.0)])],
    Close = [Line(&[(4.0, 4.0), (12.0, 12.0)]), Line(&[(12.0, 4.0), (4.0, 12.0)])],
    Sun = [Ring(8.0, 8.0, 2.8), Line(&[(8.0, 1.5), (8.0, 3.2)]), Line(&[(8.0, 12.8), (8.0, 14.5)]), Line(&[(1.5, 8.0), (3.2, 8.0)]), Line(&[(12.8, 8.0), (14.5, 8.0)]), Line(&[(3.4, 3.4), (4.6, 4.6)]), Line(&[(11.4, 11.4), (12.6, 12.6)]), Line(&[(3.4, 12.6), (4.6, 11.4)]), Line(&[(11.4, 4.6), (12.6, 3.4)])],
    Moon = [Arc(8.0, 8.0, 5.6, -40.0, 230.0), Arc(11.6, 4.4, 5.1, 82.0, 188.0)],
    Eye = [Loop(&[(1.5, 8.0), (4.0, 5.0), (8.0, 3.6), (12.0, 5.0), (14.5, 8.0), (12.0, 11.0), (8.0, 12.4), (4.0, 11.0)]), Dot(8.0, 8.0, 2.0)],
    Mesh = [Loop(&[(8.0, 1.8), (14.0, 5.0), (14.0, 11.0), (8.0, 14.2), (2.0, 11.0), (2.0, 5.0)]), Line(&[(2.0, 5.0), (8.0, 8.2), (14.0, 5.0)]), Line(&[(8.0, 8.2), (8.0, 14.2)])],
    Joint = [Ring(8.0, 8.0, 3.0), Line(&[(8.0, 1.5), (8.0, 5.0)]), Line(&[(8.0, 11.0), (8.0, 14.5)])],
    Material = [Ring(8.0, 8.0, 6.0), Arc(8.0, 8.0, 3.6, 190.0, 260.0)],
    Morph = [Ring(5.5, 8.0, 3.8), Arc(10.5, 8.0, 3.8, -110.0, 110.0)],
    Note = [Loop(&[(3.0, 2.0), (13.0, 2.0), (13.0, 14.0), (3.0, 14.0)]), Line(&[(5.5, 5.5), (10.5, 5.5)]), Line(&[(5.5, 8.0), (10.5, 8.0)]), Line(&[(5.5, 10.5), (8.5, 10.5)])],
    Warning = [Loop(&[(8.0, 2.0), (14.5, 13.5), (1.5, 13.5)]), Line(&[(8.0, 6.0), (8.0, 9.5)]), Dot(8.0, 11.6, 0.8)],
    Facts = [Ring(8.0, 8.0, 6.2), Line(&[(8.0, 7.2), (8.0, 11.4)]), Dot(8.0, 4.8, 0.9)],
    Graph = [Loop(&[(1.5, 2.5), (6.5, 2.5), (6.5, 6.5), (1.5, 6.5)]), Loop(&[(9.5, 9.5), (14.5, 9.5), (14.5, 13.5), (9.5, 13.5)]), Line(&[(6.5, 4.5), (12.0, 4.5), (12.0, 9.5)])],
    Matching = [Line(&[(2.0, 13.5), (3.0, 9.0), (6.0, 6.0), (10.5, 4.0)]), Fill(&[(10.0, 1.6), (14.4, 2.6), (11.0, 6.2)]), Dot(10.0, 9.4, 1.3), Dot(7.2, 12.0, 1.3), Dot(13.2, 12.6, 1.3)],
    Mix = [Line(&[(4.0, 2.0), (4.0, 14.0)]), Line(&[(8.0, 2.0), (8.0, 14.0)]), Line(&[(12.0, 2.0), (12.0, 14.0)]), Dot(4.0, 10.0, 1.9), Dot(8.0, 5.0, 1.9), Dot(12.0, 8.5, 1.9)],
    Curves = [Line(&[(1.5, 12.5), (3.5, 11.5), (5.5, 7.5), (7.0, 4.5), (8.5, 3.6), (10.0, 5.0), (11.2, 8.4), (12.6, 10.6), (14.5, 11.0)]), Dot(8.5, 3.6, 1.4)],
    Bytes = [Line(&[(8.0, 1.5), (8.0, 5.6)]), Line(&[(6.0, 3.8), (8.0, 5.8), (10.0, 3.8)]), Line(&[(8.0, 14.5), (8.0, 10.4)]), Line(&[(6.0, 12.2), (8.0, 10.2), (10.0, 12.2)]), Line(&[(2.0, 8.0), (14.0, 8.0)])],
    Retarget = [Dot(4.0, 3.6, 1.5), Line(&[(4.0, 5.2), (4.0, 10.0)]), Line(&[(2.2, 13.5), (4.0, 10.0), (5.8, 13.5)]), Dot(12.0, 3.6, 1.5), Line(&[(12.0, 5.2), (12.0, 10.0)]), Line(&[(10.2, 13.5), (12.0, 10.0), (13.8, 13.5)]), Line(&[(6.3, 7.5), (9.4, 7.5)]), Line(&[(8.0, 6.1), (9.6, 7.5), (8.0, 8.9)])],
    Crowd = [Dot(8.0, 4.4, 2.0), Arc(8.0, 12.4, 4.4, 180.0, 360.0), Dot(2.9, 6.2, 1.3), Dot(13.1, 6.2, 1.3), Line(&[(1.0, 11.6), (1.6, 9.6), (3.0, 9.0)]), Line(&[(15.0, 11.6), (14.4, 9.6), (13.0, 9.0)])],
    World = [Loop(&[(5.8, 1.6), (10.2, 1.6), (10.2, 4.6), (5.8, 4.6)]), Line(&[(8.0, 4.6), (8.0, 8.0)]), Line(&[(3.2, 11.0), (3.2, 8.0), (12.8, 8.0), (12.8, 11.0)]), Loop(&[(1.2, 11.0), (5.2, 11.0), (5.2, 14.0), (1.2, 14.0)]), Loop(&[(10.8, 11.0), (14.8, 11.0), (14.8, 14.0), (10.8, 14.0)])],
    Clips = [Loop(&[(1.5, 4.0), (14.5, 4.0), (14.5, 12.0), (1.5, 12.0)]), Line(&[(4.6, 4.0), (4.6, 12.0)]), Line(&[(11.4, 4.0), (11.4, 12.0)])],
    Layout = [Loop(&[(1.8, 2.5), (14.2, 2.5), (14.2, 13.5), (1.8, 13.5)]), Line(&[(5.8, 2.5), (5.8, 13.5)]), Line(&[(5.8, 9.5), (14.2, 9.5)])],
    Reset = [Arc(8.0, 8.4, 5.0, -120.0, 170.0), Fill(&[(2.6, 1.8), (7.4, 2.2), (4.0, 6.4)])],
    Time = [Ring(8.0, 8.0, 6.2), Line(&[(8.0, 4.2), (8.0, 8.0), (10.8, 9.8)])],
    Frame = [Line(&[(2.0, 5.5), (2.0, 2.0), (5.5, 2.0)]), Line(&[(10.5, 2.0), (14.0, 2.0), (14.0, 5.5)]), Line(&[(14.0, 10.5), (14.0, 14.0), (10.5, 14.0)]), Line(&[(5.5, 14.0), (2.0, 14.0), (2.0, 10.5)]), Dot(8.0, 8.0, 1.8)],
    Beside = [Loop(&[(1.5, 3.0), (6.8, 3.0), (6.8, 13.0), (1.5, 13.0)]), Loop(&[(9.2, 3.0), (14.5, 3.0), (14.5, 13.0), (9.2, 13.0)])],
}

impl Icon {
    /// Draws it into a square.
    pub fn paint(self, painter: &Painter, rect: Rect, color: Color32) {
        let scale = rect.width().min(rect.height()) / 16.0;
        let corner = rect.center() - Vec2::splat(8.0 * scale);
        let place = |(x, y): (f32, f32)| -> Pos2 { corner + vec2(x, y) * scale };
        let stroke = Stroke::new((1.5 * scale).max(1.0), color);
        let line = |points: &[(f32, f32)]| points.iter().copied().map(place).collect::<Vec<_>>();
        for part in self.parts() {
            painter.add(match part {
                Part::Line(points) => Shape::line(line(points), stroke),
                Part::Loop(points) => Shape::closed_line(line(points), stroke),
                Part::Fill(points) => Shape::convex_polygon(line(points), color, Stroke::NONE),
                Part::Ring(x, y, radius) => Shape::circle_stroke(place((*x, *y)), radius * scale, stroke),
                Part::Dot(x, y, radius) => Shape::circle_filled(place((*x, *y)), radius * scale, color),
                Part::Arc(x, y, radius, from, to) => Shape::line(
                    arc(*x, *y, *radius, *from, *to).map(|(x, y)| place((x, y))).collect(),
                    stroke,
                ),
            });
        }
    }

    /// For buttons and labels, before their words.
    pub fn atom(self) -> Atom<'static> {
        Atom::paint(Vec2::splat(SIZE), move |ui, args| {
            self.paint(ui.painter(), args.rect, args.fallback_text_color)
        })
    }
}

fn arc(x: f32, y: f32, radius: f32, from: f32, to: f32) -> impl Iterator<Item = (f32, f32)> {
    let pieces = ((to - from).abs() / 15.0).ceil().max(1.0) as u32;
    (0..=pieces).map(move |i| {
        let angle = (from + (to - from) * i as f32 / pieces as f32).to_radians();
        (x + radius * libm::cosf(angle), y + radius * libm::sinf(angle))
    })
}

/// A button with an icon and words.
pub(crate) fn button(ui: &mut Ui, icon: Icon, words: &str) -> Response {
    ui.add(Button::new((icon.atom(), words)))
}

/// The same, flatter.
pub(crate) fn small_button(ui: &mut Ui, icon: Icon, words: &str) -> Response {
    ui.add(Button::new((icon.atom(), words)).small())
}

/// One of several things that can be chosen.
pub(crate) fn choice(ui: &mut Ui, chosen: bool, icon: Icon, words: &str) -> Response {
    ui.add(Button::selectable(chosen, (icon.atom(), words)))
}

/// An icon and words that name what follows.
pub(crate) fn label(ui: &mut Ui, icon: Icon, words: &str) -> Response {
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(SIZE), egui::Sense::hover());
        icon.paint(ui.painter(), rect, ui.visuals().strong_text_color());
        ui.strong(words)
    })
    .inner
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn every_icon_stays_inside_its_square() {
        let inside = |(x, y): (f32, f32), more: f32| {
            (more..=16.0 - more).contains(&x) && (more..=16.0 - more).contains(&y)
        };
        assert!(Icon::ALL.len() > 30);
        for icon in Icon::ALL {
            assert!(!icon.parts().is_empty(), "{icon:?}");
            for part in icon.parts() {
                let fits = match part {
                    Part::Line(points) | Part::Loop(points) | Part::Fill(points) => {
                        points.len() > 1 && points.iter().all(|p| inside(*p, 0.0))
                    }
                    Part::Ring(x, y, radius) | Part::Dot(x, y, radius) => inside((*x, *y), *radius),
                    Part::Arc(x, y, radius, from, to) => {
                        arc(*x, *y, *radius, *from, *to).all(|p| inside(p, 0.0))
                    }
                };
                assert!(fits, "{icon:?}");
            }
        }
    }

    #[test]
    fn what_is_filled_is_convex() {
        for (icon, points) in Icon::ALL.iter().flat_map(|icon| {
            icon.parts().iter().filter_map(move |part| match part {
                Part::Fill(points) => Some((icon, *points)),
                _ => None,
            })
        }) {
            let n = points.len();
            let turns = (0..n).map(|i| {
                let [a, b, c] = [i, (i + 1) % n, (i + 2) % n].map(|i| pos2(points[i].0, points[i].1));
                let (one, other) = (b - a, c - b);
                one.x * other.y - one.y * other.x > 0.0
            });
            let turns: Vec<bool> = turns.collect();
            assert!(turns.iter().all(|turn| *turn == turns[0]), "{icon:?}");
        }
    }
}
