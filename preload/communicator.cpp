// SPDX-License-Identifier: BSD-3-Clause
#include "communicator.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <sched.h>
#include <set>
#include <span>

#include "transrank/memory/control_groups.hpp"
#include "transrank/mpi/lifetime.hpp"
#include "waiting.hpp"

namespace transrank::carry {
namespace {

constexpr int calls_before = 2;
constexpr int enough_in_vain = 64;
constexpr int most_ranks = 64;
constexpr int few_ranks = 8;
constexpr int trials = 8;

extern "C" int transrank_forget_communicator(MPI_Comm /*comm*/, int /*key*/, void* value,
                                             void* /*extra*/) {
    delete static_cast<Communicator*>(value);
    return MPI_SUCCESS;
}

// Of the processes met so far, so that the next communicator finds them mapped.
struct Met {
    std::mutex mutex;
    std::set<std::shared_ptr<memory::NodeMate>> processes;
};

void remember(const std::shared_ptr<memory::NodeMate>& process) {
    auto& met = mpi::lasting<Met>();
    const std::lock_guard lock(met.mutex);
    met.processes.insert(process);
}

bool is_on_its_own(MPI_Comm comm) {
    int inter = 0;
    int size = 1;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &size);
    return inter != 0 || size < 2 || size > most_ranks;
}

// Set alike on all ranks: all is carried that can be, from the first call on.
bool carries_always() {
    static const bool asked = std::getenv("TRANSRANK_CARRY_ALWAYS") != nullptr;
    return asked;
}

}  // namespace

/// What ranks tell each other when they connect.
struct Communicator::Record {
    memory::NodeMate::Address address;
    memory::BlockHandle channels;
    double cores = 0;  ///< that its control group grants
    cpu_set_t usable{};
};

Communicator* Communicator::of(MPI_Comm comm) {
    static const int key = [] {
        int made = MPI_KEYVAL_INVALID;
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, transrank_forget_communicator, &made,
                                nullptr);
        return made;
    }();
    void* value = nullptr;
    int found = 0;
    if (comm == MPI_COMM_NULL || PMPI_Comm_get_attr(comm, key, &value, &found) != MPI_SUCCESS) {
        return nullptr;
    }
    if (found == 0) {
        auto made = std::make_unique<Communicator>(comm);
        if (PMPI_Comm_set_attr(comm, key, made.get()) != MPI_SUCCESS) {
            return nullptr;
        }
        value = made.release();  // MPI holds it now
    }
    return static_cast<Communicator*>(value);
}

Communicator::Communicator(MPI_Comm comm) : comm_(comm), passes_(is_on_its_own(comm)) {
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &size_);
}

Way Communicator::enter(Kind kind) {
    if (passes_) {
        return passed_in_vain_ >= enough_in_vain ? Way::slower : Way::refused;
    }
    auto& calls = calls_[static_cast<std::size_t>(kind)];
    if (calls < calls_before && !carries_always()) {
        ++calls;
        return Way::early;
    }
    if (!trials_ && !connect()) {
        passes_ = true;
        return Way::refused;
    }
    return Way::carried;
}

bool Communicator::agree(bool own) {
    int all = own ? 1 : 0;
    return PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm_) == MPI_SUCCESS &&
           all != 0;
}

bool Communicator::connect() {
    Record own;
    bool works = true;
    std::vector<Record> records(static_cast<std::size_t>(size_));
    try {
        portion_bytes_ = size_ <= few_ranks ? 32 << 10 : 8 << 10;
        const auto each = Channel::bytes(portion_bytes_);
        own_ = std::make_unique<memory::SharedBlock>(each * records.size());
        for (std::size_t rank = 0; rank < records.size(); ++rank) {
            Channel::prepare(own_->bytes().data() + (rank * each));
        }
        own.address = memory::NodeMate::own();
        own.channels = own_->handle();
        own.cores = memory::processor_quota().cores;
        sched_getaffinity(0, sizeof(own.usable), &own.usable);
    } catch (const std::exception&) {
        works = false;
    }
    if (PMPI_Allgather(&own, sizeof(own), MPI_BYTE, records.data(), sizeof(own), MPI_BYTE, comm_) !=
        MPI_SUCCESS) {
        return false;
    }
    try {
        reach(records);
        trials_ = std::make_unique<std::array<Trial, kinds * lengths>>();
    } catch (const std::exception&) {
        works = false;
    }
    if (!agree(works)) {
        mates_.clear();
        own_.reset();
        trials_.reset();
    }
    return trials_ != nullptr;
}

void Communicator::reach(const std::vector<Record>& records) {
    const auto each = Channel::bytes(portion_bytes_);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (const auto& record : records) {
        CPU_OR(&cores, &cores, &record.usable);
        crowded_ |= record.cores < size_;
    }
    crowded_ |= CPU_COUNT(&cores) < size_;
    for (std::size_t step = 1; step < records.size(); ++step) {
        const auto rank = (static_cast<std::size_t>(rank_) + step) % records.size();
        Mate mate{.rank = rank, .process = memory::NodeMate::get(records[rank].address)};
        remember(mate.process);
        mate.doorbell = &mate.process->doorbell();
        mate.theirs = std::make_unique<memory::MappedBlock>(records[rank].channels);
        mate.out = Channel(own_->bytes().data() + (rank * each), portion_bytes_);
        mate.in =
            Channel(mate.theirs->data() + (static_cast<std::size_t>(rank_) * each), portion_bytes_);
        mates_.push_back(std::move(mate));
    }
}

bool Communicator::has_lost_a_mate() const {
    return std::ranges::any_of(mates_, [](const auto& mate) { return mate.process->has_ended(); });
}

void Communicator::write_notes(Request& request) {
    ++asked_;
    for (const auto& mate : mates_) {
        auto& note = mate.out.note(asked_);
        note.refuses = request.refuses;
        note.in_place = request.in_place;
        note.nanoseconds = took_;
        note.most = std::max(request.sends.bytes, request.receives.bytes);
        if (!request.refuses) {
            auto& stream = request.sends.streams[mate.rank];
            note.bytes = stream.left();
            if (note.bytes <= Note::room) {
                stream.pack(note.data.data(), note.bytes);
            }
        }
        note.number.store(asked_, std::memory_order_release);
        mate.doorbell->ring();
    }
}

Way Communicator::ask(Request& request) {
    write_notes(request);
    auto most = std::max(request.sends.bytes, request.receives.bytes);
    bool refused = request.refuses;
    auto took = took_;
    auto next = mates_.begin();  // whose note is awaited
    const auto read = [&] {
        const auto& note = next->in.note(asked_);
        if (note.number.load(std::memory_order_acquire) != asked_) {
            return false;
        }
        most = std::max(most, note.most);
        took = std::max(took, note.nanoseconds);
        refused |= note.refuses || note.in_place != request.in_place;
        ++next;
        return true;
    };
    if (!wait(
            comm_, crowded_, read, [&] { return next == mates_.end(); },
            [&] { return has_lost_a_mate(); })) {
        passes_ = true;
        return Way::broken;
    }
    if (timed_ != nullptr) {
        auto& least = timed_->least[timed_carried_ ? 1 : 0];
        least = std::min(least, took);
        ++timed_->tried;
        timed_ = nullptr;
    }
    const auto way = refused ? Way::refused : decide(request.kind, most);
    passed_in_vain_ = way == Way::refused || way == Way::slower ? passed_in_vain_ + 1 : 0;
    passes_ = passed_in_vain_ >= enough_in_vain;
    return way;
}

Way Communicator::decide(Kind kind, std::int64_t most) {
    if (carries_always()) {
        return Way::carried;
    }
    const auto length = std::bit_width(static_cast<std::uint64_t>(most));
    auto& trial =
        (*trials_)[(static_cast<std::size_t>(kind) * lengths) + static_cast<std::size_t>(length)];
    if (trial.tried == trials) {
        return trial.least[1] <= trial.least[0] ? Way::carried : Way::slower;
    }
    // By turns of two, so that of two calls in alternation each is timed both ways.
    timed_ = &trial;
    timed_carried_ = (trial.tried + 1) / 2 % 2 == 1;
    return timed_carried_ ? Way::carried : Way::trial;
}

int Communicator::move(Request& request) {
    const auto portion = portion_bytes_;
    struct Leg {
        const Mate* mate;
        Stream* out;
        Stream* in;
        std::int64_t arriving;  ///< bytes, of which there may be more than this rank expects
        std::int64_t sent = 0;  ///< portions
        std::int64_t received = 0;
    };
    bool truncated = false;
    std::array<Leg, most_ranks> places{};
    std::size_t number = 0;
    const auto take = [&](Stream& in, const std::byte* from, std::int64_t bytes) {
        truncated |= bytes > in.left();
        in.unpack(from, std::min(bytes, in.left()));
    };
    for (const auto& mate : mates_) {
        const auto& note = mate.in.note(asked_);
        auto& in = request.receives.streams[mate.rank];
        if (note.bytes <= Note::room) {
            take(in, note.data.data(), note.bytes);
        }
        if (note.bytes > Note::room || request.sends.streams[mate.rank].left() > 0) {
            places[number++] = {.mate = &mate,
                                .out = &request.sends.streams[mate.rank],
                                .in = &in,
                                .arriving = note.bytes > Note::room ? note.bytes : 0};
        }
    }
    const auto legs = std::span(places).first(number);
    const auto advance = [&] {
        bool any = false;
        for (auto& leg : legs) {
            auto* const to = leg.out->left() > 0 ? leg.mate->out.vacant() : nullptr;
            if (to != nullptr) {
                leg.out->pack(to, std::min(portion, leg.out->left()));
                leg.mate->out.fill();
                ++leg.sent;
            }
            // In place, what is to be sent lies where this goes.
            const bool may = !request.in_place || leg.sent > leg.received || leg.out->left() == 0;
            const auto* const from = leg.arriving > 0 && may ? leg.mate->in.arrived() : nullptr;
            if (from != nullptr) {
                take(*leg.in, from, std::min(portion, leg.arriving));
                leg.arriving -= std::min(portion, leg.arriving);
                leg.mate->in.empty();
                ++leg.received;
            }
            if (to != nullptr || from != nullptr) {
                leg.mate->doorbell->ring();
                any = true;
            }
        }
        return any;
    };
    (void)advance();
    if (!request.in_place) {
        auto& out = request.sends.streams[static_cast<std::size_t>(rank_)];
        auto& in = request.receives.streams[static_cast<std::size_t>(rank_)];
        std::array<std::byte, 8 << 10> buffer;
        while (out.left() > 0) {
            const auto bytes = std::min<std::int64_t>(buffer.size(), out.left());
            out.pack(buffer.data(), bytes);
            take(in, buffer.data(), bytes);
        }
    }
    const auto is_over = [&] {
        return std::ranges::all_of(
            legs, [](const Leg& leg) { return leg.out->left() == 0 && leg.arriving == 0; });
    };
    if (!wait(comm_, crowded_, advance, is_over, [&] { return has_lost_a_mate(); })) {
        passes_ = true;
        return MPI_ERR_OTHER;
    }
    return truncated ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

}  // namespace transrank::carry
