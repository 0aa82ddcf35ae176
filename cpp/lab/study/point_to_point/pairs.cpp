// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/point_to_point/pairs.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>

namespace transrank::lab::study {

AxisChoice pairs_axis() {
    return count_axis("pairs");
}

std::vector<measure::Case> pair_cases(std::string_view study, const Selection& selection, int ranks,
                                      std::string_view sizes,
                                      const std::function<void(measure::Case& point)>& make) {
    const auto counted = spread_counts(combinations(study, selection, {}), selection, pairs_axis(),
                                       std::max(ranks / 2, 1));
    auto points = spread_sizes(counted, selection, sizes);
    for (auto& point : points) {
        const auto pairs = point.number("pairs");
        make(point);
        point.bytes_counted *= static_cast<double>(pairs);
        if (2 * pairs > ranks) {
            point.skip_reason = std::to_string(pairs) + " pairs need " + std::to_string(2 * pairs) +
                                " ranks, the launch has " + std::to_string(ranks);
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
