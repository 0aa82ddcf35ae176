// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/memory/core_cache.hpp"

#include <unistd.h>

namespace transrank::memory {

std::int64_t core_cache_bytes() noexcept {
    static const std::int64_t bytes = [] {
        constexpr std::int64_t usual = std::int64_t{1} << 20U;
        std::int64_t told = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
        told = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
        return told > 0 ? told : usual;
    }();
    return bytes;
}

}  // namespace transrank::memory
