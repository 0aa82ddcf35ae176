// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace transrank::lab::study::collectives {

/// How much of a buffer a call uses, in blocks of `bytes`.
enum class Blocks : std::uint8_t { none, one, one_per_rank };

/// The ranks on which it does.
enum class Ranks : std::uint8_t { every, root, all_but_root };

struct Side {
    Blocks blocks = Blocks::none;
    Ranks ranks = Ranks::every;
};

/// What a call moves: from whose blocks, into whose.
struct Flow {
    Side send;
    Side receive;
    bool reduces = false;

    [[nodiscard]] constexpr bool moves() const { return send.blocks != Blocks::none; }
    [[nodiscard]] constexpr bool rooted() const {
        return send.ranks != Ranks::every || receive.ranks != Ranks::every;
    }
};

[[nodiscard]] constexpr std::int64_t count(Blocks blocks, int ranks) {
    switch (blocks) {
        case Blocks::none:
            return 0;
        case Blocks::one:
            return 1;
        case Blocks::one_per_rank:
            return ranks;
    }
    return 0;
}

}  // namespace transrank::lab::study::collectives
