//! Everything that can be done to the viewer. Panels ask for it; one place does it.

use super::{edit::Edit, export::Export, time_view::TimeView, ui::Section};
use crate::{
    camera::{Camera, Side},
    platform::Asked,
    settings::{Drives, Panel, Settings, Shows},
};
use lissom::{job::SpringBone, math::Vec3};
use lissom_motion::state::Value;
use std::path::PathBuf;

/// What panels ask for, in the order in which it is done.
pub(crate) type Commands = Vec<Command>;

/// One of the two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    First,
    Beside,
}

pub(crate) enum Command {
    /// Opens files: beside the document if that was asked for, else onto it.
    OpenFiles(Asked),
    /// What is opened next stands beside the document.
    NextBeside(bool),
    CloseBeside,
    CancelLoading(Slot),
    /// Shows the list of a folder's files.
    Browse {
        beside: bool,
    },
    /// What is typed into it.
    BrowsePath(String),
    /// Goes to a folder, or opens a file.
    BrowseTo(PathBuf),
    CloseBrowser,
    Export(Export),
    StopRecording,
    SaveGraph,
    /// Cooks what is open again, to a precision in millimetres.
    Recook(f64),
    WantPrecision(f64),
    /// Shows another of the skeletons that motions came from.
    ChooseRig(usize),
    /// What the user says of bones, as lines of a recipe, for whatever they are pasted into.
    CopyRecipe,

    /// Starts a clip.
    Play(String),
    PlayOrPause,
    /// Goes to a time of the clip and pauses.
    Scrub(f64),
    Speed(f64),
    Repeat(bool),
    /// Only this part of the clip plays, in seconds; `None`: all of it.
    Range(Option<[f64; 2]>),
    /// Which part of the clip the time line shows.
    Time(TimeView),

    /// A joint, or none.
    Choose(Option<usize>),
    /// A joint in a clip at a time.
    LookAt {
        clip: String,
        joint: String,
        time_s: f64,
    },
    Set(Settings),
    /// Opens a panel: what it shows or moves is shown and moved by it.
    Open(Panel),
    Close(Panel),
    /// Panels stand where they stood at first.
    ResetLayout,
    /// Who moves the character.
    Drive(Drives),
    /// What the picture shows.
    Show(Shows),
    /// Where the picture is, in points.
    Seen(egui::Rect),
    Camera(Camera),
    /// The camera turns to a side.
    LookFrom(Side),
    /// In perspective, or with parallel rays.
    Parallel,
    /// Dark, or light.
    Theme,
    /// The camera sees all.
    Frame,
    /// The same with the next frame.
    Reframe,
    /// From the mouse that holds it to the target of what reaches; `None`: it lets go.
    Hold(Option<egui::Vec2>),
    MoveTarget(Vec3),

    /// What can be undone.
    Edit(Edit),
    Undo,
    Redo,

    /// A joint of the mix reaches with this number of bones; `None`: none does.
    Reach(Option<(usize, usize)>),
    /// A joint of the mix and all below it swing; `None`: none does.
    Springs(Option<(usize, SpringBone)>),
    Parameter(String, Value),
    /// Sets the nth trigger of the graph.
    Trigger(usize),
    OneShot {
        layer: String,
        clip: String,
    },
    ChooseThing(Option<usize>),
    KeepsPlace(bool),
    Turns(usize, f32),
    MoveThing(usize, Vec3),

    /// Shows this part of the inspector.
    Inspect(Section),
    /// Folds what hangs on a joint, or unfolds it.
    Fold(usize),
    /// Lets a mesh stand out; `None`: none does.
    Vivid(Option<usize>),
    /// Hides a mesh, or shows it again.
    Hide(usize, bool),
    Search(String),
    SearchClips(String),
    Help(bool),
    Report(bool),
    /// Closes what can be closed at once.
    Escape,
    DismissTold,
    DismissFailure,
    BarWidth(f32),
}
