/* Circular functions: sin, cos. */
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

/* sin(|x| + turn pi / 2) for turn 0 or 1. */
KL_INLINE V(vec) KL_FN(sine_turned)(V(vec) a, unsigned turn) {
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
    q = V(bits_add)(q, V(bits_splat)(turn));
    const V(vec) one = V(splat)(1);
    const V(vec) z = V(mul)(r, r);
    /* sin(r + low) = r + (r^3 S + low cos r), cos r about 1 - z / 2 */
    const V(vec) half = V(mul)(z, V(splat)((T)0.5));
    const V(vec) slope = V(fma)(V(neg)(low), half, low);
    const V(vec) sine = V(add)(r, V(fma)(V(mul)(r, z), KL_HORNER(z, sin), slope));
    /* cos(r + low) = (1 - z / 2) + (what that lost + z^2 C - low r) */
    const V(vec) main = V(sub)(one, half);
    const V(vec) lost = V(sub)(V(sub)(one, main), half);
    const V(vec) quartic = V(fma)(V(mul)(z, z), KL_HORNER(z, cos), V(fma)(V(neg)(low), r, lost));
    const V(vec) cosine = V(add)(main, quartic);
    const V(vec) odd = V(from_bits)(V(bits_and)(q, V(bits_splat)(1)));
    const V(vec) value = V(select)(V(eq)(odd, V(splat)(0)), sine, cosine);
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
