// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "transrank/mpi/error.hpp"
#include "transrank/study/baseline/baseline.hpp"
#include "transrank/study/baseline/datatypes.hpp"

namespace transrank::study::baseline {
namespace {

/// One MPI_Alltoallw per field, as mpi4py-fft does it.
class Alltoallw final : public Mover {
public:
    explicit Alltoallw(Task given)
        : Mover(std::move(given)),
          departing_(route().sends(), route::End::source, task()),
          arriving_(route().receives(), route::End::destination, task()) {}

    void start() override {
        for (const auto& field : task().fields) {
            mpi::check(MPI_Alltoallw(field.source, departing_.counts.data(),
                                     departing_.displacements.data(), departing_.handles.data(),
                                     field.destination, arriving_.counts.data(),
                                     arriving_.displacements.data(), arriving_.handles.data(),
                                     task().comm.handle()),
                       "MPI_Alltoallw");
        }
    }

private:
    struct Side {
        Side(std::span<const route::Leg> legs, route::End end, const Task& task)
            : counts(static_cast<std::size_t>(task.comm.size())),
              displacements(counts.size()),
              handles(counts.size(), MPI_DOUBLE) {
            for (const auto& leg : legs) {
                const auto peer = static_cast<std::size_t>(leg.peer);
                auto [offset, type] = describe(leg, end, task);
                counts[peer] = 1;
                displacements[peer] = static_cast<int>(offset);
                handles[peer] = types.emplace_back(std::move(type)).handle();
            }
        }
        std::vector<int> counts;
        std::vector<int> displacements;
        std::vector<MPI_Datatype> handles;
        std::vector<mpi::Datatype> types;
    };
    Side departing_;
    Side arriving_;
};

}  // namespace

std::vector<Entry> alltoalls() {
    return {{.name = "mpi-alltoallw",
             .summary = "MPI_Alltoallw of datatypes, one call per field",
             .make = made<Alltoallw>}};
}

}  // namespace transrank::study::baseline
