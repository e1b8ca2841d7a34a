// SPDX-License-Identifier: BSD-3-Clause
// Named-axis shapes, views (pointer + shape + space) and owning arrays.
// All arrays are contiguous, the last axis of the shape runs fastest: images are (coil,) z, y, x.
#pragma once
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>

namespace findrho {

enum class Axis : std::uint8_t { x, y, z, coil, sample, frame, dim, other };
enum class Space : std::uint8_t { host, device };
enum class Write : std::uint8_t { replace, add };  // y = A x, or y += A x

char const* name(Axis axis);

struct Extent {
  Axis axis;
  std::int64_t size;
  bool operator==(Extent const&) const = default;
};

/// Up to six named extents, slowest first. Two shapes are equal when axes and sizes agree in order.
class Shape {
 public:
  static constexpr int kMaxRank = 6;
  Shape() = default;
  Shape(std::initializer_list<Extent> extents);

  int rank() const { return rank_; }
  Extent const& operator[](int i) const { return extents_[static_cast<std::size_t>(i)]; }
  /// Size along an axis; 1 for an axis that the shape does not have.
  std::int64_t extent(Axis axis) const;
  /// Number of elements; 1 for rank 0.
  std::int64_t size() const;
  /// The shape without its first (slowest) axis.
  Shape without_slowest() const;
  /// "coil 8 x z 1 x y 64 x x 64", for messages.
  std::string str() const;
  bool operator==(Shape const& other) const;

 private:
  std::array<Extent, kMaxRank> extents_{};
  int rank_ = 0;
};

/// Pointer, shape and memory space; does not own.
template <class T>
struct View {
  T* data = nullptr;
  Shape shape;
  Space space = Space::host;

  View() = default;
  View(T* data_, Shape const& shape_, Space space_ = Space::host)
      : data(data_), shape(shape_), space(space_) {}
  template <class U>
  requires(std::is_convertible_v<U (*)[], T (*)[]>) View(View<U> const& other)
      : data(other.data), shape(other.shape), space(other.space) {}

  std::int64_t size() const { return shape.size(); }
  T& operator[](std::int64_t i) const { return data[i]; }
  T* begin() const { return data; }
  T* end() const { return data + size(); }
};

namespace detail {
void* allocate_host(std::size_t bytes);  // 64-byte aligned; Errors out_of_memory
void free_host(void* memory) noexcept;
struct HostDelete {
  void operator()(void* memory) const noexcept { free_host(memory); }
};
}  // namespace detail

/// Owns zero-initialised, 64-byte aligned memory of a trivial type; move-only: a copy is spelled copy().
/// Errors  out_of_memory
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(Shape const& shape)
      : shape_(shape),
        data_(static_cast<T*>(detail::allocate_host(static_cast<std::size_t>(shape.size()) * sizeof(T)))) {}
  Array(Array&&) noexcept = default;
  Array& operator=(Array&&) noexcept = default;

  View<T> view() { return {data_.get(), shape_}; }
  View<T const> view() const { return {data_.get(), shape_}; }
  operator View<T>() { return view(); }
  operator View<T const>() const { return view(); }

  bool empty() const { return data_ == nullptr; }
  Shape const& shape() const { return shape_; }
  std::int64_t size() const { return empty() ? 0 : shape_.size(); }
  T* data() { return data_.get(); }
  T const* data() const { return data_.get(); }
  T& operator[](std::int64_t i) { return data_.get()[i]; }
  T const& operator[](std::int64_t i) const { return data_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  T const* begin() const { return data(); }
  T const* end() const { return data() + size(); }

 private:
  static_assert(std::is_trivially_destructible_v<T>);
  Shape shape_;
  std::unique_ptr<T, detail::HostDelete> data_;
};

/// A new array with the view's shape and contents.
template <class T>
Array<std::remove_const_t<T>> copy(View<T> source) {
  Array<std::remove_const_t<T>> result(source.shape);
  for (std::int64_t i = 0; i < source.size(); ++i) result[i] = source[i];
  return result;
}

/// The view's elements converted to another element type (float to double and back).
template <class To, class From>
Array<To> convert(View<From> source) {
  Array<To> result(source.shape);
  for (std::int64_t i = 0; i < source.size(); ++i) result[i] = static_cast<To>(source[i]);
  return result;
}

/// Index i of the slowest axis as a view of one rank less.
template <class T>
View<T> slab(View<T> v, std::int64_t i) {
  Shape const rest = v.shape.without_slowest();
  return {v.data + i * rest.size(), rest, v.space};
}

/// Errors  bad_shape, naming `what`, when actual differs from expected.
void require_shape(Shape const& actual, Shape const& expected, char const* what);

}  // namespace findrho
