// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace transrank::memory {

/// What the caches that belong to one core alone hold, as the system tells; 1 MiB where it does
/// not.
[[nodiscard]] std::int64_t core_cache_bytes() noexcept;

}  // namespace transrank::memory
