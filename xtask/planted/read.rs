//! Reads one byte beyond the end of its memory: AddressSanitizer must stop it.

fn main() {
    let bytes = vec![1u8; 16];
    let end = std::hint::black_box(bytes.as_ptr()).wrapping_add(std::hint::black_box(16));
    // SAFETY: none. This is the planted mistake.
    std::process::exit(i32::from(unsafe { end.read_volatile() }));
}
