/* The inner half of foreach_isa.h: the body for each float type of one instruction set. */
#ifdef KL_ONCE_PER_ISA
#define KL_TYPE any
#include KL_BODY
#undef KL_TYPE
#else

#define KL_TYPE f32
#define T float
#include KL_BODY
#undef KL_TYPE
#undef T

#define KL_TYPE f64
#define T double
#include KL_BODY
#undef KL_TYPE
#undef T

#endif
