//! What is seen: the camera, what is shown beside the document or instead of it, and what was computed for that.

use super::open::Open;
use crate::{
    camera::Camera,
    document::Document,
    drive::Matched,
    failure::Failure,
    lines::{Bones, Lines, Stand, usual_length},
    look,
    settings::{Drives, Panel, Panels, Settings, Shows},
    shown::{
        Bounds, Candidates, Comparison, CrowdScene, Curves, ErrorCurve, Ghost, TimeRows, WorldScene,
        draw_ways,
    },
    surfaces::Pictured,
};
use lissom::math::{Mat4, Vec3};
use std::sync::Arc;

/// Bones as they were, and as they are; sRGB.
const SOURCE: [f32; 4] = [0.35, 0.75, 0.4, 1.0];
const COOKED: [f32; 4] = [0.9, 0.35, 0.25, 1.0];

/// How long the camera takes to turn to a side, in seconds.
const TURN_S: f32 = 0.25;

const TARGET: [f32; 4] = [0.95, 0.35, 0.6, 1.0];
const BOX_ON_DARK: [f32; 4] = [0.9, 0.8, 0.4, 0.8];
const BOX_ON_LIGHT: [f32; 4] = [0.5, 0.4, 0.05, 0.8];

/// Where strokes go: skeletons, lines that are hidden by what is before them, lines that are not.
pub(crate) struct Strokes<'a> {
    pub bones: &'a mut Bones,
    pub lines: &'a mut Lines,
    pub overlay: &'a mut Lines,
}

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

/// A small copy of a picture, for panels.
pub(crate) struct Thumb {
    pub of: Arc<Pictured>,
    pub texture: egui::TextureHandle,
}

impl Thumb {
    /// Its longest side has at most this many pixels.
    const LONGEST: usize = 256;

    fn new(of: &Arc<Pictured>, ctx: &egui::Context) -> Option<Self> {
        let pixels = of.pixels.as_ref().ok()?;
        let step = pixels.width.max(pixels.height).div_ceil(Self::LONGEST).max(1);
        let [width, height] = [pixels.width, pixels.height].map(|side| (side / step).max(1));
        let texels = (0..height).flat_map(|y| (0..width).map(move |x| (y * step) * pixels.width + x * step));
        let texels = texels.map(|at| {
            let [r, g, b, _] = pixels.rgba[at];
            [r, g, b]
        });
        let bytes: Vec<u8> = texels.flatten().collect();
        let image = egui::ColorImage::from_rgb([width, height], &bytes);
        let texture = ctx.load_texture(&of.name, image, egui::TextureOptions::LINEAR);
        Some(Self { of: of.clone(), texture })
    }
}

/// What is seen.
#[derive(Default)]
pub(crate) struct Stage {
    pub camera: Camera,
    /// Where the camera turns to, from where, and how much of the way is done.
    turning: Option<(Camera, Camera, f32)>,
    /// Made when their panels are opened first.
    pub crowd: Option<CrowdScene>,
    pub world: Option<WorldScene>,
    pub curves: Option<Curves>,
    pub error_curve: Option<ErrorCurve>,
    pub time_rows: Option<TimeRows>,
    /// Small copies of the document's pictures, once they were to be seen.
    pub thumbs: Vec<Thumb>,
    ghost: Option<Ghost>,
    /// What motion matching could play, of each layer; empty while nobody looks.
    pub candidates: Vec<Candidates>,
    pub bounds: Option<Bounds>,
    /// The camera is put anew with the next frame.
    reframe: bool,
    /// What it was put before last.
    framed: Shows,
    /// Where the scene was drawn last, in points.
    pub seen: Option<egui::Rect>,
    /// From the mouse that holds it to the target of what reaches.
    pub held: Option<egui::Vec2>,
}

impl Stage {
    /// Frames a second of the clip that plays, as far as is known.
    pub fn rate_hz(&self) -> f64 {
        self.time_rows.as_ref().map_or(30.0, |rows| rows.rate_hz)
    }

    /// Forgets what was computed for the document before.
    pub fn forget(&mut self) {
        (self.curves, self.error_curve, self.ghost, self.bounds) = (None, None, None, None);
        self.time_rows = None;
        self.candidates.clear();
        self.thumbs.clear();
    }

    /// The camera is somewhere else at once.
    pub fn look(&mut self, camera: Camera) {
        (self.camera, self.turning) = (camera, None);
    }

    /// The camera turns there.
    pub fn turn_to(&mut self, camera: Camera) {
        self.turning = Some((self.camera, camera, 0.0));
    }

    /// The camera goes on to where it turns to; true while it is on its way.
    pub fn turn(&mut self, dt_s: f32) -> bool {
        let Some((from, to, done)) = self.turning else { return false };
        let done = (done + dt_s / TURN_S).min(1.0);
        // Slow at both ends.
        self.camera = from.towards(&to, done * done * (3.0 - 2.0 * done));
        self.turning = (done < 1.0).then_some((from, to, done));
        true
    }

    /// Advances by `dt_s` seconds: the document, or what is seen instead of it.
    pub fn advance(&mut self, dt_s: f64, open: &mut Open, settings: &Settings) -> Result<(), Failure> {
        self.make(settings)?;
        // The camera comes first: who is not seen is not posed.
        if self.reframe || settings.shows != self.framed {
            (self.framed, self.reframe) = (settings.shows, false);
            self.frame_all(open, settings)?;
        }
        let (eye, aspect) = (self.eye(open, settings), self.aspect());
        match (settings.shows, &mut open.document) {
            (Shows::Crowd, _) => {
                let Some(crowd) = &mut self.crowd else { return Ok(()) };
                crowd.update(dt_s * open.speed.max(0.0), settings.crowd, &eye, aspect)?;
            }
            (Shows::World, _) => {
                let Some(world) = &mut self.world else { return Ok(()) };
                world.update(dt_s * open.speed.max(0.0))?;
            }
            (Shows::Document, Some(document)) => {
                document.drive_by(settings.drives)?;
                document.update(dt_s, open.speed)?;
                if let Some(second) = &mut open.beside {
                    second.update(dt_s, open.speed)?;
                }
                if settings.drives == Drives::Clip {
                    open.keep_in_range(settings.repeats())?;
                }
            }
            (_, None) => {}
        }
        Ok(())
    }

    /// What is seen instead of the document, when it is to be seen first; a crowd of as many as there are to be.
    fn make(&mut self, settings: &Settings) -> Result<(), Failure> {
        match settings.shows {
            Shows::Crowd => {
                let crowd = match &mut self.crowd {
                    Some(crowd) => crowd,
                    none => none.insert(CrowdScene::new()?),
                };
                crowd.settle(settings.crowd)?;
            }
            Shows::World if self.world.is_none() => self.world = Some(WorldScene::new()?),
            _ => {}
        }
        Ok(())
    }

    /// Computes what panels show that can be seen, if it is not there yet.
    pub fn prepare(&mut self, open: &Open, settings: &Settings, seen: Panels) -> Result<(), Failure> {
        let Some(document) = &open.document else { return Ok(()) };
        let body = document.player.body();
        let number = document.player.playing().and_then(|name| body.clip(name).ok());
        let clip = number.and_then(|number| body.clips().get(number));
        match (clip, number) {
            (Some(clip), Some(number)) if document.plays_a_clip() => {
                let joint = open.joint.filter(|_| settings.rows.keys);
                if self.time_rows.as_ref().is_none_or(|rows| !rows.are_of(clip.view(), joint)) {
                    self.time_rows = Some(TimeRows::new(clip.view(), body.markers(number), joint));
                }
            }
            _ => self.time_rows = None,
        }
        if let (true, Some(joint), Some(clip)) = (seen.has(Panel::Curves), open.joint, clip)
            && self.curves.as_ref().is_none_or(|curves| !curves.are_of(clip, joint))
        {
            let made = Curves::new(body.skeleton(), clip, joint);
            self.curves = Some(made.map_err(|e| Failure(e.to_string()))?);
        }
        if document.compared().is_none() {
            self.error_curve = None;
        }
        if (seen.has(Panel::Compression) || settings.rows.error)
            && let Some(clip) = document.compared()
            && self.error_curve.as_ref().is_none_or(|curve| curve.clip != clip.name)
        {
            self.error_curve = ErrorCurve::new(document)?;
        }
        self.explain(document, seen.has(Panel::Matching))
    }

    /// Looks through databases for what else motion matching could play: once a search, and only if somebody looks.
    fn explain(&mut self, document: &Document, seen: bool) -> Result<(), Failure> {
        let directed = document.directed.as_ref().filter(|_| seen && document.drives == Drives::Graph);
        let leads = |matched: &&Matched| matched.now.is_some();
        let all: Vec<&Matched> =
            directed.iter().flat_map(|directed| &directed.matched).filter(leads).collect();
        self.candidates.retain(|own| all.iter().any(|matched| own.are_of(matched)));
        for matched in all {
            if !self.candidates.iter().any(|own| own.are_of(matched)) {
                let made = Candidates::new(matched).map_err(|e| Failure(e.to_string()))?;
                self.candidates.push(made);
            }
        }
        Ok(())
    }

    /// Makes small copies of the document's pictures, if there are none yet.
    pub fn show_pictures(&mut self, open: &Open, ctx: &egui::Context) {
        let surfaces = open.document.iter().flat_map(|document| &document.surfaces);
        for map in surfaces.flat_map(|surface| surface.maps.iter().flatten()) {
            if !self.thumbs.iter().any(|thumb| Arc::ptr_eq(&thumb.of, &map.picture)) {
                self.thumbs.extend(Thumb::new(&map.picture, ctx));
            }
        }
    }

    /// The camera sees all of what is seen.
    pub fn frame_all(&mut self, open: &mut Open, settings: &Settings) -> Result<(), Failure> {
        if settings.shows == Shows::Document
            && let Some(document) = &mut open.document
        {
            document.measure()?;
            open.beside.as_mut().map_or(Ok(()), Document::measure)?;
        }
        let (centre, radius) = self.ball(open, settings);
        self.camera.frame(centre, radius);
        self.turning = None;
        Ok(())
    }

    /// The same with the next frame.
    pub fn reframe(&mut self) {
        self.reframe = true;
    }

    /// A ball that holds what is seen.
    pub fn ball(&self, open: &Open, settings: &Settings) -> (Vec3, f32) {
        let shown = match settings.shows {
            Shows::Crowd => self.crowd.as_ref().map(CrowdScene::ball),
            Shows::World => self.world.as_ref().map(WorldScene::ball),
            Shows::Document => match open.pair() {
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
        let follows = settings.follow && open.beside.is_none() && settings.shows == Shows::Document;
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

    /// What is to be compared, if anything is and its panel is open.
    pub fn comparison(
        &self,
        open: &Open,
        settings: &Settings,
        panels: Panels,
    ) -> Result<Option<Comparison>, Failure> {
        let compare = settings.compare;
        let asked = panels.has(Panel::Compression) && (compare.colors || compare.bones);
        match open.document.as_ref().filter(|_| asked) {
            Some(document) => Comparison::new(document, compare),
            None => Ok(None),
        }
    }

    /// What is drawn with strokes round the document.
    pub fn overlay(
        &mut self,
        open: &mut Open,
        settings: &Settings,
        dark: bool,
        comparison: Option<&Comparison>,
        to: Strokes<'_>,
    ) -> Result<(), Failure> {
        let Strokes { bones, lines, overlay } = to;
        let duration_s = open.duration_s();
        let color = if dark { [0.7, 0.8, 0.9, 1.0] } else { [0.42, 0.5, 0.6, 1.0] };
        if let Some([_, (second, offset)]) = open.pair().filter(|[_, (d, _)]| shows_bones(settings, d)) {
            let body = second.body();
            bones.add(body.skeleton(), body.models(), None, color, Stand { offset, scale: 1.0 });
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
                bounds.sockets(document, overlay);
            }
        }
        if document.plays_a_clip() && (settings.onion || settings.trail) {
            let ghost = self.ghost.get_or_insert_with(|| Ghost::new(document));
            if settings.onion {
                ghost.onion(document, duration_s, overlay)?;
            }
            if settings.trail {
                ghost.trail(document, duration_s, open.joint.unwrap_or(0), overlay)?;
            }
        }
        let body = document.body();
        let (skeleton, here) = (body.skeleton(), Stand::default());
        let shown = comparison.is_some_and(|_| settings.compare.bones) || shows_bones(settings, document);
        if let Some(comparison) = comparison.filter(|_| settings.compare.bones) {
            let (source, cooked) = (comparison.models(), comparison.drawn_models(body.models()));
            bones.add(skeleton, source, None, SOURCE, here);
            bones.add(skeleton, &cooked, open.joint, COOKED, here);
        } else if shown {
            bones.add(skeleton, body.models(), open.joint, color, here);
        }
        if let Some(model) = open.joint.filter(|_| shown).and_then(|joint| body.models().get(joint)) {
            overlay.add_axes(model, usual_length(skeleton, body.models()) * 0.6);
        }
        if let Some(directed) = document.directed.as_ref().filter(|_| !self.candidates.is_empty()) {
            let palette = look::palette(dark);
            self.candidates.iter().for_each(|candidates| candidates.draw(palette, overlay));
            directed.matched.iter().for_each(|matched| draw_ways(matched, palette, overlay));
        }
        if let Some(reach) = document.reach() {
            let (to, size) = (reach.target, document.radius() * 0.04);
            // Eight edges round it, and what is missing.
            let corners = [Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z].map(|axis| to + axis * size);
            for (i, corner) in corners.into_iter().enumerate() {
                for end in [corners[(i + 1) % 4], to + Vec3::Y * size, to - Vec3::Y * size] {
                    overlay.add(corner, end, TARGET);
                }
            }
            overlay.add(body.models()[reach.joint].w_axis.truncate(), to, TARGET);
        }
        Ok(())
    }
}

/// Bones are drawn: they are asked for, or there is nothing else to see.
pub(crate) fn shows_bones(settings: &Settings, document: &Document) -> bool {
    settings.bones || !settings.meshes || document.surfaces.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::CrowdSettings;

    #[test]
    fn a_crowd_is_framed_before_anybody_is_left_out() {
        // Near, as at a document of a hand's size.
        let mut stage = Stage::default();
        stage.camera.frame(Vec3::new(0.0, 0.9, 0.0), 0.2);
        let crowd = CrowdSettings { count: 60, threads: 1, by_size: true };
        let settings = Settings { shows: Shows::Crowd, crowd, ..Settings::default() };
        stage.advance(0.0, &mut Open::default(), &settings).unwrap();
        let seen = |stage: &Stage| stage.crowd.as_ref().map_or(0, |crowd| crowd.instances().len());
        assert_eq!(seen(&stage), 60, "in the first frame already");
        stage.advance(0.0, &mut Open::default(), &settings).unwrap();
        assert_eq!(seen(&stage), 60);
    }
}
