//! Files on their way.

use crate::{document::Document, failure::Failure, opening::Opening, platform::Asked, source::Source};
use lissom_build::pipeline::{Progress, Step, Watch};
use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, TryRecvError, channel},
    },
};

/// Files on their way: on a thread of their own, or, on a page, after what is on the screen was drawn.
pub struct Loading {
    name: String,
    done: Receiver<Result<Document, Failure>>,
    shared: Shared,
}

/// What both sides know.
#[derive(Clone)]
struct Shared {
    progress: Arc<Mutex<(usize, usize, String)>>,
    cancelled: Arc<AtomicBool>,
}

impl Loading {
    /// Starts to open files; `wake` is called whenever there is something new to see.
    #[must_use]
    pub fn start(sources: Vec<Source>, wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self::start_by(Asked::of(sources), Opening::default(), wake)
    }

    /// The same, opened in a way of its own; the mannequin if there are no files.
    pub(crate) fn start_by(asked: Asked, opening: Opening, wake: impl Fn() + Send + Sync + 'static) -> Self {
        let (send, loading) = Self::new(asked.name.clone());
        let (shared, wake) = (loading.shared.clone(), Arc::new(wake));
        let got = wake.clone();
        asked.then(
            move || got(),
            move |sources| shared.run(&send, &*wake, |watch| Document::open_by(&sources?, &opening, watch)),
        );
        loading
    }

    fn new(name: String) -> (Sender<Result<Document, Failure>>, Self) {
        let (send, done) = channel();
        let shared = Shared {
            progress: Arc::new(Mutex::new((0, 1, "reading the file".into()))),
            cancelled: Arc::new(AtomicBool::new(false)),
        };
        (send, Self { name, done, shared })
    }

    /// What is opened.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Steps done, steps in all, and what is done now.
    #[must_use]
    pub fn progress(&self) -> (usize, usize, String) {
        self.shared.progress.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The document, once it is there.
    pub fn poll(&self) -> Option<Result<Document, Failure>> {
        match self.done.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(self.lost())),
        }
    }

    /// Waits for it.
    ///
    /// # Errors
    ///
    /// As [`Document::open`].
    pub fn wait(self) -> Result<Document, Failure> {
        self.done.recv().unwrap_or_else(|_| Err(self.lost()))
    }

    fn lost(&self) -> Failure {
        Failure(format!("{}: opening it ended without a word", self.name))
    }
}

impl Shared {
    fn run(
        &self,
        send: &Sender<Result<Document, Failure>>,
        wake: &(dyn Fn() + Send + Sync),
        open: impl FnOnce(&mut Watch<'_>) -> Result<Document, Failure>,
    ) {
        let result = open(&mut |step: Progress<'_>| {
            let what = match step.step {
                Step::Read { input } => format!("read {input}"),
                Step::Cooked { clip, .. } => format!("compressed {clip}"),
                // What comes after the archive is the document's own.
                _ => "meshes and pictures".into(),
            };
            *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = (step.done, step.all, what);
            wake();
            if self.cancelled.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        // Nobody waits for it any more if that fails.
        let _ = send.send(result);
        wake();
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.shared.cancelled.store(true, Ordering::Relaxed);
    }
}
