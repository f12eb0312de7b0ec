//! What each joint costs in a clip: every bit has one owner.

use lissom::{Clip, clip::BytesByJoint};
use lissom_build::{
    SkeletonBuilder,
    cook::{ClipBuilder, Effort, Form},
    mannequin::{self, Motion},
};

fn clip(motion: Motion, form: Form) -> Clip {
    let skeleton = SkeletonBuilder::build(&mannequin::skeleton()).unwrap();
    let builder = ClipBuilder { effort: Effort::Fast, form, ..ClipBuilder::default() };
    Clip::from_bytes(&builder.build(&skeleton, &mannequin::clip(motion)).unwrap().bytes).unwrap()
}

/// (clip, count, how many bytes padding can be)
fn clips() -> Vec<(Clip, BytesByJoint, f64)> {
    let mut out = Vec::new();
    for motion in [Motion::Walk, Motion::Wave] {
        for (form, most) in [(Form::Keys, 16.0), (Form::Rows, 7.0)] {
            let clip = clip(motion, form);
            assert_eq!(clip.as_bytes()[4], if form == Form::Keys { 1 } else { 2 });
            let count = clip.view().bytes_by_joint().unwrap();
            // The end of a byte for each jump frame and each stream, and a few ends of words.
            let most = 2.0 * clip.view().block_count() as f64 + most;
            out.push((clip, count, most));
        }
    }
    out
}

#[test]
fn every_bit_of_a_clip_has_one_owner() {
    for (clip, count, most) in clips() {
        let view = clip.view();
        assert_eq!(count.total(), view.memory_bytes() as f64);
        assert_eq!(count.joints.len(), view.joint_count());
        assert!((0.0..most).contains(&count.padding), "{} of at most {most}", count.padding);
        let sum = |part: fn(&lissom::clip::JointBytes) -> f64| count.joints.iter().map(part).sum::<f64>();
        let tables = sum(|j| j.tables + j.constants) + count.shared;
        assert!((0.0..8.0).contains(&(view.head_bytes().len() as f64 - tables)), "{tables}");
        let (jumps, stream) = (sum(|j| j.jumps), sum(|j| j.stream.iter().sum()));
        assert!(jumps <= view.jump_bytes() as f64 && view.jump_bytes() as f64 - jumps < most, "{jumps}");
        assert!(
            stream <= view.stream_bytes() as f64 && view.stream_bytes() as f64 - stream < most,
            "{stream}"
        );
    }
}

#[test]
fn a_joint_that_rests_costs_nothing_and_one_that_moves_does() {
    let skeleton = SkeletonBuilder::build(&mannequin::skeleton()).unwrap().skeleton;
    let hips = skeleton.find("hips").unwrap();
    for (clip, count, _) in clips() {
        let moving = count.joints.iter().flat_map(|j| j.stream).filter(|bytes| *bytes > 0.0).count();
        assert!(0 < moving && moving <= clip.view().channel_count());
        // The mannequin's hips move and turn; no joint of it grows.
        let [moves, turns, _] = count.joints[hips].stream;
        assert!(moves > 0.0 && turns > 0.0 && count.joints[hips].jumps > 0.0);
        assert!(count.joints.iter().all(|j| j.stream[2] == 0.0));
    }
}
