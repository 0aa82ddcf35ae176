// SPDX-License-Identifier: BSD-3-Clause
// An alltoall of the program's own arrays by `auto` and by each way that it chooses among, in
// turns:
//     mpiexec -n 2 alltoall_choice
// Blocks of one length, and of unequal ones with that mean. Unmodified: nothing but the alltoall is
// timed. Rewritten: before it each rank rewrites what it sends, and within the time it reads what
// has arrived. Prints a JSON object: seconds of the slowest rank (10th percentile of the rounds) by
// `KIND BYTES MODE WAY`; what `auto` has chosen by `KIND BYTES`; and `line`, the seconds in which a
// cache line goes from one core to the other, if that could be measured.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/runner/core_latency.hpp"
#include "lab/text/json.hpp"
#include "transrank/collective/alltoall.hpp"
#include "world.hpp"

namespace {

using namespace transrank;
using collective::Alltoall;

constexpr std::array ways{"auto", "on-node-direct", "linear", "mpi"};
constexpr std::array<std::int64_t, 11> lengths{8,      64,     512,    4096,    16384,  65536,
                                               131072, 262144, 524288, 1048576, 4194304};
constexpr int looks = 5;
constexpr std::int64_t most_rounds = 200;
constexpr std::int64_t least_rounds = 15;
constexpr std::int64_t bytes_of_rounds = std::int64_t{1} << 24U;

double seconds_of_slowest(double seconds) {
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

double tenth_percentile(std::vector<double> values) {
    const auto place = values.begin() + (std::ssize(values) / 10);
    std::ranges::nth_element(values, place);
    return *place;
}

/// One length of blocks, in arrays of 8-byte words.
class Case {
public:
    Case(const World& world, std::int64_t bytes, bool equal)
        : world_(world), bytes_(bytes), equal_(equal), blocks_(blocks()) {
        send_.resize(static_cast<std::size_t>(words_of(blocks_.send_bytes)));
        receive_.resize(static_cast<std::size_t>(words_of(blocks_.receive_bytes)));
        for (const auto* way : ways) {
            collective::AlltoallOptions options;
            options.algorithm = way;
            bound_.push_back(equal ? std::make_unique<Alltoall>(MPI_COMM_WORLD, send_.data(),
                                                                receive_.data(), bytes, options)
                                   : std::make_unique<Alltoall>(MPI_COMM_WORLD, send_.data(),
                                                                receive_.data(), blocks_, options));
        }
        name_ = std::string(equal ? "equal " : "unequal ") + std::to_string(bytes);
    }

    void measure() {
        const auto rounds = std::clamp(bytes_of_rounds / bytes_, least_rounds, most_rounds);
        for (std::int64_t round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < ways.size(); ++i) {
                const auto way = (i + static_cast<std::size_t>(round)) % ways.size();
                measure(way, false);
                measure(way, true);
            }
        }
    }

    void report(lab::text::JsonWriter& json) const {
        for (const auto& [name, seconds] : seconds_) {
            json.key(name_ + " " + name).value(tenth_percentile(seconds));
        }
        json.key(name_).value(std::string(bound_.front()->algorithm()));
    }

private:
    /// Unequal blocks: half the mean to the rank itself, and each rank a word more than the last.
    [[nodiscard]] std::int64_t length(int from, int to) const {
        return equal_ ? bytes_ : ((bytes_ * (from == to ? 1 : 3) / 16) + from) * 8;
    }

    [[nodiscard]] collective::Blocks blocks() const {
        collective::Blocks blocks;
        std::int64_t sent = 0;
        std::int64_t received = 0;
        for (int peer = 0; peer < world_.size; ++peer) {
            blocks.send_offsets.push_back(sent);
            blocks.send_bytes.push_back(length(world_.rank, peer));
            sent += blocks.send_bytes.back();
            blocks.receive_offsets.push_back(received);
            blocks.receive_bytes.push_back(length(peer, world_.rank));
            received += blocks.receive_bytes.back();
        }
        return blocks;
    }

    static std::int64_t words_of(const std::vector<std::int64_t>& bytes) {
        return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}) / 8;
    }

    void rewrite() {
        std::iota(send_.begin(), send_.end(),
                  (++written_ << 32U) + (static_cast<std::uint64_t>(world_.rank) << 28U));
    }

    /// What has arrived is what the others wrote last.
    void check() const {
        for (int peer = 0; peer < world_.size; ++peer) {
            const auto at = static_cast<std::size_t>(peer);
            std::int64_t before = 0;  // in the peer's array
            for (int rank = 0; rank < world_.rank; ++rank) {
                before += length(peer, rank);
            }
            for (std::int64_t i = 0; i < blocks_.receive_bytes[at] / 8; ++i) {
                const auto wanted = (written_ << 32U) + (static_cast<std::uint64_t>(peer) << 28U) +
                                    static_cast<std::uint64_t>((before / 8) + i);
                if (receive_[static_cast<std::size_t>((blocks_.receive_offsets[at] / 8) + i)] !=
                    wanted) {
                    throw std::logic_error("what rank " + std::to_string(peer) +
                                           " sent has not arrived");
                }
            }
        }
    }

    void measure(std::size_t way, bool rewritten) {
        rewrite();
        if (!rewritten) {
            bound_[way]->run();  // what is unmodified has been moved before
        }
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        bound_[way]->run();
        if (rewritten) {
            const auto sum = std::accumulate(receive_.begin(), receive_.end(), std::uint64_t{0});
            asm volatile("" : : "r"(sum));  // the reading is not optimised away
        }
        const auto mode = rewritten ? "rewritten " : "unmodified ";
        seconds_[std::string(mode) + ways.at(way)].push_back(
            seconds_of_slowest(MPI_Wtime() - begin));
        check();
    }

    const World& world_;
    std::int64_t bytes_;
    bool equal_;
    collective::Blocks blocks_;
    std::string name_;
    std::vector<std::uint64_t> send_;
    std::vector<std::uint64_t> receive_;
    std::vector<std::unique_ptr<Alltoall>> bound_;
    std::map<std::string, std::vector<double>> seconds_;
    std::uint64_t written_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    {
        const World world;
        lab::text::JsonWriter json;
        json.begin_object();
        {
            const mpi::Communicator all(MPI_COMM_WORLD);
            lab::runner::CoreLatency latency(all);
            std::optional<double> line;
            for (int look = 0; look < looks; ++look) {
                MPI_Barrier(MPI_COMM_WORLD);
                const auto found = latency.measure();
                line = found ? found : line;
            }
            if (line) {
                json.key("line").value(*line);
            }
        }
        for (const bool equal : {true, false}) {
            for (const auto bytes : lengths) {
                Case one(world, bytes, equal);
                one.measure();
                one.report(json);
            }
        }
        json.end_object();
        if (world.rank == 0) {
            std::cout << json.text() << '\n';
        }
    }
    MPI_Finalize();
}
