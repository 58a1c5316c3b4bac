// Build the plan of an ONNX file: build_onnx model.onnx model.engine
// TRT=where/TensorRT/is
// g++ -std=c++17 build_from_onnx.cpp -I$TRT/include -I/usr/local/cuda/include
//   -L$TRT/lib -lnvonnxparser -lnvinfer -o build_onnx
// (TensorRT for RTX: -ltensorrt_onnxparser_rtx -ltensorrt_rtx)
#include <NvInfer.h>
#include <NvOnnxParser.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

using namespace nvinfer1;

// TensorRT 10, 11 and RTX; on 8.6 it is kEXPLICIT_BATCH.
auto const KIND = 1u << static_cast<unsigned>(
    NetworkDefinitionCreationFlag::kSTRONGLY_TYPED);

// --8<-- [start:log]
class BuildLog : public ILogger {
public:
    std::string errors;

private:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kERROR)
            errors += std::string(message) + "\n";
    }
};

// Own what TensorRT made; where it made nothing, throw its own log.
template <typename T>
std::unique_ptr<T> own(T* made, BuildLog const& log) {
    if (!made)
        throw std::runtime_error(log.errors);
    return std::unique_ptr<T>(made);
}
// --8<-- [end:log]

// --8<-- [start:parser]
std::unique_ptr<IHostMemory> build_from_onnx(
    std::string const& path, BuildLog& log) {
    auto builder = own(createInferBuilder(log), log);
    auto network = own(builder->createNetworkV2(KIND), log);
    auto parser = own(nvonnxparser::createParser(*network, log), log);
    auto const level = static_cast<int>(ILogger::Severity::kWARNING);
    if (!parser->parseFromFile(path.c_str(), level) ||
        network->getNbOutputs() == 0)
        throw std::runtime_error(
            log.errors.empty() ? "no network in " + path : log.errors);

    auto config = own(builder->createBuilderConfig(), log);
    // config->setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, 1ull << 33);
    auto* profile = builder->createOptimizationProfile();  // builder owns it
    auto const* image = network->getInput(0)->getName();
    using Select = OptProfileSelector;
    profile->setDimensions(image, Select::kMIN, Dims4{1, 3, 32, 32});
    profile->setDimensions(image, Select::kOPT, Dims4{8, 3, 64, 64});
    profile->setDimensions(image, Select::kMAX, Dims4{32, 3, 128, 128});
    if (config->addOptimizationProfile(profile) < 0)
        throw std::invalid_argument("not MIN <= OPT <= MAX");
    return own(builder->buildSerializedNetwork(*network, *config), log);
}
// --8<-- [end:parser]

int main(int argc, char** argv) try {
    if (argc != 3)
        throw std::invalid_argument("usage: build_onnx IN.onnx OUT.engine");
    BuildLog log;
    auto plan = build_from_onnx(argv[1], log);
    std::ofstream file(argv[2], std::ios::binary);
    file.write(static_cast<char const*>(plan->data()),
        static_cast<std::streamsize>(plan->size()));
    if (!file.flush())
        throw std::runtime_error(std::string("cannot write ") + argv[2]);
} catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
