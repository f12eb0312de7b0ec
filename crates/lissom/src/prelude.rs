//! What most programs need: `use lissom::prelude::*`.

pub use crate::{
    Clip, Cursor, Skeleton,
    archive::Archive,
    job::{BlendJob, LocalToModelJob, SampleJob, SampleTime, SkinJob},
    player::{PlayOptions, Player, SkinnedMesh},
    track::Repeat,
};
