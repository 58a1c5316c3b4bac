# not run: it takes the CUDA toolkit and TensorRT's C++ headers | 要有 CUDA 工具包与 TensorRT 的 C++ 头文件
# --8<-- [start:compile]
# TRT: where TensorRT is unpacked. TensorRT for RTX: -ltensorrt_rtx in place of -lnvinfer
g++ -std=c++17 infer.cpp -I$TRT/include -I/usr/local/cuda/include \
  -L$TRT/lib -L/usr/local/cuda/lib64 -lnvinfer -lcudart -o infer
# --8<-- [end:compile]
