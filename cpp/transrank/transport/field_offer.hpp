// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "transrank/memory/shared_segment.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::transport {

/// Where one field of a rank lies, for those who share memory with it.
struct FieldOffer {
    std::int64_t unit_bytes = 0;
    std::int64_t scalar = 0;
    std::int64_t source_shared = 0;
    memory::SegmentHandle source;
    std::int64_t source_offset = 0;
    std::int64_t destination_shared = 0;
    memory::SegmentHandle destination;
    std::int64_t destination_offset = 0;
};

/// What this rank tells of a field.
[[nodiscard]] FieldOffer offer_of(const Field& field);

}  // namespace transrank::transport
