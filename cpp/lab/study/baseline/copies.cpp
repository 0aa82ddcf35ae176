// SPDX-License-Identifier: BSD-3-Clause
// Floors: what it costs to write what arrives, from memory of the rank's own. The library of C
// itself goes past the caches from some length of a call on, so the ways differ.
#include <algorithm>

#include "lab/study/baseline/baseline.hpp"
#include "lab/study/baseline/memory_copies.hpp"
#include "lab/study/baseline/packing.hpp"
#include "transrank/copy/moves.hpp"

namespace transrank::lab::study::baseline {
namespace {

/// What arrives, as if it lay in this rank's own arrays where it lies in those of its owners.
Task within(Task task) {
    const int rank = task.route.rank();
    route::Leg all{.peer = rank, .segments = {}};
    std::int64_t extent = 0;
    for (const auto& leg : task.route.receives()) {
        all.segments.append(leg.segments);
        extent = std::max(extent, leg.segments.outline().source_end);
    }
    task.route = {rank,  task.route.ranks(), extent, task.route.destination_extent(),
                  {all}, {std::move(all)}};
    return task;
}

/// As many bytes as the destinations have, from the first of the sources on.
Task whole(Task task) {
    for (auto& field : task.fields) {
        field.source =
            task.fields.front().source + (field.destination - task.fields.front().destination);
    }
    const int rank = task.route.rank();
    const auto units = task.fields.front().destination_bytes / task.unit_bytes();
    const route::Leg leg{.peer = rank, .segments = {{.length = units}}};
    task.route = {rank, task.route.ranks(), units, units, {leg}, {leg}};
    return task;
}

/// By the library's own loops.
class Gathered final : public Mover {
public:
    explicit Gathered(Task given) : Mover(within(std::move(given))) {
        for (const auto& leg : route().receives()) {
            for (const auto& field : task().fields) {
                moves_.push_back(copy::make_move(leg, field, copy::Operation::assign, field.source,
                                                 field.destination));
            }
        }
    }

    void start() override { copy::execute(moves_); }

private:
    std::vector<copy::Move> moves_;
};

enum class Calls : std::uint8_t { once, per_field };

class Whole final : public Mover {
public:
    Whole(Task given, copy::Copy (*copy)(), Calls calls)
        : Mover(whole(std::move(given))), copy_(copy()) {
        for (const auto& field : task().fields) {
            const auto bytes = static_cast<std::size_t>(field.destination_bytes);
            if (calls == Calls::once && !lengths_.empty()) {
                lengths_.front() += bytes;
            } else {
                lengths_.push_back(bytes);
            }
        }
    }

    void start() override {
        for (std::size_t i = 0; i < lengths_.size(); ++i) {
            copy_(task().fields[i].destination, task().fields[i].source, lengths_[i]);
        }
    }

private:
    copy::Copy copy_;
    std::vector<std::size_t> lengths_;
};

/// By a loop of memcpy.
class Runs final : public Mover {
public:
    explicit Runs(Task given) : Mover(within(std::move(given))) {
        for (const auto& leg : route().receives()) {
            packings_.emplace_back(leg, task());
        }
    }

    void start() override {
        for (const auto& packing : packings_) {
            packing.copy();
        }
    }

private:
    std::vector<Packing> packings_;
};

}  // namespace

std::vector<Entry> copies() {
    return {{.name = "floor",
             .summary = "a gather of as many rows from the rank's own memory: what memory costs",
             .own_memory = true,
             .make = made<Gathered>},
            {.name = "memcpy-once",
             .summary = "one memcpy of the same number of bytes",
             .own_memory = true,
             .make = made<Whole, library_copy, Calls::once>},
            {.name = "memcpy-per-field",
             .summary = "the same number of bytes, in one memcpy per field",
             .own_memory = true,
             .make = made<Whole, library_copy, Calls::per_field>},
            {.name = "nontemporal",
             .summary = "one copy of the same number of bytes, bypassing the caches",
             .own_memory = true,
             .make = made<Whole, nontemporal_copy, Calls::once>},
            {.name = "memcpy-runs",
             .summary = "a memcpy per received contiguous piece, from the rank's own memory",
             .own_memory = true,
             .make = made<Runs>}};
}

}  // namespace transrank::lab::study::baseline
