/* The integer reductions of one instruction set: reduce_int.inc.h for each integer type. */
#undef KL_TYPE
#define KL_TYPE u8
#define T uint8_t
#include "kael/reduce_int.inc.h"
#undef KL_TYPE
#undef T

#define KL_TYPE i32
#define T int32_t
#include "kael/reduce_int.inc.h"
#undef KL_TYPE
#undef T

#define KL_TYPE i64
#define T int64_t
#include "kael/reduce_int.inc.h"
#undef T
