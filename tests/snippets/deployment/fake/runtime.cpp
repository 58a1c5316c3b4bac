// A runtime of our own behind the declarations in ../stub: it notes each call
// and puts device work off until the stream is synchronised, as a GPU may. The
// engine computes sum = left + 2 * right and lists its output first. The call
// number FAIL (from 1) fails. What is written to REPORT: the calls, and what
// was made and not released.
#include <NvInfer.h>
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

struct CUstream_st {};

namespace {
std::vector<std::string> calls;
std::vector<std::function<void()>> work;
std::set<void*> memory;
int streams = 0;
std::map<std::string, float*> address;
std::map<std::string, nvinfer1::Dims> shapes;

struct Report {
    ~Report() {
        std::ofstream file(std::getenv("REPORT"));
        for (auto const& call : calls)
            file << call << '\n';
        file << "buffers left: " << memory.size() << '\n';
        file << "streams left: " << streams << '\n';
    }
} report;

bool fails(std::string const& call) {
    calls.push_back(call);
    char const* number = std::getenv("FAIL");
    return number && std::atoi(number) == static_cast<int>(calls.size());
}
cudaError_t code(std::string const& call) {
    return fails(call) ? cudaErrorMemoryAllocation : cudaSuccess;
}
nvinfer1::Dims dims(int64_t c, int64_t h, int64_t w) {
    nvinfer1::Dims made{};
    made.nbDims = 3;
    made.d[0] = c, made.d[1] = h, made.d[2] = w;
    return made;
}
std::vector<std::string> const names{"sum", "left", "right"};
} // namespace

char const* cudaGetErrorString(cudaError_t) { return "out of memory (made up)"; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    if (auto error = code("stream " + std::to_string(flags)))
        return error;
    ++streams;
    *stream = new CUstream_st;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    --streams;
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaMalloc(void** pointer, std::size_t size) {
    if (auto error = code("malloc " + std::to_string(size)))
        return error;
    *pointer = std::malloc(size);
    std::memset(*pointer, 0x5A, size);
    memory.insert(*pointer);
    return cudaSuccess;
}
cudaError_t cudaFree(void* pointer) {  // it waits for the device, like CUDA's
    for (auto& job : work)
        job();
    work.clear();
    memory.erase(pointer);
    std::free(pointer);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t size,
    cudaMemcpyKind, cudaStream_t stream) {
    auto const bytes = std::to_string(size);
    if (auto error = code(stream ? "copy " + bytes : "copy on stream 0"))
        return error;
    work.push_back([=] { std::memcpy(to, from, size); });
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
    if (auto error = code("synchronise"))
        return error;
    for (auto& job : work)
        job();
    work.clear();
    return cudaSuccess;
}

namespace nvinfer1 {
int32_t ICudaEngine::getNbIOTensors() const noexcept { return 3; }
char const* ICudaEngine::getIOTensorName(int32_t i) const noexcept {
    return names[static_cast<std::size_t>(i)].c_str();
}
TensorIOMode ICudaEngine::getTensorIOMode(char const* name) const noexcept {
    return name == names[0] ? TensorIOMode::kOUTPUT : TensorIOMode::kINPUT;
}
DataType ICudaEngine::getTensorDataType(char const* name) const noexcept {
    bool const other = fails(std::string("type ") + name);
    return other ? DataType::kHALF : DataType::kFLOAT;
}
Dims ICudaEngine::getTensorShape(char const* name) const noexcept {
    return name == names[1] ? dims(3, 4, 5) : dims(3, -1, -1);
}
Dims ICudaEngine::getProfileShape(char const*, int32_t profile,
    OptProfileSelector select) const noexcept {
    bool const usual = profile == 0 && select == OptProfileSelector::kOPT;
    return usual ? dims(3, 4, 5) : dims(3, 1, 1);
}
IExecutionContext* ICudaEngine::createExecutionContext(
    ExecutionContextAllocationStrategy) noexcept {
    return fails("context") ? nullptr : new IExecutionContext;
}
bool IExecutionContext::setInputShape(
    char const* name, Dims const& shape) noexcept {
    if (fails(std::string("shape ") + name))
        return false;
    shapes[name] = shape;
    return true;
}
Dims IExecutionContext::getTensorShape(char const*) const noexcept {
    return shapes.size() == 2 ? dims(3, 4, 5) : dims(3, -1, -1);
}
bool IExecutionContext::setTensorAddress(
    char const* name, void* data) noexcept {
    if (fails(std::string("address ") + name))
        return false;
    address[name] = static_cast<float*>(data);
    return true;
}
bool IExecutionContext::enqueueV3(cudaStream_t stream) noexcept {
    if (fails(stream ? "enqueue" : "enqueue on the default stream"))
        return false;
    work.push_back([] {
        for (int i = 0; i < 60; ++i)
            address.at("sum")[i]
                = address.at("left")[i] + 2 * address.at("right")[i];
    });
    return true;
}
ICudaEngine* IRuntime::deserializeCudaEngine(
    void const* blob, std::size_t size) noexcept {
    bool const same = size == 4 && !std::memcmp(blob, "plan", size);
    return fails("deserialize") || !same ? nullptr : new ICudaEngine;
}
IRuntime* createInferRuntime(ILogger& logger) noexcept {
    logger.log(ILogger::Severity::kWARNING, "a warning");
    logger.log(ILogger::Severity::kINFO, "not worth a line");
    return fails("runtime") ? nullptr : new IRuntime;
}
} // namespace nvinfer1
