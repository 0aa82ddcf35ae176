// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/array/persistent_exchange.hpp"

#include <memory>
#include <utility>

namespace transrank::array {
namespace {

std::shared_ptr<void> keep(const Bound& source, const Bound& destination) {
    return std::make_shared<std::pair<Bound, Bound>>(source, destination);
}

}  // namespace

PersistentExchange::PersistentExchange(const route::Route& route, MPI_Comm comm, Bound source,
                                       Bound destination, const Unit& unit,
                                       const exchange::Options& options)
    : source_(std::move(source)),
      destination_(std::move(destination)),
      exchange_(route, comm,
                {{.source = source_.memory->bytes().data(),
                  .source_bytes = source_.bytes,
                  .destination = destination_.memory->bytes().data(),
                  .destination_bytes = destination_.bytes,
                  .unit_bytes = unit.bytes,
                  .scalar = unit.scalar,
                  .keep_alive = keep(source_, destination_)}},
                options),
      rank_(route.rank()) {}

void PersistentExchange::start(const Bound& source, const Bound& destination) {
    if (source.memory != source_.memory || destination.memory != destination_.memory) {
        exchange_.abandon("an array of a persistent exchange was resized on rank " +
                          std::to_string(rank_) + " after init; clear the exchange and init again");
    }
    exchange_.start();
}

}  // namespace transrank::array
