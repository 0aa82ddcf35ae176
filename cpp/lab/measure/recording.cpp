// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/recording.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "lab/measure/spread.hpp"
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

std::vector<double> gather(double own, const mpi::Communicator& comm) {
    std::vector<double> gathered(comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0);
    mpi::check(MPI_Gather(&own, 1, MPI_DOUBLE, gathered.data(), 1, MPI_DOUBLE, 0, comm.handle()),
               "MPI_Gather");
    return gathered;
}

// Each column as a list, or how it spreads.
void write_summaries(const Samples& own, const mpi::Communicator& comm, bool lists,
                     text::JsonWriter& json) {
    const Summary summary = summarise(own);
    const std::array<std::pair<std::string_view, double>, 4> columns{
        {{"median", summary.median},
         {"minimum", summary.minimum},
         {"mean", summary.mean},
         {"mean_of_all", summary.mean_of_all}}};
    for (const auto& [key, value] : columns) {
        const auto by_rank = gather(value, comm);
        json.key(key);
        if (lists) {
            json.array(by_rank);
        } else if (comm.rank() == 0) {
            spread_of(by_rank).describe(json);
        }
    }
}

void write_all_samples(const Samples& own, const mpi::Communicator& comm, text::JsonWriter& json) {
    json.key("all").begin_array();
    // Every rank took the same samples, so the lists are equally long.
    const std::size_t count = own.seconds.size();
    std::vector<double> one(count);
    constexpr int tag = 1;
    for (int rank = 0; rank < comm.size(); ++rank) {
        if (rank != 0 && comm.rank() == rank) {
            mpi::check(MPI_Send(own.seconds.data(), static_cast<int>(count), MPI_DOUBLE, 0, tag,
                                comm.handle()),
                       "MPI_Send");
        }
        if (comm.rank() == 0) {
            if (rank != 0) {
                mpi::check(MPI_Recv(one.data(), static_cast<int>(count), MPI_DOUBLE, rank, tag,
                                    comm.handle(), MPI_STATUS_IGNORE),
                           "MPI_Recv");
            }
            json.array(rank == 0 ? own.seconds : one);
        }
    }
    json.end_array();
}

}  // namespace

void record_ranks(const Recording& recording, const Samples& own, const mpi::Communicator& comm,
                  text::JsonWriter& json) {
    const bool all = recording.kind == RecordingKind::ranks;
    const bool lists = all || comm.size() <= recording.most_listed;
    json.key(lists ? "ranks" : "over_ranks").begin_object();
    if (!lists) {
        json.key("ranks").value(comm.size());
    }
    write_summaries(own, comm, lists, json);
    if (all) {
        write_all_samples(own, comm, json);
    }
    json.end_object();
}

}  // namespace transrank::lab::measure
