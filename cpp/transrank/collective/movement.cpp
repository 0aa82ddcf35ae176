// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/collective/movement.hpp"

#include <algorithm>

namespace transrank::collective {
namespace {

std::int64_t extent(const std::vector<std::int64_t>& offsets,
                    const std::vector<std::int64_t>& bytes) {
    std::int64_t end = 0;
    for (std::size_t peer = 0; peer < offsets.size(); ++peer) {
        end = std::max(end, offsets[peer] + bytes[peer]);
    }
    return end;
}

}  // namespace

std::int64_t Task::send_extent() const {
    return extent(blocks.send_offsets, blocks.send_bytes);
}

std::int64_t Task::receive_extent() const {
    return extent(blocks.receive_offsets, blocks.receive_bytes);
}

}  // namespace transrank::collective
