// SPDX-License-Identifier: BSD-3-Clause
// What it costs to write as many bytes as arrive, from memory of the rank's own: in one call, in
// one call per field, past the caches, and in the runs that the rank receives. The library of C
// itself goes past the caches from some length of a call on, so the ways differ.
#include <cstring>
#include <vector>

#include "transrank/measure/payload.hpp"
#include "transrank/memory/copy_kernels.hpp"
#include "transrank/route/runs.hpp"
#include "transrank/study/redistribute/way.hpp"

namespace transrank::study::redistribute {
namespace {

/// One copy of a floor, in bytes.
struct Piece {
    std::size_t source;
    std::size_t destination;
    std::size_t bytes;
};

class Floor final : public Bundle {
public:
    Floor(const measure::Case& point, const Setting& setting, const Arrays& arrays,
          memory::Copy copy, std::vector<Piece> pieces)
        : Bundle(point, setting, arrays), copy_(copy), pieces_(std::move(pieces)) {}

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        const auto* from = reinterpret_cast<const std::byte*>(arrays().source.data());
        const auto* to = reinterpret_cast<const std::byte*>(arrays().destination.data());
        std::uint64_t bytes = 0;
        for (const auto& piece : pieces_) {
            if (std::memcmp(to + piece.destination, from + piece.source, piece.bytes) != 0) {
                throw measure::WrongPayload("wrong copy on rank " + std::to_string(task().rank));
            }
            bytes += piece.bytes;
        }
        return bytes;
    }

protected:
    void redistribute() override {
        const auto* from = reinterpret_cast<const std::byte*>(arrays().source.data());
        auto* to = reinterpret_cast<std::byte*>(arrays().destination.data());
        for (const auto& piece : pieces_) {
            copy_(to + piece.destination, from + piece.source, piece.bytes);
        }
    }

    void write_sources(std::uint64_t stamp) override {
        const auto source = arrays().source;
        for (std::size_t i = 0; i < source.size(); ++i) {
            source[i] = static_cast<double>((stamp % 4093) + i);
        }
    }

private:
    memory::Copy copy_;
    std::vector<Piece> pieces_;
};

void library_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

/// The destination in so many pieces of one length, one after the other.
std::vector<Piece> split(const Arrays& arrays, std::size_t count) {
    const auto each = arrays.destination.size_bytes() / count;
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < count; ++i) {
        pieces.push_back({.source = i * each, .destination = i * each, .bytes = each});
    }
    return pieces;
}

/// The runs that arrive, from where they lie on their owner, as if that were here.
std::vector<Piece> runs(const Task& task, MPI_Comm comm) {
    const auto route = task.route(comm);
    const auto source_field = static_cast<std::size_t>(task.source_values() / fields);
    const auto destination_field = static_cast<std::size_t>(task.destination_values() / fields);
    std::vector<Piece> pieces;
    for (std::size_t field = 0; field < fields; ++field) {
        for (const auto& leg : route.receives()) {
            route::for_each_run(
                leg, [&](std::int64_t source, std::int64_t destination, std::int64_t length) {
                    pieces.push_back(
                        {.source = (field * source_field + static_cast<std::size_t>(source)) *
                                   sizeof(double),
                         .destination =
                             (field * destination_field + static_cast<std::size_t>(destination)) *
                             sizeof(double),
                         .bytes = static_cast<std::size_t>(length) * sizeof(double)});
                });
        }
    }
    return pieces;
}

}  // namespace

Way memcpy_once() {
    return {.name = "memcpy-once",
            .summary = "as many bytes, in one memcpy",
            .floor = true,
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Bundle> {
                return std::make_unique<Floor>(point, setting, arrays, library_copy,
                                               split(arrays, 1));
            }};
}

Way memcpy_per_field() {
    return {.name = "memcpy-per-field",
            .summary = "as many bytes, in one memcpy per field",
            .floor = true,
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Bundle> {
                return std::make_unique<Floor>(point, setting, arrays, library_copy,
                                               split(arrays, fields));
            }};
}

Way nontemporal() {
    return {.name = "nontemporal",
            .summary = "as many bytes, in one copy past the caches",
            .floor = true,
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Bundle> {
                return std::make_unique<Floor>(point, setting, arrays, memory::nontemporal_copy(),
                                               split(arrays, 1));
            }};
}

Way memcpy_runs() {
    return {.name = "memcpy-runs",
            .summary = "the runs that arrive, each by memcpy, from the rank's own memory",
            .floor = true,
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Bundle> {
                return std::make_unique<Floor>(
                    point, setting, arrays, library_copy,
                    runs(task_of(point, setting), setting.comm.handle()));
            }};
}

}  // namespace transrank::study::redistribute
