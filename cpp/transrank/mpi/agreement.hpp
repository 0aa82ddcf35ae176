// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "transrank/mpi/communicator.hpp"

namespace transrank::mpi {

/// An error that all ranks of a communicator throw together, with the words of the first rank that
/// had it.
class AgreedError : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// Collective. Runs `work`, which must not communicate; when it throws on any rank, every rank
/// throws AgreedError with the message of the lowest such rank, of which a mebibyte is passed on.
void agree(const Communicator& comm, const std::function<void()>& work);

/// Collective. The same for work that returns something.
template <class Work>
[[nodiscard]] auto agreed(const Communicator& comm, const Work& work) {
    std::optional<std::invoke_result_t<Work>> made;
    agree(comm, [&] { made.emplace(work()); });
    return *std::move(made);  // NOLINT(bugprone-unchecked-optional-access): else agree has thrown
}

/// Not collective. The sum of these numbers over all ranks is 0 when all give the same words; if
/// not, once in 2^64 times.
[[nodiscard]] std::uint64_t balance_of(const Communicator& comm,
                                       const std::vector<std::string>& words);

/// Collective. Throws AgreedError on every rank when the words of some rank are not those of rank
/// 0: `rank 2 {what} {its first word that differs}, rank 0 {rank 0's}`.
void agree_on(const Communicator& comm, const std::string& what,
              const std::vector<std::string>& words);

}  // namespace transrank::mpi
