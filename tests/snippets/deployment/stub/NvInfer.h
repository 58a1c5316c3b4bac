// Declarations of our own, only what the snippets call: enough for g++ to
// check their syntax, types and overloads where TensorRT's headers are not
// installed. Nothing here is virtual or defined, so that each call stays an
// undefined symbol, which a test looks up in the real library. To build a
// program, take the header that comes with TensorRT.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace nvinfer1 {

enum class DataType : int32_t {
    kFLOAT = 0,
    kHALF = 1,
    kINT8 = 2,
    kINT32 = 3,
    kBOOL = 4,
    kUINT8 = 5,
    kFP8 = 6,
    kBF16 = 7,
    kINT64 = 8,
};
enum class TensorIOMode : int32_t { kNONE = 0, kINPUT = 1, kOUTPUT = 2 };
enum class MemoryPoolType : int32_t { kWORKSPACE = 0 };
enum class OptProfileSelector : int32_t { kMIN = 0, kOPT = 1, kMAX = 2 };
enum class PoolingType : int32_t { kMAX = 0, kAVERAGE = 1 };
enum class ExecutionContextAllocationStrategy : int32_t { kSTATIC = 0 };
enum class NetworkDefinitionCreationFlag : int32_t { kSTRONGLY_TYPED = 0 };
using NetworkDefinitionCreationFlags = uint32_t;

class Dims64 {
public:
    int32_t nbDims;
    int64_t d[8];
};
using Dims = Dims64;
class Dims2 : public Dims {
public:
    Dims2(int64_t d0, int64_t d1);
};
class Dims3 : public Dims {
public:
    Dims3(int64_t d0, int64_t d1, int64_t d2);
};
class Dims4 : public Dims {
public:
    Dims4(int64_t d0, int64_t d1, int64_t d2, int64_t d3);
};

class ILogger {
public:
    enum class Severity : int32_t {
        kINTERNAL_ERROR = 0,
        kERROR = 1,
        kWARNING = 2,
        kINFO = 3,
        kVERBOSE = 4,
    };
    virtual void log(Severity severity, char const* msg) noexcept = 0;

protected:
    virtual ~ILogger() = default;
};

class IHostMemory {
public:
    void* data() const noexcept;
    std::size_t size() const noexcept;
    DataType type() const noexcept;
};

class ITensor {
public:
    void setName(char const* name) noexcept;
    char const* getName() const noexcept;
    Dims getDimensions() const noexcept;
};

class ILayer {
public:
    ITensor* getOutput(int32_t index) const noexcept;
    void setName(char const* name) noexcept;
};

class IPoolingLayer : public ILayer {
public:
    void setStrideNd(Dims const& stride) noexcept;
};

class INetworkDefinition {
public:
    ITensor* addInput(
        char const* name, DataType type, Dims const& dimensions) noexcept;
    IPoolingLayer* addPoolingNd(
        ITensor& input, PoolingType type, Dims const& windowSize) noexcept;
    void markOutput(ITensor& tensor) noexcept;
    int32_t getNbInputs() const noexcept;
    int32_t getNbOutputs() const noexcept;
    ITensor* getInput(int32_t index) const noexcept;
    ITensor* getOutput(int32_t index) const noexcept;
};

class IOptimizationProfile {
public:
    bool setDimensions(char const* inputName, OptProfileSelector select,
        Dims const& dims) noexcept;
    bool isValid() const noexcept;
};

class IBuilderConfig {
public:
    void setMemoryPoolLimit(MemoryPoolType pool, std::size_t size) noexcept;
    int32_t addOptimizationProfile(
        IOptimizationProfile const* profile) noexcept;
};

class IBuilder {
public:
    INetworkDefinition* createNetworkV2(
        NetworkDefinitionCreationFlags flags) noexcept;
    IBuilderConfig* createBuilderConfig() noexcept;
    IOptimizationProfile* createOptimizationProfile() noexcept;
    IHostMemory* buildSerializedNetwork(
        INetworkDefinition& network, IBuilderConfig& config) noexcept;
};

class IExecutionContext {
public:
    bool setInputShape(char const* tensorName, Dims const& dims) noexcept;
    bool setTensorAddress(char const* tensorName, void* data) noexcept;
    Dims getTensorShape(char const* tensorName) const noexcept;
    bool setOptimizationProfileAsync(
        int32_t profileIndex, cudaStream_t stream) noexcept;
    bool allInputDimensionsSpecified() const noexcept;
    bool enqueueV3(cudaStream_t stream) noexcept;
};

class ICudaEngine {
public:
    int32_t getNbIOTensors() const noexcept;
    char const* getIOTensorName(int32_t index) const noexcept;
    TensorIOMode getTensorIOMode(char const* tensorName) const noexcept;
    DataType getTensorDataType(char const* tensorName) const noexcept;
    Dims getTensorShape(char const* tensorName) const noexcept;
    Dims getProfileShape(char const* tensorName, int32_t profileIndex,
        OptProfileSelector select) const noexcept;
    int32_t getNbOptimizationProfiles() const noexcept;
    IExecutionContext* createExecutionContext(
        ExecutionContextAllocationStrategy strategy
        = ExecutionContextAllocationStrategy::kSTATIC) noexcept;
};

class IRuntime {
public:
    ICudaEngine* deserializeCudaEngine(
        void const* blob, std::size_t size) noexcept;
};

IBuilder* createInferBuilder(ILogger& logger) noexcept;
IRuntime* createInferRuntime(ILogger& logger) noexcept;

} // namespace nvinfer1
