// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/numbering.hpp"

#include <mpi.h>

#include <span>
#include <utility>

#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/collectives.hpp"

namespace transrank::discovery {
namespace {

// In floating point, which cannot overflow; a little below 2^63, since it rounds.
void check_total(const mpi::Communicator& comm, std::int64_t owned) {
    constexpr double most = 9.2e18;
    const auto total = mpi::reduced(comm, static_cast<double>(owned), MPI_SUM);
    if (total >= most) {  // on all ranks, since MPI gives them the same sum
        mpi::agree(comm, [&] {
            layout::refuse("the ranks own about ", total,
                           " rows together, more than 64 bits can number");
        });
    }
}

std::int64_t rows_before(const mpi::Communicator& comm, std::int64_t owned) {
    mpi::combine(comm, &MPI_Iexscan, std::as_writable_bytes(std::span(&owned, 1)), 1, MPI_INT64_T,
                 MPI_SUM);
    return comm.rank() == 0 ? 0 : owned;  // undefined there
}

layout::Distribution table_of(const mpi::Communicator& comm, std::int64_t end) {
    auto boundaries = mpi::gathered(comm, end);
    boundaries.insert(boundaries.begin(), 0);
    return layout::Distribution::irregular(std::move(boundaries));
}

[[noreturn]] void refuse_without_table(const char* what, std::int64_t value, int rank) {
    layout::refuse(what, value, " is not known on rank ", rank,
                   ", since ranks own different numbers of rows; make the numbering with a table");
}

}  // namespace

Numbering::Numbering(const mpi::Communicator& comm, std::int64_t owned, bool table)
    : rank_(comm.rank()), ranks_(comm.size()) {
    const mpi::Call call(comm, "Numbering");
    const auto check = [&] {
        layout::require(owned >= 0, "rank ", comm.rank(), " owns ", owned,
                        " rows; it must be at least 0");
    };
    mpi::agree(comm, check, "makes a numbering with", {table ? "a table" : "no table"});
    check_total(comm, owned);
    owned_.begin = rows_before(comm, owned);
    owned_.end = owned_.begin + owned;
    extent_ = mpi::reduced(comm, owned, MPI_SUM);
    const auto even = layout::Distribution::even(extent_, comm.size());
    const int here = even.range(comm.rank()) == owned_ ? 1 : 0;
    if (mpi::reduced(comm, here, MPI_MIN) != 0) {
        owners_ = even;
    } else if (table) {
        owners_ = table_of(comm, owned_.end);
    }
}

Numbering::Numbering(int rank, int ranks, layout::IndexRange owned, std::int64_t extent,
                     std::optional<layout::Distribution> owners)
    : rank_(rank), ranks_(ranks), owned_(owned), extent_(extent), owners_(std::move(owners)) {
    layout::require(rank >= 0 && rank < ranks && owned.begin >= 0 && owned.begin <= owned.end &&
                        owned.end <= extent &&
                        (!owners_ || (owners_->parts() == ranks && owners_->extent() == extent &&
                                      owners_->is_contiguous() && owners_->range(rank) == owned)),
                    "rank ", rank, " of ", ranks, " cannot own [", owned.begin, ", ", owned.end,
                    ") of ", extent, " rows; make a numbering on a communicator");
}

void Numbering::check_made_for(const mpi::Communicator& comm) const {
    layout::require(rank_ == comm.rank() && ranks_ == comm.size(), "the numbering on rank ",
                    comm.rank(), " of ", comm.size(), " was made by rank ", rank_, " of ", ranks_,
                    "; make it on this communicator");
}

std::string Numbering::words() const {
    return owners_ ? owners_->words()
                   : std::to_string(extent_) + " indices, numbered without a table";
}

std::int64_t Numbering::global_index(int rank, std::int64_t row) const {
    layout::require(rank >= 0 && rank < ranks_, "rank ", rank, " is out of range [0, ", ranks_,
                    ")");
    if (!owners_ && rank != rank_) {
        refuse_without_table("the first index of rank ", rank, rank_);
    }
    const auto range = owners_ ? owners_->range(rank) : owned_;
    layout::require(row >= 0 && row < range.length(), "row ", layout::counted(row), " of rank ",
                    rank, " is out of range ", layout::indices(0, range.length()));
    return range.begin + row;
}

Place Numbering::place(std::int64_t index) const {
    layout::require(index >= 0 && index < extent_, "index ", layout::counted(index),
                    " is out of range ", layout::indices(0, extent_));
    if (owners_) {
        const auto stretch = owners_->stretch(index);
        return {.rank = stretch.part, .row = index - stretch.range.begin};
    }
    if (!owned_.contains(index)) {
        refuse_without_table("the owner of index ", layout::counted(index), rank_);
    }
    return {.rank = rank_, .row = index - owned_.begin};
}

}  // namespace transrank::discovery
