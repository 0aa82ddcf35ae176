// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/schedule/ring.hpp"

namespace transrank::schedule {

std::vector<Block> direct_block(const Problem& /*problem*/, int /*step*/, int from, int to) {
    return {{.source = from, .target = to}};
}

std::string no_obstacle(const Problem& /*problem*/) {
    return "";
}

}  // namespace transrank::schedule
