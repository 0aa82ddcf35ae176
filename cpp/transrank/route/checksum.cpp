// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/checksum.hpp"

#include <bit>

namespace transrank::route {
namespace {

constexpr std::uint64_t prime_1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t prime_2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t prime_3 = 0x165667B19E3779F9;
constexpr std::uint64_t prime_4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t prime_5 = 0x27D4EB2F165667C5;

std::uint64_t round(std::uint64_t state, std::uint64_t word) noexcept {
    return std::rotl(state + (word * prime_2), 31) * prime_1;
}

std::uint64_t avalanche(std::uint64_t hash) noexcept {
    hash = (hash ^ (hash >> 33U)) * prime_2;
    hash = (hash ^ (hash >> 29U)) * prime_3;
    return hash ^ (hash >> 32U);
}

}  // namespace

void Checksum::consume_stripe() noexcept {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        state_[lane] = round(state_[lane], stripe_[lane]);
    }
}

std::uint64_t Checksum::value() const noexcept {
    std::uint64_t hash = prime_5;
    if (words_ >= lanes) {
        hash = std::rotl(state_[0], 1) + std::rotl(state_[1], 7) + std::rotl(state_[2], 12) +
               std::rotl(state_[3], 18);
        for (const std::uint64_t state : state_) {
            hash = ((hash ^ round(0, state)) * prime_1) + prime_4;
        }
    }
    hash += words_ * sizeof(std::uint64_t);
    for (std::size_t rest = 0; rest < words_ % lanes; ++rest) {
        hash = (std::rotl(hash ^ round(0, stripe_[rest]), 27) * prime_1) + prime_4;
    }
    return avalanche(hash);
}

}  // namespace transrank::route
