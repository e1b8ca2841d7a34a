// SPDX-License-Identifier: BSD-3-Clause
// Hopper's warpgroup products and bulk copies, the few forms that are used here (PTX ISA, sections on wgmma, mbarrier and
// cp.async.bulk). Left operand in registers, right operand in shared memory: rows of 128 bytes, 128-byte swizzle.
#pragma once
#include <cstdint>

namespace findrho::ladder {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ inline std::uint32_t shared_address(void const* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void barrier_init(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}
/// Before other threads and the copies see what barrier_init wrote.
__device__ inline void barriers_ready() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void barrier_arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
__device__ inline void barrier_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
__device__ inline void barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}
/// 16-byte aligned, a multiple of 16 bytes.
__device__ inline void bulk_copy(void* to, void const* from, std::uint32_t bytes, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

__device__ inline void products_begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void products_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending>
__device__ inline void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

/// Of a matrix whose rows of 128 bytes lie one after the other; add bytes / 16 to step along a row.
__device__ inline std::uint64_t matrix_at(void const* p) {
  std::uint64_t const address = (shared_address(p) & 0x3FFFF) >> 4;
  return address | (std::uint64_t{1} << 16) | (std::uint64_t{1024 >> 4} << 32) | (std::uint64_t{1} << 62);
}

#define FINDRHO_D8(i)                                                                         \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define FINDRHO_D64                                                                             \
  FINDRHO_D8(0), FINDRHO_D8(8), FINDRHO_D8(16), FINDRHO_D8(24), FINDRHO_D8(32), FINDRHO_D8(40), \
      FINDRHO_D8(48), FINDRHO_D8(56)
#define FINDRHO_LIST64                                                                                    \
  "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, " \
  "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "  \
  "%42, "                                                                                                 \
  "%43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}"

/// d += a b: 64 x 128, 16 deep (16-bit floats).
__device__ inline void product_f16(float (&d)[64], std::uint32_t const* a, std::uint64_t b) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " FINDRHO_LIST64
      ", {%64, %65, %66, %67}, %68, add, 1, 1, 0;\n}"
      : FINDRHO_D64
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
/// d += a b: 64 x 128, 8 deep (TF32).
__device__ inline void product_tf32(float (&d)[64], std::uint32_t const* a, std::uint64_t b) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.eq.u32 add, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 " FINDRHO_LIST64
      ", {%64, %65, %66, %67}, %68, add, 1, 1;\n}"
      : FINDRHO_D64
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

/// d = a b + (add ? d : 0): 64 x 128, both operands in shared memory (16-bit floats).
__device__ inline void product_f16(float (&d)[64], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " FINDRHO_LIST64 ", %64, %65, add, 1, 1, 0, 0;\n}"
      : FINDRHO_D64
      : "l"(a), "l"(b), "r"(add));
}
/// The same, 8 deep (TF32).
__device__ inline void product_tf32(float (&d)[64], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred add;\nsetp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 " FINDRHO_LIST64 ", %64, %65, add, 1, 1;\n}"
      : FINDRHO_D64
      : "l"(a), "l"(b), "r"(add));
}

#undef FINDRHO_D8
#undef FINDRHO_D64
#undef FINDRHO_LIST64

#endif

}  // namespace findrho::ladder
