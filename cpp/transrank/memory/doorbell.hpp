// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace transrank::memory {

/// Where a process sleeps until another one has news for it. Lies in shared memory; one per
/// process.
///
/// News is a word that the sleeper examines (a counter in a control block). The pattern on both
/// sides is Dekker's: the sleeper announces that it sleeps and then examines the news, the bringer
/// writes the news and then looks for sleepers. A full fence between the two steps of each makes it
/// impossible that both miss the other; docs/model/doorbell.pml checks this and that nothing less
/// suffices.
class Doorbell {
public:
    /// Sleeps until rung, `seconds` at the longest, unless `has_news()` once the others can see
    /// that this process is about to sleep.
    template <class HasNews>
    void sleep(double seconds, const HasNews& has_news);

    /// To be called after the news was written. Costs a fence and a load when nobody sleeps.
    void ring() {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        if (sleepers_.load(std::memory_order_relaxed) != 0) {
            wake();
        }
    }

private:
    void wake();
    void doze(std::uint32_t seen, double seconds);

    std::atomic<std::uint32_t> rings_{0};
    std::atomic<std::uint32_t> sleepers_{0};
};

template <class HasNews>
void Doorbell::sleep(double seconds, const HasNews& has_news) {
    const auto seen = rings_.load(std::memory_order_relaxed);
    sleepers_.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!has_news()) {
        doze(seen, seconds);
    }
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace transrank::memory
