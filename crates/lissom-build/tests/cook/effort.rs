//! What a low effort costs: time is saved, bytes hardly.

use lissom_build::{
    SkeletonBuilder,
    cook::{ClipBuilder, Effort},
    mannequin::{self, Motion},
};

#[test]
fn a_low_effort_takes_at_most_a_tenth_more_bytes() {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    for motion in Motion::ALL {
        let clip = mannequin::clip(motion);
        let cook = |effort: Effort| {
            let builder = ClipBuilder { effort, ..ClipBuilder::default() };
            builder.build(&built, &clip).unwrap().report.bytes
        };
        let (fast, default) = (cook(Effort::Fast), cook(Effort::Default));
        assert!(fast * 10 <= default * 11, "{motion:?}: {fast} bytes, {default} at the default effort");
    }
}
