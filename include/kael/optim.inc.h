/* The update rules, one always-inline body each.
 *
 * Flags are const int parameters and every call passes literals: the branches fold, and what
 * remains is straight arithmetic that the compiler vectorises (`make vec-report` shows it). The
 * scalars were computed in double and are narrowed once, here. Each product and each sum rounds
 * once (numerics R1): vector part, tail and every instruction set agree. p, g, m, v stand for one
 * element of the parameter, the gradient and the state.
 */

KL_INLINE T KL_FN(root)(T x) {
    return sizeof(T) == sizeof(double) ? (T)sqrt((double)x) : (T)sqrtf((float)x);
}

/* Adam. state[0] exp_avg, state[1] exp_avg_sq, state[2] max_exp_avg_sq (amsgrad)
 *     g = -g                                   maximize
 *     g = g + decay * p                        coupled decay
 *     p = p * (1 - lr * decay)                 decoupled decay
 *     m = beta1 * m + (1 - beta1) * g
 *     v = beta2 * v + ((1 - beta2) * g) * g
 *     largest = max(largest, v), NaN wins      amsgrad; it takes the place of v below
 *     p = p - (step_size * m) / (sqrt(v * inverse2) + eps) */
KL_INLINE void KL_FN(adam_rule)(const struct kl_optim_tensor *t, void *param, int64_t first,
                                int64_t count, const int amsgrad, const int maximize,
                                const int decay, const int decoupled) {
    T *KL_RESTRICT p = param;
    const T *KL_RESTRICT grad = (const T *)t->grad + first;
    T *KL_RESTRICT m = (T *)t->state[0] + first;
    T *KL_RESTRICT v = (T *)t->state[1] + first;
    T *KL_RESTRICT largest = amsgrad ? (T *)t->state[2] + first : NULL;
    const T beta1 = (T)t->scalar[KL_ADAM_BETA1], rest1 = (T)t->scalar[KL_ADAM_ONE_MINUS_BETA1];
    const T beta2 = (T)t->scalar[KL_ADAM_BETA2], rest2 = (T)t->scalar[KL_ADAM_ONE_MINUS_BETA2];
    const T weight_decay = (T)t->scalar[KL_ADAM_WEIGHT_DECAY];
    const T step_size = (T)t->scalar[KL_ADAM_STEP_SIZE];
    const T inverse2 = (T)t->scalar[KL_ADAM_INVERSE2], eps = (T)t->scalar[KL_ADAM_EPS];
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        T g = maximize ? -grad[i] : grad[i];
        T x = p[i];
        if (decay && !decoupled) g = g + weight_decay * x;
        if (decay && decoupled) x = x * weight_decay;
        m[i] = beta1 * m[i] + rest1 * g;
        T square = beta2 * v[i] + (rest2 * g) * g;
        v[i] = square;
        if (amsgrad) {
            const T old = largest[i];
            square = (old > square || old != old) ? old : square;
            largest[i] = square;
        }
        p[i] = x - (step_size * m[i]) / (KL_FN(root)(square * inverse2) + eps);
    }
}

static void KL_FN(adam)(const struct kl_optim_tensor *t, void *param, int64_t first,
                        int64_t count) {
    switch (t->variant) {
#define KL_CASE(n)                                                                             \
    case n:                                                                                    \
        KL_FN(adam_rule)(t, param, first, count, (n) & KL_ADAM_AMSGRAD, (n) & KL_ADAM_MAXIMIZE, \
                         (n) & KL_ADAM_DECAY, (n) & KL_ADAM_DECOUPLED);                        \
        break;
        KL_CASE(0) KL_CASE(1) KL_CASE(2) KL_CASE(3) KL_CASE(4) KL_CASE(5) KL_CASE(6) KL_CASE(7)
        KL_CASE(8) KL_CASE(9) KL_CASE(10) KL_CASE(11) KL_CASE(12) KL_CASE(13) KL_CASE(14)
        KL_CASE(15)
#undef KL_CASE
    }
}

/* Stochastic gradient descent. state[0] momentum_buffer
 *     g = -g                                       maximize
 *     g = g + decay * p                            decay
 *     b = g                                        momentum, first
 *     b = momentum * b + (1 - dampening) * g       momentum
 *     g = b, or with nesterov g + momentum * b     momentum
 *     p = p - lr * g */
KL_INLINE void KL_FN(sgd_rule)(const struct kl_optim_tensor *t, void *param, int64_t first,
                               int64_t count, const int momentum, const int fresh,
                               const int nesterov, const int maximize, const int decay) {
    T *KL_RESTRICT p = param;
    const T *KL_RESTRICT grad = (const T *)t->grad + first;
    T *KL_RESTRICT buffer = momentum ? (T *)t->state[0] + first : NULL;
    const T lr = (T)t->scalar[KL_SGD_LR], weight_decay = (T)t->scalar[KL_SGD_WEIGHT_DECAY];
    const T factor = (T)t->scalar[KL_SGD_MOMENTUM_FACTOR];
    const T rest = (T)t->scalar[KL_SGD_ONE_MINUS_DAMPENING];
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        T g = maximize ? -grad[i] : grad[i];
        if (decay) g = g + weight_decay * p[i];
        if (momentum) {
            const T b = fresh ? g : factor * buffer[i] + rest * g;
            buffer[i] = b;
            g = nesterov ? g + factor * b : b;
        }
        p[i] = p[i] - lr * g;
    }
}

static void KL_FN(sgd)(const struct kl_optim_tensor *t, void *param, int64_t first,
                       int64_t count) {
    switch (t->variant) {
#define KL_CASE(n)                                                                          \
    case n:                                                                                 \
        KL_FN(sgd_rule)(t, param, first, count, (n) & KL_SGD_MOMENTUM, (n) & KL_SGD_FIRST,  \
                        (n) & KL_SGD_NESTEROV, (n) & KL_SGD_MAXIMIZE, (n) & KL_SGD_DECAY);  \
        break;
        /* no momentum; momentum; its first step; the same two with nesterov */
        KL_CASE(0) KL_CASE(1) KL_CASE(3) KL_CASE(5) KL_CASE(7)
        KL_CASE(8) KL_CASE(9) KL_CASE(11) KL_CASE(13) KL_CASE(15)
        KL_CASE(16) KL_CASE(17) KL_CASE(19) KL_CASE(21) KL_CASE(23)
        KL_CASE(24) KL_CASE(25) KL_CASE(27) KL_CASE(29) KL_CASE(31)
#undef KL_CASE
    }
}

/* Gradient clipping; the gradient takes the place of the parameter.  p = scalar[0] * p */
static void KL_FN(scale)(const struct kl_optim_tensor *t, void *param, int64_t first,
                         int64_t count) {
    T *KL_RESTRICT p = param;
    const T factor = (T)t->scalar[0];
    (void)first;
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) p[i] = factor * p[i];
}

/* p = min(max(p, scalar[0]), scalar[1]), NaN kept */
static void KL_FN(clamp)(const struct kl_optim_tensor *t, void *param, int64_t first,
                         int64_t count) {
    T *KL_RESTRICT p = param;
    const T low = (T)t->scalar[0], high = (T)t->scalar[1];
    (void)first;
    KL_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
        const T x = p[i] < low ? low : p[i];
        p[i] = x > high ? high : x;
    }
}
