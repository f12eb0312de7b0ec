//! Feet on uneven ground: the pelvis follows the lower foot, the knees bend, the soles lie flat.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::{
    job::{FootJob, Ground, Leg, LegCorrection},
    math::{
        Vec3,
        trig::{sin_cos, tan},
    },
};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::{Actor, raise, turn};

/// What is under the left foot and the right one: a height, and how steep it rises ahead, in degrees.
const GROUNDS: [(&str, [(f32, f32); 2]); 5] = [
    ("level", [(0.0, 0.0); 2]),
    ("a step", [(0.22, 0.0), (0.0, 0.0)]),
    ("a stone", [(0.0, 0.0), (0.3, 0.0)]),
    ("uphill", [(0.0, 18.0); 2]),
    ("a ditch", [(-0.12, -10.0), (0.1, 14.0)]),
];

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Idle])?;
    let find = |name: String| actor.skeleton.find(&name).context("the mannequin has this joint");
    let joints = |side| -> Result<[usize; 3]> {
        Ok([find(format!("thigh_{side}"))?, find(format!("shin_{side}"))?, find(format!("foot_{side}"))?])
    };
    let (legs, hips) = ([joints("l")?, joints("r")?], find("hips".into())?);
    let mut figures = Vec::new();
    for (name, grounds) in GROUNDS {
        let mut pose = actor.pose("idle", 0.0)?;
        let models = actor.matrices(&pose)?;
        let leg = |[hip, knee, ankle]: [usize; 3], (height, slope): (f32, f32)| {
            let below = models[ankle].translation();
            let (sin, cos) = sin_cos(slope.to_radians());
            let place = Vec3::new(below.x, height, below.z);
            Leg {
                hip: &models[hip],
                knee: &models[knee],
                ankle: &models[ankle],
                // The mannequin's knees close about x.
                knee_axis: Vec3::NEG_X,
                ankle_height: 0.085,
                ground: Some(Ground { place, normal: Vec3::new(0.0, cos, -sin) }),
                weight: 1.0,
            }
        };
        let asked = [leg(legs[0], grounds[0]), leg(legs[1], grounds[1])];
        let (mut pelvis, mut corrections) = (0.0, [LegCorrection::default(); 2]);
        FootJob::new(&asked, &mut pelvis, &mut corrections).run()?;
        for ([hip, knee, ankle], correction) in legs.into_iter().zip(&corrections) {
            turn(&mut pose, hip, correction.hip);
            turn(&mut pose, knee, correction.knee);
            turn(&mut pose, ankle, correction.ankle);
        }
        raise(&mut pose, hips, pelvis);
        println!("{name}: the pelvis goes {:+.0} mm", pelvis * 1e3);
        let mut figure = actor.figure(name, palette::SAGE, &pose)?;
        for ([.., ankle], (height, slope)) in legs.into_iter().zip(grounds) {
            let (at, rise) = (models[ankle].translation(), 0.16 * tan(slope.to_radians()));
            for x in [at.x - 0.07, at.x + 0.07] {
                let (front, back) = ([x, height + rise, at.z + 0.2], [x, height - rise, at.z - 0.12]);
                figure.rods.push((front, back, 2.0, palette::OCHRE));
            }
        }
        figures.push(figure);
    }
    actor.strip("foot_ik", [1.0, 0.1, 0.7], &figures)
}
