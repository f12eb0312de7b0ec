//! What the user has set, and the viewer keeps between sessions.

use crate::{failure::Failure, look::Icon};
use lissom::track::Repeat;

/// Settings, saved between sessions.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub meshes: bool,
    pub bones: bool,
    pub floor: bool,
    /// One colour behind everything.
    pub plain: bool,
    /// Moments before and after.
    pub onion: bool,
    /// The way of the chosen joint, or of the root.
    pub trail: bool,
    /// Boxes round meshes.
    pub bounds: bool,
    /// Axes where things can be held.
    pub sockets: bool,
    /// Edges of triangles.
    pub wire: bool,
    /// Normals as lines.
    pub normals: bool,
    /// Colours by how much each vertex follows the chosen joint.
    pub weights: bool,
    pub skin_on: SkinOn,
    /// The camera goes along with who goes away.
    pub follow: bool,
    pub repeat: bool,
    /// From one day to the next nothing stands before what is opened.
    #[serde(skip)]
    pub drives: Drives,
    #[serde(skip)]
    pub shows: Shows,
    pub rows: RowSettings,
    pub crowd: CrowdSettings,
    pub compare: CompareSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            meshes: true,
            bones: false,
            floor: true,
            plain: false,
            onion: false,
            trail: false,
            bounds: false,
            sockets: false,
            wire: false,
            normals: false,
            weights: false,
            skin_on: SkinOn::Gpu,
            follow: true,
            repeat: true,
            drives: Drives::Clip,
            shows: Shows::Document,
            rows: RowSettings::default(),
            crowd: CrowdSettings::default(),
            compare: CompareSettings::default(),
        }
    }
}

impl Settings {
    /// What a clip does at its end.
    pub(crate) fn repeats(&self) -> Repeat {
        if self.repeat { Repeat::Loop } else { Repeat::Once }
    }
}

/// What moves the character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Drives {
    /// The clip that plays.
    #[default]
    Clip,
    /// The weights of the mix panel.
    Mix,
    /// The graph, by the parameters of its panel.
    Graph,
}

impl Drives {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clip => "clip",
            Self::Mix => "mix",
            Self::Graph => "graph",
        }
    }
}

/// What the picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shows {
    #[default]
    Document,
    Crowd,
    World,
}

/// What can stand round the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub enum Panel {
    /// The clips of what is open.
    Clips,
    /// What of it is drawn, and how.
    Display,
    /// What is in it.
    Inspect,
    /// Clips with weights.
    Mix,
    /// States, transitions, parameters.
    Graph,
    /// What motion matching plays, looks for and finds.
    Matching,
    /// What clips take, and how far off they are.
    Compression,
    /// What the chosen joint does.
    Curves,
    /// Which joint is which bone, where motions were brought onto the character.
    Retarget,
    /// Many characters instead of the document.
    Crowd,
    /// A hierarchy instead of the document.
    World,
}

impl Panel {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Clips,
        Self::Display,
        Self::Inspect,
        Self::Mix,
        Self::Graph,
        Self::Matching,
        Self::Compression,
        Self::Curves,
        Self::Retarget,
        Self::Crowd,
        Self::World,
    ];

    /// What the picture shows once it is open, if that is something else than the document.
    pub(crate) const fn shows(self) -> Option<Shows> {
        match self {
            Self::Crowd => Some(Shows::Crowd),
            Self::World => Some(Shows::World),
            _ => None,
        }
    }

    /// What moves the character once it is open, if that is something else than the clip.
    pub(crate) const fn drives(self) -> Option<Drives> {
        match self {
            Self::Mix => Some(Drives::Mix),
            Self::Graph | Self::Matching => Some(Drives::Graph),
            _ => None,
        }
    }

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clips => "clips",
            Self::Display => "display",
            Self::Inspect => "inspect",
            Self::Mix => "mix",
            Self::Graph => "graph",
            Self::Matching => "matching",
            Self::Compression => "compression",
            Self::Curves => "curves",
            Self::Retarget => "retarget",
            Self::Crowd => "crowd",
            Self::World => "world",
        }
    }

    /// What it is for.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Clips => "the clips of the open file",
            Self::Display => "what is drawn, and how",
            Self::Inspect => "joints, meshes, materials, morph targets, notes",
            Self::Mix => "clips with weights, masks, IK, springs",
            Self::Graph => "states, transitions, parameters, and why",
            Self::Matching => "what motion matching plays, what it costs, and what else there is",
            Self::Compression => "what clips take, and how far off they are",
            Self::Curves => "what the chosen joint does",
            Self::Retarget => "which joint is which bone",
            Self::Crowd => "how many of them, and what a frame takes",
            Self::World => "a hierarchy of things that carry each other",
        }
    }

    /// True if it decides itself what of it is scrolled.
    pub(crate) const fn scrolls_itself(self) -> bool {
        matches!(self, Self::Inspect)
    }

    pub(crate) const fn icon(self) -> Icon {
        match self {
            Self::Clips => Icon::Clips,
            Self::Display => Icon::Eye,
            Self::Inspect => Icon::Facts,
            Self::Mix => Icon::Mix,
            Self::Graph => Icon::Graph,
            Self::Matching => Icon::Matching,
            Self::Compression => Icon::Bytes,
            Self::Curves => Icon::Curves,
            Self::Retarget => Icon::Retarget,
            Self::Crowd => Icon::Crowd,
            Self::World => Icon::World,
        }
    }
}

/// Which panels are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Panels(u32);

impl Panels {
    pub fn of(open: impl Fn(Panel) -> bool) -> Self {
        Self(
            Panel::ALL.into_iter().filter(|panel| open(*panel)).fold(0, |all, panel| all | 1 << panel as u32),
        )
    }

    pub const fn has(self, panel: Panel) -> bool {
        self.0 >> panel as u32 & 1 == 1
    }
}

impl core::str::FromStr for Panel {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let names = Self::ALL.map(Self::name).join(", ");
        let named = Self::ALL.into_iter().find(|panel| panel.name() == text);
        named.ok_or_else(|| Failure(format!("there is no panel {text}, but {names}")))
    }
}

/// Where vertices are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize, serde::Serialize)]
pub(crate) enum SkinOn {
    /// In the vertex shader.
    #[default]
    Gpu,
    /// By [`lissom::job::SkinJob`].
    Cpu,
}

/// Which rows the time line has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(default)]
pub(crate) struct RowSettings {
    pub events: bool,
    pub lasts: bool,
    /// Keys of the chosen joint.
    pub keys: bool,
    pub jumps: bool,
    pub error: bool,
    /// Numbers are frames instead of seconds.
    pub frames: bool,
}

impl Default for RowSettings {
    fn default() -> Self {
        Self { events: true, lasts: true, keys: true, jumps: true, error: false, frames: false }
    }
}

/// What the user has set in the crowd panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(default)]
pub(crate) struct CrowdSettings {
    pub count: usize,
    pub threads: usize,
    /// Less work for who is small on the screen, none for who is not on it.
    pub by_size: bool,
}

impl Default for CrowdSettings {
    fn default() -> Self {
        Self { count: 300, threads: 1, by_size: true }
    }
}

/// What the user has set in the compression panel.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(default)]
pub(crate) struct CompareSettings {
    /// Errors as colours on the meshes.
    pub colors: bool,
    /// Both skeletons.
    pub bones: bool,
    /// How many times larger errors are drawn than they are.
    pub larger: f32,
}

impl Default for CompareSettings {
    fn default() -> Self {
        Self { colors: false, bones: false, larger: 1.0 }
    }
}
