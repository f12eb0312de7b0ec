//! A recipe as the pipeline takes it.

use super::RecipeFile;
use crate::{
    cook::ClipBuilder,
    import::{ImportLimits, ImportOptions, MotionFit, Unit},
    pipeline::{Input, Options},
};

impl RecipeFile {
    /// What it says, and defaults for what it does not say.
    ///
    /// ```
    /// use lissom_build::recipe::{self, RecipeFile};
    ///
    /// let recipe = recipe::read(b"precision = '0.2mm'\nno-images = true")?;
    /// let asked = RecipeFile { precision_m: Some(0.001), ..RecipeFile::default() };
    /// let options = recipe.with(asked).options();
    /// assert_eq!((options.precision, options.import.no_images), (Some(0.001), true));
    /// # Ok::<(), recipe::RecipeError>(())
    /// ```
    #[must_use]
    pub fn options(self) -> Options<'static> {
        // Every field by its name: one that is not handed on does not compile.
        let Self {
            precision_m,
            shell_m,
            budget,
            jumps,
            form,
            effort,
            unit,
            up,
            forward,
            rate_hz,
            skeleton,
            as_is,
            rebase,
            retarget,
            goals,
            bones,
            no_mesh,
            no_images,
            influences,
            layout,
            strict,
            clips,
            graphs,
            like,
            files,
            rules,
            matching,
        } = self;
        let plain = ClipBuilder::default();
        Options {
            import: ImportOptions {
                unit: unit.unwrap_or(Unit::Auto),
                up,
                forward,
                rate_hz,
                skeleton,
                motion: MotionFit::asked(as_is, rebase).unwrap_or_default(),
                retarget,
                goals: goals.unwrap_or_default(),
                bones: bones.unwrap_or_default(),
                no_mesh: no_mesh.unwrap_or(false),
                no_images: no_images.unwrap_or(false),
                influences,
                layout,
                strict: strict.unwrap_or(false),
                limits: ImportLimits::default(),
            },
            skeleton: None,
            retarget: None,
            clips,
            precision: precision_m,
            shell: shell_m,
            files,
            rules,
            matching,
            like,
            graphs: graphs.into_iter().map(Input::file).collect(),
            cook: ClipBuilder {
                precision: precision_m.unwrap_or(plain.precision),
                shell: shell_m.unwrap_or(plain.shell),
                jumps,
                form: form.unwrap_or_default(),
                budget,
                effort: effort.unwrap_or_default(),
                ..plain
            },
        }
    }
}
