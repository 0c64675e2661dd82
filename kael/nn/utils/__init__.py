"""Functions on the parameters of a model, with the names of ``torch.nn.utils``."""

from kael.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from kael.optim.clip import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)

__all__ = [
    "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm",
    "parameters_to_vector", "vector_to_parameters",
]  # fmt: skip
