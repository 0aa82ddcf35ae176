// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "transrank/exchange/exchange.hpp"
#include "transrank/memory/array_memory.hpp"

namespace transrank::array {

/// One side of an exchange between arrays: the memory that it is bound to.
struct Bound {
    std::shared_ptr<memory::ArrayMemory> memory;
    std::int64_t bytes = 0;
};

/// What the elements are.
struct Unit {
    std::int64_t bytes = 0;
    transport::Scalar scalar = transport::Scalar::opaque;
};

/// An exchange between arrays that keeps their memory alive, also for what MPI may still do with it
/// when the exchange was broken, and refuses to start when an array has got other memory since.
class PersistentExchange {
public:
    /// Collective. Throws as exchange::Exchange.
    PersistentExchange(const route::Route& route, MPI_Comm comm, Bound source, Bound destination,
                       const Unit& unit, const exchange::Options& options);

    /// Not collective. The memory that the arrays have now. Throws exchange::Misuse when it is not
    /// what was bound: the exchange is broken then, also for the peers.
    void start(const Bound& source, const Bound& destination);
    bool test() { return exchange_.test(); }
    void wait() { exchange_.wait(); }
    [[nodiscard]] std::string explain() const { return exchange_.explain(); }

private:
    Bound source_;
    Bound destination_;
    exchange::Exchange exchange_;  // last: it is destroyed before the memory
    int rank_;
};

}  // namespace transrank::array
