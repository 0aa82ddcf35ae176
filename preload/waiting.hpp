// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>

#include "transrank/memory/node_mate.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace transrank::carry {

inline void relax() {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

/// Calls `advance`, which returns whether anything has, until `is_over`. Meanwhile it lets MPI make
/// progress, since a peer may need that to come, and later sleeps until its doorbell rings. False:
/// `is_vain`, asked now and then, says that it never will be over.
template <class Advance, class IsOver, class IsVain>
bool wait(MPI_Comm comm, bool crowded, const Advance& advance, const IsOver& is_over,
          const IsVain& is_vain) {
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    constexpr int spins_with_own_core = 2000;
    constexpr int spins_in_a_crowd = 10;
    constexpr int unused_tag = 32767;
    constexpr Seconds polling{1e-3};
    constexpr Seconds between_looks{0.1};
    constexpr double share = 1.0 / 64;
    constexpr double shortest = 20e-6;
    constexpr double longest = 1e-3;
    Clock::time_point begin;
    Clock::time_point looked;
    for (int idle = 0; !is_over();) {
        if (advance()) {
            idle = 0;
            continue;
        }
        if (++idle < (crowded ? spins_in_a_crowd : spins_with_own_core)) {
            relax();
            continue;
        }
        const auto now = Clock::now();
        if (begin == Clock::time_point{}) {
            begin = looked = now;
        }
        // For a message that nobody sends: when one is found MPI makes no progress.
        int found = 0;
        PMPI_Iprobe(MPI_ANY_SOURCE, unused_tag, comm, &found, MPI_STATUS_IGNORE);
        if (now - looked > between_looks) {
            looked = now;
            if (is_vain() && !advance()) {
                return false;
            }
        }
        const Seconds waited = now - begin;
        if (crowded || waited >= polling) {
            memory::own_doorbell().sleep(std::clamp(waited.count() * share, shortest, longest),
                                         [&] { return is_over() || advance(); });
        }
    }
    return true;
}

}  // namespace transrank::carry
