// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "lab/study/baseline/baseline.hpp"
#include "transrank/route/leg.hpp"

namespace transrank::lab::study::baseline {

/// What a program without transrank does to send what it has: a loop of memcpy over the runs of a
/// leg into a buffer, field after field, and one back.
class Packing {
public:
    /// The task must outlive it.
    Packing(const route::Leg& leg, const Task& task) : fields_(task.fields) {
        const auto unit = task.unit_bytes();
        route::for_each_run(leg,
                            [&](std::int64_t source, std::int64_t destination, std::int64_t units) {
                                const auto bytes = static_cast<std::size_t>(units * unit);
                                runs_.push_back({source * unit, destination * unit, bytes});
                                bytes_ += bytes * fields_.size();
                            });
    }

    /// Of all fields.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

    void pack(std::byte* buffer) const {
        for (const auto& field : fields_) {
            for (const auto& run : runs_) {
                std::memcpy(buffer, field.source + run.source, run.bytes);
                buffer += run.bytes;
            }
        }
    }

    void unpack(const std::byte* buffer) const {
        for (const auto& field : fields_) {
            for (const auto& run : runs_) {
                std::memcpy(field.destination + run.destination, buffer, run.bytes);
                buffer += run.bytes;
            }
        }
    }

    /// Without a buffer, from where the fields lie on their owner.
    void copy_from(std::span<const std::byte* const> sources) const {
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            copy_one(sources[i], fields_[i].destination);
        }
    }

    /// Of a leg from this rank to itself.
    void copy() const {
        for (const auto& field : fields_) {
            copy_one(field.source, field.destination);
        }
    }

private:
    struct Run {
        std::int64_t source;
        std::int64_t destination;
        std::size_t bytes;
    };

    void copy_one(const std::byte* source, std::byte* destination) const {
        for (const auto& run : runs_) {
            std::memcpy(destination + run.destination, source + run.source, run.bytes);
        }
    }

    std::span<const copy::Field> fields_;
    std::vector<Run> runs_;
    std::size_t bytes_ = 0;
};

}  // namespace transrank::lab::study::baseline
