// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: the fused passes as kernels. Several files, so that they compile side by side.
#pragma once
#include <vector>

#include "backend/cuda/line_pass.hpp"
#include "operator/cuda/fused_product.hpp"

namespace findrho::device {

void launch_rows_forward(cudaStream_t stream, int length, RowsArguments<float> const& a);
void launch_rows_forward(cudaStream_t stream, int length, RowsArguments<double> const& a);
void launch_rows_inverse(cudaStream_t stream, int length, RowsArguments<float> const& a);
void launch_rows_inverse(cudaStream_t stream, int length, RowsArguments<double> const& a);
void launch_columns_forward(cudaStream_t stream, int length, ColumnsArguments<float> const& a);
void launch_columns_forward(cudaStream_t stream, int length, ColumnsArguments<double> const& a);
void launch_columns_inverse(cudaStream_t stream, int length, ColumnsArguments<float> const& a);
void launch_columns_inverse(cudaStream_t stream, int length, ColumnsArguments<double> const& a);
void launch_multiply(cudaStream_t stream, int length, ColumnsArguments<float> const& a);
void launch_multiply(cudaStream_t stream, int length, ColumnsArguments<double> const& a);
void launch_rows_to_planes(cudaStream_t stream, int length, RowsArguments<float> const& a);
void launch_rows_from_planes(cudaStream_t stream, int length, RowsArguments<float> const& a);
void launch_planes(cudaStream_t stream, int length, PlanesArguments<float> const& a);

template <class T>
struct DevicePasses {
  cudaStream_t stream;
  void rows_forward(int length, RowsArguments<T> const& a) const { launch_rows_forward(stream, length, a); }
  void rows_inverse(int length, RowsArguments<T> const& a) const { launch_rows_inverse(stream, length, a); }
  void columns_forward(int length, ColumnsArguments<T> const& a) const {
    launch_columns_forward(stream, length, a);
  }
  void columns_inverse(int length, ColumnsArguments<T> const& a) const {
    launch_columns_inverse(stream, length, a);
  }
  void multiply(int length, ColumnsArguments<T> const& a) const { launch_multiply(stream, length, a); }
  void rows_to_planes(int length, RowsArguments<T> const& a) const {
    launch_rows_to_planes(stream, length, a);
  }
  void rows_from_planes(int length, RowsArguments<T> const& a) const {
    launch_rows_from_planes(stream, length, a);
  }
  void planes(int length, PlanesArguments<T> const& a) const { launch_planes(stream, length, a); }
};

/// The passes on a main stream, those of slabs on streams of their own beside each other: while one begins or ends, another
/// fills the multiprocessors.
template <class T>
class LanePasses {
 public:
  LanePasses(cudaStream_t main, int lanes) : main_(main) {
    FINDRHO_CHECK(cudaEventCreateWithFlags(&forked_, cudaEventDisableTiming));
    for (int i = 0; i < lanes; ++i) {
      streams_.push_back(nullptr);
      FINDRHO_CHECK(cudaStreamCreateWithFlags(&streams_.back(), cudaStreamNonBlocking));
      joined_.push_back(nullptr);
      FINDRHO_CHECK(cudaEventCreateWithFlags(&joined_.back(), cudaEventDisableTiming));
    }
  }
  ~LanePasses() {
    for (cudaStream_t stream : streams_) cudaStreamDestroy(stream);
    for (cudaEvent_t event : joined_) cudaEventDestroy(event);
    cudaEventDestroy(forked_);
  }
  LanePasses(LanePasses const&) = delete;
  LanePasses& operator=(LanePasses const&) = delete;

  int lanes() const { return static_cast<int>(streams_.size()); }
  DevicePasses<T> main() const { return {main_}; }
  DevicePasses<T> lane(int i) const { return {streams_[static_cast<std::size_t>(i)]}; }
  /// The lanes go on from where the main stream is.
  void fork() const {
    FINDRHO_CHECK(cudaEventRecord(forked_, main_));
    for (cudaStream_t stream : streams_) FINDRHO_CHECK(cudaStreamWaitEvent(stream, forked_));
  }
  /// The main stream goes on when all lanes are done.
  void join() const {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      FINDRHO_CHECK(cudaEventRecord(joined_[i], streams_[i]));
      FINDRHO_CHECK(cudaStreamWaitEvent(main_, joined_[i]));
    }
  }

 private:
  cudaStream_t main_;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> joined_;
  cudaEvent_t forked_ = nullptr;
};

}  // namespace findrho::device
