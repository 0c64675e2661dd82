/* The list of row kernels. */
#ifndef KAEL_ROW_KERNELS_H
#define KAEL_ROW_KERNELS_H

/* The seeds' kExponentialCost and kStandardizeCost: work of an element against one addition. */
enum { kl_exponential_cost = 16, kl_standardize_cost = 4 };

/* X(name, cost of an element) */
#define KL_ROW_KERNELS(X)                                \
    X(softmax, kl_exponential_cost)                      \
    X(log_softmax, kl_exponential_cost)                  \
    X(standardize, kl_standardize_cost)                  \
    X(cross_entropy, kl_exponential_cost)                \
    X(softmax_backward, kl_standardize_cost)             \
    X(log_softmax_backward, kl_exponential_cost)         \
    X(standardize_backward, 2 * kl_standardize_cost)     \
    X(cross_entropy_backward, kl_exponential_cost)

enum kl_row_kernel {
#define X(name, cost) KL_ROW_##name,
    KL_ROW_KERNELS(X)
#undef X
    KL_ROW_COUNT
};

#endif
