// SPDX-License-Identifier: BSD-3-Clause
// One-sided MPI_Put into the neighbors' ghosts, strided pieces described by vector datatypes:
// between fences, which is the published way, and between post, start, complete and wait.
#include <mpi.h>

#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/mpi/group.hpp"
#include "transrank/mpi/window.hpp"
#include "transrank/study/upwind/halo.hpp"
#include "transrank/study/upwind/piece_datatype.hpp"

namespace transrank::study::upwind {
namespace {

class Put : public Halo {
public:
    Put(const Domain& domain, Sources sources)
        : domain_(domain),
          pieces_(domain.torus().pieces(domain.stencil(), sources)),
          window_(std::as_writable_bytes(domain.field()), sizeof(double), domain.torus().comm()) {
        for (const auto& piece : pieces_) {
            types_.push_back({.origin = datatype_of(piece.departing, route::End::source),
                              .target = datatype_of(piece.departing, route::End::destination)});
        }
    }

protected:
    void put() {
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const auto& departing = pieces_[i].departing;
            mpi::check(
                MPI_Put(domain_.field().data() + departing.source, 1, types_[i].origin.handle(),
                        pieces_[i].destination, static_cast<MPI_Aint>(departing.destination), 1,
                        types_[i].target.handle(), window()),
                "MPI_Put");
        }
    }
    [[nodiscard]] MPI_Win window() const { return window_.handle(); }
    [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }

private:
    struct Types {
        mpi::Datatype origin;
        mpi::Datatype target;
    };
    const Domain& domain_;
    std::vector<Piece> pieces_;
    std::vector<Types> types_;
    mpi::Window window_;
};

class Fenced final : public Put {
public:
    using Put::Put;

    void start() override {
        mpi::check(MPI_Win_fence(MPI_MODE_NOPRECEDE, window()), "MPI_Win_fence");
        put();
    }
    void finish() override {
        mpi::check(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window()), "MPI_Win_fence");
    }
};

class Posted final : public Put {
public:
    Posted(const Domain& domain, Sources sources)
        : Put(domain, sources),
          sources_(ranks(&Piece::source), domain.torus().comm()),
          destinations_(ranks(&Piece::destination), domain.torus().comm()) {}

    void start() override {
        mpi::check(MPI_Win_post(sources_.handle(), 0, window()), "MPI_Win_post");
        mpi::check(MPI_Win_start(destinations_.handle(), 0, window()), "MPI_Win_start");
        put();
    }
    void finish() override {
        mpi::check(MPI_Win_complete(window()), "MPI_Win_complete");
        mpi::check(MPI_Win_wait(window()), "MPI_Win_wait");
    }

private:
    [[nodiscard]] std::vector<int> ranks(int Piece::* side) const {
        std::vector<int> found;
        for (const auto& piece : pieces()) {
            found.push_back(piece.*side);
        }
        return found;
    }

    mpi::Group sources_;
    mpi::Group destinations_;
};

}  // namespace

Way mpi_put_fence() {
    return {.name = "mpi-put-fence",
            .summary = "MPI_Put between two fences",
            .make = [](const Domain& domain, Sources sources) -> std::unique_ptr<Halo> {
                return std::make_unique<Fenced>(domain, sources);
            }};
}

Way mpi_put_post() {
    return {.name = "mpi-put-post",
            .summary = "MPI_Put between post, start, complete and wait",
            .make = [](const Domain& domain, Sources sources) -> std::unique_ptr<Halo> {
                return std::make_unique<Posted>(domain, sources);
            }};
}

}  // namespace transrank::study::upwind
