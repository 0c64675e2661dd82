"""Layers, losses and the base class of networks, with the interface of ``torch.nn``."""

from kael.nn import functional, init, utils
from kael.nn.activation import GELU, LogSoftmax, ReLU, Sigmoid, Softmax, Tanh
from kael.nn.container import Flatten, ModuleList, Sequential
from kael.nn.dropout import Dropout
from kael.nn.embedding import Embedding
from kael.nn.linear import Identity, Linear
from kael.nn.loss import CrossEntropyLoss, L1Loss, MSELoss, NLLLoss
from kael.nn.module import Module
from kael.nn.named import ModuleDict, ParameterDict, ParameterList
from kael.nn.norm import LayerNorm, RMSNorm
from kael.nn.parameter import Parameter

__all__ = [
    "GELU", "CrossEntropyLoss", "Dropout", "Embedding", "Flatten", "Identity", "L1Loss",
    "LayerNorm", "Linear", "LogSoftmax", "MSELoss", "Module", "ModuleDict", "ModuleList",
    "NLLLoss", "Parameter", "ParameterDict", "ParameterList", "RMSNorm", "ReLU", "Sequential",
    "Sigmoid", "Softmax", "Tanh", "functional", "init", "utils",
]  # fmt: skip
