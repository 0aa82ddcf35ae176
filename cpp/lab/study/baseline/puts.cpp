// SPDX-License-Identifier: BSD-3-Clause
// One-sided: MPI_Put into the peers' destinations, described by datatypes, between fences, and
// between post, start, complete and wait.
#include <mpi.h>

#include <deque>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/baseline/datatypes.hpp"
#include "lab/study/baseline/rma_window.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::baseline {
namespace {

class Put : public Mover {
public:
    explicit Put(Task given) : Mover(std::move(given)) {
        for (const auto& field : task().fields) {
            windows_.emplace_back(
                std::span(field.destination, static_cast<std::size_t>(field.destination_bytes)), 1,
                task().comm);
        }
        for (const auto& part : parts(route().sends(), task())) {
            targets_.push_back({part.peer, describe(part, route::End::source, task()),
                                describe(part, route::End::destination, task())});
        }
    }

protected:
    void put() {
        for (std::size_t i = 0; i < windows_.size(); ++i) {
            for (const auto& [rank, source, destination] : targets_) {
                mpi::check(MPI_Put(task().fields[i].source + source.offset, 1, source.type.handle(),
                                   rank, static_cast<MPI_Aint>(destination.offset), 1,
                                   destination.type.handle(), windows_[i].handle()),
                           "MPI_Put");
            }
        }
    }

    /// For the window of each field.
    template <class Call>
    void each_window(const char* name, const Call& call) {
        for (const auto& window : windows_) {
            mpi::check(call(window.handle()), name);
        }
    }

private:
    struct Target {
        int rank;
        FieldType source;
        FieldType destination;
    };
    std::deque<Window> windows_;
    std::vector<Target> targets_;
};

class Fenced final : public Put {
public:
    using Put::Put;

    void start() override {
        fence(MPI_MODE_NOPRECEDE);
        put();
    }
    void finish() override { fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED); }

private:
    void fence(int assertions) {
        each_window("MPI_Win_fence", [&](MPI_Win win) { return MPI_Win_fence(assertions, win); });
    }
};

class Posted final : public Put {
public:
    explicit Posted(Task given)
        : Put(std::move(given)),
          sources_(peers_of(route().receives()), task().comm),
          destinations_(peers_of(route().sends()), task().comm) {}

    void start() override {
        each_window("MPI_Win_post",
                    [&](MPI_Win win) { return MPI_Win_post(sources_.handle(), 0, win); });
        each_window("MPI_Win_start",
                    [&](MPI_Win win) { return MPI_Win_start(destinations_.handle(), 0, win); });
        put();
    }
    void finish() override {
        each_window("MPI_Win_complete", MPI_Win_complete);
        each_window("MPI_Win_wait", MPI_Win_wait);
    }

private:
    RankGroup sources_;
    RankGroup destinations_;
};

}  // namespace

std::vector<Entry> puts() {
    return {{.name = "mpi-put-fence",
             .summary = "MPI_Put between two calls of MPI_Win_fence",
             .make = made<Fenced>},
            {.name = "mpi-put-post",
             .summary = "MPI_Put between MPI_Win_post, _start, _complete and _wait",
             .make = made<Posted>}};
}

}  // namespace transrank::lab::study::baseline
