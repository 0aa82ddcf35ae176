// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "transrank/measure/recording.hpp"
#include "transrank/measure/stopping.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::measure {
namespace {

struct Summary {
    double median = 0;
    double minimum = 0;
    double mean = 0;
};

Summary summarise(const Samples& own) {
    auto kept = clean_values(own.seconds, own.flags);
    if (kept.empty()) {
        return {};
    }
    const double mean =
        std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
    const double median = median_interval(kept).median;
    return {.median = median, .minimum = kept.front(), .mean = mean};
}

}  // namespace

void write_rank_summaries(const Samples& own, const mpi::Communicator& comm,
                          text::JsonWriter& json) {
    const Summary summary = summarise(own);
    const std::array<std::pair<std::string_view, double>, 3> columns{
        {{"median", summary.median}, {"minimum", summary.minimum}, {"mean", summary.mean}}};
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

}  // namespace transrank::measure
