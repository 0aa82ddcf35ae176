// SPDX-License-Identifier: BSD-3-Clause
// The options of ESMF's route handles, by MPI_Isend and MPI_Irecv. Asynchronous: every message is
// posted at once. Synchronous: to one peer after the other, and from one; in step k every rank
// sends to the k-th rank above it and receives from the k-th below, so none waits in a circle.
#include "transrank/redistribution/messages.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "transrank/exchange/fields.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/exchange/one_transport.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "transrank/redistribution/packet.hpp"
#include "transrank/transport/notices.hpp"
#include "transrank/transport/tags.hpp"

namespace transrank::redistribution {
namespace {

using transport::Field;
using transport::Operation;

/// Messages that are posted together, and what is moved within the rank meanwhile.
struct Round {
    std::span<const Packet> in;
    std::span<const Packet> out;
    std::span<const transport::Move> within = {};

    [[nodiscard]] int peer(std::size_t i) const {
        return i < in.size() ? in[i].peer : out[i - in.size()].peer;
    }
};

/// Fields that move together: what is sent, what arrives, what stays on the rank.
struct Cargo {
    Packets out;
    Packets in;
    std::vector<transport::Move> within;

    Cargo(const route::Route& route, const Cut& cut, std::span<const Field> fields)
        : out(route.sends(), route.rank(), Way::out, cut, fields),
          in(route.receives(), route.rank(), Way::in, cut, fields) {
        const auto* leg = route::find_leg(route.receives(), route.rank());
        for (std::size_t i = 0; leg != nullptr && i < fields.size(); ++i) {
            within.push_back(transport::make_move(*leg, fields[i], Operation::assign,
                                                  fields[i].source, fields[i].destination));
        }
    }
};

/// All that MPI looks at.
struct Memory {
    std::vector<Cargo> cargos;
    std::vector<std::shared_ptr<void>> arrays;
};

Options settled(Options options) {
    options.mode = options.mode == Mode::automatic ? Mode::async : options.mode;
    options.packing = options.packing == Packing::automatic ? Packing::per_peer : options.packing;
    options.bundle = options.bundle == Bundle::automatic ? Bundle::together : options.bundle;
    return options;
}

Memory make_cargos(const route::Route& route, const Cut& cut, std::span<const Field> fields,
                   Bundle bundle) {
    Memory memory;
    const std::size_t each = bundle == Bundle::per_field ? 1 : fields.size();
    for (std::size_t i = 0; i < fields.size(); i += each) {
        memory.cargos.emplace_back(route, cut, fields.subspan(i, each));
    }
    std::ranges::transform(fields, std::back_inserter(memory.arrays), &Field::keep_alive);
    return memory;
}

std::set<int> peers_of(std::span<const route::Leg> legs) {
    std::set<int> peers;
    std::ranges::transform(legs, std::inserter(peers, peers.end()), &route::Leg::peer);
    return peers;
}

transport::Notices notices_for(const route::Route& route, mpi::CommunicatorPool::Loan& loan) {
    const auto targets = peers_of(route.sends());
    auto peers = peers_of(route.receives());
    const bool one_way = !std::ranges::includes(peers, targets);
    peers.insert(targets.begin(), targets.end());
    return {loan, {peers.begin(), peers.end()}, one_way};
}

/// How far above this rank those lie that it sends to, and below it those that it receives from.
std::set<int> steps_of(const route::Route& route) {
    const int ranks = route.ranks();
    std::set<int> steps;
    for (const int target : peers_of(route.sends())) {
        steps.insert((target - route.rank() + ranks) % ranks);
    }
    for (const int source : peers_of(route.receives())) {
        steps.insert((route.rank() - source + ranks) % ranks);
    }
    steps.erase(0);
    return steps;
}

std::vector<Round> rounds_of(const Cargo& cargo, const route::Route& route, Mode mode) {
    if (mode == Mode::async) {
        return {{.in = cargo.in.all(), .out = cargo.out.all(), .within = cargo.within}};
    }
    const int rank = route.rank();
    const int ranks = route.ranks();
    std::vector<Round> rounds{{.in = {}, .out = {}, .within = cargo.within}};
    for (const int step : steps_of(route)) {
        const auto out = cargo.out.with((rank + step) % ranks);
        const auto in = cargo.in.with((rank + ranks - step) % ranks);
        for (std::size_t i = 0; i < std::max(out.size(), in.size()); ++i) {
            rounds.push_back({.in = in.subspan(std::min(i, in.size()), i < in.size() ? 1 : 0),
                              .out = out.subspan(std::min(i, out.size()), i < out.size() ? 1 : 0)});
        }
    }
    return rounds;
}

class Messages final : public transport::Transport {
public:
    Messages(const route::Route& route, Memory memory, Mode mode, mpi::CommunicatorPool::Loan& loan)
        : comm_(loan.comm()),
          notices_(notices_for(route, loan)),
          memory_(std::make_shared<Memory>(std::move(memory))) {
        for (const auto& cargo : memory_->cargos) {
            std::ranges::copy(rounds_of(cargo, route, mode), std::back_inserter(rounds_));
        }
        round_ = rounds_.size();
    }
    Messages(const Messages&) = delete;
    Messages& operator=(const Messages&) = delete;

    // What is sent cannot be cancelled without asking the receiver.
    ~Messages() override {
        for (auto i = next_; i < requests_.size() && mpi::is_usable(); ++i) {
            if (requests_[i] != MPI_REQUEST_NULL) {
                if (i < rounds_[round_].in.size()) {
                    MPI_Cancel(&requests_[i]);
                }
                MPI_Request_free(&requests_[i]);
            }
        }
        if (next_ < requests_.size()) {
            mpi::keep_for_ever(memory_);
        }
    }

    void start(std::uint64_t epoch) override {
        epoch_ = epoch;
        notices_.check_before(epoch);
        round_ = 0;
        begin_round();
    }

    bool progress() override {
        if (done()) {
            return false;
        }
        const auto before = next_;
        while (next_ < requests_.size() && is_over(requests_[next_])) {
            ++next_;
        }
        const bool advanced = next_ != before;
        if (next_ == requests_.size()) {
            end_round();
        } else if (!advanced) {
            notices_.check_now_and_then(epoch_);
        }
        return advanced;
    }

    [[nodiscard]] bool done() const override { return round_ == rounds_.size(); }

    [[nodiscard]] std::vector<int> awaited() const override {
        std::vector<int> ranks;
        for (auto i = next_; i < requests_.size(); ++i) {
            int done = 0;
            mpi::check(MPI_Request_get_status(requests_[i], &done, MPI_STATUS_IGNORE),
                       "MPI_Request_get_status");
            if (done == 0) {
                ranks.push_back(rounds_[round_].peer(i));
            }
        }
        return ranks;
    }

    [[nodiscard]] bool polls_mpi() const override { return true; }
    void announce(const transport::Breakage& breakage, std::uint64_t completed) override {
        notices_.send(breakage, completed);
    }

    /// Of an epoch.
    [[nodiscard]] std::uint64_t balance() const {
        std::uint64_t balance = 0;
        for (const auto& round : rounds_) {
            for (const auto& packet : round.out) {
                balance += mpi::weight_of_message(comm_.rank(), packet.peer);
            }
            for (const auto& packet : round.in) {
                balance -= mpi::weight_of_message(packet.peer, comm_.rank());
            }
        }
        return balance;
    }

    [[nodiscard]] std::string explain(const Options& options) const {
        std::size_t out = 0;
        std::size_t in = 0;
        std::int64_t bytes_out = 0;
        std::int64_t bytes_in = 0;
        for (const auto& cargo : memory_->cargos) {
            out += cargo.out.all().size();
            in += cargo.in.all().size();
            bytes_out += cargo.out.bytes();
            bytes_in += cargo.in.bytes();
        }
        std::ostringstream text;
        text << "rank " << comm_.rank() << " of " << comm_.size() << ": mode " << name(options.mode)
             << ", packing " << name(options.packing) << ", bundle " << name(options.bundle) << "; "
             << out << " messages of " << bytes_out << " bytes out, " << in << " of " << bytes_in
             << " bytes in\n";
        return text.str();
    }

private:
    static bool is_over(MPI_Request& request) {
        int done = 0;
        mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        return done != 0;
    }

    // Rounds without messages are over at once.
    void begin_round() {
        requests_.clear();
        next_ = 0;
        for (; !done(); ++round_) {
            post(rounds_[round_]);
            if (!requests_.empty()) {
                return;
            }
        }
    }

    void post(const Round& round) {
        for (const auto& packet : round.in) {
            mpi::check(
                MPI_Irecv(packet.place, packet.bytes, MPI_BYTE, packet.peer, transport::data_tag,
                          comm_.handle(), &requests_.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Irecv");
        }
        for (const auto& packet : round.out) {
            transport::execute(packet.moves);
            mpi::check(
                MPI_Isend(packet.place, packet.bytes, MPI_BYTE, packet.peer, transport::data_tag,
                          comm_.handle(), &requests_.emplace_back(MPI_REQUEST_NULL)),
                "MPI_Isend");
        }
        transport::execute(round.within);
    }

    void end_round() {
        for (const auto& packet : rounds_[round_].in) {
            transport::execute(packet.moves);
        }
        ++round_;
        begin_round();
    }

    const mpi::Communicator& comm_;
    transport::Notices notices_;
    std::shared_ptr<Memory> memory_;
    std::vector<Round> rounds_;
    std::size_t round_ = 0;
    std::vector<MPI_Request> requests_;  ///< of the round
    std::size_t next_ = 0;               ///< the first that is not known to be over
    std::uint64_t epoch_ = 0;
};

std::vector<std::string> rows_of(std::span<const Field> fields) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        words.push_back("field " + std::to_string(i) + " with rows of " +
                        std::to_string(fields[i].unit_bytes) + " bytes");
    }
    return words;
}

}  // namespace

exchange::Exchange bind_messages(const route::Route& route, Cells cells, MPI_Comm comm,
                                 std::span<const Field> fields, const Options& options) {
    const auto chosen = settled(options);
    auto carrier = std::make_unique<exchange::OneTransport>(exchange::KnownCommunicator::get(comm));
    mpi::agree(carrier->comm(), [&] {
        exchange::check_fields(route, carrier->comm(), fields, Operation::assign);
        auto messages = std::make_unique<Messages>(
            route,
            make_cargos(route, {.cells = cells, .packing = chosen.packing}, fields, chosen.bundle),
            chosen.mode, carrier->loan());
        const auto balance = messages->balance();
        auto explanation = messages->explain(chosen);
        carrier->carry_by(std::move(messages), balance, std::move(explanation));
    });
    mpi::agree_on(carrier->comm(), "redistributes", rows_of(fields));
    return exchange::Exchange(std::move(carrier));
}

}  // namespace transrank::redistribution
