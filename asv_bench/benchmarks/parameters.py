"""Sizes of the parameters of well-known cases, for benchmarks of optimizers and clipping."""

# One layer of GPT-2 small: norms, attention and the two linear layers of the block.
LAYER = [
    768, 768, 768 * 2304, 2304, 768 * 768, 768, 768, 768, 768 * 3072, 3072, 3072 * 768, 768,
]  # fmt: skip
PARAMETERS = {
    "50 million": [50_000_000],
    "GPT-2 small": [50257 * 768, 1024 * 768, *LAYER * 12, 768, 768],
    "500 x 1000": [1000] * 500,
    "784-128-10": [784 * 128, 128, 128 * 10, 10],
}
# What asv measures, in a moment each: the first lies in no cache, the states included.
LIGHT = {
    "10 million": [10_000_000],
    "a layer of GPT-2": LAYER,
    **{name: PARAMETERS[name] for name in ("500 x 1000", "784-128-10")},
}
