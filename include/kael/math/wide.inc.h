/* Functions of floats by way of double lanes. Each is within 0.51 ulp. */
#define KL_WIDE(name) KL_CAT4(kl, name, wide, KL_ISA)
#define KL_UNARY_WIDE(name)                                                          \
    KL_INLINE V(vec) KL_FN(name)(V(vec) x) {                                         \
        return V(from_halves)(KL_WIDE(name)(VD(first_half)(x)),                      \
                              KL_WIDE(name)(VD(second_half)(x)));                    \
    }
#define KL_BINARY_WIDE(name)                                                         \
    KL_INLINE V(vec) KL_FN(name)(V(vec) x, V(vec) y) {                               \
        return V(from_halves)(KL_WIDE(name)(VD(first_half)(x), VD(first_half)(y)),   \
                              KL_WIDE(name)(VD(second_half)(x), VD(second_half)(y))); \
    }

KL_UNARY_WIDE(tan)
KL_UNARY_WIDE(asin)
KL_UNARY_WIDE(acos)
KL_UNARY_WIDE(atan)
KL_BINARY_WIDE(atan2)
KL_UNARY_WIDE(sinh)
KL_UNARY_WIDE(cosh)
KL_UNARY_WIDE(cbrt)
KL_BINARY_WIDE(hypot)
#undef KL_UNARY_WIDE
#undef KL_BINARY_WIDE
