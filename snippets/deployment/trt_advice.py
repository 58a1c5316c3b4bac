"""What to write instead: old name, old line, new line (empty: delete it).

The lines assume the usual names: builder, config, network, engine, context;
Flag and Strategy stand for trt.NetworkDefinitionCreationFlag and
trt.ExecutionContextAllocationStrategy. Precision now comes with the ONNX
model, from onnxconverter_common.float16 or onnxruntime.quantization, whose
defaults TensorRT refuses: SYMMETRIC stands for the options that it accepts.
"""

# Names of 8.6 whose meaning is newer: not before 10 (†: with STRONGLY_TYPED).
LATER = {"EXPLICIT_BATCH": "", "FP16": "†", "INT8": "†"}
LATER |= dict.fromkeys(["int8_calibrator", "precision", "dtype="], "†")
LATER |= {"set_output_type": "†", "add_quantize(x, scale)": ""}

ADVICE = """
ICudaEngine.binding_is_input
engine.binding_is_input(i)
engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT
ICudaEngine.num_bindings
engine.num_bindings
engine.num_io_tensors
ICudaEngine.__len__
len(engine)
engine.num_io_tensors
ICudaEngine.get_binding_name
engine.get_binding_name(i)
engine.get_tensor_name(i)
ICudaEngine.get_binding_index
bindings[engine.get_binding_index(name)] = pointer
context.set_tensor_address(name, pointer)
ICudaEngine.get_binding_shape
engine.get_binding_shape(i)
engine.get_tensor_shape(name)
ICudaEngine.get_binding_dtype
engine.get_binding_dtype(i)
engine.get_tensor_dtype(name)
ICudaEngine.get_binding_format
engine.get_binding_format(i)
engine.get_tensor_format(name)
ICudaEngine.get_location
engine.get_location(i)
engine.get_tensor_location(name)
ICudaEngine.get_profile_shape
engine.get_profile_shape(0, name)
engine.get_tensor_profile_shape(name, 0)
ICudaEngine.max_batch_size
engine.max_batch_size

ICudaEngine.device_memory_size
engine.device_memory_size
engine.device_memory_size_v2
ICudaEngine.create_execution_context_without_device_memory
engine.create_execution_context_without_device_memory()
engine.create_execution_context(Strategy.USER_MANAGED)
IExecutionContext.set_binding_shape
context.set_binding_shape(i, shape)
context.set_input_shape(name, shape)
IExecutionContext.get_binding_shape
context.get_binding_shape(i)
context.get_tensor_shape(name)
IExecutionContext.execute_async_v2
context.execute_async_v2(bindings, stream)
context.execute_async_v3(stream)
IExecutionContext.execute_async
context.execute_async(batch, bindings, stream)
context.execute_async_v3(stream)
IExecutionContext.execute
context.execute(batch, bindings)
context.execute_v2(bindings)
IExecutionContext.all_shape_inputs_specified
context.all_shape_inputs_specified
context.infer_shapes() == []
Builder.build_engine
engine = builder.build_engine(network, config)
plan = builder.build_serialized_network(network, config)
Builder.max_batch_size
builder.max_batch_size = 8

Builder.platform_has_fast_fp16
if builder.platform_has_fast_fp16: ...

NetworkDefinitionCreationFlag.EXPLICIT_BATCH
builder.create_network(1 << int(Flag.EXPLICIT_BATCH))
builder.create_network(0)
IBuilderConfig.max_workspace_size
config.max_workspace_size = 1 << 30
config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, 1 << 30)
BuilderFlag.FP16
config.set_flag(trt.BuilderFlag.FP16)
model = convert_float_to_float16(model, keep_io_types=True)
BuilderFlag.INT8
config.set_flag(trt.BuilderFlag.INT8)
quantize_static("model.onnx", "qdq.onnx", reader, extra_options=SYMMETRIC)
IBuilderConfig.int8_calibrator
config.int8_calibrator = calibrator
quantize_static("model.onnx", "qdq.onnx", reader, extra_options=SYMMETRIC)
ILayer.precision
layer.precision = trt.float16
layer = network.add_cast(tensor, trt.float16)
ILayer.set_output_type
layer.set_output_type(0, trt.float16)
layer = network.add_cast(layer.get_output(0), trt.float16)
INetworkDefinition.add_pooling
network.add_pooling(x, trt.PoolingType.MAX, (2, 2))
network.add_pooling_nd(x, trt.PoolingType.MAX, (2, 2))
IPoolingLayer.stride
pool.stride = (2, 2)
pool.stride_nd = (2, 2)
INetworkDefinition.add_convolution
network.add_convolution(x, 8, (3, 3), kernel, bias)
network.add_convolution_nd(x, 8, (3, 3), kernel, bias)
IConvolutionLayer.padding
conv.padding = (1, 1)
conv.padding_nd = (1, 1)
"""
