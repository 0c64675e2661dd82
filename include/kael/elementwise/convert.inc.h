/* Conversions between element types, stamped once per instruction set (numerics R9): integers
 * wrap; floats are truncated towards zero, NaN gives 0 and what is out of range saturates. */
#define KL_CONVERT(from, type)                                                     \
    KL_UNARY_LOOP(convert_##from##_bool, type, type, uint8_t, a != 0)              \
    KL_UNARY_LOOP(convert_##from##_f32, type, type, float, a)                      \
    KL_UNARY_LOOP(convert_##from##_f64, type, type, double, a)
#define KL_CONVERT_INTEGER(from, type)                                             \
    KL_CONVERT(from, type)                                                         \
    KL_UNARY_LOOP(convert_##from##_u8, type, type, uint8_t, a)                     \
    KL_UNARY_LOOP(convert_##from##_i32, type, type, int32_t, a)                    \
    KL_UNARY_LOOP(convert_##from##_i64, type, type, int64_t, a)
#define KL_CONVERT_FLOAT(from, type)                                               \
    KL_CONVERT(from, type)                                                         \
    KL_UNARY_LOOP(convert_##from##_u8, type, type, uint8_t,                        \
                  a != a ? 0 : a >= 255 ? 255 : a < 0 ? 0 : (int32_t)a)            \
    KL_UNARY_LOOP(convert_##from##_i32, type, type, int32_t,                       \
                  a != a                   ? 0                                     \
                  : a >= (type)0x1p31      ? INT32_MAX                             \
                  : a < (type)-0x1p31      ? INT32_MIN                             \
                                           : (int32_t)a)                           \
    KL_UNARY_LOOP(convert_##from##_i64, type, type, int64_t,                       \
                  a != a                   ? 0                                     \
                  : a >= (type)0x1p63      ? INT64_MAX                             \
                  : a < (type)-0x1p63      ? INT64_MIN                             \
                                           : (int64_t)a)

KL_CONVERT_INTEGER(u8, uint8_t)
KL_CONVERT_INTEGER(i32, int32_t)
KL_CONVERT_INTEGER(i64, int64_t)
KL_CONVERT_FLOAT(f32, float)
KL_CONVERT_FLOAT(f64, double)
#undef KL_CONVERT
#undef KL_CONVERT_INTEGER
#undef KL_CONVERT_FLOAT
