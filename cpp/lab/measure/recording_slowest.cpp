// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "lab/measure/recording.hpp"
#include "lab/measure/stopping.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::measure {
namespace {

double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct Summary {
    double median = std::numeric_limits<double>::quiet_NaN();
    double minimum = median;
    double mean = median;
    double mean_of_all = median;
};

Summary summarise(const Samples& own) {
    auto counted = counted_values(own.seconds, own.flags);
    if (counted.empty() || std::isnan(counted.front())) {
        return {};
    }
    const auto interval = median_interval(counted);  // sorts
    return {.median = interval.median,
            .minimum = counted.front(),
            .mean = mean_of(counted),
            .mean_of_all = mean_of(values_after_warm_up(own.seconds, own.flags))};
}

}  // namespace

void write_rank_summaries(const Samples& own, const mpi::Communicator& comm,
                          text::JsonWriter& json) {
    const Summary summary = summarise(own);
    const std::array<std::pair<std::string_view, double>, 4> columns{
        {{"median", summary.median},
         {"minimum", summary.minimum},
         {"mean", summary.mean},
         {"mean_of_all", summary.mean_of_all}}};
    std::vector<double> gathered(comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0);
    for (const auto& [key, value] : columns) {
        mpi::check(
            MPI_Gather(&value, 1, MPI_DOUBLE, gathered.data(), 1, MPI_DOUBLE, 0, comm.handle()),
            "MPI_Gather");
        json.key(key).array(gathered);
    }
}

void record_slowest(const Samples& own, const mpi::Communicator& comm, text::JsonWriter& json) {
    json.begin_object();
    write_rank_summaries(own, comm, json);
    json.end_object();
}

}  // namespace transrank::lab::measure
