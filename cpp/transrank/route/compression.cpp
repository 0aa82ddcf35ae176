// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/compression.hpp"

#include <cstddef>
#include <span>

namespace transrank::route {
namespace {

/// How many of the runs, from the first on, are one strided segment; looks at `most` at most.
std::size_t progression(std::span<const Segment> runs, std::size_t most) {
    if (runs.size() < 2 || runs[1].length != runs[0].length || runs[1].source < runs[0].source ||
        runs[1].destination < runs[0].destination) {
        return 1;
    }
    const std::int64_t source_stride = runs[1].source - runs[0].source;
    const std::int64_t destination_stride = runs[1].destination - runs[0].destination;
    std::size_t joined = 2;
    while (joined < most && joined < runs.size() && runs[joined].length == runs[0].length &&
           runs[joined].source - runs[joined - 1].source == source_stride &&
           runs[joined].destination - runs[joined - 1].destination == destination_stride) {
        ++joined;
    }
    return joined;
}

Segment join(std::span<const Segment> runs) {
    Segment joined = runs.front();
    if (runs.size() > 1) {
        joined.count = static_cast<std::int64_t>(runs.size());
        joined.source_stride = runs[1].source - runs[0].source;
        joined.destination_stride = runs[1].destination - runs[0].destination;
    }
    return joined;
}

}  // namespace

void compress(std::vector<Segment>& runs) {
    std::size_t written = 0;
    for (std::size_t read = 0; read < runs.size();) {
        const auto rest = std::span<const Segment>(runs).subspan(read);
        std::size_t joined = progression(rest, rest.size());
        // Two runs must not steal the first of a longer row that begins with the second.
        if (joined == 2 && progression(rest.subspan(1), 3) == 3) {
            joined = 1;
        }
        runs[written] = join(rest.first(joined));
        ++written;
        read += joined;
    }
    runs.resize(written);
    if (runs.capacity() / 2 > written) {
        runs.shrink_to_fit();
    }
}

}  // namespace transrank::route
