// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace transrank::copy {

/// The size of the caches that belong to one core alone, as the system reports it; 1 MiB where it
/// does not.
[[nodiscard]] std::int64_t core_cache_bytes() noexcept;

/// The share of one core in all caches when the cores that share them are all busy: the largest
/// cache of the core that calls first, divided by the number of cores that share it, as the system
/// reports it; else core_cache_bytes().
[[nodiscard]] std::int64_t core_cache_share_bytes() noexcept;

/// The same of a core whose caches are described in this folder, as /sys does; 0 where they are
/// not.
[[nodiscard]] std::int64_t cache_share_bytes(const std::filesystem::path& folder);

}  // namespace transrank::copy
