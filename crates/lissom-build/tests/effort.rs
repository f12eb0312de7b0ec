//! What a low effort costs: time is saved, bytes hardly.

use lissom_build::{
    SkeletonBuilder,
    cook::{ClipBuilder, Effort},
    mannequin::{self, Motion},
};

#[test]
fn a_low_effort_takes_at_most_a_tenth_more_bytes() {
    let built = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let bytes = |effort: Effort| -> u64 {
        let builder = ClipBuilder { effort, ..ClipBuilder::default() };
        let cook = |m: &Motion| builder.build(&built, &mannequin::clip(*m)).unwrap().report.bytes;
        [Motion::Walk, Motion::Run, Motion::Wave].iter().map(cook).sum()
    };
    let (fast, default) = (bytes(Effort::Fast), bytes(Effort::Default));
    assert!(fast * 10 <= default * 11, "{fast} bytes, {default} at the default effort");
}
