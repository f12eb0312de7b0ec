//! The one place that does what panels ask for.

use crate::{
    document::Document,
    drive::{Directed, Mixer, Reach, Springs},
    failure::Failure,
    platform::Asked,
    settings::{Drives, Panel, Shows},
    shown::WorldScene,
    source::Source,
    state::{Browser, Command, Commands, Edit, Export, Open, Slot, Stage, TimeView},
    viewer::Viewer,
};
use std::path::{Path, PathBuf};

impl Viewer {
    /// Does what was asked for, one after the other.
    pub(crate) fn apply(&mut self, commands: &mut Commands, ctx: &egui::Context) {
        for command in commands.drain(..) {
            // What was read before is no longer what there is.
            ctx.request_repaint();
            let done = self.do_one(command, ctx);
            self.ui.tell(done);
        }
    }

    fn do_one(&mut self, command: Command, ctx: &egui::Context) -> Result<(), Failure> {
        let repeat = self.settings.repeats();
        match command {
            Command::OpenFiles(asked) => return self.take(asked, ctx),
            Command::NextBeside(next) => self.open.next_beside = next,
            Command::CloseBeside => self.close_beside()?,
            Command::CancelLoading(Slot::First) => self.open.loading = None,
            Command::CancelLoading(Slot::Beside) => self.open.loading_beside = None,
            Command::Browse { beside } => {
                self.open.next_beside = beside;
                let here = Path::new(".");
                self.ui.browser = Some(Browser::new(&here.canonicalize().unwrap_or(here.into())));
            }
            Command::BrowsePath(path) => {
                if let Some(browser) = &mut self.ui.browser {
                    browser.path = path;
                }
            }
            Command::BrowseTo(path) => return self.browse_to(path, ctx),
            Command::CloseBrowser => self.ui.browser = None,
            Command::Export(what) => {
                let path = self.export(what, Path::new("."))?;
                // A moving picture says so itself when it is done.
                if what != Export::Gif {
                    self.ui.told = Some(format!("saved {}", path.display()));
                }
            }
            Command::StopRecording => self.ui.recording = None,
            Command::SaveGraph => {
                let Some(document) = &mut self.open.document else { return Ok(()) };
                let saved = document.save_graph()?;
                self.ui.told = saved.map(|path| format!("saved {}", path.display()));
                self.open.watch_anew();
            }
            Command::Recook(precision_mm) => self.open.recook(precision_mm, ctx),
            Command::ChooseRig(rig) => self.ui.rig = rig,
            Command::CopyRecipe => {
                let document = self.open.document.as_ref();
                if let Some(retargeted) = document.and_then(|document| document.retargeted.as_ref()) {
                    ctx.copy_text(retargeted.to_toml());
                    self.ui.told = Some("copied: paste it into lissom.toml".into());
                }
            }
            Command::WantPrecision(precision_mm) => self.ui.wanted_mm = Some(precision_mm),

            Command::Play(clip) => self.play(&clip)?,
            Command::PlayOrPause => self.open.playing = !self.open.playing,
            Command::Scrub(time_s) => {
                self.open.scrub(time_s, repeat)?;
                self.ui.time = self.ui.time.with(time_s, self.open.duration_s());
            }
            Command::Range(range) => self.open.range = range,
            Command::Time(time) => self.ui.time = time,
            Command::Speed(speed) => self.open.set_speed(speed, repeat)?,
            Command::Repeat(repeat) => {
                self.settings.repeat = repeat;
                let clip = self.open.document.as_ref().and_then(|d| d.player.playing()).map(String::from);
                clip.map_or(Ok(()), |clip| self.play(&clip))?;
            }

            Command::Choose(joint) => {
                self.settings.bones |= joint.is_some();
                self.open.joint = joint;
            }
            Command::LookAt { clip, joint, time_s } => {
                self.play(&clip)?;
                self.open.scrub(time_s, repeat)?;
                self.choose(&joint);
            }
            Command::Set(settings) => self.settings = settings,
            Command::Open(panel) => self.open_panel(panel),
            Command::Close(panel) => self.close_panel(panel),
            Command::ResetLayout => self.layout = Default::default(),
            Command::Drive(drives) => self.drive(drives),
            Command::Show(shows) => self.settings.shows = shows,
            Command::Seen(rect) => self.stage.seen = Some(rect),
            Command::Camera(camera) => self.stage.look(camera),
            Command::LookFrom(side) => {
                let facing = self.view().facing();
                self.stage.turn_to(self.stage.camera.side(side, facing));
            }
            Command::Parallel => self.stage.camera.parallel = !self.stage.camera.parallel,
            Command::Theme => {
                let light = ctx.theme() == egui::Theme::Dark;
                ctx.set_theme(if light { egui::Theme::Light } else { egui::Theme::Dark });
            }
            Command::Frame => self.stage.frame_all(&mut self.open, &self.settings)?,
            Command::Reframe => self.stage.reframe(),
            Command::Hold(held) => self.stage.held = held,
            Command::MoveTarget(target) => {
                if let Some(reach) = self.open.document.as_mut().and_then(Document::reach_mut) {
                    reach.target = target;
                }
            }

            Command::Edit(edit) => {
                if let Edit::Mix(..) = edit {
                    self.drive(Drives::Mix);
                }
                let inverse = do_edit(&mut self.open, &mut self.stage, edit, ctx)?;
                self.history.did(inverse);
            }
            Command::Undo => {
                let Self { history, open, stage, .. } = self;
                history.undo(|edit| do_edit(open, stage, edit, ctx))?;
            }
            Command::Redo => {
                let Self { history, open, stage, .. } = self;
                history.redo(|edit| do_edit(open, stage, edit, ctx))?;
            }

            Command::Reach(asked) => self.on_mix(|mixer| {
                let kept = mixer.reach.take();
                mixer.reach = asked.and_then(|(joint, bones)| {
                    let same = kept.filter(|reach| reach.joint == joint);
                    let reach = same.or_else(|| Reach::new(mixer.body(), joint))?;
                    Some(Reach { bones, ..reach })
                });
            }),
            Command::Springs(asked) => self.on_mix(|mixer| {
                let kept = mixer.springs.take();
                mixer.springs = asked.map(|(joint, bone)| {
                    let same = kept.filter(|springs| springs.joint == joint);
                    let mut springs = same.unwrap_or_else(|| Springs::new(mixer.body(), joint));
                    springs.bone = bone;
                    springs
                });
            }),
            Command::Parameter(name, value) => self.on_graph(|graph| graph.set(&name, value))?,
            Command::Trigger(nth) => self.on_graph(|graph| graph.trigger(nth))?,
            Command::OneShot { layer, clip } => self.on_graph(|graph| graph.play_once(&layer, &clip))?,
            Command::ChooseThing(thing) => self.on_world(|world| world.chosen = thing),
            Command::KeepsPlace(keeps) => self.on_world(|world| world.keeps_place = keeps),
            Command::Turns(thing, turns) => self.on_world(|world| world.set_turns(thing, turns)),
            Command::MoveThing(thing, to) => {
                if let Some(world) = &mut self.stage.world {
                    world.set_position(thing, to)?;
                }
            }

            Command::Inspect(section) => {
                self.ui.section = section;
                self.open_panel(Panel::Inspect);
            }
            Command::Fold(joint) => {
                if !self.ui.folded.remove(&joint) {
                    self.ui.folded.insert(joint);
                }
            }
            Command::Vivid(mesh) => self.ui.vivid = mesh,
            Command::Hide(mesh, hide) => {
                self.ui.hidden.remove(&mesh);
                self.ui.hidden.extend(hide.then_some(mesh));
            }
            Command::Search(text) => self.ui.search = text,
            Command::SearchClips(text) => self.ui.clip_search = text,
            Command::Help(open) => self.ui.help = open,
            Command::Report(open) => self.ui.report = open,
            Command::Escape => {
                (self.ui.help, self.ui.report, self.ui.browser) = (false, false, None);
                (self.ui.told, self.ui.failure) = (None, None);
            }
            Command::DismissTold => self.ui.told = None,
            Command::DismissFailure => self.ui.failure = None,
            Command::BarWidth(width) => self.ui.bar_width = width,
        }
        Ok(())
    }

    /// Opens a panel. What it is about is seen.
    pub(crate) fn open_panel(&mut self, panel: Panel) {
        self.layout.open(panel);
        if let Some(shows) = panel.shows() {
            self.settings.shows = shows;
        }
        if let Some(drives) = panel.drives() {
            self.drive(drives);
        }
    }

    /// Closes a panel; what it moved or showed is as before.
    fn close_panel(&mut self, panel: Panel) {
        self.layout.close(panel);
        if panel.shows() == Some(self.settings.shows) {
            self.settings.shows = Shows::Document;
        }
        // Two panels of the graph share it.
        let others = Panel::ALL.into_iter().filter(|other| self.layout.has(*other));
        let shared = others.into_iter().any(|other| other.drives() == panel.drives());
        if panel.drives() == Some(self.settings.drives) && !shared {
            self.settings.drives = Drives::Clip;
        }
    }

    /// Lets somebody move the character, which is then seen.
    pub(crate) fn drive(&mut self, drives: Drives) {
        (self.settings.drives, self.settings.shows) = (drives, Shows::Document);
    }

    fn close_beside(&mut self) -> Result<(), Failure> {
        self.open.close_beside();
        self.scene.load_beside(None)?;
        self.stage.frame_all(&mut self.open, &self.settings)
    }

    fn browse_to(&mut self, path: PathBuf, ctx: &egui::Context) -> Result<(), Failure> {
        match &mut self.ui.browser {
            Some(browser) if path.is_dir() => {
                browser.go(&path);
                Ok(())
            }
            _ => {
                self.ui.browser = None;
                self.take(Asked::of(vec![Source::File(path)]), ctx)
            }
        }
    }

    /// Changes the mix, which then moves the character.
    fn on_mix(&mut self, change: impl FnOnce(&mut Mixer)) {
        self.drive(Drives::Mix);
        if let Some(mixer) = self.open.document.as_mut().and_then(|d| d.mixer.as_mut()) {
            change(mixer);
        }
    }

    /// Changes the graph's state, if there is a graph; it then moves the character.
    fn on_graph(&mut self, change: impl FnOnce(&mut Directed) -> Result<(), Failure>) -> Result<(), Failure> {
        let Some(directed) = self.open.document.as_mut().and_then(|d| d.directed.as_mut()) else {
            return Ok(());
        };
        change(directed)?;
        self.drive(Drives::Graph);
        Ok(())
    }

    /// Changes the world, if it was made.
    fn on_world(&mut self, change: impl FnOnce(&mut WorldScene)) {
        if let Some(world) = &mut self.stage.world {
            change(world);
        }
    }

    /// Opens files beside the document if that was asked for, else onto what is there: a graph is played with its clips, motions
    /// are brought onto its character.
    fn take(&mut self, asked: Asked, ctx: &egui::Context) -> Result<(), Failure> {
        if self.open.take_next() {
            return self.open.start_beside(asked, ctx);
        }
        if let (Some(graph), Some(document)) = (asked.graph(), &mut self.open.document) {
            document.open_graph(graph)?;
            self.history.forget_driver();
            self.open.is_watched = false;
            self.open_panel(Panel::Graph);
            return Ok(());
        }
        self.open.wanted_clip = None;
        let onto = self.open.onto();
        self.open.start(asked, onto, ctx)
    }

    /// Starts a clip of the document. Whoever else moved it leaves it to the clip.
    pub(crate) fn play(&mut self, clip: &str) -> Result<(), Failure> {
        self.drive(Drives::Clip);
        let other = self.open.document.as_ref().and_then(|d| d.player.playing()) != Some(clip);
        if other {
            (self.open.range, self.ui.time) = (None, TimeView::default());
        }
        self.open.play(clip, self.settings.repeats())
    }

    /// Chooses a joint by name and shows it.
    pub(crate) fn choose(&mut self, joint: &str) {
        let found = self.open.document.as_ref().and_then(|d| d.player.skeleton().find(joint));
        self.settings.bones |= found.is_some();
        self.open.joint = found;
    }
}

/// Does an edit; the one that takes it back.
fn do_edit(open: &mut Open, stage: &mut Stage, edit: Edit, ctx: &egui::Context) -> Result<Edit, Failure> {
    let gone = || Failure("there is nothing left to change".into());
    match edit {
        Edit::Mix(index, to) => {
            let mixer = open.document.as_mut().and_then(|d| d.mixer.as_mut()).ok_or_else(gone)?;
            let channel = mixer.channels.get_mut(index).ok_or_else(gone)?;
            Ok(Edit::Mix(index, std::mem::replace(&mut channel.strip, to)))
        }
        Edit::Morph(mesh, target, to) => {
            let document = open.document.as_mut().ok_or_else(gone)?;
            Ok(Edit::Morph(mesh, target, document.hold_morph(mesh, target, to)?))
        }
        Edit::Graph(parts) => {
            let document = open.document.as_mut().ok_or_else(gone)?;
            Ok(Edit::Graph(Box::new(document.tune_graph(*parts)?)))
        }
        Edit::Bones(says) => Ok(Edit::Bones(Box::new(open.correct(*says, ctx)?))),
        Edit::Under(thing, parent) => {
            let world = stage.world.as_mut().ok_or_else(gone)?;
            Ok(Edit::Back(thing, world.put_under(thing, parent)?))
        }
        Edit::Back(thing, place) => {
            let world = stage.world.as_mut().ok_or_else(gone)?;
            Ok(Edit::Back(thing, world.put_back(thing, place)?))
        }
    }
}
