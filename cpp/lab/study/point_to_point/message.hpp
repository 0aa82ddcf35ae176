// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/measure/operation.hpp"
#include "lab/measure/payload.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::study {

/// The sizes of IMB's and OSU's point-to-point tests.
inline constexpr std::string_view message_sizes = "0..4MiB";

/// An operation whose ranks each send one message per slot and receive one per slot: payload,
/// slots and checks. What remains for the study is run().
class MessageOperation : public measure::Operation {
public:
    /// `target` and `source`: the ranks of `comm` to send to and to receive from; MPI_PROC_NULL
    /// for none.
    MessageOperation(const measure::Case& point, const Setting& setting, int target, int source);

    void fill(std::uint64_t stamp) override;
    std::uint64_t verify(std::int64_t repetitions) override;

protected:
    [[nodiscard]] MPI_Comm comm() const noexcept { return setting_.comm.handle(); }
    [[nodiscard]] int rank() const noexcept { return setting_.comm.rank(); }
    [[nodiscard]] int target() const noexcept { return target_; }
    [[nodiscard]] int source() const noexcept { return source_; }
    [[nodiscard]] int bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::int64_t slots() const noexcept { return slots_; }
    [[nodiscard]] std::byte* send(std::int64_t repetition) const noexcept {
        return send_ + ((repetition % slots_) * stride_);
    }
    [[nodiscard]] std::byte* receive(std::int64_t repetition) const noexcept {
        return receive_ + ((repetition % slots_) * stride_);
    }

private:
    [[nodiscard]] std::span<std::byte> side(std::byte* slot) const noexcept {
        return {slot, static_cast<std::size_t>(bytes_)};
    }

    Setting setting_;
    int target_;
    int source_;
    int bytes_;
    std::int64_t slots_;
    std::byte* send_;
    std::byte* receive_;
    std::ptrdiff_t stride_;
    std::uint64_t stamp_ = 0;
};

/// Which messages a receive takes: by source and tag, or any.
struct Match {
    int source;
    int tag;
};

/// Whether receives name the source and the tag, which cases do not say, or take any.
[[nodiscard]] AxisChoice match_axis();
[[nodiscard]] Match match_of(const measure::Case& point, int source, int tag);

/// Why a message of `bytes` cannot be sent; empty where it can.
[[nodiscard]] std::string reason_against_message(std::int64_t bytes);

/// Makes a case of a study and a size one that sends and receives that much, counted once.
void as_message(measure::Case& point);

/// Such cases of a point-to-point study over `axes` and sizes; `adjust` makes the
/// study's own changes to each.
[[nodiscard]] std::vector<measure::Case> message_cases(
    std::string_view study, const Selection& selection,
    const std::function<void(measure::Case& point)>& adjust,
    const std::vector<AxisChoice>& axes = {});

}  // namespace transrank::lab::study
