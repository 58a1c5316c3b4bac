// Run a plan once, its inputs filled with ones: infer model.engine
// g++ -std=c++17 infer.cpp -I$TRT/include -I/usr/local/cuda/include
//   -L$TRT/lib -L/usr/local/cuda/lib64 -lnvinfer -lcudart -o infer
#include <NvInfer.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace nvinfer1;

// --8<-- [start:own]
void check(cudaError_t code) {
    if (code != cudaSuccess)
        throw std::runtime_error(cudaGetErrorString(code));
}
void check(bool done, std::string const& what) {
    if (!done)
        throw std::runtime_error("TensorRT refused: " + what);
}

struct Log : ILogger {
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kWARNING)
            std::cerr << message << '\n';
    }
};
struct Free {
    void operator()(void* memory) const { cudaFree(memory); }
};
struct Destroy {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
using Buffer = std::unique_ptr<void, Free>;
using Stream = std::unique_ptr<CUstream_st, Destroy>;

Buffer allocate(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)));
    return Buffer(memory);
}
// --8<-- [end:own]

// --8<-- [start:shape]
std::size_t volume(Dims const& dims) {
    std::size_t count = 1;
    for (int i = 0; i < dims.nbDims; ++i) {
        check(dims.d[i] >= 0, "a shape that is not known yet");
        count *= static_cast<std::size_t>(dims.d[i]);
    }
    return count;
}

std::vector<std::string> names(ICudaEngine& engine, TensorIOMode mode) {
    std::vector<std::string> found;
    for (int i = 0; i < engine.getNbIOTensors(); ++i) {
        auto const* name = engine.getIOTensorName(i);
        if (engine.getTensorIOMode(name) == mode)
            found.emplace_back(name);
    }
    return found;
}

// The shape of an input: fixed, or what the profile names as usual (OPT).
Dims usual_shape(ICudaEngine& engine, std::string const& name) {
    Dims const shape = engine.getTensorShape(name.c_str());
    for (int i = 0; i < shape.nbDims; ++i)
        if (shape.d[i] < 0)
            return engine.getProfileShape(
                name.c_str(), 0, OptProfileSelector::kOPT);
    return shape;
}
// --8<-- [end:shape]

// --8<-- [start:infer]
using Values = std::map<std::string, std::vector<float>>;

Values infer(ICudaEngine& engine, Values values) {
    std::unique_ptr<IExecutionContext> context(
        engine.createExecutionContext());
    check(context != nullptr, "createExecutionContext");
    cudaStream_t raw = nullptr;
    check(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking));
    Stream stream(raw);

    std::map<std::string, Buffer> buffers;  // they outlive the work
    auto place = [&](std::string const& name, Dims const& shape) {
        check(engine.getTensorDataType(name.c_str()) == DataType::kFLOAT,
            name + " is not float32");
        auto& host = values[name];
        host.resize(host.empty() ? volume(shape) : host.size(), 1.0f);
        check(host.size() == volume(shape), name + ": number of values");
        auto& buffer = buffers[name];
        buffer = allocate(host.size() * sizeof(float));
        check(context->setTensorAddress(name.c_str(), buffer.get()), name);
    };
    auto copy = [&](void* to, void const* from, std::string const& name) {
        check(cudaMemcpyAsync(to, from, values[name].size() * sizeof(float),
            cudaMemcpyDefault, stream.get()));
    };

    for (auto const& name : names(engine, TensorIOMode::kINPUT)) {
        auto const shape = usual_shape(engine, name);
        check(context->setInputShape(name.c_str(), shape), name);
        place(name, shape);
        copy(buffers[name].get(), values[name].data(), name);
    }
    for (auto const& name : names(engine, TensorIOMode::kOUTPUT))
        place(name, context->getTensorShape(name.c_str()));
    check(context->enqueueV3(stream.get()), "enqueueV3");
    for (auto const& name : names(engine, TensorIOMode::kOUTPUT))
        copy(values[name].data(), buffers[name].get(), name);
    check(cudaStreamSynchronize(stream.get()));
    return values;
}
// --8<-- [end:infer]

// --8<-- [start:main]
int main(int argc, char** argv) try {
    check(argc == 2, "usage: infer model.engine");
    std::ifstream file(argv[1], std::ios::binary);
    check(file.is_open(), argv[1]);
    std::vector<char> const plan(std::istreambuf_iterator<char>(file), {});
    Log log;  // runtime before engine: destroyed in the reverse order
    std::unique_ptr<IRuntime> runtime(createInferRuntime(log));
    check(runtime != nullptr, "createInferRuntime");
    std::unique_ptr<ICudaEngine> engine(
        runtime->deserializeCudaEngine(plan.data(), plan.size()));
    check(engine != nullptr, "the plan; its log is above");
    Values const values = infer(*engine, {});
    for (auto const& name : names(*engine, TensorIOMode::kOUTPUT))
        std::cout << name << ": " << values.at(name).size() << " values, "
                  << values.at(name).at(0) << " first\n";
} catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
// --8<-- [end:main]
