//! Draws contact sheets of the mannequin: `poses sheet CLIP FILE` or `poses strip FILE`.
use anyhow::Result;
use lissom_build::{exact::Trs, mannequin, mesh::model_matrices};
use lissom_draw::{Camera, Canvas, Ground, Light, Mesh, Shadow, Viewport, palette};

fn main() -> Result<()> {
    let skeleton = mannequin::skeleton();
    let mesh = mannequin::mesh(&mannequin::Detail::default())?;
    mesh.validate(skeleton.joints.len())?;
    println!("{} vertices, {} triangles", mesh.positions.len(), mesh.triangle_count());
    let only: Vec<String> = std::env::args().skip(1).collect();
    for motion in mannequin::Motion::ALL {
        if !only.is_empty() && !only.iter().any(|o| o == motion.name()) {
            continue;
        }
        let clip = mannequin::clip(motion);
        clip.validate(skeleton.joints.len())?;
        let n: u32 = if motion == mannequin::Motion::Performance { 24 } else { 8 };
        let per_row = 8;
        let rows = n / per_row;
        let (w, h) = (200, 300);
        let mut c = Canvas::new(w * per_row, h * 2 * rows, palette::PAPER)?;
        for i in 0..n {
            let t = clip.duration_s * i as f64 / (if clip.looping { n } else { n - 1 }) as f64;
            let mut locals: Vec<Trs> =
                skeleton.joints.iter().zip(&clip.tracks).map(|(j, k)| k.sample(t, j.rest)).collect();
            locals[0].translation = Default::default();
            let (p, nn) = mesh.skin(&model_matrices(&skeleton, &locals));
            for (v, from) in [[0.35, 0.12, 1.0], [1.0, 0.08, 0.02]].into_iter().enumerate() {
                c.set_viewport(Viewport {
                    x: (i % per_row) * w,
                    y: ((i / per_row) * 2 + v as u32) * h,
                    width: w,
                    height: h,
                })?;
                c.set_camera(&Camera::framing(
                    [-0.5, 0.0, -0.5],
                    [0.5, 1.95, 0.5],
                    from,
                    0.3,
                    w as f32 / h as f32,
                )?)?;
                c.mesh(
                    &Mesh {
                        positions: &p,
                        normals: &nn,
                        indices: &mesh.indices,
                        color: palette::PLASTER,
                        colors: None,
                    },
                    &Light::default(),
                )?;
                c.ground(&Ground::default(), Some(&Shadow::of_points(&p, 0.0)?))?;
            }
        }
        c.text(4, 4, &clip.name, 2, palette::INK);
        c.finish().save_png(format!("/tmp/sheet_{}.png", clip.name))?;
    }
    Ok(())
}
