/* What must never be in a library, planted so that the check of NEON code can be seen to fail. */
#include <arm_neon.h>
float32x4_t planted_fused(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(a, b, c); }
float32x4_t planted_estimate(float32x4_t a) { return vrecpeq_f32(vrsqrteq_f32(a)); }
