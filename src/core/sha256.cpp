// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/sha256.hpp"

#include <openssl/evp.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new()) {
    require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void add(void const* bytes, std::size_t size) {
    require(EVP_DigestUpdate(context_.get(), bytes, size) == 1);
  }
  std::string hex() {
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    require(EVP_DigestFinal_ex(context_.get(), bytes, &size) == 1);
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
      text += kDigits[bytes[i] >> 4];
      text += kDigits[bytes[i] & 15];
    }
    return text;
  }

 private:
  static void require(bool ok) {
    if (!ok) {
      throw Error(ErrorKind::not_built, "the OpenSSL library refuses SHA-256", "look at its configuration");
    }
  }
  struct Free {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

}  // namespace

std::string sha256(std::span<std::byte const> bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

std::string sha256(std::string_view text) {
  return sha256(std::as_bytes(std::span(text)));
}

std::string sha256_file(std::string const& path) {
  std::unique_ptr<std::FILE, Close> const file(std::fopen(path.c_str(), "rb"));
  if (!file) throw Error(ErrorKind::bad_file, "cannot open " + path + ": " + std::strerror(errno));
  Digest digest;
  std::vector<char> block(std::size_t{1} << 20);
  for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), file.get())) > 0;) {
    digest.add(block.data(), n);
  }
  if (std::ferror(file.get())) {
    throw Error(ErrorKind::bad_file, "cannot read " + path + ": " + std::strerror(errno));
  }
  return digest.hex();
}

}  // namespace findrho
