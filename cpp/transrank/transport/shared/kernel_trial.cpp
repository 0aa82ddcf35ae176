// SPDX-License-Identifier: BSD-3-Clause
// As with the thresholds both ranks rewrite, move and read. Data that nobody rewrites move by one
// copy in half the time or less, so a small gain does not count.
#include "transrank/transport/shared/kernel_trial.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "transrank/memory/process_reader.hpp"
#include "transrank/transport/shared/pair_trial.hpp"
#include "transrank/transport/timings.hpp"

namespace transrank::transport {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t block_bytes = std::size_t{1} << 17U;
constexpr int rounds = 3;
constexpr double least_gain = 1.3;

struct Area {
    Flag met;
    std::uint64_t source;  ///< the address of what the other one reads
    std::array<std::byte, block_bytes> box;
};
using Areas = std::array<Area, 2>;

class Trial {
public:
    Trial(Areas& areas, std::size_t which, std::int64_t process)
        : own_(areas.at(which)),
          other_(areas.at(1 - which)),
          meeting_(own_.met, other_.met),
          process_(process) {}

    std::optional<bool> measure() {
        own_.source = reinterpret_cast<std::uintptr_t>(source_.data());
        Twice by_kernel{};
        Twice staged{};
        for (std::size_t k = 0; k < staged.size(); ++k) {
            by_kernel.at(k) = least_of(rounds, [&] { return seconds([&] { read(); }); });
            staged.at(k) = least_of(rounds, [&] { return seconds_staged(); });
        }
        const bool is_faster = advantage(by_kernel, staged) > std::log(least_gain);
        return meeting_.is_late() ? std::nullopt : std::optional(is_faster);
    }

private:
    double seconds_staged() {
        return seconds([&] { std::memcpy(destination_.data(), other_.box.data(), block_bytes); },
                       [&] { std::memcpy(own_.box.data(), source_.data(), block_bytes); });
    }

    template <class Move, class Pack = void (*)()>
    double seconds(const Move& move, const Pack& pack = [] {}) {
        const auto begin = Clock::now();
        std::ranges::fill(source_, ++number_);
        pack();
        meeting_.meet();
        if (!meeting_.is_late()) {
            move();
        }
        meeting_.meet();
        const auto sum = std::reduce(destination_.begin(), destination_.end());
        asm volatile("" : : "r"(sum));  // the reading is not optimised away
        return std::chrono::duration<double>(Clock::now() - begin).count();
    }

    void read() {
        memory::ProcessReader reader(process_);
        reader.read(other_.source, destination_.data(), block_bytes);
        reader.finish();
    }

    Area& own_;
    Area& other_;
    Meeting meeting_;
    std::int64_t process_;
    std::vector<std::uint64_t> source_ = std::vector<std::uint64_t>(block_bytes / 8);
    std::vector<std::uint64_t> destination_ = source_;
    std::uint64_t number_ = 0;
};

}  // namespace

std::optional<bool> staging_is_faster(const mpi::Communicator& comm, int peer,
                                      const memory::WatchedProcess& process) {
    return measured_with<Areas, bool>(comm, peer, [&](Areas& areas, std::size_t which) {
        return Trial(areas, which, process.number()).measure();
    });
}

}  // namespace transrank::transport
