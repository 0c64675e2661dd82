/* The operations by number, name and cost, from unary.def and binary.def. */
#ifndef KAEL_ELEMENTWISE_OPERATIONS_H
#define KAEL_ELEMENTWISE_OPERATIONS_H

#include "kael/config.h"

enum kl_unary {
#define UNARY(kind, name, cost, ...) KL_UNARY_##name,
#include "kael/unary.def"
    KL_UNARY_COUNT
};

enum kl_binary {
#define BINARY(kind, name, cost, ...) KL_BINARY_##name,
#include "kael/binary.def"
    KL_BINARY_COUNT
};

struct kl_operation {
    const char *name;
    int64_t cost; /* in additions */
    bool test;    /* the result is bool */
};

enum { KL_KIND_FLOAT, KL_KIND_NUMBER, KL_KIND_ALL, KL_KIND_BITS, KL_KIND_TEST, KL_KIND_FTEST };

static const struct kl_operation kl_unary_operations[KL_UNARY_COUNT] = {
#define UNARY(kind, name, cost, ...) {#name, cost, KL_KIND_##kind >= KL_KIND_TEST},
#include "kael/unary.def"
};

static const struct kl_operation kl_binary_operations[KL_BINARY_COUNT] = {
#define BINARY(kind, name, cost, ...) {#name, cost, KL_KIND_##kind >= KL_KIND_TEST},
#include "kael/binary.def"
};

#endif
