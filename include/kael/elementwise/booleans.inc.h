/* Elementwise loops over contiguous booleans, bytes that are 0 or 1; the tests are those of u8. */
#define UNARY(kind, name, cost, ...) UNARY_##kind(name, __VA_ARGS__)
#define UNARY_FLOAT(name, lanes)
#define UNARY_NUMBER(name, lanes, integer)
#define UNARY_BITS(name, integer, boolean)                                         \
    KL_UNARY_LOOP(unary_##name, uint8_t, uint8_t, uint8_t, boolean)
#define UNARY_TEST(name, scalar)
#define UNARY_FTEST(name, scalar)
#include "kael/unary.def"
#undef UNARY_FLOAT
#undef UNARY_NUMBER
#undef UNARY_BITS
#undef UNARY_TEST
#undef UNARY_FTEST

#define BINARY(kind, name, cost, ...) BINARY_##kind(name, __VA_ARGS__)
#define BINARY_FLOAT(name, lanes)
#define BINARY_NUMBER(name, lanes, integer)
#define BINARY_ALL(name, lanes, integer, boolean)                                  \
    KL_BINARY_LOOP(binary_##name, uint8_t, uint8_t, uint8_t, boolean)
#define BINARY_BITS(name, integer, boolean) BINARY_ALL(name, , , boolean)
#define BINARY_TEST(name, scalar)
#include "kael/binary.def"
#undef BINARY_FLOAT
#undef BINARY_NUMBER
#undef BINARY_ALL
#undef BINARY_BITS
#undef BINARY_TEST
