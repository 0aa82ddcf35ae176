// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/upwind/domain.hpp"

#include <algorithm>
#include <utility>

namespace transrank::study::upwind {

std::int64_t Domain::bytes(const Block& block) {
    return block.doubles() * std::int64_t{sizeof(double)};
}

Domain::Domain(const mpi::Communicator& comm, const Processes& processes, const Extents& extents,
               Stencil stencil)
    : torus_(comm, processes, extents),
      stencil_(std::move(stencil)),
      block_(torus_.block()),
      sweep_(stencil_, block_),
      memory_(static_cast<std::size_t>(bytes(block_))),
      field_(reinterpret_cast<double*>(memory_.bytes().data()),
             static_cast<std::size_t>(block_.doubles())) {
    std::ranges::fill(field_, 1.0);  // touches the pages
}

}  // namespace transrank::study::upwind
