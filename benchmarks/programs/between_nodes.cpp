// SPDX-License-Identifier: BSD-3-Clause
// What ranks of several nodes need to exchange blocks with neighbors, and all with all, by
// persistent messages of MPI between all pairs of ranks and by transrank; one JSON line for each
// operation, length and way, with the messages between nodes and their bytes. Ways take turns.
// `between_nodes ROUNDS BYTES...`
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "lab/text/json.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/exchange/exchange.hpp"
#include "transrank/mpi/communicator.hpp"

namespace {

using namespace transrank;

/// This rank's messages to other nodes in one epoch.
struct Traffic {
    long messages = 0;
    long bytes = 0;
};
Traffic traffic;
std::vector<char> is_near;  // by rank

void note(int to, long bytes) {
    if (to >= 0 && static_cast<std::size_t>(to) < is_near.size() &&
        is_near[static_cast<std::size_t>(to)] == 0) {
        ++traffic.messages;
        traffic.bytes += bytes;
    }
}

}  // namespace

extern "C" {
int MPI_Send_init(const void* memory, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
    note(to, count);
    return PMPI_Send_init(memory, count, type, to, tag, comm, request);
}
#if MPI_VERSION >= 4
int MPI_Send_init_c(const void* memory, MPI_Count count, MPI_Datatype type, int to, int tag,
                    MPI_Comm comm, MPI_Request* request) {
    note(to, static_cast<long>(count));
    return PMPI_Send_init_c(memory, count, type, to, tag, comm, request);
}
#endif
}

namespace {

int rank_of_world() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int ranks_of_world() {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
}

void find_mates() {
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    std::vector<int> mates(static_cast<std::size_t>(ranks_of_world()), -1);
    const int own = rank_of_world();
    int size = 0;
    MPI_Comm_size(node, &size);
    MPI_Allgather(&own, 1, MPI_INT, mates.data(), 1, MPI_INT, node);
    is_near.assign(mates.size(), 0);
    for (int i = 0; i < size; ++i) {
        is_near[static_cast<std::size_t>(mates[static_cast<std::size_t>(i)])] = 1;
    }
    MPI_Comm_free(&node);
}

/// Who sends a block of how many numbers to whom: this rank's, which others expect alike.
struct Pattern {
    std::string name;
    bool same_to_all;        ///< one block for all receivers
    std::vector<int> peers;  ///< ascending; both of them and to them
    std::size_t numbers;
};

// Ranks lie in two rows on a periodic grid, a node's in one row where there are two nodes.
std::vector<int> neighbors() {
    const int ranks = ranks_of_world();
    const int width = std::max(ranks / 2, 1);
    const int column = rank_of_world() % width;
    std::vector<int> found;
    for (const int step : {-1, 0, 1}) {
        for (int row = 0; row < 2; ++row) {
            const int rank = (row * width) + ((column + step + width) % width);
            if (rank != rank_of_world() && rank < ranks) {
                found.push_back(rank);
            }
        }
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

std::vector<int> everybody() {
    std::vector<int> all(static_cast<std::size_t>(ranks_of_world()));
    std::iota(all.begin(), all.end(), 0);
    std::erase(all, rank_of_world());
    return all;
}

/// Arrays of one way: a block for each rank on both sides.
struct Arrays {
    explicit Arrays(const Pattern& pattern)
        : numbers(pattern.numbers),
          send(static_cast<std::size_t>(ranks_of_world()) * numbers),
          receive(send.size()) {}

    [[nodiscard]] std::size_t block(const Pattern& pattern, int to) const {
        return pattern.same_to_all ? 0 : static_cast<std::size_t>(to) * numbers;
    }
    void fill(const Pattern& pattern, int round) {
        for (const int peer : pattern.peers) {
            const auto begin = block(pattern, peer);
            for (std::size_t i = 0; i < numbers; ++i) {
                send[begin + i] = value(round, rank_of_world(), pattern.same_to_all ? 0 : peer, i);
            }
        }
    }
    [[nodiscard]] bool is_right(const Pattern& pattern, int round) const {
        bool right = true;
        for (const int peer : pattern.peers) {
            const int mine = pattern.same_to_all ? 0 : rank_of_world();
            for (std::size_t i = 0; i < numbers; ++i) {
                right = right && receive[(static_cast<std::size_t>(peer) * numbers) + i] ==
                                     value(round, peer, mine, i);
            }
        }
        return right;
    }

    std::size_t numbers;
    std::vector<std::int64_t> send;
    std::vector<std::int64_t> receive;

private:
    static std::int64_t value(int round, int from, int to, std::size_t i) {
        constexpr std::int64_t apart = 1000;
        return (((((round * apart) + from) * apart) + to) * apart * apart) +
               static_cast<std::int64_t>(i);
    }
};

/// One way to move a pattern.
struct Way {
    std::string name;
    std::unique_ptr<Arrays> arrays;
    std::function<void()> run;
    std::string explanation;
    Traffic set_up;
    std::vector<double> seconds;
};

class Persistent {
public:
    Persistent(const Pattern& pattern, Arrays& arrays) {
        const auto bytes = static_cast<int>(pattern.numbers * sizeof(std::int64_t));
        for (const int peer : pattern.peers) {
            MPI_Recv_init(arrays.receive.data() + (static_cast<std::size_t>(peer) * arrays.numbers),
                          bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests_.emplace_back());
        }
        for (const int peer : pattern.peers) {
            MPI_Send_init(arrays.send.data() + arrays.block(pattern, peer), bytes, MPI_BYTE, peer,
                          0, MPI_COMM_WORLD, &requests_.emplace_back());
        }
    }
    Persistent(const Persistent&) = delete;
    Persistent& operator=(const Persistent&) = delete;
    ~Persistent() {
        for (auto& request : requests_) {
            MPI_Request_free(&request);
        }
    }
    void run() {
        MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

private:
    std::vector<MPI_Request> requests_;
};

route::Route route_of(const Pattern& pattern) {
    const auto length = static_cast<std::int64_t>(pattern.numbers);
    const auto place = [&](int rank) { return pattern.same_to_all ? 0 : rank * length; };
    std::vector<route::Leg> sends;
    std::vector<route::Leg> receives;
    const int own = rank_of_world();
    for (const int peer : pattern.peers) {
        sends.push_back(
            {.peer = peer,
             .segments = {{.source = place(peer), .destination = own * length, .length = length}}});
        receives.push_back(
            {.peer = peer,
             .segments = {{.source = place(own), .destination = peer * length, .length = length}}});
    }
    const auto extent = ranks_of_world() * length;
    return {own, ranks_of_world(), extent, extent, sends, receives};
}

std::shared_ptr<exchange::Exchange> bind(const Pattern& pattern, Arrays& arrays,
                                         const std::string& transport) {
    constexpr std::int64_t unit = sizeof(std::int64_t);
    exchange::Options options;
    options.transport = transport;
    const copy::Field field{.source = reinterpret_cast<const std::byte*>(arrays.send.data()),
                            .source_bytes = std::ssize(arrays.send) * unit,
                            .destination = reinterpret_cast<std::byte*>(arrays.receive.data()),
                            .destination_bytes = std::ssize(arrays.receive) * unit,
                            .unit_bytes = unit};
    return std::make_shared<exchange::Exchange>(route_of(pattern), MPI_COMM_WORLD,
                                                std::vector<copy::Field>{field}, options);
}

std::vector<Way> ways_of(const Pattern& pattern) {
    std::vector<Way> ways;
    const auto add = [&](const std::string& name, const auto& make) {
        Way way{.name = name,
                .arrays = std::make_unique<Arrays>(pattern),
                .run = nullptr,
                .explanation = "",
                .set_up = {},
                .seconds = {}};
        traffic = {};
        make(way);
        way.set_up = traffic;
        ways.push_back(std::move(way));
    };
    add("mpi", [&](Way& way) {
        way.run = [each = std::make_shared<Persistent>(pattern, *way.arrays)] { each->run(); };
    });
    for (const std::string transport : {"auto", "message", "node-staged"}) {
        add(transport, [&](Way& way) {
            const auto each = bind(pattern, *way.arrays, transport);
            way.run = [each] { each->run(); };
            way.explanation = each->explain();
        });
    }
    if (pattern.name == "alltoall") {
        const auto bytes = static_cast<std::int64_t>(pattern.numbers * sizeof(std::int64_t));
        for (const std::string algorithm : {"auto", "mpi", "node-leaders"}) {
            add("alltoall " + algorithm, [&](Way& way) {
                collective::AlltoallOptions options;
                options.algorithm = algorithm;
                const auto each = std::make_shared<collective::Alltoall>(
                    MPI_COMM_WORLD, way.arrays->send.data(), way.arrays->receive.data(), bytes,
                    options);
                way.run = [each] { each->run(); };
                way.explanation = std::string(each->algorithm());
            });
        }
    }
    return ways;
}

// Of the slowest rank.
double seconds_of(const Way& way, int repetitions) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < repetitions; ++i) {
        way.run();
    }
    double taken = (MPI_Wtime() - begin) / repetitions;
    MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return taken;
}

void print(const Pattern& pattern, const Way& way, bool right) {
    std::vector<long> sums{way.set_up.messages, way.set_up.bytes, right ? 0 : 1};
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank_of_world() != 0) {
        return;
    }
    lab::text::JsonWriter json;
    json.begin_object().key("pattern").value(pattern.name);
    json.key("bytes").value(static_cast<std::int64_t>(pattern.numbers * sizeof(std::int64_t)));
    json.key("way").value(way.name).key("messages").value(static_cast<std::int64_t>(sums[0]));
    json.key("payload").value(static_cast<std::int64_t>(sums[1]));
    json.key("right").value(sums[2] == 0).key("explanation").value(way.explanation);
    json.key("seconds").begin_array();
    for (const double each : way.seconds) {
        json.value(each);
    }
    std::cout << json.end_array().end_object().text() << std::endl;
}

void measure(const Pattern& pattern, int rounds) {
    constexpr int repetitions = 20;
    auto ways = ways_of(pattern);
    std::vector<char> right(ways.size(), 1);
    for (int round = 0; round <= rounds; ++round) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            auto& way = ways[(i + static_cast<std::size_t>(round)) % ways.size()];
            way.arrays->fill(pattern, round);
            const double seconds = seconds_of(way, round == 0 ? 2 : repetitions);
            if (round > 0) {
                way.seconds.push_back(seconds);
            }
            if (!way.arrays->is_right(pattern, round)) {
                right[(i + static_cast<std::size_t>(round)) % ways.size()] = 0;
            }
        }
    }
    for (std::size_t i = 0; i < ways.size(); ++i) {
        print(pattern, ways[i], right[i] != 0);
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    find_mates();
    const int rounds = std::stoi(argv[1]);
    for (int i = 2; i < argc; ++i) {
        const auto numbers = std::stoul(argv[i]) / sizeof(std::int64_t);
        measure({.name = "halo", .same_to_all = false, .peers = neighbors(), .numbers = numbers},
                rounds);
        measure(
            {.name = "alltoall", .same_to_all = false, .peers = everybody(), .numbers = numbers},
            rounds);
        measure({.name = "to all", .same_to_all = true, .peers = everybody(), .numbers = numbers},
                rounds);
    }
    MPI_Finalize();
}
