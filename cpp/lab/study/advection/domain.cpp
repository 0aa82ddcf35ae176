// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/advection/domain.hpp"

#include <algorithm>
#include <utility>

#include "lab/study/baseline/arrays.hpp"

namespace transrank::lab::study::advection {

std::int64_t Domain::bytes(const Block& block) {
    return block.doubles() * std::int64_t{sizeof(double)};
}

Domain::Domain(const mpi::Communicator& comm, const Processes& processes, const Extents& extents,
               Stencil stencil)
    : comm_(comm),
      extents_(extents),
      stencil_(std::move(stencil)),
      grid_(grid_of(extents, processes, stencil_)),
      block_(block_of(grid_, comm.rank())),
      sweep_(stencil_, block_),
      memory_(static_cast<std::size_t>(bytes(block_))),
      field_(reinterpret_cast<double*>(memory_.bytes().data()),
             static_cast<std::size_t>(block_.doubles())) {
    std::ranges::fill(field_, 1.0);  // touches the pages
}

std::array<std::int64_t, 2> Domain::origin() const {
    const auto box = grid_.box(comm_.rank());
    return {box[0].begin, box[1].begin};
}

std::unique_ptr<baseline::Mover> Domain::make_halo(std::string_view name, Sources sources) const {
    return baseline::make(name, {.comm = comm_,
                                 .route = halo(grid_, comm_.rank(), stencil_, sources),
                                 .fields = {field_of(field_, field_, sizeof(double))},
                                 .description = baseline::Description::segments});
}

std::vector<route::Row> Domain::copies() const {
    return advection::copies(grid_, comm_.rank(), stencil_);
}

}  // namespace transrank::lab::study::advection
