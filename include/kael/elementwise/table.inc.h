/* One row of kl_elementwise_table: the kernels of one instruction set, for every dtype. Included
 * with KL_ONCE_PER_ISA after the float kernels of the same set. */
#undef KL_TYPE
#define KL_TYPE u8
#define T uint8_t
#define U uint8_t
#define S int32_t
#include "kael/elementwise/integers.inc.h"
#undef KL_TYPE
#undef T
#undef U
#undef S

#define KL_TYPE i32
#define T int32_t
#define U uint32_t
#define S int32_t
#include "kael/elementwise/integers.inc.h"
#undef KL_TYPE
#undef T
#undef U
#undef S

#define KL_TYPE i64
#define T int64_t
#define U uint64_t
#define S int64_t
#include "kael/elementwise/integers.inc.h"
#undef KL_TYPE
#undef T
#undef U
#undef S

#define KL_TYPE bool
#include "kael/elementwise/booleans.inc.h"
#undef KL_TYPE

#define KL_TYPE any
#include "kael/elementwise/convert.inc.h"

#define KL_OF(name, type) KL_CAT4(kl, name, type, KL_ISA)
#define KL_FLOATS(name) [KL_DTYPE_f32] = KL_OF(name, f32), [KL_DTYPE_f64] = KL_OF(name, f64)
#define KL_INTEGERS(name)                                                          \
    [KL_DTYPE_u8] = KL_OF(name, u8), [KL_DTYPE_i32] = KL_OF(name, i32),            \
    [KL_DTYPE_i64] = KL_OF(name, i64)
#define KL_BOOLEANS(name, type) [KL_DTYPE_bool] = KL_OF(name, type)

static const struct kl_elementwise_kernels KL_FN(elementwise) = {
    .unary =
        {
#define UNARY(kind, name, cost, ...) [KL_UNARY_##name] = {UNARY_##kind(unary_##name)},
#define UNARY_FLOAT(name) KL_FLOATS(name)
#define UNARY_NUMBER(name) KL_FLOATS(name), KL_INTEGERS(name)
#define UNARY_BITS(name) KL_INTEGERS(name), KL_BOOLEANS(name, bool)
#define UNARY_TEST(name) KL_FLOATS(name), KL_INTEGERS(name), KL_BOOLEANS(name, u8)
#define UNARY_FTEST(name) KL_FLOATS(name)
#include "kael/unary.def"
        },
    .binary =
        {
#define BINARY(kind, name, cost, ...) [KL_BINARY_##name] = {BINARY_##kind(binary_##name)},
#define BINARY_FLOAT(name) KL_FLOATS(name)
#define BINARY_NUMBER(name) KL_FLOATS(name), KL_INTEGERS(name)
#define BINARY_ALL(name) KL_FLOATS(name), KL_INTEGERS(name), KL_BOOLEANS(name, bool)
#define BINARY_BITS(name) KL_INTEGERS(name), KL_BOOLEANS(name, bool)
#define BINARY_TEST(name) KL_FLOATS(name), KL_INTEGERS(name), KL_BOOLEANS(name, u8)
#include "kael/binary.def"
        },
    .where = {KL_FLOATS(where), KL_INTEGERS(where), KL_BOOLEANS(where, u8)},
    .clamp = {KL_FLOATS(clamp), KL_INTEGERS(clamp)},
    .copy = {KL_OF(copy, f32), KL_OF(copy, f64)},
    .convert =
        {
#define KL_TO(from)                                                                \
    {KL_OF(convert_##from##_bool, any), KL_OF(convert_##from##_u8, any),           \
     KL_OF(convert_##from##_i32, any),  KL_OF(convert_##from##_i64, any),          \
     KL_OF(convert_##from##_f32, any),  KL_OF(convert_##from##_f64, any)}
            KL_TO(u8), KL_TO(u8), KL_TO(i32), KL_TO(i64), KL_TO(f32), KL_TO(f64),
        },
};
#undef UNARY_FLOAT
#undef UNARY_NUMBER
#undef UNARY_BITS
#undef UNARY_TEST
#undef UNARY_FTEST
#undef BINARY_FLOAT
#undef BINARY_NUMBER
#undef BINARY_ALL
#undef BINARY_BITS
#undef BINARY_TEST
#undef KL_OF
#undef KL_FLOATS
#undef KL_INTEGERS
#undef KL_BOOLEANS
#undef KL_TO
