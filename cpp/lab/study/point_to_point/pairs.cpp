// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/point_to_point/pairs.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>

namespace transrank::lab::study {

AxisChoice pairs_axis() {
    return count_axis("pairs");
}

std::vector<measure::Case> pair_cases(
    const Selection& selection, int ranks, std::string_view sizes,
    const std::function<measure::Case(std::int64_t bytes)>& make) {
    std::vector<measure::Case> points;
    for (const int pairs : counts_of(selection, pairs_axis(), std::max(ranks / 2, 1))) {
        for (const auto bytes : sizes_of(selection, sizes)) {
            auto point = make(bytes);
            point.axes = {{.name = "pairs", .value = std::int64_t{pairs}},
                          {.name = "bytes", .value = bytes}};
            point.bytes_counted *= pairs;
            if (2 * pairs > ranks) {
                point.skip_reason = std::to_string(pairs) + " pairs need " +
                                    std::to_string(2 * pairs) + " ranks, the launch has " +
                                    std::to_string(ranks);
            }
            points.push_back(std::move(point));
        }
    }
    return points;
}

int partner_of(const measure::Case& point, const mpi::Communicator& comm) {
    const int half = comm.size() / 2;
    if (comm.rank() >= 2 * half || comm.rank() % half >= point.number("pairs")) {
        return MPI_PROC_NULL;
    }
    return (comm.rank() + half) % (2 * half);
}

}  // namespace transrank::lab::study
