// SPDX-License-Identifier: BSD-3-Clause
// Two-sided messages, strided pieces described by vector datatypes.
#include <mpi.h>

#include <array>
#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/study/upwind/halo.hpp"
#include "transrank/study/upwind/piece_datatype.hpp"

namespace transrank::study::upwind {
namespace {

class Messages final : public Halo {
public:
    Messages(const Domain& domain, Sources sources)
        : domain_(domain), pieces_(domain.torus().pieces(domain.stencil(), sources)) {
        for (const auto& piece : pieces_) {
            types_.push_back({.arriving = datatype_of(piece.arriving, route::End::destination),
                              .departing = datatype_of(piece.departing, route::End::source)});
        }
        requests_.resize(2 * pieces_.size(), MPI_REQUEST_NULL);
    }

    void start() override {
        double* array = domain_.field().data();
        const MPI_Comm comm = domain_.torus().comm().handle();
        auto request = requests_.begin();
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const auto& piece = pieces_[i];
            mpi::check(MPI_Irecv(array + piece.arriving.destination, 1, types_[i].arriving.handle(),
                                 piece.source, static_cast<int>(i), comm, &*request++),
                       "MPI_Irecv");
        }
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            const auto& piece = pieces_[i];
            mpi::check(MPI_Isend(array + piece.departing.source, 1, types_[i].departing.handle(),
                                 piece.destination, static_cast<int>(i), comm, &*request++),
                       "MPI_Isend");
        }
    }

    void finish() override {
        mpi::check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    }

private:
    struct Types {
        mpi::Datatype arriving;
        mpi::Datatype departing;
    };
    const Domain& domain_;
    std::vector<Piece> pieces_;
    std::vector<Types> types_;
    std::vector<MPI_Request> requests_;
};

}  // namespace

Way mpi_messages() {
    return {.name = "mpi-messages",
            .summary = "MPI_Isend and MPI_Irecv with vector datatypes",
            .make = [](const Domain& domain, Sources sources) -> std::unique_ptr<Halo> {
                return std::make_unique<Messages>(domain, sources);
            }};
}

}  // namespace transrank::study::upwind
