// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/hand_packing.hpp"

#include <cstring>

#include "transrank/route/runs.hpp"

namespace transrank::study {

HandPacking::HandPacking(const route::Leg& leg, std::int64_t row_bytes) {
    route::for_each_run(leg, [&](std::int64_t source, std::int64_t destination, std::int64_t rows) {
        const auto bytes = static_cast<std::size_t>(rows * row_bytes);
        runs_.push_back({source * row_bytes, destination * row_bytes, bytes});
        bytes_ += bytes;
    });
}

void HandPacking::pack(const std::byte* source, std::byte* buffer) const {
    for (const auto& run : runs_) {
        std::memcpy(buffer, source + run.source, run.bytes);
        buffer += run.bytes;
    }
}

void HandPacking::unpack(const std::byte* buffer, std::byte* destination) const {
    for (const auto& run : runs_) {
        std::memcpy(destination + run.destination, buffer, run.bytes);
        buffer += run.bytes;
    }
}

void HandPacking::copy(const std::byte* source, std::byte* destination) const {
    for (const auto& run : runs_) {
        std::memcpy(destination + run.destination, source + run.source, run.bytes);
    }
}

}  // namespace transrank::study
