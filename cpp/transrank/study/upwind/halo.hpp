// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "transrank/study/upwind/domain.hpp"

namespace transrank::study::upwind {

/// Brings the ghosts of a domain's field up to date. Made and destroyed collectively.
class Halo {
public:
    Halo() = default;
    Halo(const Halo&) = delete;
    Halo& operator=(const Halo&) = delete;
    virtual ~Halo() = default;

    /// Begins the update: until finish the ghosts are undefined, and what neighbors read stays as
    /// it is.
    virtual void start() = 0;
    /// Returns when the ghosts are there and the neighbors have read.
    virtual void finish() = 0;
};

/// A way to update a halo that is no transport of the engine: what a program can do with MPI alone.
struct Way {
    std::string_view name;
    std::string_view summary;
    /// Collective.
    std::unique_ptr<Halo> (*make)(const Domain& domain, Sources sources);
};

// Every way's row is made in its own file; halo.cpp lists them.
Way mpi_messages();
Way mpi_put_fence();
Way mpi_put_post();

[[nodiscard]] std::span<const Way> ways();

/// Collective. By the name of a way, `auto`, or a transport of the engine. Throws
/// std::invalid_argument or mpi::AgreedError when there is none, or when it cannot serve a peer.
[[nodiscard]] std::unique_ptr<Halo> make_halo(std::string_view name, const Domain& domain,
                                              Sources sources);

}  // namespace transrank::study::upwind
