//! What the examples of crowds and of motion matching share: gaits and a graph to search them, who wants where, and a picture of
//! those about the middle.

use crate::{Actor, Vertices, write_png};
use anyhow::Result;
use lissom::math::Mat4;
use lissom_build::mannequin::Motion;
use lissom_draw::{Camera, Canvas, Ground, Light, Mesh, Shadow, palette};
use lissom_math::trig;
use lissom_motion::{
    GraphParts, RootStep,
    crowd::{Crowd, Member, Palettes},
    graph::{LayerParts, MatchedParts, StateParts},
};

/// Metres between neighbours, about.
pub const ROOM: f32 = 1.7;

/// What motion matching chooses from.
pub const GAITS: [Motion; 9] = [
    Motion::Idle,
    Motion::Walk,
    Motion::Jog,
    Motion::Run,
    Motion::Back,
    Motion::StrafeLeft,
    Motion::StrafeRight,
    Motion::Turn,
    Motion::TurnRight,
];

/// One state, played by searches in the [`matched_archive`](crate::matched_archive). `aside` and `ahead` say the velocity that is
/// wanted; it searches every `search_s` seconds, and at once when they change sharply.
#[must_use]
pub fn matched_graph(search_s: f32) -> GraphParts {
    let matched = MatchedParts { search_s, ..MatchedParts::new("gaits", ["aside", "ahead"]) };
    let layer = LayerParts::new("body").state(StateParts::matched("move", matched));
    GraphParts::new().float("aside", 0.0).float("ahead", 0.0).layer(layer)
}

/// Where somebody is on the ground.
#[must_use]
pub fn at(place: &RootStep) -> [f32; 2] {
    [place.translation[0] as f32, place.translation[2] as f32]
}

/// Radians; 0 looks along z.
#[must_use]
pub fn heading(place: &RootStep) -> f32 {
    let [_, y, _, w] = place.rotation.map(|v| v as f32);
    2.0 * trig::atan2(y, w)
}

/// Who stands there and looks there.
#[must_use]
pub fn stands(at: [f32; 2], heading: f32) -> RootStep {
    let half = 0.5 * heading;
    RootStep {
        translation: [at[0].into(), 0.0, at[1].into()],
        rotation: [0.0, trig::sin(half).into(), 0.0, trig::cos(half).into()],
    }
}

/// The least turn from one heading to where a velocity leads, in radians to the left.
#[must_use]
pub fn turn_to(wish: [f32; 2], heading: f32) -> f32 {
    let turn = trig::atan2(wish[0], wish[1]) - heading;
    let lap = core::f32::consts::TAU;
    turn - lap * trig::floor(turn / lap + 0.5)
}

/// A velocity in the world as who stands like this sees it: to its left, and ahead.
#[must_use]
pub fn seen(place: &RootStep, [x, z]: [f32; 2]) -> [f32; 2] {
    let heading = heading(place);
    let (sin, cos) = (trig::sin(heading), trig::cos(heading));
    [x * cos - z * sin, x * sin + z * cos]
}

/// Numbers that look random, the same in every run. The generator of our tests is not used here: you can copy this
/// example into a game that has none of our test crates.
pub struct Chance(pub u32);

impl Chance {
    /// From 0 to 1.
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }

    /// In a square.
    pub fn place(&mut self, side: f32) -> [f32; 2] {
        [self.unit() * side, self.unit() * side]
    }
}

/// Who is near, by squares of a metre and a half.
pub struct Grid {
    across: usize,
    squares: Vec<Vec<usize>>,
}

impl Grid {
    const SQUARE: f32 = 1.5;

    /// Over a square of this side, empty.
    #[must_use]
    pub fn new(side: f32) -> Self {
        let across = (side / Self::SQUARE) as usize + 1;
        Self { across, squares: vec![Vec::new(); across * across] }
    }

    fn square(&self, at: [f32; 2]) -> [usize; 2] {
        at.map(|v| ((v / Self::SQUARE) as usize).min(self.across - 1))
    }

    /// With everybody, instead of who was in it.
    pub fn fill(&mut self, places: &[[f32; 2]]) {
        self.squares.iter_mut().for_each(Vec::clear);
        for (i, at) in places.iter().enumerate() {
            let [x, z] = self.square(*at);
            self.squares[z * self.across + x].push(i);
        }
    }

    fn near(&self, at: [f32; 2]) -> impl Iterator<Item = usize> {
        let [x, z] = self.square(at);
        let last = self.across - 1;
        let rows = z.saturating_sub(1)..=(z + 1).min(last);
        let columns = x.saturating_sub(1)..=(x + 1).min(last);
        rows.flat_map(move |z| columns.clone().map(move |x| z * self.across + x))
            .flat_map(|square| self.squares[square].iter().copied())
    }

    /// The velocity that somebody wants who likes to go this fast: to the target, and away from who is close.
    #[must_use]
    pub fn wish(&self, i: usize, places: &[[f32; 2]], target: [f32; 2], likes: f32) -> [f32; 2] {
        let own = places[i];
        let way = [target[0] - own[0], target[1] - own[1]];
        let far = trig::sqrt(way[0] * way[0] + way[1] * way[1]);
        let k = if far > 1.0e-3 { likes / far } else { 0.0 };
        let mut wish = way.map(|v| v * k);
        for other in self.near(own).filter(|other| *other != i) {
            let off = [own[0] - places[other][0], own[1] - places[other][1]];
            let near = off[0] * off[0] + off[1] * off[1];
            if near < 1.4 && near > 1.0e-6 {
                // Harder the closer, and a little to the right, or two that meet would stand.
                let push = 0.9 * (1.4 - near) / near;
                wish[0] += push * (off[0] + 0.5 * off[1]);
                wish[1] += push * (off[1] - 0.5 * off[0]);
            }
        }
        wish
    }
}

/// The nearest number from `least` to `most`.
#[must_use]
pub fn within(v: f32, least: f32, most: f32) -> f32 {
    if v < least {
        least
    } else if v > most {
        most
    } else {
        v
    }
}

/// Those about the middle, skinned with their palettes, whose origin is the middle.
///
/// # Errors
///
/// If the picture cannot be drawn or written.
pub fn draw(
    actor: &Actor,
    crowd: &Crowd,
    members: &[Member],
    places: &[[f32; 2]],
    middle: f32,
    path: &str,
) -> Result<()> {
    let (mesh, light) = (actor.mesh.view(), Light::default());
    let coats = [palette::SAGE, palette::PLASTER, palette::OCHRE, palette::SKY, palette::PLUM, palette::CLAY];
    let mut canvas = Canvas::new(1200, 560, palette::PAPER)?;
    canvas.set_camera(&Camera::perspective([0.0, 7.0, 18.0], [0.0, 0.5, -3.0], 0.42))?;
    let mut feet = Vec::new();
    for (i, (member, place)) in members.iter().zip(places).enumerate() {
        let [x, z] = place.map(|v| v - middle);
        if x.abs() > 17.0 || !(-22.0..14.0).contains(&z) {
            continue;
        }
        let Some(Palettes::F32(rows)) = crowd.palette(*member)? else { continue };
        let palette: Vec<Mat4> = rows
            .iter()
            .map(|[x, y, z]| {
                let column = |c: usize| [x[c], y[c], z[c], if c == 3 { 1.0 } else { 0.0 }];
                Mat4::from_cols_array_2d(&[column(0), column(1), column(2), column(3)])
            })
            .collect();
        let Vertices { positions, normals } = actor.skinned(&palette)?;
        let coat = palette::PLASTER.mixed(coats[i % coats.len()], 0.55);
        canvas.mesh(&Mesh::new(&positions, &normals, mesh.indices, coat), &light)?;
        feet.extend(positions);
    }
    let ground = Ground { radius: 40.0, strength: 0.2, ..Ground::default() };
    canvas.ground(&ground, Some(&Shadow::of_points(&feet, 0.0)?))?;
    write_png(&canvas, path)
}
