/* What a driver can answer. C returns a code; one Python function raises (_kernels/runtime.pyx). */
#ifndef KAEL_STATUS_H
#define KAEL_STATUS_H

enum kl_status {
    KL_OK = 0,
    KL_NO_MEMORY,        /* scratch refused: MemoryError */
    KL_DIVISION_BY_ZERO, /* integer // or %: ZeroDivisionError */
    KL_INDEX_RANGE,      /* an index or target outside its range: IndexError, by the caller */
    KL_CALLBACK_FAILED,  /* a Python body raised; the exception travels beside the code */
    KL_FORKED            /* the process forked inside a region, and chunks were lost in the child */
};

#define KL_TRY(expression)                             \
    do {                                               \
        const int kl_status_ = (expression);           \
        if (KL_UNLIKELY(kl_status_ != KL_OK)) return kl_status_; \
    } while (0)

#endif
