// SPDX-License-Identifier: BSD-3-Clause
#include "communicator.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <exception>
#include <sched.h>
#include <set>

#include "summary.hpp"
#include "transrank/memory/control_groups.hpp"
#include "transrank/mpi/lifetime.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace transrank::carry {
namespace {

constexpr int calls_before = 2;
constexpr int enough_in_vain = 64;
constexpr int most_ranks = 64;
constexpr std::size_t lengths = 64;

extern "C" int transrank_forget_communicator(MPI_Comm /*comm*/, int /*key*/, void* value,
                                             void* /*extra*/) {
    delete static_cast<Communicator*>(value);
    return MPI_SUCCESS;
}

// Set alike on all ranks: all is carried that can be, from the first call on.
bool carries_always() {
    static const bool asked = std::getenv("TRANSRANK_CARRY_ALWAYS") != nullptr;
    return asked;
}

void relax() {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

}  // namespace

/// What ranks tell each other when they connect.
struct Communicator::Record {
    memory::NodeMate::Address address;
    memory::BlockHandle channels;
    double cores = 0;  ///< that its control group grants
    cpu_set_t usable{};
    bool works = false;
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

Communicator::Communicator(MPI_Comm comm) : comm_(comm) {
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &size_);
    passes_ = inter != 0 || size_ < 2 || size_ > most_ranks;
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
    passes_ = mates_.empty() && !connect();
    return passes_ ? Way::refused : Way::carried;
}

bool Communicator::connect() {
    constexpr int few_ranks = 8;
    const auto begin = Clock::now();
    Record own;
    std::vector<Record> records(static_cast<std::size_t>(size_));
    try {
        portion_bytes_ = size_ <= few_ranks ? 32 << 10 : 8 << 10;
        const auto each = Channel::bytes(static_cast<std::size_t>(portion_bytes_));
        own_ = std::make_unique<memory::SharedBlock>(each * records.size());
        for (std::size_t rank = 0; rank < records.size(); ++rank) {
            Channel::prepare(own_->bytes().data() + (rank * each));
        }
        static const auto quota = memory::processor_quota().cores;
        own.address = memory::NodeMate::own();
        own.channels = own_->handle();
        own.cores = quota;
        own.works = sched_getaffinity(0, sizeof(own.usable), &own.usable) == 0;
    } catch (const std::exception&) {
        own.works = false;
    }
    if (PMPI_Allgather(&own, sizeof(own), MPI_BYTE, records.data(), sizeof(own), MPI_BYTE, comm_) !=
        MPI_SUCCESS) {
        return false;
    }
    int all = 0;
    try {
        if (std::ranges::all_of(records, &Record::works)) {
            reach(records);
            trials_.resize(kinds * lengths);
            all = 1;
        }
    } catch (const std::exception&) {  // of another node
        all = 0;
    }
    if (PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm_) != MPI_SUCCESS || all == 0) {
        mates_.clear();
        own_.reset();
        return false;
    }
    count_connected(begin);
    return true;
}

void Communicator::reach(const std::vector<Record>& records) {
    // So that the next communicator finds the processes mapped.
    thread_local std::set<std::shared_ptr<memory::NodeMate>> met;
    const auto portion = static_cast<std::size_t>(portion_bytes_);
    const auto each = Channel::bytes(portion);
    const auto me = static_cast<std::size_t>(rank_);
    cpu_set_t cores;
    CPU_ZERO(&cores);
    for (const auto& record : records) {
        CPU_OR(&cores, &cores, &record.usable);
        crowded_ |= record.cores < size_;
    }
    crowded_ |= CPU_COUNT(&cores) < size_;
    for (std::size_t step = 1; step < records.size(); ++step) {
        const auto rank = (me + step) % records.size();
        auto process = memory::NodeMate::get(records[rank].address);
        auto theirs = std::make_unique<memory::MappedBlock>(records[rank].channels);
        const Channel out(own_->bytes().data() + (rank * each), portion);
        const Channel in(theirs->data() + (me * each), portion);
        met.insert(process);
        auto* const doorbell = &process->doorbell();
        mates_.push_back({rank, std::move(process), doorbell, std::move(theirs), out, in});
    }
}

// Calls `advance` until it says that all is done. Meanwhile it lets MPI make progress, since a peer
// may need that to come, and later sleeps until its doorbell rings. False: a peer has ended.
template <class Advance>
bool Communicator::wait(const Advance& advance) {
    using Seconds = std::chrono::duration<double>;
    constexpr int spins_with_own_core = 2000;
    constexpr int spins_in_a_crowd = 10;
    constexpr int unused_tag = 32767;
    constexpr Seconds polling{1e-3};
    constexpr Seconds between_looks{0.1};
    constexpr Seconds shortest{20e-6};
    constexpr Seconds longest{1e-3};
    constexpr double share = 1.0 / 64;  // of the time waited
    Clock::time_point begin;
    Clock::time_point looked;
    auto progress = advance();
    for (int idle = 0; progress != Progress::all; progress = advance()) {
        if (progress == Progress::some) {
            idle = 0;
            continue;
        }
        if (++idle < (crowded_ ? spins_in_a_crowd : spins_with_own_core)) {
            relax();
            continue;
        }
        const auto now = Clock::now();
        if (begin == Clock::time_point{}) {
            begin = looked = now;
        }
        // For a message that nobody sends: when one is found MPI makes no progress.
        int found = 0;
        PMPI_Iprobe(MPI_ANY_SOURCE, unused_tag, comm_, &found, MPI_STATUS_IGNORE);
        if (now - looked > between_looks) {
            looked = now;
            if (std::ranges::any_of(mates_,
                                    [](const auto& mate) { return mate.process->has_ended(); }) &&
                advance() == Progress::none) {
                return false;
            }
        }
        if (crowded_ || now - begin >= polling) {
            const auto sleep = std::clamp<Seconds>((now - begin) * share, shortest, longest);
            memory::own_doorbell().sleep(sleep.count(),
                                         [&] { return advance() != Progress::none; });
        }
    }
    return true;
}

void Communicator::write_notes(Request& request) {
    ++asked_;
    for (const auto& mate : mates_) {
        auto& note = mate.out.note(asked_);
        note.refuses = request.refuses;
        note.nanoseconds = nanoseconds_;
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
    auto next = mates_.begin();  // whose note is awaited
    const bool came = wait([&] {
        auto progress = Progress::none;
        for (; next != mates_.end(); ++next, progress = Progress::some) {
            const auto& note = next->in.note(asked_);
            if (note.number.load(std::memory_order_acquire) != asked_) {
                return progress;
            }
            most = std::max(most, note.most);
            nanoseconds_ = std::max(nanoseconds_, note.nanoseconds);
            refused |= note.refuses;
        }
        return Progress::all;
    });
    if (!came) {
        passes_ = true;
        return Way::broken;
    }
    if (timed_ != nullptr) {
        auto& least = timed_carried_ ? timed_->carried : timed_->by_mpi;
        least = std::min(least, nanoseconds_);
        ++timed_->tried;
        timed_ = nullptr;
    }
    nanoseconds_ = 0;
    const auto way = refused ? Way::refused : decide(request.kind, most);
    passed_in_vain_ = way == Way::refused || way == Way::slower ? passed_in_vain_ + 1 : 0;
    passes_ = passed_in_vain_ >= enough_in_vain;
    return way;
}

Way Communicator::decide(Kind kind, std::int64_t most) {
    constexpr int trials = 8;
    if (carries_always()) {
        return Way::carried;
    }
    const auto length = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(most)));
    auto& trial = trials_[(static_cast<std::size_t>(kind) * lengths) + length];
    if (trial.tried == trials) {
        return trial.carried <= trial.by_mpi ? Way::carried : Way::slower;
    }
    // By turns of two, so that of two calls in alternation each is timed both ways.
    timed_ = &trial;
    timed_carried_ = (trial.tried + 1) / 2 % 2 == 1;
    return timed_carried_ ? Way::carried : Way::trial;
}

void Communicator::took(Clock::duration time) {
    if (timed_ != nullptr) {
        nanoseconds_ = static_cast<std::uint32_t>(
            std::min<std::int64_t>(time / std::chrono::nanoseconds(1), UINT32_MAX));
    }
}

int Communicator::move(Request& request) {
    bool truncated = false;
    const auto take = [&](std::size_t rank, const std::byte* from, std::int64_t bytes) {
        auto& in = request.receives.streams[rank];
        truncated |= bytes > in.left();
        in.unpack(from, std::min(bytes, in.left()));
    };
    for (auto& mate : mates_) {
        const auto& note = mate.in.note(asked_);
        mate.arriving = note.bytes;
        if (note.bytes <= Note::room) {
            take(mate.rank, note.data.data(), note.bytes);
            mate.arriving = 0;
        }
    }
    const auto advance = [&] {
        auto progress = Progress::all;
        for (auto& mate : mates_) {
            auto& out = request.sends.streams[mate.rank];
            auto* const to = out.left() > 0 ? mate.out.vacant() : nullptr;
            if (to != nullptr) {
                out.pack(to, std::min(portion_bytes_, out.left()));
                mate.out.fill();
            }
            const auto* const from = mate.arriving > 0 ? mate.in.arrived() : nullptr;
            if (from != nullptr) {
                const auto bytes = std::min(portion_bytes_, mate.arriving);
                take(mate.rank, from, bytes);
                mate.arriving -= bytes;
                mate.in.empty();
            }
            if (to != nullptr || from != nullptr) {
                mate.doorbell->ring();
                progress = Progress::some;
            } else if (progress == Progress::all && (out.left() > 0 || mate.arriving > 0)) {
                progress = Progress::none;
            }
        }
        return progress;
    };
    (void)advance();
    auto& own = request.sends.streams[static_cast<std::size_t>(rank_)];
    std::array<std::byte, 8 << 10> buffer;
    while (own.left() > 0) {
        const auto bytes = std::min<std::int64_t>(buffer.size(), own.left());
        own.pack(buffer.data(), bytes);
        take(static_cast<std::size_t>(rank_), buffer.data(), bytes);
    }
    if (!wait(advance)) {
        passes_ = true;
        return MPI_ERR_OTHER;
    }
    return truncated ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

}  // namespace transrank::carry
