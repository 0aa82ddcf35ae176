// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transrank/route/segment.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::study {

/// What a program without transrank does to send rows: a loop of memcpy over the runs of a leg into
/// a buffer, and one back.
class HandPacking {
public:
    HandPacking(const route::Leg& leg, std::int64_t row_bytes);

    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    void pack(const std::byte* source, std::byte* buffer) const;
    void unpack(const std::byte* buffer, std::byte* destination) const;
    void copy(const std::byte* source, std::byte* destination) const;

private:
    struct Run {
        std::int64_t source;
        std::int64_t destination;
        std::size_t bytes;
    };
    std::vector<Run> runs_;
    std::size_t bytes_ = 0;
};

}  // namespace transrank::study
