// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/grid/ghosts.hpp"

#include <algorithm>

#include "transrank/discovery/ghost.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::grid {

std::vector<std::int64_t> ghosts_among(std::span<const std::int64_t> wanted,
                                       const layout::IndexRange& owned) {
    std::vector<std::int64_t> ghosts;
    std::ranges::copy_if(wanted, std::back_inserter(ghosts),
                         [&](std::int64_t row) { return !owned.contains(row); });
    std::ranges::sort(ghosts);
    const auto repeated = std::ranges::unique(ghosts);
    ghosts.erase(repeated.begin(), repeated.end());
    return ghosts;
}

Ghosts::Ghosts(MPI_Comm comm, std::int64_t owned, std::span<const std::int64_t> wanted,
               bool together)
    : comm_(comm), together_(together) {
    const auto known = exchange::KnownCommunicator::get(comm);
    known->together("Ghosts", [&](const mpi::Communicator& own) {
        const discovery::Numbering numbers(own, owned);
        owned_ = numbers.owned();
        mpi::agree_on(own, "makes ghosts", [&] {
            ghosts_ = ghosts_among(wanted, owned_);
            return std::vector<std::string>{together ? "together" : "not together"};
        });
        auto made = discovery::ghost_pull(own, numbers, ghosts_,
                                          {.begin = owned_.length(), .extent = rows()});
        mpi::agree(own, [&] {
            back_ = std::make_shared<const route::Route>(made.transposed());
            route_ = std::make_shared<const route::Route>(std::move(made));
        });
    });
}

std::int64_t Ghosts::local(std::int64_t index) const {
    if (owned_.contains(index)) {
        return index - owned_.begin;
    }
    const auto found = std::ranges::lower_bound(ghosts_, index);
    layout::require(found != ghosts_.end() && *found == index, "row ", index,
                    " is neither among the rows ", layout::indices(owned_.begin, owned_.end),
                    " of this rank nor among its ", ghosts_.size(), " ghosts");
    return owned() + (found - ghosts_.begin());
}

exchange::Exchange Ghosts::bind(const Shared& route, exchange::Options options,
                                const std::function<Fields()>& fields) const {
    options.together = together_;
    const auto given = [&] {
        auto all = fields();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto unit = all[i].unit_bytes;
            const auto needed = unit * rows();
            for (const auto bytes : {all[i].source_bytes, all[i].destination_bytes}) {
                layout::require(unit <= 0 || bytes == needed, "field ", i, " on rank ",
                                route->rank(), " has ", bytes, " bytes; it needs ", needed, ": ",
                                owned(), " owned rows and ", std::ssize(ghosts_), " ghosts of ",
                                unit, " bytes; if a row has k numbers, pass field(array, k)");
            }
        }
        return exchange::Parts{.route = route, .fields = std::move(all)};
    };
    return exchange::Exchange(comm_, given, options);
}

}  // namespace transrank::grid
