// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/one_sided/operation.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/measure/payload.hpp"
#include "lab/study/baseline/arrays.hpp"
#include "lab/study/baseline/rma_window.hpp"
#include "lab/study/named.hpp"
#include "lab/study/one_sided/actions.hpp"
#include "lab/study/one_sided/epochs.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::one_sided {
namespace {

Role role_of(const measure::Case& point, int rank) {
    const bool both = point.text("direction", one_way) == both_ways;
    return {.accesses = both || rank == 0, .exposes = both || rank == 1};
}

// In little-endian memory the first bytes of a number are its lowest: a shorter word.
static_assert(std::endian::native == std::endian::little);
std::uint64_t load(const std::byte* place, std::int64_t bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, place, static_cast<std::size_t>(bytes));
    return number;
}

/// What a rank exposes to a group of cases: a target the most that one of them needs.
Window make_window(const measure::Case& point, const Setting& setting) {
    const auto bytes = role_of(point, setting.comm.rank()).exposes
                           ? setting.largest_bytes * point.operations_per_repetition
                           : std::int64_t{0};
    const auto& kind = point.text("window");
    const auto memory = setting.workspace.receive(0, bytes, bytes);
    if (kind == "created") {
        return {memory, 1, setting.comm};
    }
    if (kind == "dynamic") {
        return {Window::Attached{}, memory, setting.comm};
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
          word_(word_of(point)),
          role_(role_of(point, setting.comm.rank())),
          give_(setting.workspace.send(0, point.send_bytes, point.send_bytes)),
          take_(setting.workspace.receive(0, point.send_bytes, point.send_bytes)),
          exposure_(shared_by(point.group,
                              [&] { return std::make_shared<Exposure<Epoch>>(point, setting); })) {}

    void fill(std::uint64_t stamp) override {
        meet();  // what has been done before is complete
        stamp_ = stamp;
        epochs_ = 0;
        if (role_.accesses) {
            contributed(give_, comm_.rank());
            if constexpr (takes) {
                measure::poison(take_);
            }
        }
        if (role_.exposes) {
            if constexpr (What::flow == Flow::from_target) {
                contributed(exposed(), other());
            } else if constexpr (What::flow == Flow::to_target) {
                measure::poison(exposed());
            } else {
                std::ranges::fill(exposed(), std::byte{0});
            }
        }
        meet();  // what is done next finds it filled
    }

    void run(std::int64_t repetitions) override {
        const auto& epoch = exposure_->epoch;
        for (std::int64_t i = 0; i < repetitions; ++i) {
            epoch.begin(role_);
            if (role_.accesses) {
                access_all();
            }
            epoch.end(role_);
            ++epochs_;
        }
    }

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        meet();
        std::uint64_t bytes = 0;
        if (role_.exposes) {
            if constexpr (What::flow == Flow::to_target) {
                bytes += check(exposed());
            } else if constexpr (What::flow != Flow::from_target) {
                bytes += check_sum(exposed(), epochs_);
            }
        }
        if (role_.accesses) {
            if constexpr (What::flow == Flow::from_target) {
                bytes += check(take_);
            } else if constexpr (takes) {
                bytes += check_sum(take_, epochs_ - 1);
            }
        }
        return bytes;
    }

private:
    static constexpr bool takes =
        What::flow == Flow::from_target || What::flow == Flow::adds_and_fetches;

    [[nodiscard]] int other() const noexcept { return 1 - comm_.rank(); }
    [[nodiscard]] std::span<std::byte> exposed() const noexcept {
        return exposure_->window.memory().first(give_.size());
    }
    /// Each rank has completed what it did, and sees what the other one did.
    void meet() const {
        exposure_->epoch.settle();
        mpi::check(MPI_Barrier(comm_.handle()), "MPI_Barrier");
        exposure_->epoch.settle();
    }

    void access_all() {
        if constexpr (std::is_same_v<What, CompareAndSwap>) {
            known_ = {epochs_, epochs_ + 1};
        }
        Access access{.window = exposure_->window.handle(),
                      .target = other(),
                      .give = give_.data(),
                      .take = take_.data(),
                      .known = known_.data(),
                      .bytes = bytes_,
                      .word = word_.handle,
                      .words = bytes_ / static_cast<int>(word_.bytes),
                      .place = exposure_->window.first(other())};
        for (int i = 0; i < in_flight_; ++i) {
            mpi::check(What::access(access), What::call);
            access.give += bytes_;
            access.take += bytes_;
            access.place += bytes_;
        }
    }

    /// What the rank that accesses gives, or gets.
    void contributed(std::span<std::byte> memory, int accessing) const {
        if constexpr (std::is_same_v<What, CompareAndSwap>) {
            std::ranges::fill(memory, std::byte{0});
            each_word(memory.size(), [&](std::size_t place) { memory[place] = std::byte{1}; });
        } else {
            payload(accessing).write(memory);
        }
    }
    [[nodiscard]] measure::Payload payload(int accessing) const {
        return {.source = accessing, .target = 1 - accessing, .stamp = stamp_};
    }
    /// Of this rank where it got them, else of the other one.
    [[nodiscard]] std::uint64_t check(std::span<const std::byte> memory) const {
        payload(What::flow == Flow::from_target ? comm_.rank() : other()).check(memory);
        return memory.size();
    }
    /// Of additions of the words of the only rank that accesses. Beyond the largest word they begin
    /// again at 0 or, in Open MPI those of 8 bits, end there: MPI leaves it open.
    [[nodiscard]] std::uint64_t check_sum(std::span<const std::byte> memory,
                                          std::uint64_t additions) const {
        std::vector<std::byte> each(memory.size());
        contributed(each, role_.accesses ? comm_.rank() : other());
        each_word(memory.size(), [&](std::size_t place) {
            const auto found = load(memory.data() + place, word_.bytes);
            const auto sum = load(each.data() + place, word_.bytes) * additions;
            const auto expected = sum & largest_word();
            if (found != expected && found != std::min(sum, largest_word())) {
                throw measure::WrongPayload("wrong data: byte " + std::to_string(place) + " of " +
                                            std::string(What::action.name) + " after " +
                                            std::to_string(additions) + " additions: found " +
                                            std::to_string(found) + ", expected " +
                                            std::to_string(expected));
            }
        });
        return memory.size();
    }
    [[nodiscard]] std::uint64_t largest_word() const noexcept {
        return ~std::uint64_t{0} >>
               (8 * (sizeof(std::uint64_t) - static_cast<std::size_t>(word_.bytes)));
    }
    template <class Visit>
    void each_word(std::size_t bytes, const Visit& visit) const {
        for (std::size_t place = 0; place < bytes; place += static_cast<std::size_t>(word_.bytes)) {
            visit(place);
        }
    }

    const mpi::Communicator& comm_;
    int bytes_;
    int in_flight_;
    const Word& word_;
    Role role_;
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

constexpr std::array epochs{Flush<AtTarget>::name, Fence::name,  Post::name, Lock::name,
                            Flush<AtOrigin>::name, LockAll::name};

/// An action, and what makes a case of it for each of the epochs, in their order.
struct Row : Action {
    std::array<Made (*)(const measure::Case& point, const Setting& setting), epochs.size()> make;
};

template <class What>
constexpr Row row{What::action,
                  {make_one<What, Flush<AtTarget>>, make_one<What, Fence>, make_one<What, Post>,
                   make_one<What, Lock>, make_one<What, Flush<AtOrigin>>, make_one<What, LockAll>}};

constexpr std::array table{row<Put>,           row<Get>,        row<Accumulate>,
                           row<GetAccumulate>, row<FetchAndOp>, row<CompareAndSwap>};

}  // namespace

std::span<const Word> words() {
    static const std::array known{
        Word{.name = "uint64", .handle = MPI_UINT64_T, .bytes = sizeof(std::uint64_t)},
        Word{.name = "uint32", .handle = MPI_UINT32_T, .bytes = sizeof(std::uint32_t)},
        Word{.name = "uint8", .handle = MPI_UINT8_T, .bytes = sizeof(std::uint8_t)}};
    return known;
}

const Word& word_of(const measure::Case& point) {
    return named(words(), point.text("word", words().front().name), "word");
}

std::vector<std::string> action_names() {
    return names_of(table);
}

const Action& find_action(std::string_view name) {
    return named(table, name, "one-sided operation");
}

std::vector<std::string> epoch_names() {
    return {epochs.begin(), epochs.end()};
}

std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                   const Setting& setting) {
    const auto epoch = std::ranges::find(epochs, point.text("epoch")) - epochs.begin();
    return named(table, point.text("operation"), "one-sided operation")
        .make.at(static_cast<std::size_t>(epoch))(point, setting);
}

}  // namespace transrank::lab::study::one_sided
