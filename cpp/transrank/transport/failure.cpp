// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/failure.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace transrank::transport {
namespace {

constexpr int cause_bits = 32;

constexpr std::string_view abandoned =
    " has abandoned this exchange after an error; bind a new one";
/// What a rank has done, by cause.
constexpr std::array<std::string_view, 8> deeds{
    abandoned,
    " has broken this exchange: it was started twice, or waited for before its first start, there; "
    "bind a new one",
    " has ended before this exchange was over",
    abandoned,
    " has freed this exchange, or failed; look for an error of that rank, or bind a new exchange",
    " has ended, or is about to, and will not come to the collective call in which others wait for "
    "it; look for an error of that rank",
    " has failed alone in a collective call, and its communicator takes no further ones; look for "
    "an error of that rank, and go on with a duplicate",
    " has an array that its peers cannot read: its memory was given back, or the process may no "
    "longer be read; bind a new exchange"};

std::string describe(const Failure& failure) {
    const auto cause = static_cast<std::size_t>(failure.cause);
    return "rank " + std::to_string(failure.rank) +
           std::string(cause < deeds.size() ? deeds[cause] : abandoned);
}

}  // namespace

std::uint64_t Failure::encoded() const noexcept {
    return (static_cast<std::uint64_t>(cause) << cause_bits) | static_cast<std::uint32_t>(rank);
}

Failure Failure::decoded(std::uint64_t word) noexcept {
    return {.cause = static_cast<Cause>(word >> cause_bits),
            .rank = static_cast<int>(static_cast<std::uint32_t>(word))};
}

BrokenExchange::BrokenExchange(const Failure& failure)
    : std::runtime_error(describe(failure)), failure_(failure) {}

void check_unbroken(std::uint64_t encoded_failure) {
    if (encoded_failure != 0) {
        throw BrokenExchange(Failure::decoded(encoded_failure));
    }
}

}  // namespace transrank::transport
