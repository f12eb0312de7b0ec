//! What is open: the document, what stands beside it, what is on its way, and time.

use crate::{
    document::Document,
    failure::Failure,
    loading::Loading,
    opening::Opening,
    platform::{Asked, Watch},
    retargeted::Corrections,
    source::Source,
};
use lissom::{math::Vec3, player::PlayOptions, track::Repeat};

/// What is open.
pub(crate) struct Open {
    pub document: Option<Document>,
    /// It is drawn, and goes by the same clock. Everything else is about the document.
    pub beside: Option<Document>,
    pub loading: Option<Loading>,
    pub loading_beside: Option<Loading>,
    /// What is opened next comes beside.
    pub next_beside: bool,
    pub playing: bool,
    pub speed: f64,
    /// Only this part of the clip plays, in seconds; `None`: all of it.
    pub range: Option<[f64; 2]>,
    /// The joint that is chosen.
    pub joint: Option<usize>,
    /// The clip to show first, until there is a document.
    pub wanted_clip: Option<String>,
    /// If files are opened again.
    kept: Option<Kept>,
    /// False until the document's files are watched.
    pub is_watched: bool,
    /// What is watched was written by the viewer itself.
    is_stale: bool,
    watch: Watch,
    watch_beside: Watch,
}

/// What a document that is opened again keeps of itself.
pub(crate) struct Kept {
    pub clip: Option<String>,
    pub time_s: f64,
    pub playing: bool,
    pub joint: Option<String>,
    /// How large it was.
    pub radius: f32,
}

impl Default for Open {
    fn default() -> Self {
        Self {
            document: None,
            beside: None,
            loading: None,
            loading_beside: None,
            next_beside: false,
            playing: true,
            speed: 1.0,
            range: None,
            joint: None,
            wanted_clip: None,
            kept: None,
            is_watched: true,
            is_stale: false,
            watch: Watch::default(),
            watch_beside: Watch::default(),
        }
    }
}

impl Open {
    /// Starts to open files onto what is open: motions are brought onto its character. When they change, they are opened again.
    pub fn start(&mut self, asked: Asked, opening: Opening, ctx: &egui::Context) -> Result<(), Failure> {
        self.kept = None;
        let watched = self.watch_paths(asked.paths(), ctx);
        self.load(asked, opening, ctx);
        watched
    }

    fn load(&mut self, asked: Asked, opening: Opening, ctx: &egui::Context) {
        self.loading = Some(Loading::start_by(asked, opening, wake(ctx)));
    }

    /// Starts to open files beside the document.
    pub fn start_beside(&mut self, asked: Asked, ctx: &egui::Context) -> Result<(), Failure> {
        let watched = self.watch_beside.set(asked.paths(), wake(ctx)).map_err(|e| unseen(&e));
        self.loading_beside = Some(Loading::start_by(asked, Opening::default(), wake(ctx)));
        watched
    }

    /// True if what is opened now comes beside; the next does not.
    pub fn take_next(&mut self) -> bool {
        std::mem::take(&mut self.next_beside)
    }

    /// The files that are open, for what is dropped onto them.
    pub fn onto(&self) -> Opening {
        let onto = self.document.as_ref().map_or_else(Vec::new, |document| document.sources.clone());
        Opening { onto, says: self.says(), ..Opening::default() }
    }

    /// What the user says of bones.
    fn says(&self) -> Corrections {
        let retargeted = self.document.as_ref().and_then(|document| document.retargeted.as_ref());
        retargeted.map(|retargeted| retargeted.says.clone()).unwrap_or_default()
    }

    /// Opens files again that have changed.
    pub fn take_changed(&mut self, ctx: &egui::Context) {
        let files = |watch: &Watch| watch.paths().iter().cloned().map(Source::File).collect();
        if self.loading.is_none() && self.watch.take_change() {
            self.open_again(files(&self.watch), Opening::default(), ctx);
        }
        if self.loading_beside.is_none() && self.watch_beside.take_change() {
            let asked = Asked::of(files(&self.watch_beside));
            self.loading_beside = Some(Loading::start_by(asked, Opening::default(), wake(ctx)));
        }
    }

    /// Cooks what is open again, to another precision.
    pub fn recook(&mut self, precision_mm: f64, ctx: &egui::Context) {
        if let Some(document) = &self.document {
            let opening = Opening { precision_mm: Some(precision_mm), ..Opening::default() };
            self.open_again(document.sources.clone(), opening, ctx);
        }
    }

    /// Brings motions onto the character again, with what the user says of bones; what was said before. The document stays if
    /// that cannot be done.
    pub fn correct(&mut self, says: Corrections, ctx: &egui::Context) -> Result<Corrections, Failure> {
        let gone = || Failure("no motions were brought onto a character".into());
        let document = self.document.as_mut().ok_or_else(gone)?;
        let retargeted = document.retargeted.as_mut().ok_or_else(gone)?;
        let was = retargeted.correct(says)?;
        let sources = retargeted.refused.clone().unwrap_or_else(|| document.sources.clone());
        let came = document.brought.iter().filter(|brought| !brought.clips.is_empty());
        let must_come = Some(came.map(|brought| brought.file.clone()).collect());
        let opening = Opening { precision_mm: document.precision_mm, must_come, ..Opening::default() };
        self.open_again(sources, opening, ctx);
        Ok(was)
    }

    /// Opens files again and goes on where it is.
    fn open_again(&mut self, sources: Vec<Source>, opening: Opening, ctx: &egui::Context) {
        let opening = Opening { says: self.says(), ..opening };
        self.kept = self.document.as_ref().map(|document| Kept {
            clip: document.player.playing().map(String::from),
            time_s: document.player.time_s(),
            playing: self.playing,
            joint: self.joint.map(|joint| document.player.skeleton().name(joint).into()),
            radius: document.radius(),
        });
        self.load(Asked::of(sources), opening, ctx);
    }

    pub fn take_kept(&mut self) -> Option<Kept> {
        self.kept.take()
    }

    /// What has arrived.
    pub fn take_loaded(&mut self) -> [Option<Result<Document, Failure>>; 2] {
        [&mut self.loading, &mut self.loading_beside].map(|slot| {
            let done = slot.as_ref().and_then(Loading::poll);
            if done.is_some() {
                *slot = None;
            }
            done
        })
    }

    /// Looks at the document's files from now on, if it is another document.
    pub fn watch(&mut self, ctx: &egui::Context) -> Result<(), Failure> {
        if std::mem::replace(&mut self.is_watched, true) {
            return Ok(());
        }
        let files = self.document.iter().flat_map(|document| &document.sources);
        let files = files.filter_map(Source::file).map(Into::into).collect();
        self.watch_paths(files, ctx)
    }

    /// The same, from what they are now: what the viewer wrote itself is no news.
    pub fn watch_anew(&mut self) {
        self.is_watched = false;
        self.is_stale = true;
    }

    fn watch_paths(&mut self, paths: Vec<std::path::PathBuf>, ctx: &egui::Context) -> Result<(), Failure> {
        if self.watch.paths() == paths && !std::mem::take(&mut self.is_stale) {
            return Ok(());
        }
        self.watch.set(paths, wake(ctx)).map_err(|e| unseen(&e))
    }

    /// The document alone.
    pub fn close_beside(&mut self) {
        (self.beside, self.loading_beside, self.next_beside) = (None, None, false);
        self.watch_beside = Watch::default();
    }

    /// The time of the clip that plays, in seconds; `None` without one.
    pub fn time_s(&self) -> Option<f64> {
        let document = self.document.as_ref().filter(|d| d.plays_a_clip())?;
        document.player.playing()?;
        Some(document.player.time_s())
    }

    /// How long the clip that plays is, in seconds; 0 without one.
    pub fn duration_s(&self) -> f64 {
        let Some(document) = &self.document else { return 0.0 };
        let playing = document.player.playing();
        document.clips.iter().find(|c| Some(c.name.as_str()) == playing).map_or(0.0, |c| c.duration_s)
    }

    /// True if the next frame differs from this one: time goes on, and something goes with it.
    pub fn moves(&self) -> bool {
        let still = |d: &Document| d.plays_a_clip() && d.player.playing().is_none();
        self.playing && [&self.document, &self.beside].into_iter().flatten().any(|d| !still(d))
    }

    /// Starts a clip of the document.
    pub fn play(&mut self, clip: &str, repeat: Repeat) -> Result<(), Failure> {
        let options = self.options(repeat);
        let Some(document) = &mut self.document else { return Ok(()) };
        document.player.play_with(clip, options)?;
        self.playing = true;
        self.keep_step(repeat)
    }

    /// After time went on: what plays a part of the clip begins it again, or ends at its end.
    pub fn keep_in_range(&mut self, repeat: Repeat) -> Result<(), Failure> {
        let (Some(range), Some(document)) = (self.range, &mut self.document) else { return Ok(()) };
        if !self.playing || document.player.playing().is_none() {
            return Ok(());
        }
        let Some((time_s, ends)) = within(range, document.player.time_s(), self.speed < 0.0, repeat) else {
            return Ok(());
        };
        document.player.scrub(time_s)?;
        self.playing &= !ends;
        self.keep_step(repeat)
    }

    /// Goes to a time of the clip that plays, and pauses.
    pub fn scrub(&mut self, time_s: f64, repeat: Repeat) -> Result<(), Failure> {
        self.playing = false;
        // The end of a lap is the start of the next: what is asked for is just before.
        let last_s = self.duration_s() * (1.0 - 1e-9);
        let time_s = if time_s > last_s { last_s } else { time_s };
        match &mut self.document {
            Some(document) if document.player.playing().is_some() => document.player.scrub(time_s)?,
            _ => return Ok(()),
        }
        self.keep_step(repeat)
    }

    /// Plays at another speed, backward below 0.
    pub fn set_speed(&mut self, speed: f64, repeat: Repeat) -> Result<(), Failure> {
        self.speed = speed;
        let Some(document) = &mut self.document else { return Ok(()) };
        document.player.set_speed(speed)?;
        self.keep_step(repeat)
    }

    fn options(&self, repeat: Repeat) -> PlayOptions {
        PlayOptions { speed: self.speed, repeat, ..PlayOptions::default() }
    }

    /// Brings what stands beside to the time of the document, in the clip of the same name if it has one.
    pub fn keep_step(&mut self, repeat: Repeat) -> Result<(), Failure> {
        let options = self.options(repeat);
        let (Some(first), Some(second)) = (&self.document, &mut self.beside) else { return Ok(()) };
        let has = |name: &&str| second.clips.iter().any(|clip| clip.name == *name);
        let Some(clip) = first.player.playing().filter(has).or(second.player.playing()) else {
            return Ok(());
        };
        let duration_s = second.clips.iter().find(|c| c.name == clip).map_or(0.0, |c| c.duration_s);
        let time_s = first.player.time_s();
        // Each repeats by itself; what does not, waits at its end.
        let time_s = match repeat {
            Repeat::Loop if duration_s > 0.0 => time_s.rem_euclid(duration_s),
            _ => time_s.min(duration_s),
        };
        let clip = clip.to_owned();
        second.player.play_with(&clip, options)?;
        Ok(second.player.scrub(time_s)?)
    }

    /// From where the second document is to where it is drawn: at the left hand of the first.
    pub fn offset(&self) -> Vec3 {
        let (Some(first), Some(second)) = (&self.document, &self.beside) else { return Vec3::ZERO };
        let between = (first.radius() + second.radius()) * 0.15;
        let apart = first.path.half.x + between + second.path.half.x;
        Vec3::new(first.path.centre.x + apart - second.path.centre.x, 0.0, 0.0)
    }

    /// What is drawn, and where, if there are two.
    pub fn pair(&self) -> Option<[(&Document, Vec3); 2]> {
        let (first, second) = (self.document.as_ref()?, self.beside.as_ref()?);
        Some([(first, Vec3::ZERO), (second, self.offset())])
    }
}

/// Where a time that has left a range is to be instead, and whether that is the end; `None`: it has not.
fn within([from_s, to_s]: [f64; 2], time_s: f64, backward: bool, repeat: Repeat) -> Option<(f64, bool)> {
    let length_s = to_s - from_s;
    if (from_s..to_s).contains(&time_s) || length_s <= 0.0 {
        return None;
    }
    match repeat {
        Repeat::Loop => Some((from_s + (time_s - from_s).rem_euclid(length_s), false)),
        _ => Some((if backward { from_s } else { to_s }, true)),
    }
}

fn wake(ctx: &egui::Context) -> impl Fn() + Send + Sync + 'static {
    let ctx = ctx.clone();
    move || ctx.request_repaint()
}

fn unseen(e: &dyn core::fmt::Display) -> Failure {
    Failure(format!("changes of files are not seen: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_clip_begins_again_or_ends() {
        let range = [0.5, 1.5];
        assert_eq!(within(range, 0.7, false, Repeat::Loop), None);
        let (time_s, ends) = within(range, 1.6, false, Repeat::Loop).unwrap();
        assert!((time_s - 0.6).abs() < 1e-9 && !ends);
        // Backward it comes from its end; from far away it comes to its part.
        let (time_s, _) = within(range, 0.4, true, Repeat::Loop).unwrap();
        assert!((time_s - 1.4).abs() < 1e-9);
        let (time_s, _) = within(range, 7.2, false, Repeat::Loop).unwrap();
        assert!((time_s - 1.2).abs() < 1e-9);
        assert_eq!(within(range, 1.6, false, Repeat::Once), Some((1.5, true)));
        assert_eq!(within(range, 0.1, true, Repeat::Once), Some((0.5, true)));
        assert_eq!(within([1.0, 1.0], 3.0, false, Repeat::Loop), None);
    }
}
