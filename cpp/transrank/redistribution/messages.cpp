// SPDX-License-Identifier: BSD-3-Clause
// The options of ESMF's route handles. Asynchronous: every message is posted at once, MPI_Isend and
// MPI_Irecv. Synchronous: MPI_Sendrecv with one pair of peers after the other; in step k every rank
// sends to the k-th rank above it and receives from the k-th below, so none waits in a circle.
#include "transrank/redistribution/messages.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "transrank/exchange/exchange.hpp"
#include "transrank/exchange/fields.hpp"
#include "transrank/exchange/known_communicator.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/mpi/error.hpp"
#include "transrank/redistribution/packet.hpp"

namespace transrank::redistribution {
namespace {

using transport::Field;
using transport::Operation;

constexpr int tag = 0;

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

Options settled(Options options) {
    options.mode = options.mode == Mode::automatic ? Mode::async : options.mode;
    options.packing = options.packing == Packing::automatic ? Packing::per_peer : options.packing;
    options.bundle = options.bundle == Bundle::automatic ? Bundle::together : options.bundle;
    return options;
}

class Messages final : public Movement {
public:
    Messages(const route::Route& route, Cells cells, MPI_Comm comm, std::span<const Field> fields,
             const Options& options)
        : options_(settled(options)),
          known_(exchange::KnownCommunicator::get(comm)),
          loan_(known_->borrow()) {
        mpi::agree(loan_.comm(), [&] {
            exchange::check_fields(route, loan_.comm(), fields, Operation::assign);
            make_cargos(route, {.cells = cells, .packing = options_.packing}, fields);
        });
        mpi::agree_on(loan_.comm(), "redistributes", rows_of(fields));
        find_steps(route);
    }

    ~Messages() override {
        loan_.settle(balance_);
        if (!whole_) {
            loan_.spoil();
        }
    }

    bool run_for(double /*seconds*/) override {
        whole_ = false;
        for (const auto& cargo : cargos_) {
            options_.mode == Mode::sync ? run_in_steps(cargo) : run_at_once(cargo);
            balance_ += cargo.out.all().size() - cargo.in.all().size();
        }
        whole_ = true;
        return true;
    }

    [[noreturn]] void abandon(const std::string& why) override { throw exchange::Misuse(why); }

    [[nodiscard]] std::string explain() const override {
        std::size_t out = 0;
        std::size_t in = 0;
        std::int64_t bytes_out = 0;
        std::int64_t bytes_in = 0;
        for (const auto& cargo : cargos_) {
            out += cargo.out.all().size();
            in += cargo.in.all().size();
            bytes_out += cargo.out.bytes();
            bytes_in += cargo.in.bytes();
        }
        std::ostringstream text;
        text << "rank " << loan_.comm().rank() << " of " << loan_.comm().size() << ": mode "
             << name(options_.mode) << ", packing " << name(options_.packing) << ", bundle "
             << name(options_.bundle) << "; " << out << " messages of " << bytes_out
             << " bytes out, " << in << " of " << bytes_in << " bytes in\n";
        return text.str();
    }

private:
    static std::vector<std::string> rows_of(std::span<const Field> fields) {
        std::vector<std::string> words;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            words.push_back("field " + std::to_string(i) + " with rows of " +
                            std::to_string(fields[i].unit_bytes) + " bytes");
        }
        return words;
    }

    void make_cargos(const route::Route& route, const Cut& cut, std::span<const Field> fields) {
        const std::size_t each = options_.bundle == Bundle::per_field ? 1 : fields.size();
        for (std::size_t i = 0; i < fields.size(); i += each) {
            cargos_.emplace_back(route, cut, fields.subspan(i, each));
        }
    }

    /// How far above this rank those lie that it sends to, and below it those that it receives
    /// from.
    void find_steps(const route::Route& route) {
        const int ranks = route.ranks();
        std::set<int> steps;
        for (const auto& leg : route.sends()) {
            steps.insert((leg.peer - route.rank() + ranks) % ranks);
        }
        for (const auto& leg : route.receives()) {
            steps.insert((route.rank() - leg.peer + ranks) % ranks);
        }
        steps.erase(0);
        steps_.assign(steps.begin(), steps.end());
    }

    void run_at_once(const Cargo& cargo) {
        requests_.clear();
        for (const auto& packet : cargo.in.all()) {
            mpi::check(MPI_Irecv(packet.place, packet.bytes, MPI_BYTE, packet.peer, tag,
                                 loan_.comm().handle(), &requests_.emplace_back(MPI_REQUEST_NULL)),
                       "MPI_Irecv");
        }
        for (const auto& packet : cargo.out.all()) {
            transport::execute(packet.moves);
            mpi::check(MPI_Isend(packet.place, packet.bytes, MPI_BYTE, packet.peer, tag,
                                 loan_.comm().handle(), &requests_.emplace_back(MPI_REQUEST_NULL)),
                       "MPI_Isend");
        }
        transport::execute(cargo.within);
        mpi::check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
        for (const auto& packet : cargo.in.all()) {
            transport::execute(packet.moves);
        }
    }

    void run_in_steps(const Cargo& cargo) const {
        const int rank = loan_.comm().rank();
        const int ranks = loan_.comm().size();
        transport::execute(cargo.within);
        for (const int step : steps_) {
            const auto out = cargo.out.with((rank + step) % ranks);
            const auto in = cargo.in.with((rank + ranks - step) % ranks);
            for (std::size_t i = 0; i < std::max(out.size(), in.size()); ++i) {
                swap(i < out.size() ? &out[i] : nullptr, i < in.size() ? &in[i] : nullptr);
            }
        }
    }

    void swap(const Packet* out, const Packet* in) const {
        static const Packet nothing{
            .peer = MPI_PROC_NULL, .bytes = 0, .place = nullptr, .moves = {}};
        const Packet& sent = out == nullptr ? nothing : *out;
        const Packet& received = in == nullptr ? nothing : *in;
        transport::execute(sent.moves);
        mpi::check(MPI_Sendrecv(sent.place, sent.bytes, MPI_BYTE, sent.peer, tag, received.place,
                                received.bytes, MPI_BYTE, received.peer, tag, loan_.comm().handle(),
                                MPI_STATUS_IGNORE),
                   "MPI_Sendrecv");
        transport::execute(received.moves);
    }

    Options options_;
    std::shared_ptr<exchange::KnownCommunicator> known_;
    mpi::CommunicatorPool::Loan loan_;
    std::vector<Cargo> cargos_;
    std::vector<int> steps_;
    std::vector<MPI_Request> requests_;
    std::uint64_t balance_ = 0;  // messages sent less those received
    bool whole_ = true;
};

}  // namespace

std::unique_ptr<Movement> bind_messages(const route::Route& route, Cells cells, MPI_Comm comm,
                                        std::span<const Field> fields, const Options& options) {
    return std::make_unique<Messages>(route, cells, comm, fields, options);
}

}  // namespace transrank::redistribution
