//! The scalar backend, which CPUs without vectors run: a feature where every CPU has vectors.

use crate::{step::Outcome, workspace};

/// The tests that compare backends, with the scalar one among them, and the golden hashes on it.
pub fn run() -> Result<Outcome, String> {
    let mut test = workspace::cargo();
    test.args(["test", "--profile", "scalar", "--features", "lissom-math/scalar,lissom-testkit/scalar"]);
    test.args(workspace::named(["lissom", "lissom-math", workspace::TESTKIT]));
    test.args(["--test", "backend_parity", "--test", "wide_parity", "--test", "clip", "--test", "job"]);
    test.args(["--test", "mesh", "--test", "kit", "--"]);
    // Words in the names of these tests.
    test.args(["backend", "every_way_gives", "golden", "lanes", "parity", "plain"]);
    workspace::run(&mut test).map(|()| Outcome::Passed)
}
