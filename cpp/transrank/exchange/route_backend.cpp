// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/route_backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "transrank/copy/moves.hpp"
#include "transrank/exchange/fields.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::exchange {

using layout::require;

namespace {

bool is_known(copy::Operation operation) {
    return static_cast<std::size_t>(operation) < copy::operations.size();
}

std::string name_of(copy::Operation operation) {
    const auto number = static_cast<std::size_t>(operation);
    return is_known(operation) ? std::string(copy::operations[number]) : std::to_string(number);
}

std::string name_of(copy::Scalar scalar) {
    return scalar == copy::Scalar::opaque ? "no type" : std::string(copy::kind_of(scalar).name);
}

std::string counted(std::size_t number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

// `fields`: of several sets of arrays.
std::vector<std::string> describe(const route::Route& route,
                                  const std::vector<transport::FieldOffer>& fields,
                                  std::size_t sets, const Options& options,
                                  const std::string& named_by) {
    std::vector<std::string> words{
        route.is_transposed() ? "a transposed route, like a push of ghosts"
                              : "a route that is not transposed, like a pull of ghosts",
        "operation " + name_of(options.operation),
        "transport " + options.transport + (named_by.empty() ? "" : " (" + named_by + ")"),
        "push_below_bytes " + (options.push_below_bytes ? std::to_string(*options.push_below_bytes)
                                                        : std::string("to be measured")),
        "longest_message_bytes " + std::to_string(options.longest_message_bytes),
        "stores " + std::to_string(static_cast<int>(options.stores)),
        options.any_memory ? std::string("arrays given at each start")
                           : counted(sets, "set") + " of arrays",
        options.together ? "ranks that start together" : "ranks that need not start together",
        counted(fields.size() / sets, "field")};
    for (std::size_t i = 0; i < fields.size() / sets; ++i) {
        words.push_back("field " + std::to_string(layout::counted(i)) + " of " +
                        std::to_string(fields[i].unit_bytes) + "-byte rows of " +
                        name_of(static_cast<copy::Scalar>(fields[i].scalar)));
    }
    return words;
}

std::int64_t bytes_of(std::span<const route::Leg> legs, std::span<const copy::Field> fields) {
    std::int64_t bytes = 0;
    for (const auto& leg : legs) {
        bytes += copy::packed_bytes(leg, fields);
    }
    return bytes;
}

// An error about a transport that the program has not named says who has named it.
template <class Work>
void naming(const std::string& named_by, const Work& work) {
    try {
        work();
    } catch (const std::invalid_argument& error) {
        if (named_by.empty()) {
            throw;
        }
        throw std::invalid_argument(named_by + ": " + error.what());
    }
}

}  // namespace

// The ranks meet once, when each has done its own part, and agree once more in the end; in between
// peers write to each other. What ranks disagree about is looked for where there is something.
RouteBackend::RouteBackend(MPI_Comm comm, const std::function<Parts()>& make, Options options)
    : options_(std::move(options)), known_(KnownCommunicator::get(comm)) {
    const mpi::Call call(known_->base(), "Exchange");
    bind(make);
}

void RouteBackend::bind(const std::function<Parts()>& make) {
    Sums sums{};
    bool sends = false;
    std::exception_ptr refused;
    try {
        take_what_is_needed(make);
        sums = needed();
        sends = needs_messages();
    } catch (...) {
        refused = std::current_exception();
        sums = {1};
    }
    // Once all ranks have come all are binding, and none waits in an exchange for another.
    if (auto lease = known_->acquire_tags_if_needed(sends, sums)) {
        lease_.emplace(*std::move(lease));
    }
    if (sums[0] != 0 || sums[1] != 0) {
        disagree(refused);
    }
    swap_offers();
    prepare(sums);
    choose_transports();
}

// What may be refused on this rank alone, before anything is sent to the peers.
void RouteBackend::take_what_is_needed(const std::function<Parts()>& make) {
    const char* named = std::getenv(transport_variable);
    if (options_.transport == transport::automatic && named != nullptr && *named != '\0') {
        options_.transport = named;
        named_by_ = transport_variable;
    }
    parts_ = make();
    if (!parts_.route) {
        throw std::invalid_argument("no route given on rank " + std::to_string(rank()));
    }
    const auto where = " on rank " + std::to_string(rank());
    require(options_.longest_message_bytes >= 1, "messages of at most ",
            options_.longest_message_bytes, " bytes are asked for; give at least 1");
    require(is_known(options_.operation), "unknown operation ", name_of(options_.operation), where,
            "; known: assign (0), add, min, max (3)");
    require(options_.stores <= copy::Stores::streamed, "unknown kind of stores ",
            static_cast<int>(options_.stores), where,
            "; known: measured (0), cached, streamed (2)");
    require(options_.push_below_bytes.value_or(0) >= 0, "push_below_bytes is ",
            options_.push_below_bytes.value_or(0), where, "; give at least 0");
    if (options_.transport != transport::automatic) {
        naming(named_by_, [&] { (void)transport::find(options_.transport); });
    }
    keep_sets();
    const auto peers = transport::peers_of(route());
    control_.emplace(peers.size(), std::ranges::any_of(peers, [&](int peer) {
                         return peer != rank() && node().shares_with(peer);
                     }));
    apply_order_.emplace(sources_of(route()), needs_order(route(), options_.operation));
    binding_.emplace(
        transport::Binding{.route = route(),
                           .fields = parts_.fields,
                           .own_fields = own_,
                           .sets = options_.any_memory ? 0 : sets_.size(),
                           .set = set_,
                           .comm = known_->base(),
                           .own_node = node().ranks().front(),
                           .wanted = options_.transport,
                           .together = options_.together,
                           .push_below_bytes = options_.push_below_bytes,
                           .operation = options_.operation,
                           .stores = options_.stores,
                           .moved_bytes = std::max(bytes_of(route().receives(), parts_.fields),
                                                   bytes_of(route().sends(), parts_.fields)),
                           .longest_message_bytes = options_.longest_message_bytes,
                           .control = *control_,
                           .apply_order = *apply_order_,
                           .prepared_before = known_->prepared()});
}

void RouteBackend::keep_sets() {
    require(parts_.others.size() < transport::Started::most_sets, parts_.others.size() + 1,
            " sets of arrays are given on rank ", rank(), "; the most are ",
            transport::Started::most_sets);
    require(!options_.any_memory || parts_.others.empty(),
            "other sets of arrays are given on rank ", rank(),
            " though any are allowed; give one set, or leave any_memory out");
    const auto keep = [&](std::span<const copy::Field> fields) {
        check_fields(route(), known_->base(), fields, options_.operation);
        check_like(parts_.fields, fields, rank());
        auto& set = sets_.emplace_back();
        for (const auto& field : fields) {
            own_.push_back(transport::offer_of(field, !options_.any_memory));
            set.push_back({.source = field.source, .destination = field.destination});
        }
    };
    keep(parts_.fields);
    std::ranges::for_each(parts_.others, keep);
    for (std::size_t i = 0; i < parts_.fields.size() && options_.any_memory; ++i) {
        parts_.fields[i].keep_alive = nullptr;
    }
}

void RouteBackend::take(std::optional<std::span<const copy::Field>> arrays) {
    if (!arrays) {
        require(!options_.any_memory, "no arrays are given to start on rank ", rank(),
                "; an exchange of any memory is given them at each start");
        if (!are_first_) {
            move(sets_.front());
        }
        are_first_ = true;
        set_ = 0;
        return;
    }
    check_like(parts_.fields, *arrays, rank());
    if (options_.any_memory) {
        check_arrays(route(), *arrays, sets_.front());
    } else {
        const auto found = std::ranges::find_if(sets_, [&](const auto& set) {
            return std::ranges::equal(set, *arrays, [](const auto& one, const auto& other) {
                return one.source == other.source && one.destination == other.destination;
            });
        });
        require(
            found != sets_.end(), "the arrays given to start on rank ", rank(),
            " are not those that were bound; bind these too (others), or bind with any_memory, or "
            "call the update of the grid, which takes any arrays");
        set_ = static_cast<std::uint64_t>(found - sets_.begin());
    }
    are_first_ = false;
    move(*arrays);
    for (std::size_t i = 0; i < arrays->size() && options_.any_memory; ++i) {
        parts_.fields[i].keep_alive = (*arrays)[i].keep_alive;
    }
}

template <class Arrays>
void RouteBackend::move(const Arrays& arrays) noexcept {
    for (std::size_t i = 0; i < parts_.fields.size(); ++i) {
        parts_.fields[i].source = arrays[i].source;
        parts_.fields[i].destination = arrays[i].destination;
    }
}

// Of what entries have to prepare those count that may be chosen.
template <class Visit>
void RouteBackend::for_each_preparation(const Visit& visit) const {
    std::size_t place = 2;
    for (const auto& entry : transport::all()) {
        if (entry.prepare != nullptr && transport::may_choose(options_.transport, entry)) {
            visit(entry, place++);
        }
    }
}

RouteBackend::Sums RouteBackend::needed() const {
    auto words = describe(route(), own_, sets_.size(), options_, named_by_);
    words.insert(words.end(), parts_.words.begin(), parts_.words.end());
    Sums own{0, transport::imprint(route()) + mpi::balance_of(known_->base(), words)};
    for_each_preparation([&](const transport::Entry& entry, std::size_t place) {
        own.at(place) = entry.needed(*binding_, node());
    });
    return own;
}

void RouteBackend::disagree(const std::exception_ptr& refused) const {
    const auto& base = known_->base();
    mpi::agree(base, [&] {
        if (refused) {
            std::rethrow_exception(refused);
        }
    });
    mpi::agree_on(base, "binds", parts_.words);
    mpi::agree_on(base, "binds an exchange with",
                  describe(route(), own_, sets_.size(), options_, named_by_));
    const auto disagreement = transport::find_disagreement(base, route());
    mpi::agree(base, [&] {
        if (!disagreement.empty()) {
            throw std::invalid_argument(disagreement);
        }
    });
    throw std::logic_error("ranks that agree have found that they do not");
}

// Where memory cannot be shared, if they are not asked for.
bool RouteBackend::needs_messages() const {
    const bool asked_for = options_.transport != transport::automatic;
    return std::ranges::any_of(transport::all(), [&](const transport::Entry& entry) {
        return entry.needs_messages && transport::may_choose(options_.transport, entry) &&
               std::ranges::any_of(transport::peers_of(route()), [&](int peer) {
                   return peer != rank() && (asked_for || !node().shares_with(peer) ||
                                             !control_->handle().is_shared());
               });
    });
}

void RouteBackend::swap_offers() {
    offers_ = transport::swap_offers(known_->base(), node(), route(), own_, apply_order_->ordered(),
                                     *control_);
    binding_->offers = offers_;
    binding_->messages = lease_ ? &*lease_ : nullptr;
}

void RouteBackend::prepare(const Sums& needed) {
    for_each_preparation([&](const transport::Entry& entry, std::size_t place) {
        if (needed.at(place) != 0) {
            entry.prepare(*binding_, node(), needed.at(place));
        }
    });
}

void RouteBackend::choose_transports() {
    std::vector<Refusal> refusals;
    if (options_.transport == transport::automatic) {
        choices_ = choose(*binding_, refusals);  // something serves each peer
    } else {
        choose_again(refusals);
    }
    while (!fit_transports(*binding_, choices_, transports_, refusals)) {
        if (!lease_) {
            lease_.emplace(*known_->acquire_tags_if_needed(true));
            binding_->messages = &*lease_;
        }
        choose_again(refusals);
    }
}

void RouteBackend::choose_again(std::span<const Refusal> refusals) {
    mpi::agree(known_->base(),
               [&] { naming(named_by_, [&] { choices_ = choose(*binding_, refusals); }); });
}

}  // namespace transrank::exchange
