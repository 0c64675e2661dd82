/* Circular functions: sin, cos, tan. */
/* |x| = q pi / 2 + r + low for |x| <= largest_angle: returns r; q is in the low bits of *q. The
 * first fma is exact: x and q half_pi have no bits below the last place of half_pi. */
KL_INLINE V(vec) KL_FN(angle_reduce)(V(vec) a, V(vec) *low, V(bits) *q) {
    const V(vec) rounder = V(splat)(KL_ROUNDER);
    const V(vec) shifted = V(fma)(a, V(splat)(K.two_over_pi), rounder);
    const V(vec) n = V(neg)(V(sub)(shifted, rounder));
    *q = V(as_bits)(shifted);
    const V(vec) first = V(fma)(n, V(splat)(K.half_pi), a);
    const V(vec) second = V(mul)(n, V(splat)(K.half_pi_low));
    const V(vec) product_lost = V(fma)(n, V(splat)(K.half_pi_low), V(neg)(second));
    /* Either may be the greater: Knuth's sum of two. */
    const V(vec) r = V(add)(first, second);
    const V(vec) seen = V(sub)(r, first);
    const V(vec) lost = V(add)(V(sub)(first, V(sub)(r, seen)), V(sub)(second, seen));
    *low = V(fma)(n, V(splat)(K.half_pi_lowest), V(add)(lost, product_lost));
    return r;
}

/* The lanes beyond largest_angle, one by one; inf becomes NaN. */
static __attribute__((noinline)) KL_UNUSED void KL_FN(angle_reduce_huge)(const T *a, T *r, T *low,
                                                                        KL_WORD *q) {
    for (int l = 0; l < V(width); ++l) {
        if (!(a[l] > K.largest_angle)) continue;
        double high = NAN, rest = NAN;
        q[l] = a[l] < (T)INFINITY ? (KL_WORD)kl_reduce_angle((double)a[l], &high, &rest) : 0;
        r[l] = (T)high;
        low[l] = (T)(high - (double)r[l] + rest);
    }
}

/* a = q pi / 2 + r: the sine and the cosine of r, each in two parts, the second of which is yet to
 * be added; returns q in the low bits. */
KL_INLINE V(bits) KL_FN(sine_cosine)(V(vec) a, V(vec) sine[2], V(vec) cosine[2]) {
    V(vec) low;
    V(bits) q;
    V(vec) r = KL_FN(angle_reduce)(a, &low, &q);
    if (KL_UNLIKELY(V(any)(V(lt)(V(splat)(K.largest_angle), a)))) {
        T lanes[3][V(width)];
        KL_WORD quadrants[V(width)];
        V(store)(lanes[0], a);
        V(store)(lanes[1], r);
        V(store)(lanes[2], low);
        memcpy(quadrants, &q, sizeof quadrants);
        KL_FN(angle_reduce_huge)(lanes[0], lanes[1], lanes[2], quadrants);
        r = V(load)(lanes[1]);
        low = V(load)(lanes[2]);
        memcpy(&q, quadrants, sizeof quadrants);
    }
    const V(vec) one = V(splat)(1);
    const V(vec) z = V(mul)(r, r);
    /* sin(r + low) = r + (r^3 S + low cos r), cos r about 1 - z / 2 */
    const V(vec) half = V(mul)(z, V(splat)((T)0.5));
    const V(vec) slope = V(fnma)(low, half, low);
    sine[0] = r;
    sine[1] = V(fma)(V(mul)(r, z), KL_HORNER(z, sin), slope);
    /* cos(r + low) = (1 - z / 2) + (what that lost + z^2 C - low r) */
    cosine[0] = V(sub)(one, half);
    const V(vec) lost = V(sub)(V(sub)(one, cosine[0]), half);
    cosine[1] = V(fma)(V(mul)(z, z), KL_HORNER(z, cos), V(fnma)(low, r, lost));
    return q;
}

/* Whether the low bit is set. */
KL_INLINE V(mask) KL_FN(odd)(V(bits) q) {
    return V(ne)(V(from_bits)(V(bits_and)(q, V(bits_splat)(1))), V(splat)(0));
}

/* sin(a + turn pi / 2) for a >= 0 and turn 0 or 1. */
KL_INLINE V(vec) KL_FN(sine_turned)(V(vec) a, unsigned turn) {
    V(vec) sine[2], cosine[2];
    const V(bits) q = V(bits_add)(KL_FN(sine_cosine)(a, sine, cosine), V(bits_splat)(turn));
    const V(vec) value = V(select)(KL_FN(odd)(q), V(add)(cosine[0], cosine[1]),
                                   V(add)(sine[0], sine[1]));
    const V(bits) sign = V(bits_and)(V(bits_shl)(q, (int)(sizeof(T) * 8) - 2),
                                     V(as_bits)(V(splat)((T)-0.0)));
    return V(from_bits)(V(bits_xor)(V(as_bits)(value), sign));
}

/* 0.79 / 0.84 ulp, for every angle. */
KL_INLINE V(vec) KL_FN(sin)(V(vec) x) {
    const V(bits) sign = V(bits_and)(V(as_bits)(x), V(as_bits)(V(splat)((T)-0.0)));
    const V(vec) value = KL_FN(sine_turned)(V(abs)(x), 0);
    return V(from_bits)(V(bits_xor)(V(as_bits)(value), sign));
}

/* 0.79 / 0.84 ulp, for every angle. */
KL_INLINE V(vec) KL_FN(cos)(V(vec) x) { return KL_FN(sine_turned)(V(abs)(x), 1); }

#if !KL_CAT2(KL_SINGLE_, KL_TYPE)

/* sine / cosine, or -cosine / sine in odd quadrants. 0.51 / 1.2 ulp, for every angle. */
KL_INLINE V(vec) KL_FN(tan)(V(vec) x) {
    V(vec) sine[2], cosine[2];
    const V(mask) odd = KL_FN(odd)(KL_FN(sine_cosine)(V(abs)(x), sine, cosine));
    /* over / under, both in two parts, by the reciprocal and one step more */
    const V(vec) over = V(select)(odd, cosine[0], sine[0]);
    const V(vec) over_low = V(select)(odd, cosine[1], sine[1]);
    const V(vec) under = V(select)(odd, sine[0], cosine[0]);
    const V(vec) under_low = V(select)(odd, sine[1], cosine[1]);
    const V(vec) inverse = V(div)(V(splat)(1), V(add)(under, under_low));
    const V(vec) t = V(mul)(V(add)(over, over_low), inverse);
    const V(vec) rest = V(fnma)(t, under_low, V(add)(V(fnma)(t, under, over), over_low));
    const V(vec) value = V(fma)(rest, inverse, t);
    const V(bits) turned = V(as_bits)(V(select)(odd, V(neg)(value), value));
    const V(bits) sign = V(bits_and)(V(as_bits)(x), V(as_bits)(V(splat)((T)-0.0)));
    return V(from_bits)(V(bits_xor)(turned, sign));
}

#endif
