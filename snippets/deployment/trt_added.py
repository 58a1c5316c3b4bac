"""What TensorRT 11.4.0 has added since 8.6.1.

Made by make_api_table.py. A row: which of the versions
8.6.1, 10.0.1, 10.16.1, 11.0.0, 11.4.0 have it (x), the class
(- is the module), the names.
"""

ADDED = """
....x - DLAWorkspaceAllocationStrategy
....x IBuilderConfig all_build_routes build_route
....x IOptimizationProfile profile_stream
....x Refitter release_refit_resources
....x Runtime dla_workspace_allocation_strategy
...xx - AttentionIOForm CausalMaskKind
...xx CollectiveOperation ALL_TO_ALL GATHER SCATTER
...xx IAttention causal_kind key_value_form key_value_lengths query_form
  query_lengths
...xx IKVCacheUpdateLayer update_form update_lengths
...xx INetworkDefinition add_attention_v2
..xxx - AttentionNormalizationOp CollectiveOperation CumulativeOperation
  EngineStat IAttention IAttentionBoundaryLayer IAttentionInputLayer
  IAttentionOutputLayer ICumulativeLayer IDistCollectiveLayer
  IDynamicQuantizeLayer IKVCacheUpdateLayer IMoELayer IPluginCreatorV3Quick
  IPluginV3OneBuildV2 IPluginV3QuickAOTBuild IPluginV3QuickBuild
  IPluginV3QuickCore IPluginV3QuickRuntime IRotaryEmbeddingLayer IRuntimeConfig
  ISqueezeLayer IStreamReaderV2 IStreamWriter ISymExpr ISymExprs
  IUnsqueezeLayer KVCacheMode KernelLaunchParams MoEActType PluginArgDataType
  PluginArgType QuickPluginCreationRequest RuntimePlatform SeekPosition
  TilingOptimizationLevel TimingCacheKey TimingCacheValue e8m0 fp4
..xxx Builder build_engine_with_config build_serialized_network_to_stream
..xxx BuilderFlag DISTRIBUTIVE_INDEPENDENCE EDITABLE_TIMING_CACHE
  MONITOR_MEMORY REFIT_INDIVIDUAL STRICT_NANS
..xxx DataType E8M0 FP4
..xxx HardwareCompatibilityLevel SAME_COMPUTE_CAPABILITY
..xxx IBuilderConfig l2_limit_for_tiling max_num_tactics
  remote_auto_tuning_config runtime_platform tiling_optimization_level
..xxx ICudaEngine create_runtime_config device_memory_size_v2
  get_aliased_input_tensor get_device_memory_size_for_profile_v2
  get_engine_stat get_weight_streaming_automatic_budget
  weight_streaming_budget_v2 weight_streaming_scratch_memory_size
..xxx IDequantizeLayer block_shape
..xxx IExecutionContext get_runtime_config set_communicator set_device_memory
  unfused_tensors_debug_state
..xxx ILayer num_ranks
..xxx INMSLayer indices_type
..xxx INetworkDefinition add_attention add_cumulative add_dist_collective
  add_dynamic_quantize add_dynamic_quantize_v2 add_kv_cache_update add_moe
  add_normalization_v2 add_plugin add_rotary_embedding add_squeeze
  add_unsqueeze are_weights_marked_refittable
  mark_unfused_tensors_as_debug_tensors mark_weights_refittable
  unmark_unfused_tensors_as_debug_tensors unmark_weights_refittable
..xxx INonZeroLayer indices_type
..xxx INormalizationLayer is_v2
..xxx IPluginRegistry all_creators_recursive
..xxx IPluginV3OneBuild get_output_data_types
..xxx IQuantizeLayer block_shape
..xxx ISliceLayer axes
..xxx ITimingCache query queryKeys update
..xxx ITopKLayer indices_type
..xxx LayerType ATTENTION_INPUT ATTENTION_OUTPUT CUMULATIVE DIST_COLLECTIVE
  DYNAMIC_QUANTIZE KV_CACHE_UPDATE MOE ROTARY_EMBEDDING SQUEEZE UNSQUEEZE
..xxx NetworkDefinitionCreationFlag PREFER_AOT_PYTHON_PLUGINS
  PREFER_JIT_PYTHON_PLUGINS
..xxx OnnxParser get_subgraph_nodes is_subgraph_supported load_initializer
  load_model_proto num_subgraphs parse_model_proto set_builder_config
  supports_model_v2
..xxx OnnxParserFlag ADJUST_FOR_DLA ENABLE_PLUGIN_OVERRIDE
  ENABLE_UINT8_AND_ASYMMETRIC_QUANTIZATION_DLA REPORT_CAPABILITY_DLA
..xxx OnnxParserRefitter load_initializer load_model_proto refit_model_proto
..xxx PluginFieldType FP4 INT4
..xxx PreviewFeature ALIASED_PLUGIN_IO_10_03 RUNTIME_ACTIVATION_RESIZE_10_10
..xxx ReduceOperation NONE
..xxx SerializationFlag INCLUDE_REFIT
..xxx UnaryOperation ISNAN
.xxxx - APILanguage DimensionOperation DimsExprs DynamicPluginTensorDesc
  ExecutionContextAllocationStrategy IDebugListener IDimensionExpr IExprBuilder
  IGpuAsyncAllocator IPluginCapability IPluginCreatorInterface
  IPluginCreatorV3One IPluginResource IPluginResourceContext
  IPluginV2DynamicExt IPluginV2DynamicExtBase IPluginV3 IPluginV3Layer
  IPluginV3OneBuild IPluginV3OneCore IPluginV3OneRuntime IProgressMonitor
  ISerializationConfig IVersionedInterface InterfaceInfo OnnxParserRefitter
  PluginCapabilityType PluginCreatorVersion PluginTensorDesc SerializationFlag
  TensorRTPhase bfloat16 int4 int64
.xxxx ActivationType GELU_ERF GELU_TANH
.xxxx BuilderFlag DISABLE_COMPILATION_CACHE ERROR_ON_TIMING_CACHE_MISS
  REFIT_IDENTICAL STRIP_PLAN WEIGHT_STREAMING
.xxxx DataType BF16 INT4 INT64
.xxxx ErrorCode REFIT_FAILED UNSUPPORTED_NODE_ATTR UNSUPPORTED_NODE_DATATYPE
  UNSUPPORTED_NODE_DYNAMIC UNSUPPORTED_NODE_INPUT UNSUPPORTED_NODE_SHAPE
.xxxx IBuilderConfig progress_monitor
.xxxx ICudaEngine create_serialization_config get_tensor_profile_values
  is_debug_tensor serialize_with_config streamable_weights_size
.xxxx IDequantizeLayer to_type
.xxxx IExecutionContext get_debug_listener get_debug_state
  set_all_tensors_debug_state set_debug_listener set_tensor_debug_state
  update_device_memory_size_for_shapes
.xxxx IFillLayer is_alpha_beta_int64 to_type
.xxxx IGpuAllocator allocate_async deallocate_async
.xxxx INetworkDefinition add_plugin_v3 flags get_flag is_debug_tensor
  mark_debug unmark_debug
.xxxx IPluginCreator field_names= plugin_version=
.xxxx IPluginRegistry acquire_plugin_resource all_creators get_creator
  release_plugin_resource
.xxxx IPluginV2 num_outputs= plugin_type= plugin_version=
.xxxx IQuantizeLayer to_type
.xxxx LayerType PLUGIN_V3
.xxxx MemoryPoolType TACTIC_SHARED_MEMORY
.xxxx NetworkDefinitionCreationFlag STRONGLY_TYPED
.xxxx OnnxParser get_layer_output_tensor
.xxxx ParserError local_function_stack local_function_stack_size node_name
  node_operator
.xxxx PluginFieldType BF16 FP8 INT64
.xxxx Refitter get_named_weights get_weights_location get_weights_prototype
  refit_cuda_engine_async unset_named_weights weights_validation
"""
