//! Many mannequins of the lowest detail, on rings round the middle, and what each stage of a frame takes.
//!
//! ```text
//!  steer    where each is on its ring
//!  detail   how large it is on the screen: joints, rate, or not at all
//!  update   Crowd::update_into, on as many threads as asked for
//!  upload   palettes and places to the GPU
//!  draw     commands for it: one call
//! ```

mod rings;

use crate::{
    camera::{Camera, FIELD},
    failure::Failure,
    platform::Pool,
    settings::CrowdSettings,
    surfaces::Surface,
};
use lissom::{
    JointLod, JointMask, Skeleton,
    archive::{Archive, Mesh},
    math::{Mat4, Vec3},
};
use lissom_build::{
    cook::{ClipBuilder, Effort},
    mannequin, pipeline,
};
use lissom_motion::{
    RootStep,
    crowd::{Crowd, Detail, DetailStep, HalfRows, Member, Outputs, PalettesMut, PlayedClip, Role},
};
use rings::{Ringed, radius, ringed};
use web_time::Instant;

/// How many there may be.
pub(crate) const MOST: usize = 10_000;
/// What a mannequin takes up: metres from the floor to its head.
const HEIGHT_M: f32 = 1.8;
/// Palettes are kept in whole rows of the texture: 1,024 matrices are three of them.
const MATRICES: usize = 1024;

/// Frames that a stage's time is taken from.
const FRAMES: usize = 30;

/// A part of a frame that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Steer,
    Detail,
    Update,
    Upload,
    Draw,
}

impl Phase {
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Steer, "steer", "where each is on its ring"),
        (Self::Detail, "detail", "how large each is on the screen: joints, rate, or not at all"),
        (Self::Update, "update", "clips decoded and mixed, matrices, palettes"),
        (Self::Upload, "upload", "palettes and places to the GPU"),
        (Self::Draw, "draw", "commands for the GPU"),
    ];
}

/// One that is drawn, as the GPU reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct Instance {
    /// Where it stands: x, z, and the sine and cosine of where it looks.
    place: [f32; 4],
    /// Linear.
    coat: [f32; 3],
    /// Whose palette.
    member: u32,
}

/// The crowd that the panel shows.
pub(crate) struct CrowdScene {
    crowd: Crowd,
    mesh: Mesh,
    /// The crowd's numbers of idle, walk, jog and run.
    gaits: [u16; 4],
    /// Without fingers.
    coarse: u8,
    members: Vec<Member>,
    ringed: Vec<Ringed>,
    places: Vec<RootStep>,
    shares: Vec<f32>,
    palettes: Vec<HalfRows>,
    instances: Vec<Instance>,
    time_s: f64,
    steps: u64,
    /// Seconds of each stage in the last frames, the newest last.
    stages: [Vec<f64>; 5],
    pool: Pool,
}

impl CrowdScene {
    /// Nobody yet.
    pub fn new() -> Result<Self, Failure> {
        let wrong = |e: &dyn core::fmt::Display| Failure(format!("the crowd: {e}"));
        let archive = Archive::read(&archive().map_err(|e| wrong(&*e))?)?;
        let mut crowd = Crowd::new(&archive).map_err(|e| wrong(&e))?;
        crowd.set_outputs(Outputs { models: false, ..Outputs::default() });
        let mut gaits = [0; 4];
        for (number, motion) in gaits.iter_mut().zip(rings::GAITS) {
            *number = crowd.clip(motion.name()).map_err(|e| wrong(&e))?;
        }
        let coarse = without_fingers(crowd.skeleton()).map_err(|e| wrong(&e))?;
        let coarse = crowd.add_level(coarse).map_err(|e| wrong(&e))?;
        Ok(Self {
            mesh: archive.mesh("mannequin")?,
            crowd,
            gaits,
            coarse,
            members: Vec::new(),
            ringed: Vec::new(),
            places: Vec::new(),
            shares: Vec::new(),
            palettes: Vec::new(),
            instances: Vec::new(),
            time_s: 0.0,
            steps: 0,
            stages: Default::default(),
            pool: Pool::default(),
        })
    }

    /// What everybody wears.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    pub fn surface() -> Surface {
        Surface::plain("mannequin")
    }

    pub fn joint_count(&self) -> usize {
        self.crowd.skeleton().joint_count()
    }

    /// Whole thousands of matrices, as many a member as there are joints.
    pub fn palettes(&self) -> &[HalfRows] {
        &self.palettes
    }

    /// Who is to be drawn.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// How often it was moved.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// A ball that holds everybody.
    pub fn ball(&self) -> (Vec3, f32) {
        (Vec3::new(0.0, HEIGHT_M * 0.5, 0.0), radius(self.members.len()) + 1.0)
    }

    /// Microseconds of a stage: the median of the last frames, so that one that waited for a shader does not count.
    pub fn micros(&self, stage: Phase) -> f64 {
        let mut last = self.stages[stage as usize].clone();
        last.sort_by(f64::total_cmp);
        last.get(last.len() / 2).map_or(0.0, |seconds| seconds * 1e6)
    }

    pub fn took(&mut self, stage: Phase, since: Instant) {
        let last = &mut self.stages[stage as usize];
        if last.len() == FRAMES {
            last.remove(0);
        }
        last.push(since.elapsed().as_secs_f64());
    }

    /// As many as there are to be.
    pub fn settle(&mut self, settings: CrowdSettings) -> Result<(), Failure> {
        self.make(settings.count.clamp(1, MOST)).map_err(|e| Failure(format!("the crowd: {e}")))
    }

    /// Advances by `dt_s` seconds, seen from a camera.
    pub fn update(
        &mut self,
        dt_s: f64,
        settings: CrowdSettings,
        camera: &Camera,
        aspect: f32,
    ) -> Result<(), Failure> {
        self.step(dt_s, settings, camera, aspect).map_err(|e| Failure(format!("the crowd: {e}")))
    }

    fn step(
        &mut self,
        dt_s: f64,
        settings: CrowdSettings,
        camera: &Camera,
        aspect: f32,
    ) -> Result<(), Box<dyn core::error::Error>> {
        self.make(settings.count.clamp(1, MOST))?;
        let started = Instant::now();
        self.time_s += dt_s;
        self.steps += 1;
        for (place, ringed) in self.places.iter_mut().zip(&self.ringed) {
            *place = ringed.place(self.time_s);
        }
        self.crowd.set_places(&self.members, &self.places)?;
        self.took(Phase::Steer, started);

        let started = Instant::now();
        self.see(settings.by_size, camera, aspect)?;
        self.took(Phase::Detail, started);

        let started = Instant::now();
        let palettes = PalettesMut::F16(&mut self.palettes);
        self.pool.update(&mut self.crowd, dt_s, settings.threads, palettes)?;
        self.took(Phase::Update, started);
        Ok(())
    }

    /// So many members: the outermost come and go.
    fn make(&mut self, count: usize) -> Result<(), Box<dyn core::error::Error>> {
        if self.members.len() > count {
            self.crowd.remove_each(&self.members[count..])?;
            self.members.truncate(count);
        }
        let came = self.members.len();
        for i in came..count {
            let one = ringed(i);
            let [(a, share), (b, rest)] = one.gaits();
            let parts =
                [(a, share), (b, rest)].map(|(gait, w)| PlayedClip::new(self.gaits[gait], w).at(one.phase()));
            self.members.push(self.crowd.add(Role::InStep(&parts), one.place(self.time_s))?);
        }
        // They go round, whatever their clips say.
        self.crowd.set_travels(&self.members[came..], false)?;
        if self.ringed.len() != count {
            self.ringed = (0..count).map(ringed).collect();
            self.places = vec![RootStep::IDENTITY; count];
            let matrices = (self.crowd.slots() * self.joint_count()).next_multiple_of(MATRICES);
            self.palettes.resize(matrices, [[0; 4]; 3]);
        }
        Ok(())
    }

    /// How much work each is worth, and who is drawn.
    fn see(
        &mut self,
        by_size: bool,
        camera: &Camera,
        aspect: f32,
    ) -> Result<(), Box<dyn core::error::Error>> {
        let (view, eye) = (camera.view_projection(aspect), camera.eye());
        self.shares.clear();
        self.shares.extend(self.places.iter().map(|place| {
            let at = middle(place);
            match (by_size, is_in_view(&view, at)) {
                (false, _) => 1.0,
                (true, true) => Detail::share_of_screen(HEIGHT_M, eye.distance(at), FIELD),
                // No step is reached by it.
                (true, false) => f32::NAN,
            }
        }));
        let step = |share, level, every| DetailStep { share, level, every };
        let detail = Detail::new(&[
            step(0.2, 0, 1),
            step(0.05, self.coarse, 1),
            step(0.02, self.coarse, 2),
            step(0.0, self.coarse, 4),
        ])?;
        self.crowd.set_detail(&self.members, &self.shares, &detail)?;
        self.instances.clear();
        let seen = self.members.iter().zip(&self.places).zip(&self.shares).enumerate();
        for (i, ((member, place), _)) in seen.filter(|(_, (_, share))| !share.is_nan()) {
            let [x, _, z] = place.translation.map(|v| v as f32);
            let [_, sin, _, cos] = place.rotation.map(|v| v as f32);
            let look = [2.0 * sin * cos, cos * cos - sin * sin];
            let (place, member) = ([x, z, look[0], look[1]], member.index() as u32);
            self.instances.push(Instance { place, coat: rings::COATS[i % rings::COATS.len()], member });
        }
        Ok(())
    }
}

/// The skeleton, the gaits in place, and the skin, as coarse as it can be made.
fn archive() -> Result<Vec<u8>, Box<dyn core::error::Error>> {
    let coarsest = mannequin::Detail { body_m: 0.04, hand_m: 0.012 };
    let scene = mannequin::game_scene(&rings::GAITS, &coarsest)?;
    let builder = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    Ok(pipeline::cook_scene(&scene, &builder, &pipeline::serial)?.archive)
}

/// All joints but those below a hand.
fn without_fingers(skeleton: &Skeleton) -> Result<JointLod, lissom::LodError> {
    let mut mask = JointMask::all(skeleton);
    for joint in 0..skeleton.joint_count() {
        let mut above = core::iter::successors(skeleton.parent(joint), |j| skeleton.parent(*j));
        if above.any(|j| skeleton.name(j).starts_with("hand")) {
            mask.remove(joint);
        }
    }
    JointLod::from_mask(skeleton, mask)
}

/// The middle of somebody.
fn middle(place: &RootStep) -> Vec3 {
    let [x, _, z] = place.translation.map(|v| v as f32);
    Vec3::new(x, HEIGHT_M * 0.5, z)
}

/// True if a ball that holds a mannequin may touch the picture.
fn is_in_view(view: &Mat4, at: Vec3) -> bool {
    const REACH: f32 = 1.3;
    let [right, up, ahead] = [view.row(0), view.row(1), view.row(3)];
    [right, -right, up, -up].into_iter().all(|side| {
        let plane = ahead + side;
        plane.dot(at.extend(1.0)) >= -REACH * plane.truncate().length()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_detail_do_not_change_what_the_nearest_one_shows() {
        let mut camera = Camera::default();
        camera.frame(Vec3::new(0.0, 0.9, 0.0), 4.0);
        let show = |threads, by_size| {
            let mut scene = CrowdScene::new().unwrap();
            let settings = CrowdSettings { count: 200, threads, by_size };
            for _ in 0..7 {
                scene.update(1.0 / 60.0, settings, &camera, 1.5).unwrap();
            }
            scene
        };
        let [one, two, by_size] = [(1, false), (2, false), (1, true)].map(|(t, s)| show(t, s));
        assert_eq!((one.instances.len(), by_size.instances.len() < 200), (200, true));
        assert!(one.palettes == two.palettes);
        assert!(one.palettes != by_size.palettes, "who is not seen is not posed");
        // The first one stands before the camera.
        let joints = one.joint_count();
        assert!(by_size.shares[0] > 0.2, "{}", by_size.shares[0]);
        assert!(one.palettes[..joints] == by_size.palettes[..joints]);
    }

    #[test]
    fn they_come_and_go() {
        let mut scene = CrowdScene::new().unwrap();
        for count in [1, 50, 7, 0, 90] {
            let settings = CrowdSettings { count, threads: 1, by_size: false };
            scene.update(0.1, settings, &Camera::default(), 1.0).unwrap();
            let now = count.max(1);
            assert_eq!((scene.crowd.len(), scene.instances.len(), scene.places.len()), (now, now, now));
            let (last, joints) = (scene.instances[now - 1].member as usize, scene.joint_count());
            let palette = &scene.palettes[last * joints..(last + 1) * joints];
            assert!(palette.iter().all(|m| m.iter().all(|row| row.iter().any(|v| *v != 0))));
        }
    }

    #[test]
    fn whoever_is_framed_is_in_view_and_whoever_is_behind_is_not() {
        for step in 0..32 {
            let mut camera = Camera { yaw: step as f32 * 0.7, pitch: 0.3, ..Camera::default() };
            camera.frame(Vec3::new(2.0, 0.9, -5.0), 3.0);
            let view = camera.view_projection(1.6);
            assert!(is_in_view(&view, camera.target));
            let away = camera.eye() - camera.target;
            assert!(!is_in_view(&view, camera.eye() + away));
            let side = away.cross(Vec3::Y).normalize();
            assert!(!is_in_view(&view, camera.target + side * 40.0));
            assert!(!is_in_view(&view, camera.target - side * 40.0));
        }
    }
}
