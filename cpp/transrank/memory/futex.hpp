// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace transrank::memory {

/// Sleeps while `word` holds `seen`, until somebody wakes it or `seconds` have passed. Works
/// between processes that share the word, unlike std::atomic::wait, whose futex is private to a
/// process.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen, double seconds);

/// Wakes all that sleep on `word`.
void futex_wake(const std::atomic<std::uint32_t>& word);

}  // namespace transrank::memory
