//! What a graph is made of, by name: plain lists that a program, a file or a tool fills in.

use super::MontageParts;
use alloc::{boxed::Box, format, string::String, vec::Vec};
use lissom::{job::FootLockRule, track::Repeat};

/// The description of a graph. [`Graph::new`](super::Graph::new) checks it and makes it fast.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphParts {
    /// What a game sets.
    pub parameters: Vec<ParameterParts>,
    /// Which joints a layer moves.
    pub masks: Vec<MaskParts>,
    /// The lowest first.
    pub layers: Vec<LayerParts>,
    /// Clips beside those of the states: for one-shots.
    pub clips: Vec<String>,
    /// Clips in sections, for one-shots.
    pub montages: Vec<MontageParts>,
    /// Markers by which the clips of states that repeat are kept in step: each is passed once a lap, in this order, and the
    /// first begins a state's lap. A clip that does not pass them so goes evenly. None: clips are at the same share of
    /// their length.
    pub sync: Vec<String>,
    /// True if poses may be taken over from elsewhere, as from a ragdoll: then [`PoseMemory`](crate::PoseMemory) has a buffer for it.
    pub hand_over: bool,
    /// True if code may go to states by inertia ([`GoTo`](crate::state::GoTo)), though no transition does.
    pub inertia: bool,
    /// Names of poses that a character may keep, to go on from later: [`Animator::keep_pose`](crate::Animator::keep_pose). At most
    /// [`MAX_POSES`](crate::memory::MAX_POSES).
    pub poses: Vec<String>,
    /// The least weight that clips have on a joint together, above 0 and at most 1: where it is less, the rest pose fills in. `None`:
    /// [`BlendJob::DEFAULT_THRESHOLD`](lissom::job::BlendJob::DEFAULT_THRESHOLD). At 1, a layer of weight 0.3 alone shows 0.7 of the
    /// rest pose.
    pub blend_threshold: Option<f32>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterParts {
    /// Unique among parameters.
    pub name: String,
    /// What it holds.
    pub kind: ParameterKind,
}

/// What a parameter holds, and what it holds at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A finite number.
    Float {
        /// At the start.
        start: f32,
        /// The number that is used follows the one that was set: half of the way in this time, in seconds. 0: at
        /// once.
        half_life_s: f32,
    },
    /// A whole number.
    Int {
        /// At the start.
        start: i32,
    },
    /// On or off.
    Bool {
        /// At the start.
        start: bool,
    },
    /// Set by the game, taken away by the transition that it starts.
    Trigger,
    /// A number that the clips set: the value of their track of this name, blended by what is seen of each. A clip without it
    /// leaves what the layers below have.
    Curve {
        /// At the start, and where no clip has it.
        start: f32,
    },
}

/// A mask: joint weights by name. Rules apply in order; joints that no rule names have weight 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaskParts {
    /// Unique among masks.
    pub name: String,
    /// A later one covers an earlier.
    pub rules: Vec<MaskRule>,
}

/// The weight of a joint and everything below it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaskRule {
    /// The first joint of this name.
    pub joint: String,
    /// In [0, 1].
    pub weight: f32,
    /// The weight fades in over this number of joints down the chain: with 2 the joint has a third of it, its children two
    /// thirds, theirs all.
    pub falloff: u16,
}

/// A layer: states and the transitions between them. Without states it plays one-shots alone.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerParts {
    /// Unique among layers.
    pub name: String,
    /// True if its clips are differences that are added to the layers below.
    pub additive: bool,
    /// The name of a mask; none: the whole body.
    pub mask: Option<String>,
    /// In [0, 1].
    pub weight: f32,
    /// A float parameter that the weight is multiplied by; the product counts within [0, 1].
    pub weight_from: Option<String>,
    /// The first one is where it starts.
    pub states: Vec<StateParts>,
    /// Where priorities are equal, an earlier one goes first.
    pub transitions: Vec<TransitionParts>,
}

/// A state.
#[derive(Clone, Debug, PartialEq)]
pub struct StateParts {
    /// Unique in its layer. `GROUP/NAME` belongs to a group: transitions may leave and enter groups as one.
    pub name: String,
    /// What it plays.
    pub motion: MotionParts,
    /// 1 as the clips were made; negative plays backward, from the end.
    pub speed: f32,
    /// A float parameter that the speed is multiplied by.
    pub speed_from: Option<String>,
    /// What happens at the ends. A state played once holds its end.
    pub repeat: Repeat,
    /// True if code goes there ([`GraphState::go_to`](crate::GraphState::go_to)): no transition has to lead to it.
    pub by_code: bool,
    /// Of a blend by velocity: it travels with the velocity that its parameters ask for.
    pub keep_speed: Option<KeepSpeed>,
    /// A float parameter that says where it is, in laps: 0 is the start, 1 the end. For a door, a bow, a ladder. It then has no speed.
    pub time_from: Option<String>,
    /// Where it starts, as a share of its lap in [0, 1], if neither the transition nor code says so.
    pub start: f32,
    /// What becomes of the root motion of its clips.
    pub root: RootUse,
}

/// What becomes of the root motion of a state's clips.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RootUse {
    /// It moves the character.
    #[default]
    Take,
    /// The character stays where it is.
    Ignore,
    /// It moves the character, but not up or down (along y).
    Horizontal,
    /// It moves the character this much further; turns stay as they are. Finite.
    Scaled(f32),
}

/// How a blend keeps the speed that is asked for.
///
/// The parameters of the blend are then a velocity in metres per second, and its clips travel by root motion. Clips count by their
/// weight over their length. So between clips that stand at their own velocities, the blend has exactly the velocity asked for, at its usual
/// playback rate. Elsewhere, as below the slowest gait or beyond the fastest, it plays slower or faster, within these bounds. Beyond
/// the outline of a plane it plays what lies on the outline in the same direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeepSpeed {
    /// The lowest rate; above 0, at most 1.
    pub slowest: f32,
    /// The highest rate; at least 1.
    pub fastest: f32,
}

impl Default for KeepSpeed {
    fn default() -> Self {
        Self { slowest: 0.5, fastest: 1.5 }
    }
}

/// Where a clip of a blend stands, and how it plays there.
#[derive(Clone, Debug, PartialEq)]
pub struct PointParts<P> {
    /// The place: a number on a line, two in a plane.
    pub at: P,
    /// The clip.
    pub clip: String,
    /// 1 as the clip was made; above 0. The state's speed is multiplied by it where this clip plays.
    pub speed: f32,
    /// True if the clip does not share the lap of the others: it plays at its own speed, from when the state began. For
    /// an idle among gaits, whose length must not slow the steps down.
    pub own_time: bool,
}

impl<P> PointParts<P> {
    /// A clip that shares the lap of the others.
    #[must_use]
    pub fn new(at: P, clip: &str) -> Self {
        Self { at, clip: clip.into(), speed: 1.0, own_time: false }
    }

    /// The same in its own time.
    #[must_use]
    pub fn own_time(self) -> Self {
        Self { own_time: true, ..self }
    }

    /// The same at a speed.
    #[must_use]
    pub fn at_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }
}

/// What a state plays. Clips of a blend go through their laps together, whatever their lengths.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionParts {
    /// One clip.
    Clip(String),
    /// Clips along a line, by a float parameter.
    Line {
        /// The parameter.
        by: String,
        /// Where each clip stands; no two at one place.
        points: Vec<PointParts<f32>>,
    },
    /// Clips in a plane, by two float parameters.
    Plane {
        /// The parameters.
        by: [String; 2],
        /// How the clips between are found.
        blend: PlaneBlend,
        /// Where each clip stands; no two at one place.
        points: Vec<PointParts<[f32; 2]>>,
    },
    /// Clips that each have a weight of their own, as faces are made. A point's place is the float parameter that is its weight;
    /// below 0 counts as 0. What the points leave of 1 goes to one more clip; if they ask for more than 1 together, each has its
    /// part of 1.
    Direct {
        /// The clip that has what the points leave: a face at rest.
        rest: String,
        /// The parameter of each clip.
        points: Vec<PointParts<String>>,
    },
    /// Of a database's clips the one that fits best, from where it fits best: [`matching`](crate::matching).
    Matched(Box<MatchedParts>),
}

/// How a state is played by motion matching.
///
/// It plays one clip. A search finds the frame that fits best to the frame that plays, and to where the character wants to be. If
/// that is another one, the state goes on from there, by inertia. It searches when it begins, every [`MatchedParts::search_s`] of
/// its own time, when what is wanted changes sharply, and where a clip ends.
///
/// It has no lap of its own: the lap that transitions ask for is that of the clip that plays. So it has no speed, start or repetition.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedParts {
    /// The database.
    pub database: String,
    /// Float parameters: the velocity that is wanted, in metres per second to the character's left, and ahead.
    pub velocity: [String; 2],
    /// A float parameter: where the character wants to face, in radians from where it faces now to its left. None: where it
    /// goes.
    pub facing: Option<String>,
    /// The velocity follows what is wanted by a critically damped spring: half of the way in this time, in seconds.
    pub velocity_half_life_s: Amount,
    /// The same of where it faces.
    pub facing_half_life_s: Amount,
    /// Half-lives and the cost of a transition are divided by it; above 0.
    pub responsiveness: Amount,
    /// By how much another frame must cost less than the one that plays, in squared deviations
    /// ([`Database::in_deviations`](crate::matching::Database::in_deviations)); at least 0.
    pub transition_cost: Amount,
    /// Only frames with all of these tags are played.
    pub tags: Vec<String>,
    /// Seconds from search to search.
    pub search_s: f32,
    /// It searches at once if the velocity that is wanted changes by more than this since the last search, in metres per second. A
    /// change of where it wants to face counts if it is more than 45 degrees.
    pub sharp_mps: f32,
    /// Seconds in which the difference to the old motion fades out.
    pub blend_s: f32,
    /// How feet are held on the ground; `None`: they are not.
    pub feet: Option<FeetParts>,
}

/// How a state that is played by motion matching holds feet.
///
/// A foot stays where it came down while the clip that plays is in a marker that lasts: its heel, then its ball, as
/// [`Pose::plant`](lissom::pose::Pose::plant) does it. It stays there as the character goes by its root motion; if the game moves the
/// character otherwise, what is held goes along. The legs are those of a human, by the names of the joints
/// ([`Limb::leg`](lissom::pose::Limb::leg)).
///
/// It is done after mixing, and before the game has its hand on the pose. A character that was not posed for 0.15 seconds begins anew.
/// Whoever poses characters elsewhere, as on a GPU, does not get it.
#[derive(Clone, Debug, PartialEq)]
pub struct FeetParts {
    /// The markers that last in which the left foot stands, and the right one.
    pub contacts: [String; 2],
    /// Seconds in which a foot that is let go comes back to the motion; 0: at once.
    pub release_s: f32,
    /// Metres that a held foot may be off the motion; beyond, it is let go.
    pub reach_m: f32,
}

impl Default for FeetParts {
    /// Those that an import marks with `contacts = true`, and the numbers of [`FootLockRule`].
    fn default() -> Self {
        let FootLockRule { release_s, reach_m } = FootLockRule::default();
        Self { contacts: ["contact_left", "contact_right"].map(Into::into), release_s, reach_m }
    }
}

/// A number, or a float parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// The number.
    Number(f32),
    /// The parameter. Where a parameter is not above 0 though it must be, or is negative, the nearest allowed number counts.
    Parameter(String),
}

impl From<f32> for Amount {
    fn from(number: f32) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Amount {
    fn from(parameter: &str) -> Self {
        Self::Parameter(parameter.into())
    }
}

impl MatchedParts {
    /// A state that goes where parameters say, and faces where it goes.
    #[must_use]
    pub fn new(database: &str, velocity: [&str; 2]) -> Self {
        Self {
            database: database.into(),
            velocity: velocity.map(Into::into),
            facing: None,
            velocity_half_life_s: Amount::Number(0.2),
            facing_half_life_s: Amount::Number(0.2),
            responsiveness: Amount::Number(1.0),
            transition_cost: Amount::Number(0.1),
            tags: Vec::new(),
            search_s: 0.1,
            sharp_mps: 1.0,
            blend_s: 0.3,
            feet: None,
        }
    }

    /// The same, facing where a parameter says.
    #[must_use]
    pub fn facing(self, parameter: &str) -> Self {
        Self { facing: Some(parameter.into()), ..self }
    }

    /// The same, and feet stay where they stand.
    #[must_use]
    pub fn holding_feet(self) -> Self {
        Self { feet: Some(FeetParts::default()), ..self }
    }

    /// The same, of frames with all of these tags.
    #[must_use]
    pub fn tagged(self, tags: &[&str]) -> Self {
        Self { tags: tags.iter().map(|tag| (*tag).into()).collect(), ..self }
    }
}

impl MotionParts {
    /// The names of the clips that it plays; those of a database are not among them.
    pub fn clips(&self) -> impl Iterator<Item = &str> {
        let (one, line, plane, direct) = match self {
            Self::Clip(clip) => (Some(clip), &[][..], &[][..], &[][..]),
            Self::Line { points, .. } => (None, points.as_slice(), &[][..], &[][..]),
            Self::Plane { points, .. } => (None, &[][..], points.as_slice(), &[][..]),
            Self::Direct { rest, points } => (Some(rest), &[][..], &[][..], points.as_slice()),
            Self::Matched(_) => (None, &[][..], &[][..], &[][..]),
        };
        let on_line = line.iter().map(|point| &*point.clip);
        let in_plane = plane.iter().map(|point| &*point.clip);
        let by_weight = direct.iter().map(|point| &*point.clip);
        one.into_iter().map(|clip| &**clip).chain(on_line).chain(in_plane).chain(by_weight)
    }
}

/// How a place in a plane is shared among the clips around it. Weights sum to 1, and a clip has all of it where it
/// stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlaneBlend {
    /// The three corners of a Delaunay triangle; outside, the nearest edge. Continuous. Three points or more, not all in
    /// a line.
    #[default]
    Delaunay,
    /// Gradient bands: every clip that no other one stands before. Continuous; any points.
    Bands,
    /// Gradient bands by length and direction, for velocities. One point must stand at (0, 0). Continuous where the
    /// clips stand all around; else weights may jump opposite to a clip.
    DirectionalBands,
}

/// A way from one state to another.
#[derive(Clone, Debug, PartialEq)]
pub struct TransitionParts {
    /// A state, a group, or [`TransitionParts::ANY`].
    pub from: String,
    /// A state, or a group: its first state.
    pub to: String,
    /// All must hold. None: it is taken at its exit, or at once.
    pub when: Vec<(String, Test)>,
    /// This must hold, too.
    pub only_if: Option<ConditionParts>,
    /// A higher one goes first.
    pub priority: i32,
    /// Only when the state that it leaves passes this share of a lap; of one played once: when it is there or beyond. 1 is the
    /// end. Above 1, whole laps come first: 2.5 is the middle of the third lap, and of every lap after it.
    pub exit: Option<f32>,
    /// Seconds over which it goes.
    pub fade_s: f32,
    /// How it goes.
    pub fade: Fade,
    /// What may start while it goes.
    pub interruption: Interruption,
    /// Where the new state starts, as a share of a lap in [0, 1]; with [`TransitionParts::sync`]: how far from the
    /// old one.
    pub offset: f32,
    /// True if the new state starts where the old one is in its lap, and both go on in step until it is over.
    pub sync: bool,
    /// True if a transition from [`TransitionParts::ANY`] or from a group may also lead from its own state: that state then starts
    /// again. So a hit interrupts a hit. A transition from a single state needs no word for it.
    pub again: bool,
    /// True if the new state plays at once, and the difference to the old motion fades out ([`PoseMemory`](crate::PoseMemory)): nothing
    /// is played twice, and nothing jumps. Morph weights and user tracks change at once.
    pub inertial: bool,
}

/// What a transition may ask beside its parameters: rules of rules, at most [`ConditionParts::DEEPEST`] within each other.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionParts {
    /// A parameter is so. A trigger is taken away by the transition that names it, wherever it stands.
    Parameter(String, Test),
    /// The state that is left has played for this time or longer, in seconds.
    AfterSeconds(f32),
    /// The state that is left has played this number of laps or more, from where it began its first.
    AfterLaps(f32),
    /// A layer led with this state, or with one of this group, before the step.
    State {
        /// The layer.
        layer: String,
        /// The state or group.
        state: String,
    },
    /// A layer played a one-shot of this montage or clip before the step, or was asked to, and nobody has stopped it.
    OneShot {
        /// The layer.
        layer: String,
        /// The montage or clip; none for any.
        clip: Option<String>,
    },
    /// All of them hold; of none: yes.
    All(Vec<Self>),
    /// One of them holds; of none: no.
    Any(Vec<Self>),
    /// It does not hold.
    Not(Box<Self>),
}

impl ConditionParts {
    /// Rules within rules, at most.
    pub const DEEPEST: usize = 8;

    /// A parameter is so.
    #[must_use]
    pub fn parameter(name: &str, test: Test) -> Self {
        Self::Parameter(name.into(), test)
    }

    /// A layer leads with a state or group.
    #[must_use]
    pub fn state(layer: &str, state: &str) -> Self {
        Self::State { layer: layer.into(), state: state.into() }
    }

    /// A layer plays a one-shot of a clip, or of any.
    #[must_use]
    pub fn one_shot(layer: &str, clip: Option<&str>) -> Self {
        Self::OneShot { layer: layer.into(), clip: clip.map(Into::into) }
    }

    fn rename_clips(&mut self, now: &dyn Fn(&str) -> Option<String>) {
        match self {
            Self::OneShot { clip: Some(clip), .. } => {
                *clip = now(clip).unwrap_or_else(|| core::mem::take(clip));
            }
            Self::All(rules) | Self::Any(rules) => rules.iter_mut().for_each(|rule| rule.rename_clips(now)),
            Self::Not(rule) => rule.rename_clips(now),
            _ => {}
        }
    }

    /// The opposite.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }
}

/// What a condition asks of its parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// A float or an int is greater.
    Above(f32),
    /// A float or an int is less.
    Below(f32),
    /// An int is this.
    Is(i32),
    /// An int is not this.
    IsNot(i32),
    /// A bool is on, or a trigger is set.
    On,
    /// A bool is off.
    Off,
}

/// How a fade goes from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fade {
    /// Slow, fast, slow: 3t² - 2t³.
    #[default]
    Smooth,
    /// Evenly.
    Linear,
}

/// What may start while a transition goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interruption {
    /// Nothing.
    Never,
    /// Transitions out of the state that it leads to.
    #[default]
    Target,
    /// Transitions out of the state that it came from.
    Source,
    /// Both; where priorities are equal, the target's.
    Both,
}

impl GraphParts {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a number.
    #[must_use]
    pub fn float(self, name: &str, start: f32) -> Self {
        self.parameter(name, ParameterKind::Float { start, half_life_s: 0.0 })
    }

    /// Adds a number that follows what is set: half of the way in this time.
    #[must_use]
    pub fn damped(self, name: &str, start: f32, half_life_s: f32) -> Self {
        self.parameter(name, ParameterKind::Float { start, half_life_s })
    }

    /// Adds a whole number.
    #[must_use]
    pub fn int(self, name: &str, start: i32) -> Self {
        self.parameter(name, ParameterKind::Int { start })
    }

    /// Adds a switch.
    #[must_use]
    pub fn bool(self, name: &str, start: bool) -> Self {
        self.parameter(name, ParameterKind::Bool { start })
    }

    /// Adds a trigger.
    #[must_use]
    pub fn trigger(self, name: &str) -> Self {
        self.parameter(name, ParameterKind::Trigger)
    }

    /// Adds a number that the clips set, by their track of this name.
    #[must_use]
    pub fn curve(self, name: &str, start: f32) -> Self {
        self.parameter(name, ParameterKind::Curve { start })
    }

    fn parameter(mut self, name: &str, kind: ParameterKind) -> Self {
        self.parameters.push(ParameterParts { name: name.into(), kind });
        self
    }

    /// Adds a mask: a joint with everything below it has weight 1.
    #[must_use]
    pub fn mask(self, name: &str, joint: &str, falloff: u16) -> Self {
        let rules = alloc::vec![MaskRule { joint: joint.into(), weight: 1.0, falloff }];
        self.mask_of(MaskParts { name: name.into(), rules })
    }

    /// Adds a mask.
    #[must_use]
    pub fn mask_of(mut self, mask: MaskParts) -> Self {
        self.masks.push(mask);
        self
    }

    /// Adds a layer above the others.
    #[must_use]
    pub fn layer(mut self, layer: LayerParts) -> Self {
        self.layers.push(layer);
        self
    }

    /// Adds a clip that no state plays: for one-shots.
    #[must_use]
    pub fn clip(mut self, name: &str) -> Self {
        self.clips.push(name.into());
        self
    }

    /// Adds a clip in sections, for one-shots.
    #[must_use]
    pub fn montage(mut self, montage: MontageParts) -> Self {
        self.montages.push(montage);
        self
    }

    /// Calls clips by other names; `None` keeps a name.
    pub fn rename_clips(&mut self, now: impl Fn(&str) -> Option<String>) {
        let rename = |clip: &mut String| *clip = now(clip).unwrap_or_else(|| core::mem::take(clip));
        self.clips.iter_mut().for_each(rename);
        self.montages.iter_mut().for_each(|montage| rename(&mut montage.clip));
        let montages: Vec<&str> = self.montages.iter().map(|montage| &*montage.name).collect();
        let rules = self.layers.iter_mut().flat_map(|layer| &mut layer.transitions);
        for rule in rules.filter_map(|way| way.only_if.as_mut()) {
            rule.rename_clips(&|clip| if montages.contains(&clip) { None } else { now(clip) });
        }
        for state in self.layers.iter_mut().flat_map(|layer| &mut layer.states) {
            match &mut state.motion {
                MotionParts::Clip(clip) => rename(clip),
                MotionParts::Line { points, .. } => {
                    points.iter_mut().for_each(|point| rename(&mut point.clip))
                }
                MotionParts::Plane { points, .. } => {
                    points.iter_mut().for_each(|point| rename(&mut point.clip))
                }
                MotionParts::Direct { rest, points } => {
                    rename(rest);
                    points.iter_mut().for_each(|point| rename(&mut point.clip));
                }
                // A database names its clips itself.
                MotionParts::Matched(_) => {}
            }
        }
    }

    /// The same with clips kept in step by what they pass: each of these markers once a lap, in this order.
    #[must_use]
    pub fn in_step_by(self, markers: &[&str]) -> Self {
        Self { sync: markers.iter().map(|name| (*name).into()).collect(), ..self }
    }

    /// The same, if code may go to states by inertia.
    #[must_use]
    pub fn by_inertia(self) -> Self {
        Self { inertia: true, ..self }
    }

    /// The same with another least weight of a joint; see [`GraphParts::blend_threshold`].
    #[must_use]
    pub fn filled_below(self, blend_threshold: f32) -> Self {
        Self { blend_threshold: Some(blend_threshold), ..self }
    }

    /// Adds a name of a pose that a character may keep.
    #[must_use]
    pub fn pose(mut self, name: &str) -> Self {
        self.poses.push(name.into());
        self
    }

    /// The same with a buffer for poses that are taken over from elsewhere.
    #[must_use]
    pub fn handed_over(self) -> Self {
        Self { hand_over: true, ..self }
    }
}

impl LayerParts {
    /// A layer over the whole body, of weight 1, without states.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            additive: false,
            mask: None,
            weight: 1.0,
            weight_from: None,
            states: Vec::new(),
            transitions: Vec::new(),
        }
    }

    /// The same, added to the layers below.
    #[must_use]
    pub fn added(self) -> Self {
        Self { additive: true, ..self }
    }

    /// The same under a mask.
    #[must_use]
    pub fn masked(self, mask: &str) -> Self {
        Self { mask: Some(mask.into()), ..self }
    }

    /// The same with its weight from a parameter.
    #[must_use]
    pub fn weighed_by(self, parameter: &str) -> Self {
        Self { weight_from: Some(parameter.into()), ..self }
    }

    /// Adds a state.
    #[must_use]
    pub fn state(mut self, state: StateParts) -> Self {
        self.states.push(state);
        self
    }

    /// Adds a transition.
    #[must_use]
    pub fn transition(mut self, transition: TransitionParts) -> Self {
        self.transitions.push(transition);
        self
    }

    /// Adds the states and transitions of another graph's layer as a group of this name.
    #[must_use]
    pub fn group(mut self, name: &str, inner: Self) -> Self {
        let inside = |of: String| format!("{name}/{of}");
        for state in inner.states {
            self.states.push(StateParts { name: inside(state.name), ..state });
        }
        for way in inner.transitions {
            let from = if way.from == TransitionParts::ANY { name.into() } else { inside(way.from) };
            self.transitions.push(TransitionParts { from, to: inside(way.to), ..way });
        }
        self
    }
}

impl StateParts {
    /// A state that repeats.
    #[must_use]
    pub fn new(name: &str, motion: MotionParts) -> Self {
        Self {
            name: name.into(),
            motion,
            speed: 1.0,
            speed_from: None,
            repeat: Repeat::Loop,
            by_code: false,
            keep_speed: None,
            time_from: None,
            start: 0.0,
            root: RootUse::Take,
        }
    }

    /// A state that repeats a clip.
    #[must_use]
    pub fn clip(name: &str, clip: &str) -> Self {
        Self::new(name, MotionParts::Clip(clip.into()))
    }

    /// A state that repeats a blend along a line.
    #[must_use]
    pub fn line(name: &str, by: &str, points: &[(f32, &str)]) -> Self {
        let points = points.iter().map(|(at, clip)| PointParts::new(*at, clip)).collect();
        Self::new(name, MotionParts::Line { by: by.into(), points })
    }

    /// A state that repeats a blend in a plane.
    #[must_use]
    pub fn plane(name: &str, by: [&str; 2], blend: PlaneBlend, points: &[([f32; 2], &str)]) -> Self {
        let points = points.iter().map(|(at, clip)| PointParts::new(*at, clip)).collect();
        Self::new(name, MotionParts::Plane { by: by.map(Into::into), blend, points })
    }

    /// A state that repeats clips by weights of their own, each a float parameter; `rest` has what they leave.
    #[must_use]
    pub fn direct(name: &str, rest: &str, points: &[(&str, &str)]) -> Self {
        let points = points.iter().map(|(by, clip)| PointParts::new((*by).into(), clip)).collect();
        Self::new(name, MotionParts::Direct { rest: rest.into(), points })
    }

    /// A state that is played by motion matching.
    #[must_use]
    pub fn matched(name: &str, matched: MatchedParts) -> Self {
        Self::new(name, MotionParts::Matched(Box::new(matched)))
    }

    /// The same, played once: it holds its end.
    #[must_use]
    pub fn once(self) -> Self {
        Self { repeat: Repeat::Once, ..self }
    }

    /// The same at a speed.
    #[must_use]
    pub fn at_speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// The same with its speed multiplied by a parameter.
    #[must_use]
    pub fn speed_by(self, parameter: &str) -> Self {
        Self { speed_from: Some(parameter.into()), ..self }
    }

    /// The same with its time from a parameter, in laps.
    #[must_use]
    pub fn time_by(self, parameter: &str) -> Self {
        Self { time_from: Some(parameter.into()), ..self }
    }

    /// The same from this share of its lap on.
    #[must_use]
    pub fn starting_at(self, start: f32) -> Self {
        Self { start, ..self }
    }

    /// The same with its root motion used so.
    #[must_use]
    pub fn root(self, root: RootUse) -> Self {
        Self { root, ..self }
    }

    /// The same without a transition that leads to it: code goes there.
    #[must_use]
    pub fn by_code(self) -> Self {
        Self { by_code: true, ..self }
    }

    /// The same at the speed that the parameters of its blend ask for.
    #[must_use]
    pub fn keeping_speed(self) -> Self {
        Self { keep_speed: Some(KeepSpeed::default()), ..self }
    }

    /// The same with this clip of its blend in its own time.
    #[must_use]
    pub fn own_time(mut self, clip: &str) -> Self {
        match &mut self.motion {
            MotionParts::Clip(_) | MotionParts::Matched(_) => {}
            MotionParts::Line { points, .. } => {
                points.iter_mut().filter(|point| point.clip == clip).for_each(|point| point.own_time = true);
            }
            MotionParts::Plane { points, .. } => {
                points.iter_mut().filter(|point| point.clip == clip).for_each(|point| point.own_time = true);
            }
            MotionParts::Direct { points, .. } => {
                points.iter_mut().filter(|point| point.clip == clip).for_each(|point| point.own_time = true);
            }
        }
        self
    }
}

impl TransitionParts {
    /// From whichever state; not from the one that it leads to, unless it says [`TransitionParts::again`].
    pub const ANY: &'static str = "*";

    /// At once, in 0.2 seconds.
    #[must_use]
    pub fn new(from: &str, to: &str) -> Self {
        Self {
            from: from.into(),
            to: to.into(),
            when: Vec::new(),
            only_if: None,
            priority: 0,
            exit: None,
            fade_s: 0.2,
            fade: Fade::default(),
            interruption: Interruption::default(),
            offset: 0.0,
            sync: false,
            again: false,
            inertial: false,
        }
    }

    /// The same, from its own state, too.
    #[must_use]
    pub fn again(self) -> Self {
        Self { again: true, ..self }
    }

    /// The same, if this holds too.
    #[must_use]
    pub fn when(mut self, parameter: &str, test: Test) -> Self {
        self.when.push((parameter.into(), test));
        self
    }

    /// The same, if this rule holds too; one that was there before has to hold with it.
    #[must_use]
    pub fn only_if(self, rule: ConditionParts) -> Self {
        let rule = match self.only_if {
            Some(before) => ConditionParts::All(alloc::vec![before, rule]),
            None => rule,
        };
        Self { only_if: Some(rule), ..self }
    }

    /// The same at this share of a lap.
    #[must_use]
    pub fn exit(self, share: f32) -> Self {
        Self { exit: Some(share), ..self }
    }

    /// The same over a number of seconds.
    #[must_use]
    pub fn fade(self, fade_s: f32) -> Self {
        Self { fade_s, ..self }
    }

    /// The same with a priority.
    #[must_use]
    pub fn priority(self, priority: i32) -> Self {
        Self { priority, ..self }
    }

    /// The same, evenly or smoothly.
    #[must_use]
    pub fn fading(self, fade: Fade) -> Self {
        Self { fade, ..self }
    }

    /// The same with another rule of interruption.
    #[must_use]
    pub fn interrupted_by(self, interruption: Interruption) -> Self {
        Self { interruption, ..self }
    }

    /// The same, starting there.
    #[must_use]
    pub fn offset(self, share: f32) -> Self {
        Self { offset: share, ..self }
    }

    /// The same, by inertia.
    #[must_use]
    pub fn inertial(self) -> Self {
        Self { inertial: true, ..self }
    }

    /// The same in step.
    #[must_use]
    pub fn synced(self) -> Self {
        Self { sync: true, ..self }
    }
}
