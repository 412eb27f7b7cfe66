// SPDX-License-Identifier: MIT
//
// A histogram of an 8-bit image, made twice: with one global atomic for each pixel, and in shared memory first, so that
// a block goes to the global bins once. The bins are added to frame by frame: a profiler that runs a kernel more than
// once and does not restore them counts pixels twice. The host makes the same histogram; exit code 1 when they differ.
#include <hip/hip_runtime.h>
#include <multipass/count.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                                 \
  do {                                                                                                  \
    const hipError_t hip_error = (call);                                                                \
    if (hip_error != hipSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(hip_error)); \
      std::exit(1);                                                                                     \
    }                                                                                                   \
  } while (false)

constexpr unsigned kBins = 256;
constexpr unsigned kBlock = 256;         // one work-item for each bin
constexpr unsigned kPixelsPerItem = 16;  // of the kernel with shared memory
constexpr unsigned kSide = 256;
constexpr unsigned kPixels = kSide * kSide;
constexpr unsigned kDarkRows = 64;  // at the end of the image
constexpr int kFrames = 2;

__global__ void histogram_global(unsigned* bins, const unsigned char* pixels, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  multipass_count::valu(1);    // index
  multipass_count::branch(1);  // bounds
  if (i < n) atomicAdd(&bins[multipass_count::load(&pixels[i])], 1U);
}

__global__ void histogram_shared(unsigned* bins, const unsigned char* pixels, unsigned n) {
  __shared__ unsigned local[kBins];
  multipass_count::store(&local[threadIdx.x]) = 0;
  __syncthreads();
  unsigned i = blockIdx.x * blockDim.x * kPixelsPerItem + threadIdx.x;
  multipass_count::valu(2);  // index
  for (unsigned step = 0; step < kPixelsPerItem; ++step, i += blockDim.x) {
    multipass_count::valu(1);    // next index
    multipass_count::branch(1);  // bounds
    if (i < n) atomicAdd(&local[multipass_count::load(&pixels[i])], 1U);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], multipass_count::load(&local[threadIdx.x]));
}

// Four steps of brightness from pixel to pixel, one from row to row, and a black part below.
std::vector<unsigned char> make_image() {
  std::vector<unsigned char> pixels(kPixels);
  for (unsigned row = 0; row < kSide - kDarkRows; ++row) {
    for (unsigned column = 0; column < kSide; ++column) {
      pixels[row * kSide + column] = static_cast<unsigned char>(4 * column + row);
    }
  }
  return pixels;
}

bool report(const char* name, const unsigned* device_bins, const std::vector<unsigned>& wanted) {
  std::vector<unsigned> bins(kBins);
  HIP_CHECK(hipMemcpy(bins.data(), device_bins, kBins * sizeof(unsigned), hipMemcpyDeviceToHost));
  const auto fullest = std::max_element(bins.begin(), bins.end());
  const bool correct = bins == wanted;
  std::printf("histogram %s: fullest bin %td with %u, %s\n", name, fullest - bins.begin(), *fullest,
              correct ? "correct" : "WRONG");
  return correct;
}

int main() {
  const std::vector<unsigned char> pixels = make_image();
  std::vector<unsigned> wanted(kBins);
  for (int frame = 0; frame < kFrames; ++frame) {
    for (const unsigned char pixel : pixels) ++wanted[pixel];
  }

  unsigned char* device_pixels = nullptr;
  unsigned* global_bins = nullptr;
  unsigned* shared_bins = nullptr;
  HIP_CHECK(hipMalloc(&device_pixels, kPixels));
  HIP_CHECK(hipMalloc(&global_bins, kBins * sizeof(unsigned)));
  HIP_CHECK(hipMalloc(&shared_bins, kBins * sizeof(unsigned)));
  HIP_CHECK(hipMemcpy(device_pixels, pixels.data(), kPixels, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemset(global_bins, 0, kBins * sizeof(unsigned)));
  HIP_CHECK(hipMemset(shared_bins, 0, kBins * sizeof(unsigned)));

  constexpr unsigned kGlobalGrid = (kPixels + kBlock - 1) / kBlock;
  constexpr unsigned kPixelsPerBlock = kBlock * kPixelsPerItem;
  constexpr unsigned kSharedGrid = (kPixels + kPixelsPerBlock - 1) / kPixelsPerBlock;
  for (int frame = 0; frame < kFrames; ++frame) {
    hipLaunchKernelGGL(histogram_global, dim3(kGlobalGrid), dim3(kBlock), 0, nullptr, global_bins, device_pixels,
                       kPixels);
    HIP_CHECK(hipGetLastError());
    hipLaunchKernelGGL(histogram_shared, dim3(kSharedGrid), dim3(kBlock), 0, nullptr, shared_bins, device_pixels,
                       kPixels);
    HIP_CHECK(hipGetLastError());
  }
  HIP_CHECK(hipDeviceSynchronize());

  const bool global_correct = report("global", global_bins, wanted);
  const bool shared_correct = report("shared", shared_bins, wanted);
  HIP_CHECK(hipFree(device_pixels));
  HIP_CHECK(hipFree(global_bins));
  HIP_CHECK(hipFree(shared_bins));
  return global_correct && shared_correct ? 0 : 1;
}
