// SPDX-License-Identifier: BSD-3-Clause
// Two ways with one-sided MPI_Put into the neighbors' ghosts: between fences, and between post,
// start, complete and wait.
#include <mpi.h>

#include <utility>
#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/group.hpp"
#include "transrank/mpi/window.hpp"
#include "transrank/study/ghost_update/rows_datatype.hpp"
#include "transrank/study/ghost_update/way.hpp"

namespace transrank::study::ghost_update {
namespace {

/// The ranks at the other end of legs.
std::vector<int> peers(std::span<const route::Leg> legs) {
    std::vector<int> ranks;
    for (const auto& leg : legs) {
        ranks.push_back(leg.peer);
    }
    return ranks;
}

class Put : public Update {
public:
    Put(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Update(point, setting, arrays),
          window_(std::as_writable_bytes(arrays.ghosts), 1, setting.comm) {
        for (const auto& leg : route().sends()) {
            targets_.push_back({leg.peer, rows_datatype(leg, route::End::source, row_bytes()),
                                rows_datatype(leg, route::End::destination, row_bytes())});
        }
    }

protected:
    void put() {
        for (const auto& target : targets_) {
            mpi::check(MPI_Put(field().source, 1, target.source.handle(), target.rank, 0, 1,
                               target.destination.handle(), window_.handle()),
                       "MPI_Put");
        }
    }
    [[nodiscard]] MPI_Win window() const { return window_.handle(); }

private:
    struct Target {
        int rank;
        mpi::Datatype source;
        mpi::Datatype destination;
    };
    mpi::Window window_;
    std::vector<Target> targets_;
};

class Fenced final : public Put {
public:
    using Put::Put;

protected:
    void update() override {
        mpi::check(MPI_Win_fence(MPI_MODE_NOPRECEDE, window()), "MPI_Win_fence");
        put();
        mpi::check(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window()), "MPI_Win_fence");
    }
};

class Posted final : public Put {
public:
    Posted(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Put(point, setting, arrays),
          sources_(peers(route().receives()), setting.comm),
          destinations_(peers(route().sends()), setting.comm) {}

protected:
    void update() override {
        mpi::check(MPI_Win_post(sources_.handle(), 0, window()), "MPI_Win_post");
        mpi::check(MPI_Win_start(destinations_.handle(), 0, window()), "MPI_Win_start");
        put();
        mpi::check(MPI_Win_complete(window()), "MPI_Win_complete");
        mpi::check(MPI_Win_wait(window()), "MPI_Win_wait");
    }

private:
    mpi::Group sources_;
    mpi::Group destinations_;
};

}  // namespace

Way mpi_put_fence() {
    return {.name = "mpi-put-fence",
            .summary = "MPI_Put between two fences",
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Update> {
                return std::make_unique<Fenced>(point, setting, arrays);
            }};
}

Way mpi_put_post() {
    return {.name = "mpi-put-post",
            .summary = "MPI_Put between post, start, complete and wait",
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Update> {
                return std::make_unique<Posted>(point, setting, arrays);
            }};
}

}  // namespace transrank::study::ghost_update
