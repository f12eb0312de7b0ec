//! What must never be in a library, planted so that the check can be seen to fail. No part of the workspace.
#![no_std]

/// Fused.
#[unsafe(no_mangle)]
#[target_feature(enable = "fma")]
pub fn planted_fused(a: f32, b: f32, c: f32) -> f32 {
    use core::arch::x86_64::{_mm_cvtss_f32, _mm_fmadd_ss, _mm_set_ss};
    _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)))
}

/// Estimated.
#[unsafe(no_mangle)]
#[target_feature(enable = "sse")]
pub fn planted_estimate(a: f32) -> f32 {
    use core::arch::x86_64::{_mm_cvtss_f32, _mm_rcp_ss, _mm_rsqrt_ss, _mm_set_ss};
    _mm_cvtss_f32(_mm_rsqrt_ss(_mm_rcp_ss(_mm_set_ss(a))))
}
