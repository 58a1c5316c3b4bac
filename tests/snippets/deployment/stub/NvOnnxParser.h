// Declarations of our own; see NvInfer.h beside this file.
#pragma once

#include <NvInfer.h>

namespace nvonnxparser {

class IParserError {
public:
    char const* desc() const;
};

class IParser {
public:
    bool parseFromFile(char const* onnxModelFile, int verbosity);
    bool parse(void const* model, std::size_t size,
        char const* model_path = nullptr);
    int getNbErrors() const;
    IParserError const* getError(int index) const;
};

IParser* createParser(
    nvinfer1::INetworkDefinition& network, nvinfer1::ILogger& logger);

} // namespace nvonnxparser
