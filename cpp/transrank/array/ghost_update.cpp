// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/array/ghost_update.hpp"

#include <numeric>
#include <utility>

#include "transrank/array/field.hpp"
#include "transrank/discovery/ghost.hpp"
#include "transrank/discovery/route_check.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/lifetime.hpp"

namespace transrank::array {

using layout::require;

namespace {

using Mapping = std::shared_ptr<const GhostMapping>;

Mapping make_mapping(const discovery::Numbering& numbering, route::Route route,
                     std::vector<std::int64_t> ghosts) {
    return std::make_shared<const GhostMapping>(GhostMapping{
        .numbering = numbering, .route = std::move(route), .ghosts = std::move(ghosts)});
}

// Which rows of the others arrive is found by moving the global indices along the route.
std::vector<std::int64_t> ghosts_along(MPI_Comm comm, std::int64_t first_owned,
                                       const route::Route& route) {
    struct Indices {
        std::vector<std::int64_t> owned;
        std::vector<std::int64_t> ghosts;
    };
    const auto indices = std::make_shared<Indices>();  // MPI may outlive a run that fails
    indices->owned.resize(static_cast<std::size_t>(route.source_extent()));
    std::iota(indices->owned.begin(), indices->owned.end(), first_owned);
    indices->ghosts.resize(static_cast<std::size_t>(route.destination_extent()), -1);
    const auto from = std::as_bytes(std::span(indices->owned));
    const auto to = std::as_writable_bytes(std::span(indices->ghosts));
    exchange::Exchange(route, comm,
                       {{.source = from.data(),
                         .source_bytes = std::ssize(from),
                         .destination = to.data(),
                         .destination_bytes = std::ssize(to),
                         .unit_bytes = sizeof(std::int64_t),
                         .scalar = copy::Scalar::int64,
                         .keep_alive = indices}})
        .run();
    return std::move(indices->ghosts);
}

}  // namespace

GhostUpdate::GhostUpdate(MPI_Comm comm)
    : comm_(comm), known_(exchange::KnownCommunicator::get(comm)) {}

std::shared_ptr<exchange::KnownCommunicator> GhostUpdate::known() const {
    mpi::require_usable();
    auto known = known_.lock();
    if (!known) {
        throw exchange::Misuse(
            "the communicator of an ArrayTransformer has been freed, or the transformer was moved "
            "from; make another one");
    }
    return known;
}

void GhostUpdate::set_father_son(std::shared_ptr<RowArray> father, std::shared_ptr<RowArray> son) {
    clear_persistent_pull();
    clear_persistent_push();
    father_ = std::move(father);
    son_ = std::move(son);
    numbering_.reset();
    mapping_.reset();
    movement_.reset();
}

void GhostUpdate::create_global_mapping() {
    together("ArrayTransformer.create_global_mapping", [&](const mpi::Communicator& comm) {
        mpi::agree(comm, [&] { check_arrays(comm.rank()); });
        numbering_.emplace(comm, father_->size());
    });
}

void GhostUpdate::create_ghost_mapping(std::span<const std::int64_t> pulled) {
    map(together("ArrayTransformer.create_ghost_mapping", [&](const mpi::Communicator& comm) {
        auto route = discovery::ghost_pull(comm, [&] {
            check_numbering(comm.rank());
            return discovery::GhostPull{
                .rows = &*numbering_,
                .ghosts = pulled,
                .place = {.begin = 0, .extent = static_cast<std::int64_t>(pulled.size())}};
        });
        return make_mapping(*numbering_, std::move(route), {pulled.begin(), pulled.end()});
    }));
}

void GhostUpdate::create_ghost_mapping(std::span<const std::int64_t> rows,
                                       std::span<const int> targets) {
    map(together("ArrayTransformer.create_ghost_mapping", [&](const mpi::Communicator& comm) {
        mpi::agree(comm, [&] { check_numbering(comm.rank()); });
        auto pushed = discovery::ghost_push(comm, *numbering_, rows, targets);
        return make_mapping(*numbering_, std::move(pushed.route), std::move(pushed.ghosts));
    }));
}

void GhostUpdate::use_route(const route::Route& route) {
    together("ArrayTransformer.use_route", [&](const mpi::Communicator& comm) {
        mpi::agree(comm, [&] {
            check_numbering(comm.rank());
            discovery::check_belongs(route, comm);
            require(route.source_extent() == father_->size(), "the route leads from ",
                    route.source_extent(), " rows on rank ", comm.rank(), ", but the father has ",
                    father_->size(), "; take another route");
        });
    });
    known()->attempt([&] {
        map(make_mapping(*numbering_, route,
                         ghosts_along(comm_, numbering_->owned().begin, route)));
    });
}

void GhostUpdate::borrow_mapping(const GhostUpdate& other) {
    together("ArrayTransformer.borrow_mapping", [&](const mpi::Communicator& comm) {
        mpi::agree(comm, [&] {
            check_arrays(comm.rank());
            check_mapping(comm.rank(), other.mapping().get(), "the other transformer has");
            discovery::check_belongs(other.mapping()->route, comm);
        });
    });
    numbering_ = other.mapping()->numbering;
    map(other.mapping());
}

void GhostUpdate::map(std::shared_ptr<const GhostMapping> mapping) {
    mapping_ = std::move(mapping);
    fit_son();
}

std::vector<std::int64_t> GhostUpdate::begin_fit() {
    clear_persistent_pull();
    clear_persistent_push();
    movement_.reset();
    arriving_.reset();
    using Lengths = std::vector<std::int64_t>;
    return together("ArrayTransformer.fit_son", [&](const mpi::Communicator& comm) -> Lengths {
        mpi::agree_on(comm, "has rows of", [&] {
            check_mapping(comm.rank(), mapping_.get(), "there is");
            return mpi::Words{father_->description()};
        });
        if (father_->rows().is_fixed()) {
            return {};
        }
        arriving_ = discovery::arriving_rows(comm, mapping_->route, father_->rows());
        return arriving_->lengths;
    });
}

void GhostUpdate::end_fit(std::shared_ptr<RowArray> son) {
    son_ = std::move(son);
    const auto& from = father_->rows();
    const auto& to = son_->rows();
    const auto& route = mapping_->route;
    Movement movement{.father = from, .son = to, .route = {mapping_, &route}};
    if (arriving_) {
        movement.route = together("ArrayTransformer.fit_son", [&](const mpi::Communicator& comm) {
            mpi::agree(comm, [&] { check_elements(comm.rank()); });
            const auto kept = std::make_shared<std::optional<route::Route>>();
            const auto& made =
                kept->emplace(discovery::in_units(comm, route, *arriving_, from, to));
            return std::shared_ptr<const route::Route>(kept, &made);
        });
    } else if (from.pitch() == 0) {  // nothing to move, whatever the route says
        movement.route = std::make_shared<const route::Route>(route.rank(), route.ranks(), 0, 0,
                                                              std::vector<route::Leg>(),
                                                              std::vector<route::Leg>());
    }
    movement_ = std::move(movement);
}

const std::shared_ptr<const route::Route>& GhostUpdate::Movement::way(bool is_back) const {
    if (is_back && !back) {
        back = std::make_shared<const route::Route>(route->transposed());
    }
    return is_back ? back : route;
}

exchange::Exchange GhostUpdate::bind(const exchange::Options& options, bool back) const {
    const auto known = this->known();
    const mpi::Call call(known->base(), back ? "ArrayTransformer.init_persistent_push"
                                             : "ArrayTransformer.init_persistent_pull");
    return {comm_, [&] { return parts(known->rank(), back); }, options};
}

exchange::Parts GhostUpdate::parts(int rank, bool back) const {
    check_mapping(rank, mapping_.get(), "there is");
    require(movement_.has_value() && son_->size() == std::ssize(mapping_->ghosts), "the son has ",
            son_ ? son_->size() : 0, " rows on rank ", rank, ", but the mapping has ",
            mapping_->ghosts.size(), " ghosts; fit_son makes room for them");
    require(movement_->father == father_->rows() && movement_->son == son_->rows(),
            "the father or the son was resized on rank ", rank,
            ", and its rows have other lengths now; fit_son makes room for them");
    const auto& from = back ? son_ : father_;
    const auto& to = back ? father_ : son_;
    return {.route = movement_->way(back),
            .fields = {field(*from, *to)},
            .reason_against = [=, one = from->memory(), other = to->memory()]() -> std::string {
                if (from->memory() == one && to->memory() == other) {
                    return "";
                }
                return "an array of a persistent exchange was resized on rank " +
                       std::to_string(rank) + " after init; clear the exchange and init again";
            }};
}

std::span<const std::int64_t> GhostUpdate::ghosts() const noexcept {
    return mapping_ ? std::span<const std::int64_t>(mapping_->ghosts)
                    : std::span<const std::int64_t>();
}

bool GhostUpdate::is_of(MPI_Comm comm) const {
    return known() == exchange::KnownCommunicator::get(comm);
}

void GhostUpdate::check_arrays(int rank) const {
    require(father_ && son_, "there is no father or no son on rank ", rank,
            "; set_father_son comes first");
    require(father_ != son_, "father and son are the same array on rank ", rank,
            "; ghosts need one of their own");
}

void GhostUpdate::check_numbering(int rank) const {
    check_arrays(rank);
    require(numbering_.has_value(), "the rows of the father have no global numbers on rank ", rank,
            "; create_global_mapping gives them");
    require(numbering_->owned().length() == father_->size(), "the father has ", father_->size(),
            " rows on rank ", rank, ", but had ", numbering_->owned().length(),
            " when they were numbered; call create_global_mapping again");
}

void GhostUpdate::check_mapping(int rank, const GhostMapping* mapping, const char* whose) const {
    check_arrays(rank);
    require(mapping != nullptr, whose, " no ghost mapping on rank ", rank,
            "; create_ghost_mapping makes one");
    require(mapping->route.source_extent() == father_->size(), "the ghost mapping is for ",
            mapping->route.source_extent(), " owned rows on rank ", rank, ", but the father has ",
            father_->size(), "; resize it or make another mapping");
}

void GhostUpdate::check_elements(int rank) const {
    require(father_->element_bytes() == son_->element_bytes() &&
                father_->scalar() == son_->scalar() &&
                father_->rows().is_fixed() == son_->rows().is_fixed(),
            "the son on rank ", rank, " has rows of ", son_->description(),
            ", which cannot be ghosts of rows of ", father_->description());
}

}  // namespace transrank::array
