//! What a clip is for, by the words of its name.

/// What a graph may use a clip for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Stands.
    Idle,
    /// Goes somewhere.
    Gait(Gait, Way),
    /// A whole jump.
    Jump,
    /// Leaves the ground.
    JumpStart,
    /// Is in the air.
    Air,
    /// Comes down.
    Land,
    /// Stays low.
    Crouch,
    /// Something that the arms do.
    Gesture,
    /// Something that the whole body does, and is done with.
    Action,
    /// The last thing that it does.
    Death,
}

/// How it goes, the slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Gait {
    Walk,
    Jog,
    Run,
    Sprint,
}

/// Where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Way {
    Ahead,
    Back,
    Left,
    Right,
}

impl Gait {
    /// How fast people go so, in metres per second.
    #[must_use]
    pub fn usual_speed(self) -> f64 {
        match self {
            Self::Walk => 1.4,
            Self::Jog => 2.6,
            Self::Run => 4.0,
            Self::Sprint => 6.0,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Walk => "walk",
            Self::Jog => "jog",
            Self::Run => "run",
            Self::Sprint => "sprint",
        }
    }
}

/// A name, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) role: Role,
    /// Words that the role does not explain: the fewer, the plainer the clip.
    pub(super) extra: usize,
}

const IDLE: &[&str] = &["idle", "breathing", "breathe"];
/// They mean it if nothing else is called idle.
const STAND: &[&str] = &["stand", "standing", "wait", "waiting"];
const WALK: &[&str] = &["walk", "walking", "move", "moving"];
const JOG: &[&str] = &["jog", "jogging", "trot", "trotting"];
const RUN: &[&str] = &["run", "running", "canter"];
const SPRINT: &[&str] = &["sprint", "sprinting", "gallop", "galloping"];
const STRAFE: &[&str] = &["strafe", "strafing", "sidestep"];
const AHEAD: &[&str] = &["forward", "forwards", "fwd", "front", "ahead"];
const BACK: &[&str] = &["back", "backward", "backwards", "bwd", "backpedal"];
const LEFT: &[&str] = &["left", "l"];
const RIGHT: &[&str] = &["right", "r"];
const JUMP: &[&str] = &["jump", "jumping", "hop", "leap"];
const START: &[&str] = &["start", "begin", "takeoff", "up", "launch"];
const AIR: &[&str] = &["air", "fall", "falling", "apex", "midair", "airborne"];
const LAND: &[&str] = &["land", "landing", "end", "drop"];
const CROUCH: &[&str] = &["crouch", "crouching", "crouched", "duck", "ducking"];
const DEATH: &[&str] = &["death", "die", "dying", "dead"];
const GESTURES: &[&str] = &[
    "aim", "aiming", "attack", "block", "blocking", "cast", "cheer", "chop", "clap", "fire", "interact",
    "jab", "no", "nod", "pick", "pickup", "point", "pointing", "punch", "reload", "salute", "shoot",
    "shooting", "shot", "slash", "slice", "spell", "stab", "swing", "talk", "throw", "thumbs", "use", "wave",
    "waving", "yes",
];
const ACTIONS: &[&str] = &[
    "backflip", "bark", "bite", "bow", "climb", "dance", "dancing", "dash", "dodge", "eat", "eating", "flip",
    "headbutt", "hit", "howl", "hurt", "impact", "kick", "rear", "roll", "slide", "spin", "stagger", "stun",
    "taunt", "turn", "victory", "dive",
];
/// They hold still, and are for tools.
const POSES: &[&str] = &["pose", "tpose", "apose", "static", "reset", "bind", "rest"];
/// They change nothing about what a clip is for.
const PLAIN: &[&str] = &[
    "a",
    "action",
    "anim",
    "animation",
    "b",
    "basic",
    "c",
    "cycle",
    "d",
    "default",
    "full",
    "in",
    "inplace",
    "loop",
    "looped",
    "looping",
    "neutral",
    "normal",
    "place",
    "regular",
    "relaxed",
    "standard",
    "to",
];

/// What a clip is for, or what is in the way.
pub(super) fn read(words: &[String]) -> Result<Reading, &'static str> {
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let extra = |explained: &[&[&str]]| {
        let plain = |word: &str| {
            PLAIN.contains(&word)
                || word.chars().all(|c| c.is_ascii_digit())
                || explained.iter().any(|known| known.contains(&word))
        };
        words.iter().filter(|word| !plain(word)).count()
    };
    let reading = |role, explained: &[&[&str]]| Ok(Reading { role, extra: extra(explained) });
    if has(POSES) {
        return Err("a pose, not a motion");
    }
    let gait = [(WALK, Gait::Walk), (JOG, Gait::Jog), (RUN, Gait::Run), (SPRINT, Gait::Sprint)];
    let gait = gait.into_iter().find(|(known, _)| has(known));
    let strafe = has(STRAFE);
    if has(DEATH) {
        return reading(Role::Death, &[DEATH]);
    }
    if has(GESTURES) || has(ACTIONS) {
        if gait.is_some() {
            return Err("a gait with something else in it: play the action over a plain gait");
        }
        let role = if has(ACTIONS) { Role::Action } else { Role::Gesture };
        return reading(role, &[GESTURES, ACTIONS]);
    }
    if has(JUMP) {
        let (role, words) = if has(LAND) {
            (Role::Land, LAND)
        } else if has(START) {
            (Role::JumpStart, START)
        } else if has(AIR) {
            (Role::Air, AIR)
        } else if has(IDLE) || has(&["loop"]) {
            // Packs that have the parts of a jump call the part in the air idle, or its loop.
            (Role::Air, IDLE)
        } else {
            (Role::Jump, JUMP)
        };
        return reading(role, &[JUMP, words]);
    }
    if has(AIR) {
        return reading(Role::Air, &[AIR, IDLE]);
    }
    if has(&["land", "landing", "drop"]) {
        return reading(Role::Land, &[LAND, IDLE]);
    }
    if has(CROUCH) {
        if gait.is_some() || strafe || has(AHEAD) || has(BACK) {
            return Err("a low gait: this graph crouches on the spot");
        }
        return reading(Role::Crouch, &[CROUCH, IDLE]);
    }
    // `back` and `strafe_left` are gaits by themselves; `left` alone is not.
    let alone = extra(&[STRAFE, BACK, LEFT, RIGHT]) == 0 && (strafe || has(BACK));
    if gait.is_some() || alone {
        let gait = gait.map_or(Gait::Walk, |(_, gait)| gait);
        let explained: &[&[&str]] = &[WALK, JOG, RUN, SPRINT, STRAFE, AHEAD, BACK, LEFT, RIGHT];
        let sides = [(BACK, Way::Back), (LEFT, Way::Left), (RIGHT, Way::Right)];
        let sides: Vec<Way> = sides.into_iter().filter(|(known, _)| has(known)).map(|(_, way)| way).collect();
        return match sides.as_slice() {
            [] => reading(Role::Gait(gait, Way::Ahead), explained),
            // With another word the side may be a hand's: `Run_swordRight`.
            [way] if extra(explained) == 0 && !(has(AHEAD)) => reading(Role::Gait(gait, *way), explained),
            [_] => Err("a gait that is not plain"),
            _ => Err("it goes in two directions at once: a blend makes that of the others"),
        };
    }
    if has(IDLE) {
        return reading(Role::Idle, &[IDLE]);
    }
    if has(STAND) {
        // After everything that is called idle.
        return Ok(Reading { role: Role::Idle, extra: extra(&[STAND]).saturating_add(100) });
    }
    Err("its name does not say what it is for")
}

/// The words of each name, small, without what all names begin with: `Armature|Walk_Back2` is `walk`, `back`, `2`.
pub(super) fn words_of(names: &[&str]) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = names.iter().map(|name| words(last_part(name))).collect();
    // `Robot_Walking`, `Robot_Idle`: the robot says nothing.
    while all.len() > 1
        && let Some(first) = all.first().and_then(|words| words.first()).cloned()
        && all.iter().all(|words| words.len() > 1 && words.first() == Some(&first))
    {
        all.iter_mut().for_each(|words| drop(words.remove(0)));
    }
    all
}

/// The last part that says something: `Walk` of `Armature|Walk|Layer0`.
fn last_part(name: &str) -> &str {
    let says = |part: &&str| {
        let small = part.to_lowercase();
        let bare = small.trim_matches(|c: char| c.is_ascii_digit() || " ._-".contains(c));
        !["", "layer", "baselayer", "base layer"].contains(&bare)
    };
    name.rsplit(['|', '/', ':']).find(says).unwrap_or(name)
}

/// Words begin where letters become digits or the other way round, at a capital, and after what is neither.
fn words(name: &str) -> Vec<String> {
    #[derive(PartialEq, Clone, Copy)]
    enum Kind {
        Small,
        Large,
        Digit,
        Other,
    }
    let kind = |c: char| match c {
        c if c.is_numeric() => Kind::Digit,
        c if c.is_uppercase() => Kind::Large,
        c if c.is_alphabetic() => Kind::Small,
        _ => Kind::Other,
    };
    let letters: Vec<char> = name.chars().collect();
    let mut out: Vec<String> = Vec::new();
    let mut before = Kind::Other;
    for (i, c) in letters.iter().enumerate() {
        let now = kind(*c);
        let next_small = letters.get(i + 1).is_some_and(|c| kind(*c) == Kind::Small);
        let starts = match (before, now) {
            (_, Kind::Other) => false,
            (Kind::Other, _) | (Kind::Small, Kind::Large) => true,
            // `NPCWalk`: the last capital begins the next word.
            (Kind::Large, Kind::Large) => next_small,
            (Kind::Digit, Kind::Digit) => false,
            (Kind::Digit, _) | (_, Kind::Digit) => true,
            _ => false,
        };
        if starts {
            out.push(String::new());
        }
        if now != Kind::Other
            && let Some(word) = out.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = now;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(name: &str) -> Result<(Role, usize), &'static str> {
        let words = words_of(&[name]).remove(0);
        read(&words).map(|Reading { role, extra }| (role, extra))
    }

    #[test]
    fn names_are_cut_into_words() {
        let names = ["CharacterArmature|Run_Back", "NPCWalk2", "Armature|HitRecieve_2|Layer0", "jump-flip"];
        let words = words_of(&names);
        assert_eq!(
            words,
            [
                vec!["run", "back"],
                vec!["npc", "walk", "2"],
                vec!["hit", "recieve", "2"],
                vec!["jump", "flip"]
            ]
        );
        assert_eq!(words_of(&["Robot_Idle", "Robot_WalkJump"]), [vec!["idle"], vec!["walk", "jump"]]);
        assert_eq!(words_of(&["walk", "walk_back"]), [vec!["walk"], vec!["walk", "back"]], "walk says much");
    }

    #[test]
    fn packs_call_the_same_by_many_names() {
        let ahead = |gait| Role::Gait(gait, Way::Ahead);
        for (name, shall, extra) in [
            ("CharacterArmature|Idle", Role::Idle, 0),
            ("Idle_Neutral", Role::Idle, 0),
            ("Idle_Gun", Role::Idle, 1),
            ("Robot_Standing", Role::Idle, 101),
            ("Rig_Medium|Walking_A", ahead(Gait::Walk), 0),
            ("Jog_Fwd_Loop", ahead(Gait::Jog), 0),
            ("Walk_Gun", ahead(Gait::Walk), 1),
            ("2_move", ahead(Gait::Walk), 0),
            ("Run_Back", Role::Gait(Gait::Run, Way::Back), 0),
            ("Walking_Backwards", Role::Gait(Gait::Walk, Way::Back), 0),
            ("Running_Strafe_Right", Role::Gait(Gait::Run, Way::Right), 0),
            ("strafe_left", Role::Gait(Gait::Walk, Way::Left), 0),
            ("back", Role::Gait(Gait::Walk, Way::Back), 0),
            ("Jump", Role::Jump, 0),
            ("WalkJump", Role::Jump, 1),
            ("Jump_Start", Role::JumpStart, 0),
            ("Jump_Idle", Role::Air, 0),
            ("Jump_Loop", Role::Air, 0),
            ("falling", Role::Air, 0),
            ("jump_land", Role::Land, 0),
            ("Jump_Full_Long", Role::Jump, 1),
            ("Duck", Role::Crouch, 0),
            ("Crouch_Idle_Loop", Role::Crouch, 0),
            ("Sword_Slash", Role::Gesture, 1),
            ("Idle_Shoot", Role::Gesture, 1),
            ("Kick_Left", Role::Action, 1),
            ("HitReact", Role::Action, 1),
            ("swordAttackJump", Role::Gesture, 2),
            ("Death01", Role::Death, 0),
        ] {
            assert_eq!(role(name), Ok((shall, extra)), "{name}");
        }
        for name in [
            "Run_Shoot",
            "Run_swordRight",
            "T-Pose",
            "Survey",
            "mixamo.com",
            "Crouch_Fwd_Loop",
            "walk_back_left",
        ] {
            assert!(role(name).is_err(), "{name}: {:?}", role(name));
        }
    }
}
