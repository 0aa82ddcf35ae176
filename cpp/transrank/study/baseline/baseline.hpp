// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transrank/study/baseline/mover.hpp"

namespace transrank::study::baseline {

/// What the library is held against: what a program can do with MPI alone or with shared memory of
/// its own, and the floors, which only copy.
struct Entry {
    std::string_view name;
    std::string_view summary;
    /// Copies within the rank; its sources must be as long as what it receives.
    bool own_memory = false;
    /// Sources must lie in memory that node-mates can map.
    bool shared = false;
    /// Collective. Throws mpi::AgreedError where this machine cannot.
    std::unique_ptr<Mover> (*make)(Task task);
};

/// What makes a kind of mover, for a row of the table.
template <class Kind, auto... arguments>
std::unique_ptr<Mover> made(Task task) {
    return std::make_unique<Kind>(std::move(task), arguments...);
}

// Rows of one kind are made in one file; baseline.cpp lists them.
std::vector<Entry> copies();
std::vector<Entry> from_peers();
std::vector<Entry> messages();
std::vector<Entry> neighborhoods();
std::vector<Entry> puts();
std::vector<Entry> alltoalls();

[[nodiscard]] std::span<const Entry> all();

/// Null when there is none of that name.
[[nodiscard]] const Entry* find(std::string_view name);

/// The names of the table that fit a study without those of `chosen`: what it has on request.
[[nodiscard]] std::vector<std::string> others_than(std::span<const std::string_view> chosen,
                                                   bool (*fits)(const Entry& entry));

/// Why no case can be measured with that name here; empty when one can.
[[nodiscard]] std::string obstacle(std::string_view name);

/// Collective. A baseline or, by any other name, the library with that transport. Throws
/// std::invalid_argument or mpi::AgreedError when there is none, or when it cannot serve a peer.
[[nodiscard]] std::unique_ptr<Mover> make(std::string_view name, Task task);

}  // namespace transrank::study::baseline
