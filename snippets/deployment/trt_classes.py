"""Which class a TensorRT call returns, and what a usual name stands for."""

from trt_names import MARKS

EVERY_CLASS = {owner or name for owner, name in MARKS}
MODULES = {"tensorrt", "tensorrt_rtx", "tensorrt_lean", "tensorrt_dispatch"}
MAKES = {  # what a method returns
    "create_network": "INetworkDefinition",
    "create_builder_config": "IBuilderConfig",
    "create_optimization_profile": "IOptimizationProfile",
    "build_engine": "ICudaEngine",
    "build_engine_with_config": "ICudaEngine",
    "deserialize_cuda_engine": "ICudaEngine",
    "create_execution_context": "IExecutionContext",
}
LAYERS = {
    "convolution": "IConvolutionLayer",
    "deconvolution": "IDeconvolutionLayer",
    "padding": "IPaddingLayer",
    "pooling": "IPoolingLayer",
}
GETS = {  # what a method of a network returns
    "get_layer": "ILayer",
    "get_input": "ITensor",
    "get_output": "ITensor",
}
USUAL = {  # what a parameter of this name is, in a file that has TensorRT
    "builder": "Builder",
    "config": "IBuilderConfig",
    "builder_config": "IBuilderConfig",
    "network": "INetworkDefinition",
    "engine": "ICudaEngine",
    "context": "IExecutionContext",
}
