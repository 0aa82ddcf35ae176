// SPDX-License-Identifier: BSD-3-Clause
// The options of ESMF's route handles, by MPI_Isend and MPI_Irecv:
//   async, sync              all messages at once; to one peer after the other, and from one: in
//                            step k every rank sends to the k-th rank above it and receives from
//                            the k-th below, so that no ranks wait in a circle
//   per-peer, per-run, none  a message for each peer; for each box of cells that two ranks share,
//                            and where cells are listed for each run; for each run of one field,
//                            sent from where it lies to where it belongs
//   together, per-field      all fields at once; one after the other
#include "lab/study/redistribute/esmf.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "lab/study/named.hpp"
#include "transrank/copy/moves.hpp"
#include "transrank/layout/require.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::lab::study::redistribute {
namespace {

using copy::Operation;
using route::Leg;
using Fields = std::span<const copy::Field>;

constexpr int tag = 0;

struct Options {
    std::string name;
    bool sync;
    bool per_run;
    bool unpacked;
    bool per_field;

    /// Whether they differ in one option at most from what ESMF does by default.
    [[nodiscard]] bool usual() const {
        return static_cast<int>(sync) + static_cast<int>(per_run || unpacked) +
                   static_cast<int>(per_field) <=
               1;
    }
};

const std::vector<Options>& all_options() {
    static const auto all = [] {
        std::vector<Options> made;
        for (const std::string mode : {"async", "sync"}) {
            for (const std::string packing : {"per-peer", "per-run", "none"}) {
                for (const std::string bundle : {"together", "per-field"}) {
                    made.push_back({.name = mode + "-" + packing + "-" + bundle,
                                    .sync = mode == "sync",
                                    .per_run = packing == "per-run",
                                    .unpacked = packing == "none",
                                    .per_field = bundle == "per-field"});
                }
            }
        }
        return made;
    }();
    return all;
}

/// How data are cut into messages.
struct Cut {
    bool by_run;    ///< a message for each run; else for each peer
    bool by_field;  ///< and for each field
};

struct Message {
    int peer;
    int bytes;
    std::byte* place;               ///< a buffer, or the array itself
    std::vector<copy::Move> moves;  ///< between array and buffer; none in the array itself
};

enum class Direction : std::uint8_t { out, in };

std::vector<Leg> runs_of(const Leg& leg) {
    std::vector<Leg> runs;
    route::for_each_run(
        leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
            runs.push_back(
                {.peer = leg.peer,
                 .segments = {{.source = source, .destination = destination, .length = length}}});
        });
    return runs;
}

/// Where data lie in the array as one run, so that they need not be packed; null elsewhere.
std::byte* place_in_array(const Leg& part, Fields fields, Direction direction) {
    const bool out = direction == Direction::out;
    const auto unit = out ? copy::contiguous_source(part) : copy::contiguous_destination(part);
    if (fields.size() != 1 || !unit) {
        return nullptr;
    }
    const auto& field = fields.front();
    // MPI only reads what it sends.
    auto* base = out ? const_cast<std::byte*>(field.source) : field.destination;
    return base + (*unit * field.unit_bytes);
}

/// All messages that a rank sends, or receives, for some fields, ascending by peer. Both ranks of a
/// pair have the same ones in the same order.
class Messages {
public:
    Messages(std::span<const Leg> legs, int rank, Direction direction, Cut cut, Fields fields) {
        std::int64_t bytes = 0;
        for (const auto& leg : legs) {
            bytes += leg.peer == rank ? 0 : copy::packed_bytes(leg, fields);
        }
        // What is sent and received by run and field needs no buffer.
        buffer_ = std::make_unique_for_overwrite<std::byte[]>(
            cut.by_run && cut.by_field ? 0 : static_cast<std::size_t>(bytes));
        std::byte* free = buffer_.get();
        const std::size_t together = cut.by_field ? 1 : fields.size();
        for (const auto& leg : legs) {
            if (leg.peer == rank) {
                continue;
            }
            for (const auto& part : cut.by_run ? runs_of(leg) : std::vector{leg}) {
                for (std::size_t i = 0; i < fields.size(); i += together) {
                    add(part, fields.subspan(i, together), direction, free);
                }
            }
        }
    }

    [[nodiscard]] std::span<const Message> all() const { return all_; }
    [[nodiscard]] std::span<const Message> with(int peer) const {
        const auto found = std::ranges::equal_range(all_, peer, {}, &Message::peer);
        return {found.begin(), found.end()};
    }

private:
    void add(const Leg& part, Fields fields, Direction direction, std::byte*& free) {
        const auto bytes = copy::packed_bytes(part, fields);
        constexpr int most = std::numeric_limits<int>::max();
        layout::require(bytes <= most, "a message of ", bytes, " bytes with rank ", part.peer,
                        " is longer than the ", most,
                        " bytes that MPI counts in int; take a smaller grid");
        auto& message = all_.emplace_back(Message{.peer = part.peer,
                                                  .bytes = static_cast<int>(bytes),
                                                  .place = place_in_array(part, fields, direction),
                                                  .moves = {}});
        if (message.place == nullptr) {
            message.place = std::exchange(free, free + bytes);
            message.moves =
                direction == Direction::out
                    ? copy::make_packing(part, fields, message.place)
                    : copy::make_unpacking(part, fields, Operation::assign, message.place);
        }
    }

    std::vector<Message> all_;
    std::unique_ptr<std::byte[]> buffer_;
};

/// Fields that move together: what is sent, what arrives, what stays on the rank.
struct FieldsMessages {
    Messages out;
    Messages in;
    std::vector<copy::Move> within;

    FieldsMessages(const route::Route& route, Cut cut, Fields fields)
        : out(route.sends(), route.rank(), Direction::out, cut, fields),
          in(route.receives(), route.rank(), Direction::in, cut, fields) {
        const auto* leg = route::find_leg(route.receives(), route.rank());
        for (std::size_t i = 0; leg != nullptr && i < fields.size(); ++i) {
            within.push_back(copy::make_move(*leg, fields[i], Operation::assign, fields[i].source,
                                             fields[i].destination));
        }
    }
};

/// Messages that are posted together, and what is moved within the rank meanwhile.
struct Round {
    std::span<const Message> in;
    std::span<const Message> out;
    std::span<const copy::Move> within = {};
};

class Esmf {
public:
    /// Collective.
    Esmf(const Options& options, const mpi::Communicator& comm, const Task& task, Fields fields)
        : comm_(comm), fields_(fields.begin(), fields.end()) {
        const auto route = task.route(comm_.handle());
        const bool blocks = std::holds_alternative<Block>(task.source.share) &&
                            std::holds_alternative<Block>(task.destination.share);
        // What two blocks share is one box.
        const Cut cut{.by_run = options.unpacked || (options.per_run && !blocks),
                      .by_field = options.unpacked};
        const std::size_t each = options.per_field ? 1 : fields.size();
        mpi::agree(comm_, [&] {
            for (std::size_t i = 0; i < fields.size(); i += each) {
                messages_.emplace_back(route, cut, Fields(fields_).subspan(i, each));
            }
        });
        for (const auto& messages : messages_) {
            options.sync ? add_rounds(messages) : add_round(messages);
        }
    }

    void move() {
        for (const auto& round : rounds_) {
            carry_out(round);
        }
    }

private:
    void add_round(const FieldsMessages& messages) {
        rounds_.push_back(
            {.in = messages.in.all(), .out = messages.out.all(), .within = messages.within});
    }

    void add_rounds(const FieldsMessages& messages) {
        rounds_.push_back({.in = {}, .out = {}, .within = messages.within});
        const int ranks = comm_.size();
        for (int step = 1; step < ranks; ++step) {
            const auto out = messages.out.with((comm_.rank() + step) % ranks);
            const auto in = messages.in.with((comm_.rank() + ranks - step) % ranks);
            for (std::size_t i = 0; i < std::max(out.size(), in.size()); ++i) {
                rounds_.push_back(
                    {.in = in.subspan(std::min(i, in.size()), i < in.size() ? 1 : 0),
                     .out = out.subspan(std::min(i, out.size()), i < out.size() ? 1 : 0)});
            }
        }
    }

    void carry_out(const Round& round) {
        requests_.clear();
        for (const auto& message : round.in) {
            mpi::check(MPI_Irecv(message.place, message.bytes, MPI_BYTE, message.peer, tag,
                                 comm_.handle(), &requests_.emplace_back(MPI_REQUEST_NULL)),
                       "MPI_Irecv");
        }
        for (const auto& message : round.out) {
            copy::execute(message.moves);
            mpi::check(MPI_Isend(message.place, message.bytes, MPI_BYTE, message.peer, tag,
                                 comm_.handle(), &requests_.emplace_back(MPI_REQUEST_NULL)),
                       "MPI_Isend");
        }
        copy::execute(round.within);
        // One after the other: MPI_Waitall looks at all of them again whenever one has come.
        for (auto& request : requests_) {
            mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        }
        for (const auto& message : round.in) {
            copy::execute(message.moves);
        }
    }

    const mpi::Communicator& comm_;
    std::vector<copy::Field> fields_;
    std::vector<FieldsMessages> messages_;
    std::vector<Round> rounds_;  ///< of the messages above
    std::vector<MPI_Request> requests_;
};

}  // namespace

std::vector<std::string> esmf_ways(bool usual) {
    std::vector<std::string> found;
    for (const auto& each : all_options()) {
        if (each.usual() == usual) {
            found.push_back(each.name);
        }
    }
    return found;
}

bool is_esmf_way(std::string_view name) {
    return find_named(all_options(), name) != nullptr;
}

Store esmf_store(std::string_view way) {
    const auto& options = named(all_options(), way, "ESMF option");
    return [&options](const auto&... task) {
        const auto made = std::make_shared<Esmf>(options, task...);
        return [made] { made->move(); };
    };
}

}  // namespace transrank::lab::study::redistribute
