//! What is seen: the camera, what is shown beside the document or instead of it, and what was computed for that.

use super::open::Open;
use crate::{
    camera::Camera,
    document::Document,
    failure::Failure,
    lines::{Lines, bones},
    settings::{Panel, Settings},
    shown::{Bounds, Comparison, CrowdScene, Curves, ErrorCurve, Ghost, WorldScene},
};
use lissom::math::{Mat4, Vec3};

/// Bones as they were, and as they are; sRGB.
pub(crate) const SOURCE: [f32; 4] = [0.35, 0.75, 0.4, 1.0];
pub(crate) const COOKED: [f32; 4] = [0.9, 0.35, 0.25, 1.0];

const TARGET: [f32; 4] = [0.95, 0.35, 0.6, 1.0];
const BOX_ON_DARK: [f32; 4] = [0.9, 0.8, 0.4, 0.8];
const BOX_ON_LIGHT: [f32; 4] = [0.5, 0.4, 0.05, 0.8];

/// From what is seen to the window.
pub(crate) struct Projection {
    rect: egui::Rect,
    matrix: Mat4,
}

impl Projection {
    /// Where a point is drawn, in points of the window; `None` behind the camera.
    pub fn place(&self, point: Vec3) -> Option<egui::Pos2> {
        let clip = self.matrix * point.extend(1.0);
        let share = egui::vec2(clip.x / clip.w, -clip.y / clip.w) * 0.5 + egui::vec2(0.5, 0.5);
        (clip.w > 0.0).then(|| self.rect.min + share * self.rect.size())
    }
}

/// What is seen.
#[derive(Default)]
pub(crate) struct Stage {
    pub camera: Camera,
    /// Made when their panels are opened first.
    pub crowd: Option<CrowdScene>,
    pub world: Option<WorldScene>,
    pub curves: Option<Curves>,
    pub error_curve: Option<ErrorCurve>,
    ghost: Option<Ghost>,
    pub bounds: Option<Bounds>,
    /// What the camera was put before last.
    framed: Option<Panel>,
    /// Where the scene was drawn last, in points.
    pub seen: Option<egui::Rect>,
    /// From the mouse that holds it to the target of what reaches.
    pub held: Option<egui::Vec2>,
}

impl Stage {
    /// Forgets what was computed for the document before.
    pub fn forget(&mut self) {
        (self.curves, self.error_curve, self.ghost, self.bounds) = (None, None, None, None);
    }

    /// Advances by `dt_s` seconds: the document, or what is seen instead of it.
    pub fn advance(&mut self, dt_s: f64, open: &mut Open, settings: &Settings) -> Result<(), Failure> {
        let (eye, aspect) = (self.eye(open, settings), self.aspect());
        match (settings.panel, &mut open.document) {
            (Some(Panel::Crowd), _) => {
                let crowd = match &mut self.crowd {
                    Some(crowd) => crowd,
                    none => none.insert(CrowdScene::new()?),
                };
                crowd.update(dt_s * open.speed.max(0.0), settings.crowd, &eye, aspect)?;
            }
            (Some(Panel::World), _) => {
                let world = match &mut self.world {
                    Some(world) => world,
                    none => none.insert(WorldScene::new()?),
                };
                world.update(dt_s * open.speed.max(0.0))?;
            }
            (panel, Some(document)) => {
                document.drive_by(panel)?;
                document.update(dt_s, open.speed)?;
                if let Some(second) = &mut open.beside {
                    second.update(dt_s, open.speed)?;
                }
            }
            (_, None) => {}
        }
        let panel = settings.panel.filter(|panel| panel.replaces());
        if panel != self.framed {
            self.framed = panel;
            self.frame_all(open, settings)?;
        }
        Ok(())
    }

    /// Computes what the open panel shows, if it is not there yet.
    pub fn prepare(&mut self, open: &Open, settings: &Settings) -> Result<(), Failure> {
        let Some(document) = &open.document else { return Ok(()) };
        match settings.panel {
            Some(Panel::Curves) => {
                let body = document.player.body();
                let playing = document.player.playing().and_then(|name| body.clip(name).ok());
                let clip = playing.and_then(|number| body.clips().get(number));
                let (Some(joint), Some(clip)) = (open.joint, clip) else { return Ok(()) };
                if self.curves.as_ref().is_none_or(|curves| !curves.are_of(clip, joint)) {
                    let made = Curves::new(body.skeleton(), clip, joint);
                    self.curves = Some(made.map_err(|e| Failure(e.to_string()))?);
                }
            }
            Some(Panel::Compression) => {
                let Some(clip) = document.compared() else { return Ok(()) };
                if self.error_curve.as_ref().is_none_or(|curve| curve.clip != clip.name) {
                    self.error_curve = ErrorCurve::new(document)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The camera sees all of what is seen.
    pub fn frame_all(&mut self, open: &mut Open, settings: &Settings) -> Result<(), Failure> {
        if !settings.panel.is_some_and(Panel::replaces)
            && let Some(document) = &mut open.document
        {
            document.measure()?;
            open.beside.as_mut().map_or(Ok(()), Document::measure)?;
        }
        let (centre, radius) = self.ball(open, settings);
        self.camera.frame(centre, radius);
        Ok(())
    }

    /// The same with the next frame.
    pub fn reframe(&mut self) {
        self.framed = None;
    }

    /// A ball that holds what is seen.
    pub fn ball(&self, open: &Open, settings: &Settings) -> (Vec3, f32) {
        let shown = match settings.panel {
            Some(Panel::Crowd) => self.crowd.as_ref().map(CrowdScene::ball),
            Some(Panel::World) => self.world.as_ref().map(WorldScene::ball),
            _ => match open.pair() {
                Some(pair) => {
                    let low = pair.map(|(d, offset)| d.path.centre - d.path.half + offset);
                    let high = pair.map(|(d, offset)| d.path.centre + d.path.half + offset);
                    let (low, high) = (low[0].min(low[1]), high[0].max(high[1]));
                    Some(((low + high) * 0.5, ((high - low) * 0.5).length()))
                }
                None => open.document.as_ref().map(|document| {
                    let extent = if settings.follow { document.near } else { document.path };
                    (extent.centre, extent.half.length().max(1e-3))
                }),
            },
        };
        shown.unwrap_or((Vec3::ZERO, 1.0))
    }

    /// The camera as it is used: it may follow who goes away. Of two it follows none.
    pub fn eye(&self, open: &Open, settings: &Settings) -> Camera {
        let mut camera = self.camera;
        let follows =
            settings.follow && open.beside.is_none() && !settings.panel.is_some_and(Panel::replaces);
        let carrier = |d: &Document| Some(d.body().models().get(d.carrier?)?.w_axis);
        if let Some(at) = open.document.as_ref().filter(|_| follows).and_then(carrier) {
            camera.target += Vec3::new(at.x, 0.0, at.z);
        }
        camera
    }

    /// The picture's width by its height, as it was drawn last.
    pub fn aspect(&self) -> f32 {
        self.seen.map_or(1.0, |rect| rect.width() / rect.height().max(1.0))
    }

    /// From what is seen to the window; `None` if nothing was drawn yet.
    pub fn projection(&self, open: &Open, settings: &Settings) -> Option<Projection> {
        let matrix = self.eye(open, settings).view_projection(self.aspect());
        Some(Projection { rect: self.seen?, matrix })
    }

    /// What is to be compared, if anything is.
    pub fn comparison(&self, open: &Open, settings: &Settings) -> Result<Option<Comparison>, Failure> {
        let compare = settings.compare;
        let asked = settings.panel == Some(Panel::Compression) && (compare.colors || compare.bones);
        match open.document.as_ref().filter(|_| asked) {
            Some(document) => Comparison::new(document, compare),
            None => Ok(None),
        }
    }

    /// What is drawn over the document.
    pub fn overlay(
        &mut self,
        open: &mut Open,
        settings: &Settings,
        dark: bool,
        comparison: Option<&Comparison>,
        lines: &mut Lines,
    ) -> Result<(), Failure> {
        let duration_s = open.duration_s();
        let color = if dark { [0.55, 0.8, 0.95, 1.0] } else { [0.1, 0.35, 0.55, 1.0] };
        if let Some([_, (second, offset)]) = open.pair().filter(|[_, (d, _)]| shows_bones(settings, d)) {
            let body = second.body();
            let at = lines.vertices().len();
            bones(body.skeleton(), body.models(), None, color, lines);
            lines.shift(at, offset);
        }
        let Some(document) = &mut open.document else { return Ok(()) };
        if settings.bounds || settings.sockets {
            let bounds = match &mut self.bounds {
                Some(bounds) => bounds,
                none => none.insert(Bounds::new(document)?),
            };
            if settings.bounds {
                bounds.boxes(document, if dark { BOX_ON_DARK } else { BOX_ON_LIGHT }, lines)?;
            }
            if settings.sockets {
                bounds.sockets(document, lines);
            }
        }
        if document.plays_a_clip() && (settings.onion || settings.trail) {
            let ghost = self.ghost.get_or_insert_with(|| Ghost::new(document));
            if settings.onion {
                ghost.onion(document, duration_s, lines)?;
            }
            if settings.trail {
                ghost.trail(document, duration_s, open.joint.unwrap_or(0), lines)?;
            }
        }
        let body = document.body();
        if let Some(comparison) = comparison.filter(|_| settings.compare.bones) {
            let (source, cooked) = (comparison.models(), comparison.drawn_models(body.models()));
            bones(body.skeleton(), source, None, SOURCE, lines);
            bones(body.skeleton(), &cooked, open.joint, COOKED, lines);
        } else if shows_bones(settings, document) {
            bones(body.skeleton(), body.models(), open.joint, color, lines);
        }
        if let Some(reach) = document.reach() {
            let (to, size) = (reach.target, document.radius() * 0.04);
            // Eight edges round it, and what is missing.
            let corners = [Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z].map(|axis| to + axis * size);
            for (i, corner) in corners.into_iter().enumerate() {
                for end in [corners[(i + 1) % 4], to + Vec3::Y * size, to - Vec3::Y * size] {
                    lines.add(corner, end, TARGET);
                }
            }
            lines.add(body.models()[reach.joint].w_axis.truncate(), to, TARGET);
        }
        Ok(())
    }
}

/// Bones are drawn: they are asked for, or there is nothing else to see.
pub(crate) fn shows_bones(settings: &Settings, document: &Document) -> bool {
    settings.bones || !settings.meshes || document.surfaces.is_empty()
}
