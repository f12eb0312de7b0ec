//! What the user has set, and the viewer keeps between sessions.

use crate::failure::Failure;
use lissom::track::Repeat;

/// Settings, saved between sessions.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(default)]
pub(crate) struct Settings {
    pub meshes: bool,
    pub bones: bool,
    pub floor: bool,
    /// Moments before and after.
    pub onion: bool,
    /// The way of the chosen joint, or of the root.
    pub trail: bool,
    /// Boxes round meshes.
    pub bounds: bool,
    /// Axes where things can be held.
    pub sockets: bool,
    pub skin_on: SkinOn,
    /// The camera goes along with who goes away.
    pub follow: bool,
    pub repeat: bool,
    pub panel: Option<Panel>,
    pub crowd: CrowdSettings,
    pub compare: CompareSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            meshes: true,
            bones: false,
            floor: true,
            onion: false,
            trail: false,
            bounds: false,
            sockets: false,
            skin_on: SkinOn::Gpu,
            follow: true,
            repeat: true,
            panel: None,
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

/// What stands at the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub enum Panel {
    /// Clips with weights.
    Mix,
    /// States, transitions, parameters.
    Graph,
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
    pub const ALL: [Self; 7] =
        [Self::Mix, Self::Graph, Self::Compression, Self::Curves, Self::Retarget, Self::Crowd, Self::World];

    /// True if it says what moves and how, instead of the clip that plays.
    pub(crate) const fn decides(self) -> bool {
        matches!(self, Self::Mix | Self::Graph) || self.replaces()
    }

    /// True if it shows something else than the document.
    pub(crate) const fn replaces(self) -> bool {
        matches!(self, Self::Crowd | Self::World)
    }

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mix => "mix",
            Self::Graph => "graph",
            Self::Compression => "compression",
            Self::Curves => "curves",
            Self::Retarget => "retarget",
            Self::Crowd => "crowd",
            Self::World => "world",
        }
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
pub(crate) enum SkinOn {
    /// In the vertex shader.
    #[default]
    Gpu,
    /// By [`lissom::job::SkinJob`].
    Cpu,
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
