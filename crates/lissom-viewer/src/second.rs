//! A second document, beside the first.

#[cfg(not(target_arch = "wasm32"))]
use crate::{
    changes::{self, Changes},
    document::Source,
    opening::Opening,
};
use crate::{
    document::{Document, Failure},
    loading::Loading,
    viewer::Viewer,
};
use lissom::{math::Vec3, player::PlayOptions};

/// What stands beside the document: it is drawn, and goes by the same clock. Everything else is about the first.
#[derive(Default)]
pub(crate) struct Second {
    pub document: Option<Document>,
    pub loading: Option<Loading>,
    /// What is opened next comes here.
    pub next: bool,
    #[cfg(not(target_arch = "wasm32"))]
    changes: Option<Changes>,
}

impl Second {
    /// True if what is opened now comes here; the next does not.
    pub fn take_next(&mut self) -> bool {
        std::mem::take(&mut self.next)
    }
}

impl Viewer {
    /// Starts to open files beside the document. When they change, they are opened again.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open_beside(&mut self, files: Vec<std::path::PathBuf>, ctx: &egui::Context) {
        let sources = files.iter().cloned().map(Source::File).collect();
        self.second.changes = Some(Changes::new(files));
        let ctx = ctx.clone();
        let wake = move || ctx.request_repaint();
        self.second.loading = Some(Loading::start_by(sources, Opening::default(), wake));
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn take_changed_beside(&mut self, ctx: &egui::Context) {
        let Some(changes) = &mut self.second.changes else { return };
        ctx.request_repaint_after(changes::EVERY);
        if self.second.loading.is_none() && changes.look(web_time::Instant::now()) {
            let files = changes.files().to_vec();
            self.open_beside(files, ctx);
        }
    }

    /// Shows a document beside the first, or says why there is none; then the one before it stays.
    pub fn show_beside(&mut self, document: Result<Document, Failure>) {
        let shown = document.and_then(|document| {
            self.scene.load_beside(Some(&document))?;
            Ok(document)
        });
        match shown {
            Ok(document) => {
                let again = self.second.document.replace(document).is_some();
                // Where the first one is not there, that is what must be told.
                self.failure = self.failure.take().filter(|_| self.document.is_none());
                self.keep_step();
                if !again {
                    self.frame_all();
                }
            }
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// The document alone.
    pub(crate) fn close_beside(&mut self) {
        self.second = Second::default();
        let done = self.scene.load_beside(None);
        self.tell(done);
        self.frame_all();
    }

    /// The name of what stands beside the document.
    #[must_use]
    pub fn beside(&self) -> Option<&str> {
        self.second.document.as_ref().map(|document| document.name.as_str())
    }

    /// Brings the second document to the time of the first, in the clip of the same name if it has one.
    pub(crate) fn keep_step(&mut self) {
        let options =
            PlayOptions { speed: self.speed, repeat: self.settings.repeats(), ..PlayOptions::default() };
        let (Some(first), Some(second)) = (&self.document, &mut self.second.document) else { return };
        let has = |name: &&str| second.clips.iter().any(|clip| clip.name == *name);
        let Some(clip) = first.player.playing().filter(has).or(second.player.playing()) else { return };
        let duration_s = second.clips.iter().find(|c| c.name == clip).map_or(0.0, |c| c.duration_s);
        let time_s = first.player.time_s();
        // Each repeats by itself; what does not, waits at its end.
        let time_s = match options.repeat {
            lissom::track::Repeat::Loop if duration_s > 0.0 => time_s.rem_euclid(duration_s),
            _ => time_s.min(duration_s),
        };
        let clip = clip.to_owned();
        let done = second.player.play_with(&clip, options).and_then(|()| second.player.scrub(time_s));
        self.tell(done);
    }

    /// From where the second document is to where it is drawn: at the left hand of the first.
    pub(crate) fn offset(&self) -> Vec3 {
        let (Some(first), Some(second)) = (&self.document, &self.second.document) else { return Vec3::ZERO };
        let between = (first.radius() + second.radius()) * 0.15;
        let apart = first.half.x + between + second.half.x;
        Vec3::new(first.centre.x + apart - second.centre.x, 0.0, 0.0)
    }

    /// What is drawn, and where, if there are two.
    pub(crate) fn pair(&self) -> Option<[(&Document, Vec3); 2]> {
        let (first, second) = (self.document.as_ref()?, self.second.document.as_ref()?);
        Some([(first, Vec3::ZERO), (second, self.offset())])
    }
}
