/* Reductions of integer rows and columns; included for each integer type by reduce_ints.inc.h.
 *
 * Exact modulo 2^64 in any order, so plain loops for the compiler to vectorise: no lanes. Sums are
 * made in uint64_t, where wrapping is defined.
 */
KL_INLINE uint64_t KL_FN(add_up)(const T *x, int64_t size) {
    uint64_t total = 0;
    for (int64_t i = 0; i < size; i++) total += (uint64_t)(int64_t)x[i];
    return total;
}

KL_INLINE uint64_t KL_FN(multiply_up)(const T *x, int64_t size) {
    uint64_t total = 1;
    for (int64_t i = 0; i < size; i++) total *= (uint64_t)(int64_t)x[i];
    return total;
}

/* One block of dot, modulo the width of T: sum of x * y, at any address. Unsigned, and no wider
 * than that takes, for the sake of vectors. */
static kl_total KL_FN(dot_block)(const void *x, const void *y, int64_t size) {
    typedef T loose __attribute__((aligned(1), may_alias));
    const loose *const a = (const loose *)x, *const b = (const loose *)y;
    uint32_t narrow = 0;
    uint64_t wide = 0;
    for (int64_t i = 0; i < size; i++) {
        if (sizeof(T) < sizeof(wide)) {
            narrow += (uint32_t)a[i] * (uint32_t)b[i];
        } else {
            wide += (uint64_t)a[i] * (uint64_t)b[i];
        }
    }
    return (kl_total){.i = (int64_t)(wide + narrow)};
}

KL_INLINE T KL_FN(extreme)(bool greatest, const T *x, int64_t size) {
    T best = x[0];
    for (int64_t i = 1; i < size; i++) {
        best = greatest ? (x[i] > best ? x[i] : best) : (x[i] < best ? x[i] : best);
    }
    return best;
}

KL_INLINE int64_t KL_FN(extreme_index)(bool greatest, const T *x, int64_t size, int64_t *index) {
    const T best = KL_FN(extreme)(greatest, x, size);
    int64_t i = 0;
    while (x[i] != best) i++;
    *index = i;
    return best;
}

static void KL_FN(reduce_rows)(int term, const void *data, int64_t row_stride, int64_t rows,
                               int64_t size, bool far, const double *centers, kl_total *totals,
                               int64_t *indices) {
    (void)far;
    (void)centers;
    for (int64_t r = 0; r < rows; r++) {
        const T *x = (const T *)data + r * row_stride;
        switch (term) {
        case KL_TERM_FACTOR: totals[r].i = (int64_t)KL_FN(multiply_up)(x, size); break;
        case KL_TERM_MAX: totals[r].i = KL_FN(extreme)(true, x, size); break;
        case KL_TERM_MIN: totals[r].i = KL_FN(extreme)(false, x, size); break;
        case KL_TERM_ARGMAX: totals[r].i = KL_FN(extreme_index)(true, x, size, indices + r); break;
        case KL_TERM_ARGMIN: totals[r].i = KL_FN(extreme_index)(false, x, size, indices + r); break;
        default: totals[r].i = (int64_t)KL_FN(add_up)(x, size); break;
        }
    }
}

/* One row of a strip: acc[column], for indices also acc[width + column]. `row` is its number in
 * the block. */
KL_INLINE void KL_FN(row_meets)(int term, const T *x, int64_t row, int64_t width, int64_t *acc) {
    for (int64_t c = 0; c < width; c++) {
        const int64_t next = x[c], old = acc[c];
        switch (term) {
        case KL_TERM_FACTOR: acc[c] = (int64_t)((uint64_t)old * (uint64_t)next); break;
        case KL_TERM_MAX: acc[c] = next > old ? next : old; break;
        case KL_TERM_MIN: acc[c] = next < old ? next : old; break;
        case KL_TERM_ARGMAX:
        case KL_TERM_ARGMIN: {
            const bool found = term == KL_TERM_ARGMAX ? next > old : next < old;
            acc[c] = found ? next : old;
            acc[width + c] = found ? row : acc[width + c];
            break;
        }
        default: acc[c] = (int64_t)((uint64_t)old + (uint64_t)next); break;
        }
    }
}

static void KL_FN(reduce_columns)(int term, const void *data, int64_t row_stride, int64_t first,
                                  int64_t rows, int64_t width, const double *centers,
                                  void *state) {
    (void)centers;
    const T *x = (const T *)data;
    int64_t *acc = (int64_t *)state;
    if (first == 0) {
        for (int64_t c = 0; c < width; c++) acc[c] = x[c];
        for (int64_t c = 0; kl_term_is_arg(term) && c < width; c++) acc[width + c] = 0;
    }
    for (int64_t r = first == 0; r < rows; r++) {
        switch (term) {
#define KL_CASE(name) \
    case name: KL_FN(row_meets)(name, x + r * row_stride, first + r, width, acc); break
        KL_CASE(KL_TERM_VALUE);
        KL_CASE(KL_TERM_FACTOR);
        KL_CASE(KL_TERM_MAX);
        KL_CASE(KL_TERM_MIN);
        KL_CASE(KL_TERM_ARGMAX);
        KL_CASE(KL_TERM_ARGMIN);
#undef KL_CASE
        }
    }
}

static void KL_FN(columns_meet)(int term, int64_t rows, int64_t width, void *state,
                                kl_total *totals, int64_t *indices) {
    (void)rows;
    const int64_t *acc = (const int64_t *)state;
    for (int64_t c = 0; c < width; c++) totals[c].i = acc[c];
    for (int64_t c = 0; kl_term_is_arg(term) && c < width; c++) indices[c] = acc[width + c];
}

/* Columns whose results stay in L1 while rows meet them, four at a time. */
#define KL_MEET_COLUMNS(R, meet)                                                     \
    for (int64_t c = 0; c < count; c++) to[c] = (R)x[c];                             \
    for (r = 1; r + 4 <= rows; r += 4) {                                             \
        const T *const p = x + r * stride, *const q = p + stride;                    \
        const T *const s = q + stride, *const t = s + stride;                        \
        for (int64_t c = 0; c < count; c++) {                                        \
            to[c] = meet(to[c], meet(meet((R)p[c], (R)q[c]), meet((R)s[c], (R)t[c]))); \
        }                                                                            \
    }                                                                                \
    for (; r < rows; r++) {                                                          \
        for (int64_t c = 0; c < count; c++) to[c] = meet(to[c], (R)x[r * stride + c]); \
    }
#define KL_PLUS(a, b)    ((a) + (b))
#define KL_TIMES(a, b)   ((a) * (b))
#define KL_GREATER(a, b) ((a) > (b) ? (a) : (b))
#define KL_LESSER(a, b)  ((a) < (b) ? (a) : (b))

static void KL_FN(ended_columns)(int term, const T *KL_RESTRICT x, int64_t stride, int64_t rows,
                                 int64_t count, void *KL_RESTRICT out) {
    int64_t r;
    if (term >= KL_TERM_MAX) {
        T *KL_RESTRICT to = (T *)out;
        if (term == KL_TERM_MAX) {
            KL_MEET_COLUMNS(T, KL_GREATER)
        } else {
            KL_MEET_COLUMNS(T, KL_LESSER)
        }
        return;
    }
    uint64_t *KL_RESTRICT to = (uint64_t *)out;
    if (term == KL_TERM_FACTOR) {
        KL_MEET_COLUMNS(uint64_t, KL_TIMES)
    } else {
        KL_MEET_COLUMNS(uint64_t, KL_PLUS)
    }
}

#undef KL_MEET_COLUMNS
#undef KL_PLUS
#undef KL_TIMES
#undef KL_GREATER
#undef KL_LESSER

/* Outputs of one block, from x on, `stride` between rows, to out. */
static void KL_FN(reduce_ended)(const struct kl_ended *e, const void *data, int64_t stride,
                                int64_t outputs, void *out) {
    enum { piece = 512 };
    const T *x = (const T *)data;
    const int64_t itemsize = e->term >= KL_TERM_MAX ? sizeof(T) : sizeof(uint64_t);
    for (int64_t c = 0; e->columns && c < outputs; c += piece) {
        KL_FN(ended_columns)(e->term, x + c, stride, e->size, kl_min(piece, outputs - c),
                             (char *)out + c * itemsize);
    }
    if (e->columns) return;
#define KL_ROWS(to, result) \
    for (int64_t r = 0; r < outputs; r++, x += stride) (to)[r] = (result)
    switch (e->term) {
    case KL_TERM_FACTOR: KL_ROWS((uint64_t *)out, KL_FN(multiply_up)(x, e->size)); break;
    case KL_TERM_MAX: KL_ROWS((T *)out, KL_FN(extreme)(true, x, e->size)); break;
    case KL_TERM_MIN: KL_ROWS((T *)out, KL_FN(extreme)(false, x, e->size)); break;
    default: KL_ROWS((uint64_t *)out, KL_FN(add_up)(x, e->size)); break;
    }
#undef KL_ROWS
}
