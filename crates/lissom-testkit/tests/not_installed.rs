//! Without the counting allocator the assertion refuses to pass.

#[test]
fn an_assertion_without_the_allocator_panics() {
    let result = std::panic::catch_unwind(|| lissom_testkit::alloc::assert_no_alloc(|| ()));
    assert!(result.is_err());
}
