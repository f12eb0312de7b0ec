//! What a search could find: the best frames of a database, what each costs, and where each leads.

use crate::{
    drive::{Asked, Matched},
    lines::Lines,
    look::Palette,
};
use lissom::math::Vec3;
use lissom_motion::{
    matching::{Costs, Database, FeatureKind, QueryError},
    state::TrajectoryPoint,
};

/// How many frames are told.
pub(crate) const BEST: usize = 10;

/// The frames that fit best to what a layer looked for last.
pub(crate) struct Candidates {
    /// Of which layer, from when, and in which database.
    of: (usize, u64, u64),
    /// The frame that plays, as far as it counts; and the best others, the best first.
    pub playing: Option<Candidate>,
    pub best: Vec<Candidate>,
}

/// A frame.
pub(crate) struct Candidate {
    pub frame: u32,
    pub clip: String,
    pub time_s: f32,
    /// In squared deviations; then by the groups of the database.
    pub cost: f32,
    pub by_group: Vec<f32>,
    way: Way,
}

/// Where the character goes, on the floor as it sees it: seconds from now, and a place; the same with a direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Way {
    places: Vec<(f32, Vec3)>,
    directions: Vec<(f32, Vec3)>,
}

impl Candidates {
    /// Looks at every frame of the database.
    pub fn new(matched: &Matched) -> Result<Self, QueryError> {
        let Asked { database, query, .. } = &matched.asked;
        let told = database.explain(query, BEST)?;
        let candidate = |costs: &Costs| Candidate::new(database, costs);
        let best: Vec<Candidate> = told.best.iter().filter_map(candidate).collect();
        let playing = told.current.as_ref().and_then(candidate);
        Ok(Self { of: key(matched), playing, best })
    }

    /// The layer that they are for.
    pub fn layer(&self) -> usize {
        self.of.0
    }

    /// True if they are of the last search.
    pub fn are_of(&self, matched: &Matched) -> bool {
        self.of == key(matched)
    }

    /// Where the best frames lead.
    pub fn draw(&self, palette: &Palette, lines: &mut Lines) {
        let ink = crate::lines::stroke(palette.weak, 0.55);
        // The best one last: it is on top.
        for candidate in self.best.iter().rev() {
            candidate.way.draw(ink, THIN, lines);
        }
    }
}

/// How wide ways are, in points.
const THIN: f32 = 1.0;
const WIDE: f32 = 2.4;
/// How long a direction is, in metres.
const ARROW: f32 = 0.18;

/// What a layer wants, and where the frame that plays leads.
pub(crate) fn draw_ways(matched: &Matched, palette: &Palette, lines: &mut Lines) {
    let Some(now) = &matched.now else { return };
    let playing = Way::of_frame(&matched.asked.database, now.frame);
    for (way, color) in [(playing, playing_color(palette)), (Way::wanted(&now.wanted), wanted_color(palette))]
    {
        let ink = crate::lines::stroke(color, 1.0);
        way.draw(ink, WIDE, lines);
        way.draw_directions(ink, lines);
    }
}

/// The colours of what is wanted, and of what the frame that plays does.
pub(crate) fn wanted_color(palette: &Palette) -> egui::Color32 {
    palette.series[3]
}

pub(crate) fn playing_color(palette: &Palette) -> egui::Color32 {
    palette.series[0]
}

fn key(matched: &Matched) -> (usize, u64, u64) {
    (matched.layer, matched.asked.time_s.to_bits(), matched.asked.database.fingerprint())
}

impl Candidate {
    /// `None` if there is no such frame.
    fn new(database: &Database, costs: &Costs) -> Option<Self> {
        let place = database.place(costs.frame)?;
        Some(Self {
            frame: costs.frame,
            clip: database.clips().get(place.clip as usize)?.clone(),
            time_s: place.time_s,
            cost: database.in_deviations(costs.cost),
            by_group: costs.by_group.iter().map(|cost| database.in_deviations(*cost)).collect(),
            way: Way::of_frame(database, costs.frame),
        })
    }
}

impl Way {
    /// What a frame's clip does before and after it.
    fn of_frame(database: &Database, frame: u32) -> Self {
        let mut values = vec![0.0; database.features().len()];
        let mut way = Self::default();
        if database.values(frame, &mut values).is_none() {
            return way;
        }
        for (value, feature) in values.iter().zip(database.features()) {
            let (list, time_s) = match feature.kind {
                FeatureKind::TrajectoryPosition { time_s } => (&mut way.places, time_s),
                FeatureKind::TrajectoryDirection { time_s } => (&mut way.directions, time_s),
                _ => continue,
            };
            let at = list.iter().position(|(known, _)| *known == time_s).unwrap_or_else(|| {
                list.push((time_s, Vec3::ZERO));
                list.len() - 1
            });
            match feature.axis {
                0 => list[at].1.x = *value,
                2 => list[at].1.z = *value,
                _ => {}
            }
        }
        way.sorted()
    }

    /// What is asked for.
    fn wanted(points: &[(f32, TrajectoryPoint)]) -> Self {
        let on_floor = |[aside, ahead]: [f32; 2]| Vec3::new(aside, 0.0, ahead);
        let places = points.iter().map(|(time_s, point)| (*time_s, on_floor(point.position))).collect();
        let directions = points.iter().map(|(time_s, point)| (*time_s, on_floor(point.direction))).collect();
        Self { places, directions }.sorted()
    }

    /// By time, and from where the character stands.
    fn sorted(mut self) -> Self {
        if !self.places.is_empty() {
            self.places.push((0.0, Vec3::ZERO));
        }
        self.places.sort_by(|a, b| a.0.total_cmp(&b.0));
        self
    }

    fn draw(&self, ink: [f32; 4], width: f32, lines: &mut Lines) {
        for pair in self.places.windows(2) {
            lines.add_wide(pair[0].1, pair[1].1, ink, width);
        }
    }

    /// Where it faces, at each place.
    fn draw_directions(&self, ink: [f32; 4], lines: &mut Lines) {
        for (time_s, direction) in &self.directions {
            let Some((_, from)) = self.places.iter().find(|(at, _)| at == time_s) else { continue };
            let along = direction.normalize_or_zero() * ARROW;
            lines.add_wide(*from, *from + along, ink, WIDE);
            let side = Vec3::new(along.z, 0.0, -along.x) * 0.35;
            for back in [side, -side] {
                lines.add_wide(*from + along, *from + along * 0.6 + back, ink, WIDE);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{drive::Directed, look, matched_file};
    use lissom::archive::Archive;
    use lissom_motion::state::Value;

    #[test]
    fn the_ten_best_are_told_once_a_search_and_drawn_with_what_is_wanted() {
        let archive = Archive::read(&matched_file::archive()).unwrap();
        let mut directed = Directed::new(&archive, "mannequin", matched_file::graph()).unwrap();
        // What it begins with was found before the first step.
        let mut candidates = Some(Candidates::new(&directed.matched[0]).unwrap());
        directed.set("ahead", Value::Float(1.3)).unwrap();
        let (mut told, mut searches) = (1, 0);
        for _ in 0..180 {
            directed.update(1.0 / 60.0).unwrap();
            let matched = &directed.matched[0];
            if !candidates.as_ref().is_some_and(|candidates| candidates.are_of(matched)) {
                candidates = Some(Candidates::new(matched).unwrap());
                told += 1;
            }
            searches = matched.now.as_ref().unwrap().searches;
        }
        let (matched, candidates) = (&directed.matched[0], candidates.unwrap());
        assert_eq!(told, searches as usize + 1);
        assert_eq!(candidates.best.len(), BEST);
        assert!(candidates.best.is_sorted_by(|a, b| a.cost <= b.cost));
        let told = matched.asked.database.explain(&matched.asked.query, BEST).unwrap();
        let frames: Vec<u32> = candidates.best.iter().map(|best| best.frame).collect();
        assert_eq!(frames, told.best.iter().map(|costs| costs.frame).collect::<Vec<_>>());
        for best in &candidates.best {
            assert!((best.by_group.iter().sum::<f32>() - best.cost).abs() < 1e-3 * (1.0 + best.cost));
        }

        let (palette, mut wanted) = (look::palette(true), Lines::default());
        draw_ways(matched, palette, &mut wanted);
        // Of both: three pieces of the way, and an arrow of three strokes at each place.
        assert_eq!(wanted.all().len(), 2 * (3 + 9));
        let (low, high) = wanted.range();
        // A second ahead it is a second's way off, and its clip goes there, too.
        assert!(low.z > -0.1 && (1.0..1.6).contains(&high.z), "{low} {high}");
        assert!(low.x > -0.3 && high.x < 0.3, "{low} {high}");
        assert_eq!((low.y, high.y), (0.0, 0.0));
        let mut others = Lines::default();
        candidates.draw(palette, &mut others);
        assert_eq!(others.all().len(), BEST * 3);
    }

    #[test]
    fn what_was_is_before_the_character() {
        let at = |z: f32| TrajectoryPoint { position: [0.0, z], direction: [0.0, 1.0] };
        let way = Way::wanted(&[(0.5, at(1.0)), (-0.5, at(-1.0))]);
        let z: Vec<f32> = way.places.iter().map(|(_, place)| place.z).collect();
        assert_eq!(z, [-1.0, 0.0, 1.0]);
        let mut lines = Lines::default();
        way.draw([1.0; 4], THIN, &mut lines);
        assert_eq!(lines.all().len(), 2);
    }
}
