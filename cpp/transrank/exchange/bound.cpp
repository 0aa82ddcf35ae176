// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/exchange/bound.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iterator>
#include <ostream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "transrank/copy/moves.hpp"
#include "transrank/exchange/fields.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/memory/array_memory.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/transport/node/node_link.hpp"

namespace transrank::exchange {
namespace {

constexpr std::array<const char*, 4> operations{"assign", "add", "min", "max"};

bool is_known(copy::Operation operation) {
    return static_cast<std::size_t>(operation) < operations.size();
}

std::string name_of(copy::Operation operation) {
    const auto number = static_cast<std::size_t>(operation);
    return is_known(operation) ? operations[number] : std::to_string(number);
}

constexpr std::array<const char*, 11> scalars{"no type", "int8",    "int16",  "int32",
                                              "int64",   "uint8",   "uint16", "uint32",
                                              "uint64",  "float32", "float64"};

std::vector<std::string> describe(const route::Route& route,
                                  const std::vector<transport::FieldOffer>& fields,
                                  const Options& options, const std::string& named_by) {
    std::vector<std::string> words{
        route.is_transposed() ? "a transposed route, like a push of ghosts"
                              : "a route that is not transposed, like a pull of ghosts",
        "operation " + name_of(options.operation),
        "transport " + options.transport +
            (named_by.empty() ? "" : " (" + named_by + ", which must be set alike on every rank)"),
        "push_below_bytes " + (options.push_below_bytes ? std::to_string(*options.push_below_bytes)
                                                        : std::string("to be measured")),
        "longest_message_bytes " + std::to_string(options.longest_message_bytes),
        "stores " + std::to_string(static_cast<int>(options.stores)),
        std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields")};
    for (std::size_t i = 0; i < fields.size(); ++i) {
        words.push_back("field " + std::to_string(layout::counted(i)) + " of " +
                        std::to_string(fields[i].unit_bytes) + "-byte rows of " +
                        scalars.at(static_cast<std::size_t>(fields[i].scalar)));
    }
    return words;
}

using Fields = std::span<const copy::Field>;

std::int64_t bytes_of(std::span<const route::Leg> legs, Fields fields) {
    std::int64_t bytes = 0;
    for (const auto& leg : legs) {
        bytes += copy::packed_bytes(leg, fields);
    }
    return bytes;
}

using transport::Binding;
using Means = memory::WatchedProcess::Means;

std::int64_t bytes_of(const route::Leg* leg, Fields fields) {
    return leg == nullptr ? 0 : bytes_of(std::span(leg, 1), fields);
}

std::int64_t runs_of(const route::Leg* leg, Fields fields) {
    return leg == nullptr ? 0 : leg->runs() * static_cast<std::int64_t>(fields.size());
}

void list_peers(std::ostream& text, const Binding& binding, std::span<const Choice> choices) {
    text << "  peer     bytes out      bytes in      runs in  transport      why\n";
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const auto& offer = binding.offers[i];
        const bool itself = offer.rank == binding.route.rank();
        text << std::setw(6) << (itself ? "itself" : std::to_string(offer.rank)) << std::setw(14)
             << bytes_of(offer.send, binding.fields) << std::setw(14)
             << bytes_of(offer.receive, binding.fields) << std::setw(13)
             << runs_of(offer.receive, binding.fields) << "  " << std::left << std::setw(14)
             << choices[i].entry->name << " " << choices[i].reason << std::right << "\n";
    }
}

// By which means the end of a peer's process would be noticed.
void list_liveness(std::ostream& text, const Binding& binding, const memory::Node& node) {
    std::string by_number;
    std::string unnoticed;
    for (const auto& offer : binding.offers) {
        const auto* process = node.process(offer.rank);
        if (offer.rank == binding.route.rank()) {
            continue;
        }
        if (process == nullptr) {
            unnoticed += " " + std::to_string(offer.rank);
        } else if (process->means() == Means::number) {
            by_number += " " + std::to_string(offer.rank);
        }
    }
    if (!by_number.empty()) {
        text << "peers watched by process number, since the kernel has no pidfd:" << by_number
             << "\n";
    }
    if (!unnoticed.empty()) {
        text << "peers not watched, so that only MPI can notice their end:" << unnoticed << "\n";
    }
}

bool is_private(const transport::FieldOffer& field) {
    return field.source_shared == 0 || field.destination_shared == 0;
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
Bound::Bound(MPI_Comm comm, const std::function<Parts()>& make, Options options)
    : options_(std::move(options)), known_(KnownCommunicator::get(comm)) {
    const mpi::Call call(known_->base(), "Exchange");
    known_->attempt([&] { bind(make); });
}

void Bound::bind(const std::function<Parts()>& make) {
    Statement own;
    std::exception_ptr refused;
    try {
        take_what_is_needed(make);
        own = statement();
    } catch (...) {
        refused = std::current_exception();
        own = {.refusals = 1};
    }
    agree(own, refused);
    swap_offers();
    choose_transports();
}

// What may be refused on this rank alone, before anything is sent to the peers.
void Bound::take_what_is_needed(const std::function<Parts()>& make) {
    const char* named = std::getenv(transport_variable);
    if (options_.transport == transport::automatic && named != nullptr && *named != '\0') {
        options_.transport = named;
        named_by_ = transport_variable;
    }
    parts_ = make();
    if (!parts_.route) {
        throw std::invalid_argument("no route given on rank " + std::to_string(rank()));
    }
    using layout::require;
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
    check_fields(route(), known_->base(), parts_.fields, options_.operation);
    std::ranges::transform(parts_.fields, std::back_inserter(own_), transport::offer_of);
    const auto peers = transport::peers_of(route());
    control_.emplace(peers.size(), std::ranges::any_of(peers, [&](int peer) {
                         return peer != rank() && node().shares_with(peer);
                     }));
    apply_order_.emplace(sources_of(route()), needs_order(route(), options_.operation));
}

Bound::Statement Bound::statement() const {
    return {
        .balance = transport::imprint(route()) +
                   mpi::balance_of(known_->base(), describe(route(), own_, options_, named_by_)),
        .in_need_of_messages = needs_messages() ? 1U : 0U,
        .in_need_of_thresholds = needs_thresholds() ? 1U : 0U,
        .in_need_of_plan = needs_plan() ? 1U : 0U,
        .in_need_of_link = needs_plan() && !transport::link_is_known() ? 1U : 0U};
}

// Once all ranks have come all are binding, and none waits in an exchange for another.
void Bound::agree(const Statement& own, const std::exception_ptr& refused) {
    std::array<std::uint64_t, 5> sums{own.refusals, own.balance, own.in_need_of_thresholds,
                                      own.in_need_of_plan, own.in_need_of_link};
    if (auto lease = known_->acquire_tags_if_needed(own.in_need_of_messages != 0, sums)) {
        lease_.emplace(*std::move(lease));
    }
    const auto [refusals, balance, in_need_of_thresholds, in_need_of_plan, in_need_of_link] = sums;
    if (refusals != 0 || balance != 0) {
        disagree(refused);
    }
    if (options_.push_below_bytes) {
        thresholds_ = {.push_below_bytes = *options_.push_below_bytes, .origin = "given"};
    } else if (in_need_of_thresholds != 0) {
        thresholds_ = known_->thresholds();
    }
    has_plan_ = in_need_of_plan != 0;
    if (in_need_of_link != 0) {
        transport::measure_link(known_->base(), node());
    }
}

void Bound::disagree(const std::exception_ptr& refused) const {
    const auto& base = known_->base();
    mpi::agree(base, [&] {
        if (refused) {
            std::rethrow_exception(refused);
        }
    });
    mpi::agree_on(base, "binds an exchange with", describe(route(), own_, options_, named_by_));
    const auto disagreement = transport::find_disagreement(base, route());
    mpi::agree(base, [&] {
        if (!disagreement.empty()) {
            throw std::invalid_argument(disagreement);
        }
    });
    throw std::logic_error("ranks that agree have found that they do not");
}

// Where memory cannot be shared, if they are not asked for.
bool Bound::needs_messages() const {
    const bool asked_for = options_.transport != transport::automatic;
    return std::ranges::any_of(transport::all(), [&](const transport::Entry& entry) {
        return entry.by_messages && transport::may_choose(options_.transport, entry) &&
               std::ranges::any_of(transport::peers_of(route()), [&](int peer) {
                   return peer != rank() && (asked_for || !node().shares_with(peer) ||
                                             !control_->handle().is_shared());
               });
    });
}

// Whether a transport that goes by them may serve a peer: as far as this rank knows, the peer asks
// itself, too.
bool Bound::needs_thresholds() const {
    const bool shares_some = std::ranges::any_of(own_, [](const transport::FieldOffer& field) {
        return field.source_shared != 0 || field.destination_shared != 0;
    });
    return shares_some && !options_.push_below_bytes &&
           std::ranges::any_of(transport::all(),
                               [&](const transport::Entry& entry) {
                                   return entry.by_thresholds &&
                                          transport::may_choose(options_.transport, entry);
                               }) &&
           std::ranges::any_of(transport::peers_of(route()), [&](int peer) {
               return peer != rank() && node().shares_with(peer);
           });
}

// Whether what it moves between nodes is to go by one message for all ranks of a node: only if that
// is asked for by name, since a wait then needs ranks that are no peers.
bool Bound::needs_plan() const {
    const auto& here = node().ranks();
    return std::ranges::any_of(transport::all(),
                               [&](const transport::Entry& entry) {
                                   return entry.between_nodes && options_.transport == entry.name;
                               }) &&
           std::ranges::any_of(transport::peers_of(route()),
                               [&](int peer) { return !std::ranges::binary_search(here, peer); });
}

void Bound::swap_offers() {
    offers_ = transport::swap_offers(known_->base(), node(), route(), own_, apply_order_->ordered(),
                                     *control_);
    if (has_plan_) {
        plan_.emplace(known_->base(), node(), parts_.fields, offers_);
    }
    binding_.emplace(
        transport::Binding{.route = route(),
                           .fields = parts_.fields,
                           .own_fields = own_,
                           .comm = known_->base(),
                           .messages = lease_ ? &*lease_ : nullptr,
                           .operation = options_.operation,
                           .thresholds = thresholds_,
                           .stores = options_.stores,
                           .moved_bytes = std::max(bytes_of(route().receives(), parts_.fields),
                                                   bytes_of(route().sends(), parts_.fields)),
                           .longest_message_bytes = options_.longest_message_bytes,
                           .control = *control_,
                           .offers = offers_,
                           .apply_order = *apply_order_,
                           .own_node = node().ranks().front(),
                           .plan = plan_ ? &*plan_ : nullptr});
}

void Bound::choose_transports() {
    std::vector<Refusal> refusals;
    if (options_.transport == transport::automatic) {
        choices_ = choose(*binding_, options_.transport, refusals);  // something serves each peer
    } else {
        choose_again(refusals);
    }
    while (!fit_transports(*binding_, choices_, options_.transport, transports_, refusals)) {
        if (!lease_) {
            lease_.emplace(*known_->acquire_tags_if_needed(true));
            binding_->messages = &*lease_;
        }
        // Who cannot have it is known to its peers only, and not to the ranks of their nodes.
        if (plan_) {
            plan_->rule_out("some transport could not be set up on some rank");
        }
        choose_again(refusals);
    }
}

void Bound::choose_again(std::span<const Refusal> refusals) {
    mpi::agree(known_->base(), [&] {
        naming(named_by_, [&] { choices_ = choose(*binding_, options_.transport, refusals); });
    });
}

std::string Bound::explain() const {
    std::ostringstream text;
    const int rank = binding_->route.rank();
    const auto others = std::ranges::count_if(binding_->offers,
                                              [&](const auto& each) { return each.rank != rank; });
    const auto fields = std::ssize(binding_->fields);
    text << "rank " << rank << " of " << binding_->route.ranks() << ": " << others
         << (others == 1 ? " peer, " : " peers, ") << fields
         << (fields == 1 ? " field\n" : " fields\n");
    if (!named_by_.empty()) {
        text << "the transport is the one that " << named_by_ << " names\n";
    }
    list_peers(text, *binding_, choices_);
    list_liveness(text, *binding_, node());
    if (const auto refusals = memory::ArrayMemory::refusals();
        !refusals.empty() && std::ranges::any_of(own_, is_private)) {
        text << refusals << "\n";
    }
    for (const auto& transport : transports_) {
        const auto lines = transport->explain();
        text << lines << (lines.empty() ? "" : "\n");
    }
    return text.str();
}

}  // namespace transrank::exchange
