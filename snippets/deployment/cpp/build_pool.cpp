// Build the plan of a max-pool network layer by layer and write it to a file.
// TRT=where/TensorRT/is
// g++ -std=c++17 build_pool.cpp -I$TRT/include -I/usr/local/cuda/include
//   -L$TRT/lib -lnvinfer -o build_pool; export LD_LIBRARY_PATH=$TRT/lib
// (TensorRT for RTX: -ltensorrt_rtx)
#include <NvInfer.h>

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

// --8<-- [start:layers]
std::unique_ptr<IHostMemory> build_pool_network(BuildLog& log) {
    auto builder = own(createInferBuilder(log), log);
    auto network = own(builder->createNetworkV2(KIND), log);
    auto* image = network->addInput(
        "image", DataType::kFLOAT, Dims4{-1, 3, -1, -1});
    auto* pool = network->addPoolingNd(
        *image, PoolingType::kMAX, Dims2{2, 2});
    pool->setStrideNd(Dims2{2, 2});
    pool->getOutput(0)->setName("pooled");
    network->markOutput(*pool->getOutput(0));

    auto config = own(builder->createBuilderConfig(), log);
    // config->setMemoryPoolLimit(MemoryPoolType::kWORKSPACE, 1ull << 33);
    auto* profile = builder->createOptimizationProfile();  // builder owns it
    using Select = OptProfileSelector;
    profile->setDimensions("image", Select::kMIN, Dims4{1, 3, 32, 32});
    profile->setDimensions("image", Select::kOPT, Dims4{8, 3, 64, 64});
    profile->setDimensions("image", Select::kMAX, Dims4{32, 3, 128, 128});
    if (config->addOptimizationProfile(profile) < 0)
        throw std::invalid_argument("not MIN <= OPT <= MAX");
    return own(builder->buildSerializedNetwork(*network, *config), log);
}
// --8<-- [end:layers]

int main() try {
    BuildLog log;
    auto plan = build_pool_network(log);
    std::ofstream file("pool.engine", std::ios::binary);
    file.write(static_cast<char const*>(plan->data()),
        static_cast<std::streamsize>(plan->size()));
    if (!file.flush())
        throw std::runtime_error("cannot write pool.engine");
} catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
