// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/transport/field_offer.hpp"

#include <cstddef>

namespace transrank::transport {

FieldOffer offer_of(const Field& field) {
    FieldOffer offer;
    offer.unit_bytes = field.unit_bytes;
    offer.scalar = static_cast<std::int64_t>(field.scalar);
    if (const auto place = memory::SharedSegment::find(
            field.source, static_cast<std::size_t>(field.source_bytes))) {
        offer.source_shared = 1;
        offer.source = place->handle;
        offer.source_offset = static_cast<std::int64_t>(place->offset);
    }
    if (const auto place = memory::SharedSegment::find(
            field.destination, static_cast<std::size_t>(field.destination_bytes))) {
        offer.destination_shared = 1;
        offer.destination = place->handle;
        offer.destination_offset = static_cast<std::int64_t>(place->offset);
    }
    return offer;
}

}  // namespace transrank::transport
