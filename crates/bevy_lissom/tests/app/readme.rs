//! The programs and the table of the README: compiled, run, and word for word what stands there.

const README: &str = include_str!("../../README.md");

/// What a game calls `bevy`: the same items, without a window.
mod bevy {
    pub mod prelude {
        pub use bevy_app::prelude::*;
        pub use bevy_asset::prelude::*;
        pub use bevy_camera::Camera3d;
        pub use bevy_ecs::prelude::*;
        pub use bevy_light::DirectionalLight;
        pub use bevy_math::prelude::*;
        #[cfg(feature = "render")]
        pub use bevy_pbr::{MeshMaterial3d, StandardMaterial};
        pub use bevy_transform::prelude::*;
        pub use core::default::Default;

        pub struct DefaultPlugins;

        impl PluginGroup for DefaultPlugins {
            fn build(self) -> bevy_app::PluginGroupBuilder {
                bevy_app::PluginGroupBuilder::start::<Self>()
                    .add(TaskPoolPlugin::default())
                    .add(bevy_time::TimePlugin)
                    .add(AssetPlugin::default())
                    .add(TransformPlugin)
            }
        }

        pub fn default<T: Default>() -> T {
            T::default()
        }
    }
}

mod first {
    use super::bevy;

    include!("../readme/first.rs");

    #[test]
    fn the_first_program_of_the_readme_runs_and_is_what_stands_there() {
        main();
        let text = include_str!("../readme/first.rs");
        assert!(super::README.contains(&format!("```rust\n{text}```\n")), "tests/readme/first.rs is another");
    }
}

#[cfg(all(feature = "dev", feature = "serde"))]
#[allow(unused_variables, unused_must_use, dead_code, clippy::all, reason = "it says what people write")]
mod table {
    use super::bevy::prelude::*;
    use bevy_ecs::system::EntityCommands;
    use bevy_lissom::*;
    use std::sync::Arc;

    include!("../readme/table.rs");
}

#[test]
fn the_table_of_the_readme_is_code_that_compiles() {
    let rows = include_str!("../readme/table.rs").lines();
    let rows: Vec<&str> = rows.filter_map(|line| line.strip_prefix("    ")).map(str::trim).collect();
    let said = |row: &&str| {
        let row = row.trim_end_matches([';', ',']).replace('|', "\\|");
        README.contains(&format!("`{row}`"))
    };
    let code = |row: &&str| {
        row.contains("::")
            || ["characters.", "hooks.", ".", "PlaybackSpeed("].iter().any(|start| row.starts_with(start))
    };
    let missing: Vec<&str> = rows.iter().copied().filter(code).filter(|row| !said(row)).collect();
    assert!(missing.is_empty(), "the README does not say {missing:?}");
    assert!(rows.len() > 50, "{}", rows.len());
}
