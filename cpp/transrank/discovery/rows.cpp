// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/discovery/rows.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "transrank/discovery/messages.hpp"
#include "transrank/discovery/route_check.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::discovery {
namespace {

using layout::require;
using layout::Rows;
using mpi::Message;
using route::Leg;
using route::Route;
using route::RowPlace;

// Both ranks of a pair hold its leg, so the messages come from the peers of the legs, in order.
void check_writers(std::span<const Leg> legs, const std::vector<Message>& messages) {
    for (std::size_t i = 0; i < std::max(legs.size(), messages.size()); ++i) {
        require(i < legs.size() && i < messages.size() && legs[i].peer == messages[i].peer,
                "ranks hold routes that do not belong together; build or load them together");
    }
}

// Notes how long the rows of a leg are where they arrive; -1 stands for not known yet.
void note_lengths(const Leg& leg, const std::vector<RowPlace>& sources, int rank,
                  std::vector<std::int64_t>& lengths) {
    require(std::ssize(sources) == leg.units(), "rank ", rank, " receives ", leg.units(),
            " rows from rank ", leg.peer, ", which sends ", sources.size(),
            "; build or load routes together");
    auto next = sources.begin();
    route::for_each_run(leg, [&](std::int64_t, std::int64_t begin, std::int64_t count) {
        for (std::int64_t row = begin; row < begin + count; ++row, ++next) {
            auto& length = lengths[static_cast<std::size_t>(row)];
            require(length < 0 || length == next->length, "row ", layout::counted(row), " of rank ",
                    rank, " arrives with ", length, " and, from rank ", leg.peer, ", with ",
                    next->length, " units; rows that meet must have one length");
            length = next->length;
        }
    });
}

ArrivingRows read(const Route& route, const std::vector<Message>& messages) {
    check_writers(route.receives(), messages);
    ArrivingRows made{.lengths = std::vector<std::int64_t>(
                          static_cast<std::size_t>(route.destination_extent()), -1),
                      .sources = {}};
    for (std::size_t i = 0; i < messages.size(); ++i) {
        made.sources.push_back(Reader(messages[i]).take_all<RowPlace>());
        note_lengths(route.receives()[i], made.sources.back(), route.rank(), made.lengths);
    }
    for (auto& length : made.lengths) {
        length = std::max<std::int64_t>(length, 0);
    }
    return made;
}

std::vector<Leg> receives_in_units(const Route& route, const ArrivingRows& arriving,
                                   const Rows& destination) {
    require(arriving.sources.size() == route.receives().size(), "rank ", route.rank(),
            " receives from ", route.receives().size(), " ranks, but got the rows of ",
            arriving.sources.size(), "; pass what arriving_rows has returned for this route");
    std::vector<Leg> legs;
    legs.reserve(arriving.sources.size());
    for (std::size_t i = 0; i < arriving.sources.size(); ++i) {
        const auto& leg = route.receives()[i];
        legs.push_back(
            route::in_units(leg, arriving.sources[i],
                            route::row_places(leg, route::End::destination, destination)));
    }
    return legs;
}

std::vector<Leg> sends_in_units(const Route& route, const std::vector<Message>& messages) {
    check_writers(route.sends(), messages);
    return take_legs(messages);
}

}  // namespace

ArrivingRows arriving_rows(const mpi::Communicator& comm, const Route& route, const Rows& source) {
    const mpi::Call call(comm, "arriving_rows");
    auto messages = mpi::agreed(comm, [&] {
        check_belongs(route, comm);
        return message_per_leg(route.sends(), [&](Writer& writer, const Leg& leg) {
            const auto places = route::row_places(leg, route::End::source, source);
            writer.add_all(std::span(places));
        });
    });
    messages = deliver(comm, std::move(messages), Subject::row_places);
    return mpi::agreed(comm, [&] { return read(route, messages); });
}

Route in_units(const mpi::Communicator& comm, const Route& route, const ArrivingRows& arriving,
               const Rows& source, const Rows& destination) {
    const mpi::Call call(comm, "in_units");
    auto receives = mpi::agreed(comm, [&] {
        check_belongs(route, comm);
        return receives_in_units(route, arriving, destination);
    });
    auto told = message_per_leg(receives,
                                [](Writer& writer, const Leg& leg) { add(writer, leg.segments); });
    const auto messages = deliver(comm, std::move(told), Subject::legs_in_units);
    return mpi::agreed(comm, [&]() -> Route {
        return {comm.rank(),
                comm.size(),
                source.units(),
                destination.units(),
                sends_in_units(route, messages),
                std::move(receives)};
    });
}

}  // namespace transrank::discovery
