// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4
#include "lab/measure/recording.hpp"

#include "bench.hpp"

using namespace transrank;
using namespace transrank::lab;
using test::Bench;

TEST_CASE("the times of a rank that has no part do not count") {
    Bench bench;
    if (bench.comm.size() == 1) {
        return;
    }
    bench.add("a", bench.is_root() ? 10e-6 : 30e-6);
    const bool idle = bench.comm.rank() == bench.comm.size() - 1;
    bench.logs["a"].takes_part = !idle;
    bench.measure();
    const auto& run = bench.group[0];
    for (const double seconds : run.own.seconds) {
        CHECK(std::isnan(seconds) == idle);
    }
    if (bench.is_root()) {
        for (std::size_t i = 0; i < run.reduced.slowest.size(); ++i) {
            CHECK(run.reduced.fastest[i] >= 10e-6);
            CHECK(run.reduced.slowest[i] >= run.reduced.fastest[i]);
            CHECK(run.reduced.slowest[i] < 1e6);
        }
    }
    text::JsonWriter json;
    measure::record_ranks({}, run.own, bench.comm, json);
    if (bench.is_root()) {
        CHECK(json.text().find(",null],\"minimum\"") != std::string::npos);
        CHECK(json.text().find(",null],\"mean_of_all\"") != std::string::npos);
        CHECK(json.text().find("[null") == std::string::npos);
    }
}

TEST_CASE("a rank is summed up by its clean samples, and by one mean of all after warm-up") {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    measure::Samples own;
    const double unit = 1 + comm.rank();
    own.append(9 * unit, measure::warm_up, 0);
    own.append(8 * unit, measure::lost_core, 0);
    for (const double seconds : {6.0, 1.0, 2.0}) {
        own.append(seconds * unit, 0, 0);
    }
    text::JsonWriter json;
    measure::record_ranks({}, own, comm, json);
    text::JsonWriter expected;
    expected.key("ranks").begin_object();
    const auto column = [&](std::string_view key, double first) {
        expected.key(key).begin_array();
        for (int rank = 0; rank < comm.size(); ++rank) {
            expected.value(first * (1 + rank));
        }
        expected.end_array();
    };
    column("median", 2);
    column("minimum", 1);
    column("mean", 3);
    column("mean_of_all", 4.25);
    if (comm.rank() == 0) {
        CHECK(json.text() == expected.end_object().text());
    }
}

TEST_CASE("of more ranks than are listed a line has how they spread, unless samples are wanted") {
    const mpi::Communicator comm(MPI_COMM_WORLD);
    measure::Samples own;
    own.append(1.0 + comm.rank(), 0, 0);
    const auto member = [&](const measure::Recording& recording) {
        text::JsonWriter json;
        measure::record_ranks(recording, own, comm, json);
        return json.text().substr(1, json.text().find('"', 1) - 1);
    };
    const auto few = comm.size() - 1;
    const std::string beyond = member({.most_listed = few});
    const std::string within = member({.most_listed = comm.size()});
    const std::string all = member({measure::RecordingKind::ranks, few});
    if (comm.rank() == 0) {
        CHECK(beyond == "over_ranks");
        CHECK(within == "ranks");
        CHECK(all == "ranks");
    }
}
