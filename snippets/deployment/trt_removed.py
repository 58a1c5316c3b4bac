"""What TensorRT 11.4.0 has removed since 8.6.1.

Made by make_api_table.py. A row: which of the versions
8.6.1, 10.0.1, 10.16.1, 11.0.0, 11.4.0 have it (x), the class
(- is the module), the names.
"""

REMOVED = """
..x.. BuilderFlag FP4 INT4
..x.. PreviewFeature MULTIDEVICE_RUNTIME_10_16
.x... IPluginV3OneBuild get_output_datatypes
.xx.. - IStreamReader
.xx.. BuilderFlag BF16 WEIGHTLESS
.xx.. ICudaEngine get_device_memory_size_for_profile
  minimum_weight_streaming_budget weight_streaming_budget
x.... - CaffeParser FieldCollection FieldMap FieldType IBlobNameToTensor
  ICaffePluginFactoryV2 IFullyConnectedLayer IRNNv2Layer RNNDirection
  RNNGateType RNNInputMode RNNOperation ResizeMode SliceMode UffInputOrder
  UffParser shutdown_protobuf_library
x.... Builder build_engine max_batch_size
x.... BuilderFlag ENABLE_TACTIC_HEURISTIC STRICT_TYPES
x.... EngineCapability DEFAULT SAFE_DLA SAFE_GPU
x.... IAlgorithmIOInfo tensor_format
x.... IBuilderConfig max_workspace_size min_timing_iterations
x.... IConvolutionLayer dilation kernel_size padding stride
x.... ICudaEngine __len__ binding_is_input get_binding_bytes_per_component
  get_binding_components_per_element get_binding_dtype get_binding_format
  get_binding_format_desc get_binding_index get_binding_name get_binding_shape
  get_binding_vectorized_dim get_location get_profile_shape
  get_profile_shape_input is_execution_binding is_shape_binding max_batch_size
  num_bindings
x.... IDeconvolutionLayer kernel_size padding stride
x.... IExecutionContext active_optimization_profile= execute execute_async
  execute_async_v2 get_binding_shape get_shape get_strides set_binding_shape
  set_shape_input
x.... IGpuAllocator free
x.... INetworkDefinition add_convolution add_deconvolution add_fully_connected
  add_padding add_pooling add_rnn_v2 has_explicit_precision
x.... IOutputAllocator notify_shape reallocate_output tensorrt_version
x.... IPaddingLayer post_padding pre_padding
x.... IPluginCreator tensorrt_version
x.... IPoolingLayer padding stride window_size
x.... LayerType FULLY_CONNECTED RNN_V2
x.... NetworkDefinitionCreationFlag EXPLICIT_PRECISION
x.... PaddingMode CAFFE_ROUND_DOWN CAFFE_ROUND_UP
x.... PreviewFeature DISABLE_EXTERNAL_TACTIC_SOURCES_FOR_CORE_0805
  FASTER_DYNAMIC_SHAPES_0805
x.... ProfilingVerbosity DEFAULT VERBOSE
x.... SampleMode DEFAULT
xxx.. - CalibrationAlgoType IAlgorithm IAlgorithmContext IAlgorithmIOInfo
  IAlgorithmSelector IAlgorithmVariant IInt8Calibrator IInt8EntropyCalibrator
  IInt8EntropyCalibrator2 IInt8LegacyCalibrator IInt8MinMaxCalibrator
  QuantizationFlag SubGraphCollection
xxx.. Builder platform_has_fast_fp16 platform_has_fast_int8 platform_has_tf32
xxx.. BuilderFlag FP16 FP8 INT8 OBEY_PRECISION_CONSTRAINTS
  PREFER_PRECISION_CONSTRAINTS REJECT_EMPTY_ALGORITHMS
xxx.. IBuilderConfig algorithm_selector clear_quantization_flag
  get_calibration_profile get_quantization_flag int8_calibrator
  quantization_flags set_calibration_profile set_quantization_flag
xxx.. ICudaEngine create_execution_context_without_device_memory
  device_memory_size has_implicit_batch_dimension
xxx.. IExecutionContext all_shape_inputs_specified
xxx.. ILayer output_type_is_set precision precision_is_set reset_output_type
  reset_precision set_output_type
xxx.. INormalizationLayer compute_precision
xxx.. IPluginRegistry get_plugin_creator plugin_creator_list
xxx.. ITensor dtype= dynamic_range reset_dynamic_range set_dynamic_range
xxx.. NetworkDefinitionCreationFlag EXPLICIT_BATCH
xxx.. OnnxParser parse_with_weight_descriptors supports_model
xxx.. PreviewFeature PROFILE_SHARING_0806
xxx.. Refitter get_dynamic_range get_tensors_with_dynamic_range
  set_dynamic_range
xxx.. TacticSource CUBLAS CUBLAS_LT CUDNN
"""
