// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "transrank/mpi/datatype.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/study/redistribute/way.hpp"

namespace transrank::study::redistribute {
namespace {

/// What every rank of a layout shares with one block, as subarrays of that block's array.
class Subarrays {
public:
    Subarrays(const Block& own, const layout::BlockGrid& others, int ranks) {
        for (int rank = 0; rank < ranks; ++rank) {
            add(own, block_of(others, rank));
        }
    }

    std::vector<int> counts;
    std::vector<int> displacements;
    std::vector<MPI_Datatype> handles;

private:
    void add(const Block& own, const Block& other) {
        std::array<int, 3> extents{};
        std::array<int, 3> shared{};
        std::array<int, 3> begins{};
        bool empty = false;
        for (std::size_t d = 0; d < own.size(); ++d) {
            const auto common = intersection(own[d], other[d]);
            extents[d] = static_cast<int>(own[d].length());
            shared[d] = static_cast<int>(common.length());
            begins[d] = static_cast<int>(common.begin - own[d].begin);
            empty |= common.empty();
        }
        counts.push_back(empty ? 0 : 1);
        displacements.push_back(0);
        if (empty) {
            handles.push_back(MPI_DOUBLE);
            return;
        }
        types_.push_back(mpi::Datatype::subarray(extents, shared, begins, MPI_DOUBLE));
        handles.push_back(types_.back().handle());
    }

    std::vector<mpi::Datatype> types_;
};

/// One MPI_Alltoallw per field, as mpi4py-fft does it.
class Alltoallw final : public Bundle {
public:
    Alltoallw(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Bundle(point, setting, arrays),
          comm_(setting.comm.handle()),
          bundle_(bundle()),
          out_(std::get<Block>(task().source.share), blocks(task().destination), task().ranks),
          in_(std::get<Block>(task().destination.share), blocks(task().source), task().ranks) {}

protected:
    void redistribute() override {
        for (const auto& field : bundle_) {
            mpi::check(MPI_Alltoallw(field.source, out_.counts.data(), out_.displacements.data(),
                                     out_.handles.data(), field.destination, in_.counts.data(),
                                     in_.displacements.data(), in_.handles.data(), comm_),
                       "MPI_Alltoallw");
        }
    }

private:
    static const layout::BlockGrid& blocks(const Side& side) {
        return std::get<layout::BlockGrid>(side.layout);
    }

    MPI_Comm comm_;
    std::vector<transport::Field> bundle_;
    Subarrays out_;
    Subarrays in_;
};

}  // namespace

Way mpi_alltoallw() {
    return {.name = "mpi-alltoallw",
            .summary = "MPI_Alltoallw of subarrays, one call per field",
            .floor = false,
            .lists = false,
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Bundle> {
                return std::make_unique<Alltoallw>(point, setting, arrays);
            }};
}

}  // namespace transrank::study::redistribute
