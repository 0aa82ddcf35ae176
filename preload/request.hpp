// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "datatype.hpp"
#include "stream.hpp"

namespace transrank::carry {

/// The calls that are carried.
enum class Kind : std::uint8_t { alltoall, alltoallv, alltoallw };
inline constexpr std::size_t kinds = 3;

/// What a rank sends to each rank, or receives, in a call.
struct Blocks {
    std::vector<Stream> streams;
    std::vector<std::shared_ptr<const Datatype>> types;  ///< kept as long as the streams
    std::int64_t bytes = 0;

    /// Adds the block of the next rank. False: it is left to MPI, which may report an error.
    template <class Count>
    [[nodiscard]] bool add(void* base, std::int64_t offset, bool in_extents, Count count,
                           MPI_Datatype type) {
        auto layout = types.empty() || type != last_ ? layout_of(type) : types.back();
        if (layout == nullptr || count < 0 || (count > 0 && base == MPI_BOTTOM)) {
            return false;
        }
        auto* const place =
            static_cast<std::byte*>(base) + (in_extents ? offset * layout->extent : offset);
        bytes += layout->bytes * count;
        streams.emplace_back(*layout, place, count);
        types.push_back(std::move(layout));
        last_ = type;
        return true;
    }

    void clear() {
        streams.clear();
        types.clear();
        bytes = 0;
    }

private:
    MPI_Datatype last_ = MPI_DATATYPE_NULL;
};

/// The arguments of a call on one rank.
struct Request {
    Kind kind = Kind::alltoall;
    bool in_place = false;
    bool refuses = false;  ///< MPI is to do it, on all ranks
    Blocks sends;
    Blocks receives;

    void begin(Kind of, bool is_in_place) {
        kind = of;
        in_place = is_in_place;
        refuses = false;
        sends.clear();
        receives.clear();
    }
};

}  // namespace transrank::carry
