// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/one_sided/operation.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/measure/payload.hpp"
#include "lab/study/arrays.hpp"
#include "lab/study/rma_window.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::one_sided {
namespace {

constexpr int origin = 0;
constexpr int target = 1;

/// One operation on `bytes` of the target's window.
struct Access {
    MPI_Win window;
    const std::byte* give;
    std::byte* take;
    const std::uint64_t* known;  ///< what the word holds, for MPI_Compare_and_swap
    int bytes;
    MPI_Aint place;

    [[nodiscard]] int words() const noexcept { return bytes / static_cast<int>(word_bytes); }
};

// What flows where decides what is filled and checked: data to the target, data from it, or words
// that the target adds up, whose sum before the last addition may come back.
enum class Flow : std::uint8_t { to_target, from_target, adds, adds_and_fetches };

struct Put {
    static constexpr Action action{.name = "put"};
    static constexpr Flow flow = Flow::to_target;
    static constexpr const char* call = "MPI_Put";
    static int access(const Access& a) {
        return MPI_Put(a.give, a.bytes, MPI_BYTE, target, a.place, a.bytes, MPI_BYTE, a.window);
    }
};

struct Get {
    static constexpr Action action{.name = "get"};
    static constexpr Flow flow = Flow::from_target;
    static constexpr const char* call = "MPI_Get";
    static int access(const Access& a) {
        return MPI_Get(a.take, a.bytes, MPI_BYTE, target, a.place, a.bytes, MPI_BYTE, a.window);
    }
};

struct Accumulate {
    static constexpr Action action{.name = "accumulate", .words = true};
    static constexpr Flow flow = Flow::adds;
    static constexpr const char* call = "MPI_Accumulate";
    static int access(const Access& a) {
        return MPI_Accumulate(a.give, a.words(), MPI_UINT64_T, target, a.place, a.words(),
                              MPI_UINT64_T, MPI_SUM, a.window);
    }
};

struct GetAccumulate {
    static constexpr Action action{.name = "get-accumulate", .words = true};
    static constexpr Flow flow = Flow::adds_and_fetches;
    static constexpr const char* call = "MPI_Get_accumulate";
    static int access(const Access& a) {
        return MPI_Get_accumulate(a.give, a.words(), MPI_UINT64_T, a.take, a.words(), MPI_UINT64_T,
                                  target, a.place, a.words(), MPI_UINT64_T, MPI_SUM, a.window);
    }
};

struct FetchAndOp {
    static constexpr Action action{.name = "fetch-and-op", .words = true, .one_word = true};
    static constexpr Flow flow = Flow::adds_and_fetches;
    static constexpr const char* call = "MPI_Fetch_and_op";
    static int access(const Access& a) {
        return MPI_Fetch_and_op(a.give, a.take, MPI_UINT64_T, target, a.place, MPI_SUM, a.window);
    }
};

/// Each swaps in one more than the word holds: it adds 1.
struct CompareAndSwap {
    static constexpr Action action{.name = "compare-and-swap", .words = true, .one_word = true};
    static constexpr Flow flow = Flow::adds_and_fetches;
    static constexpr const char* call = "MPI_Compare_and_swap";
    static int access(const Access& a) {
        return MPI_Compare_and_swap(a.known + 1, a.known, a.take, MPI_UINT64_T, target, a.place,
                                    a.window);
    }
};

// How operations of an epoch are completed; each object lives as long as its window, and what is
// open throughout is opened and closed with it.

class Flush {
public:
    static constexpr std::string_view name = "flush";
    Flush(const Window& window, const mpi::Communicator& /*comm*/) : window_(window) {
        mpi::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window.handle()), "MPI_Win_lock_all");
    }
    Flush(const Flush&) = delete;
    Flush& operator=(const Flush&) = delete;
    ~Flush() {
        if (window_.ends_together()) {
            MPI_Win_unlock_all(window_.handle());
        }
    }
    void begin() const {}
    void end() const { mpi::check(MPI_Win_flush(target, window_.handle()), "MPI_Win_flush"); }
    void expose() const {}
    void settle() const { mpi::check(MPI_Win_sync(window_.handle()), "MPI_Win_sync"); }

private:
    const Window& window_;
};

class Fence {
public:
    static constexpr std::string_view name = "fence";
    Fence(const Window& window, const mpi::Communicator& /*comm*/) : window_(window) { fence(0); }
    Fence(const Fence&) = delete;
    Fence& operator=(const Fence&) = delete;
    ~Fence() {
        if (window_.ends_together()) {
            MPI_Win_fence(MPI_MODE_NOSUCCEED, window_.handle());
        }
    }
    void begin() const {}
    void end() const { fence(0); }
    void expose() const { fence(0); }
    void settle() const {}

private:
    void fence(int assertions) const {
        mpi::check(MPI_Win_fence(assertions, window_.handle()), "MPI_Win_fence");
    }
    const Window& window_;
};

class Post {
public:
    static constexpr std::string_view name = "post";
    Post(const Window& window, const mpi::Communicator& comm)
        : window_(window), other_({comm.rank() == origin ? target : origin}, comm) {}
    void begin() const {
        mpi::check(MPI_Win_start(other_.handle(), 0, window_.handle()), "MPI_Win_start");
    }
    void end() const { mpi::check(MPI_Win_complete(window_.handle()), "MPI_Win_complete"); }
    void expose() const {
        mpi::check(MPI_Win_post(other_.handle(), 0, window_.handle()), "MPI_Win_post");
        mpi::check(MPI_Win_wait(window_.handle()), "MPI_Win_wait");
    }
    void settle() const {}

private:
    const Window& window_;
    RankGroup other_;
};

class Lock {
public:
    static constexpr std::string_view name = "lock";
    Lock(const Window& window, const mpi::Communicator& /*comm*/) : window_(window) {}
    void begin() const {
        mpi::check(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window_.handle()), "MPI_Win_lock");
    }
    void end() const { mpi::check(MPI_Win_unlock(target, window_.handle()), "MPI_Win_unlock"); }
    void expose() const {}
    void settle() const {}

private:
    const Window& window_;
};

/// What a rank exposes to a group of cases: the target the most that one of them needs.
Window make_window(const measure::Case& point, const Setting& setting) {
    const auto bytes = setting.comm.rank() == target
                           ? setting.largest_bytes * point.operations_per_repetition
                           : std::int64_t{0};
    const auto& kind = point.text("window");
    if (kind == "created") {
        return {setting.workspace.receive(0, bytes, bytes), 1, setting.comm};
    }
    if (kind == "shared" && setting.comm.split_node().size() != setting.comm.size()) {
        throw std::runtime_error("a shared window needs both ranks on one node");
    }
    const auto how = kind == "shared" ? Window::Allocated::shared : Window::Allocated::privately;
    return {how, bytes, 1, setting.comm};
}

/// A window and its epochs, shared by the cases of a group.
template <class Epoch>
struct Exposure {
    Exposure(const measure::Case& point, const Setting& setting)
        : window(make_window(point, setting)), epoch(window, setting.comm) {}
    Window window;
    Epoch epoch;
};

template <class What, class Epoch>
class OneSided final : public measure::Operation {
public:
    OneSided(const measure::Case& point, const Setting& setting)
        : comm_(setting.comm),
          bytes_(static_cast<int>(point.number("bytes"))),
          in_flight_(point.operations_per_repetition),
          give_(setting.workspace.send(0, point.send_bytes, point.send_bytes)),
          take_(setting.workspace.receive(0, point.send_bytes, point.send_bytes)),
          exposure_(shared_by(point.group,
                              [&] { return std::make_shared<Exposure<Epoch>>(point, setting); })) {}

    void fill(std::uint64_t stamp) override {
        meet();  // what the origin has done before is complete
        stamp_ = stamp;
        epochs_ = 0;
        if (rank() == origin) {
            contributed(give_);
            measure::poison(take_);
        } else if constexpr (What::flow == Flow::from_target) {
            contributed(exposed());
        } else if constexpr (What::flow == Flow::to_target) {
            measure::poison(exposed());
        } else {
            std::ranges::fill(exposed(), std::byte{0});
        }
        exposure_->epoch.settle();
        meet();  // what the origin does next finds it filled
    }

    void run(std::int64_t repetitions) override {
        const auto& epoch = exposure_->epoch;
        for (std::int64_t i = 0; i < repetitions; ++i) {
            if (rank() == origin) {
                epoch.begin();
                access_all();
                epoch.end();
            } else {
                epoch.expose();
            }
            ++epochs_;
        }
    }

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        meet();
        exposure_->epoch.settle();
        if constexpr (What::flow == Flow::to_target) {
            return rank() == target ? check(exposed()) : 0;
        } else if constexpr (What::flow == Flow::from_target) {
            return rank() == origin ? check(take_) : 0;
        } else if constexpr (What::flow == Flow::adds) {
            return rank() == target ? check_sum(exposed(), epochs_) : 0;
        } else {
            return rank() == target ? check_sum(exposed(), epochs_) : check_sum(take_, epochs_ - 1);
        }
    }

private:
    [[nodiscard]] int rank() const noexcept { return comm_.rank(); }
    [[nodiscard]] std::span<std::byte> exposed() const noexcept {
        return exposure_->window.memory().first(give_.size());
    }
    void meet() const { mpi::check(MPI_Barrier(comm_.handle()), "MPI_Barrier"); }

    void access_all() {
        // The words of this epoch, for MPI_Compare_and_swap.
        known_ = {epochs_, epochs_ + 1};
        for (int i = 0; i < in_flight_; ++i) {
            const auto place = static_cast<std::ptrdiff_t>(i) * bytes_;
            mpi::check(What::access({.window = exposure_->window.handle(),
                                     .give = give_.data() + place,
                                     .take = take_.data() + place,
                                     .known = known_.data(),
                                     .bytes = bytes_,
                                     .place = place}),
                       What::call);
        }
    }

    [[nodiscard]] measure::Payload payload() const {
        return {.source = origin, .target = target, .stamp = stamp_};
    }
    /// What the origin gives, or gets.
    void contributed(std::span<std::byte> memory) const {
        if constexpr (std::is_same_v<What, CompareAndSwap>) {
            std::ranges::fill(words(memory), std::uint64_t{1});
        } else {
            payload().write(memory);
        }
    }
    [[nodiscard]] std::uint64_t check(std::span<const std::byte> memory) const {
        payload().check(memory);
        return memory.size();
    }
    /// Of additions of the origin's words, modulo 2^64.
    [[nodiscard]] std::uint64_t check_sum(std::span<std::byte> memory,
                                          std::uint64_t additions) const {
        std::vector<std::byte> each(memory.size());
        contributed(each);
        const auto found = words(memory);
        const auto added = words(each);
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i] != added[i] * additions) {
                throw measure::WrongPayload("wrong data: word " + std::to_string(i) + " of " +
                                            std::string(What::action.name) + " after " +
                                            std::to_string(additions) + " additions: found " +
                                            std::to_string(found[i]) + ", expected " +
                                            std::to_string(added[i] * additions));
            }
        }
        return memory.size();
    }
    [[nodiscard]] static std::span<std::uint64_t> words(std::span<std::byte> memory) {
        return {reinterpret_cast<std::uint64_t*>(memory.data()), memory.size() / word_bytes};
    }

    const mpi::Communicator& comm_;
    int bytes_;
    int in_flight_;
    std::span<std::byte> give_;
    std::span<std::byte> take_;
    std::shared_ptr<Exposure<Epoch>> exposure_;
    std::array<std::uint64_t, 2> known_{};
    std::uint64_t stamp_ = 0;
    std::uint64_t epochs_ = 0;  ///< since the last fill
};

using Made = std::unique_ptr<measure::Operation>;

template <class What, class Epoch>
Made make_one(const measure::Case& point, const Setting& setting) {
    return std::make_unique<OneSided<What, Epoch>>(point, setting);
}

constexpr std::array epochs{Flush::name, Fence::name, Post::name, Lock::name};

/// An action, and what makes a case of it for each of the epochs, in their order.
struct Row {
    Action action;
    std::array<Made (*)(const measure::Case& point, const Setting& setting), epochs.size()> make;
};

template <class What>
constexpr Row row{
    What::action,
    {make_one<What, Flush>, make_one<What, Fence>, make_one<What, Post>, make_one<What, Lock>}};

constexpr std::array table{row<Put>,           row<Get>,        row<Accumulate>,
                           row<GetAccumulate>, row<FetchAndOp>, row<CompareAndSwap>};

const Row& find_row(std::string_view name) {
    const auto named = [](const Row& each) { return each.action.name; };
    const auto found = std::ranges::find(table, name, named);
    if (found == table.end()) {
        throw std::out_of_range("no one-sided operation '" + std::string(name) + "'");
    }
    return *found;
}

}  // namespace

std::vector<std::string> action_names() {
    std::vector<std::string> names;
    for (const auto& each : table) {
        names.emplace_back(each.action.name);
    }
    return names;
}

const Action& find_action(std::string_view name) {
    return find_row(name).action;
}

std::vector<std::string> epoch_names() {
    return {epochs.begin(), epochs.end()};
}

std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                   const Setting& setting) {
    const auto epoch = std::ranges::find(epochs, point.text("epoch")) - epochs.begin();
    return find_row(point.text("operation"))
        .make.at(static_cast<std::size_t>(epoch))(point, setting);
}

}  // namespace transrank::lab::study::one_sided
