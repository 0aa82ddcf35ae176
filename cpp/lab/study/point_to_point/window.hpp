// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lab/measure/operation.hpp"
#include "lab/measure/payload.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::study {

/// The sizes of OSU's bandwidth tests.
inline constexpr std::string_view window_sizes = "1..4MiB";

/// Messages of a window in OSU's bandwidth tests.
inline constexpr int osu_window = 64;
inline constexpr int most_window = 4096;

/// What a windowed study has besides sizes: the messages of a window, OSU's unless others are asked
/// for.
[[nodiscard]] std::vector<AxisChoice> window_axes();

/// What a rank does in a windowed test.
struct WindowRole {
    std::vector<int> peers = {};  // NOLINT(readability-redundant-member-init)
    bool sends = false;           ///< a window to each of the peers
    bool receives = false;        ///< a window from each of them
};

/// A window: messages posted all at once, then waited for. A repetition is one window for each
/// peer; with several peers each window has memory of its own.
///
/// In warm caches all messages of a window leave one buffer and arrive in one, as OSU's and IMB's
/// do by default: that is what published numbers mean, although only the message that arrives last
/// can then be verified. In the other cache modes each message has memory of its own, and is
/// verified.
class WindowOperation : public measure::Operation {
public:
    WindowOperation(const measure::Case& point, const Setting& setting, WindowRole role);

    [[nodiscard]] bool takes_part() const override { return role_.sends || role_.receives; }
    void fill(std::uint64_t stamp) override;
    std::uint64_t verify(std::int64_t repetitions) override;

protected:
    [[nodiscard]] MPI_Comm comm() const noexcept { return setting_.comm.handle(); }
    [[nodiscard]] const WindowRole& role() const noexcept { return role_; }
    void post_receives(std::int64_t repetition);
    void post_sends(std::int64_t repetition);
    /// Waits for all that has been posted.
    void complete();

private:
    [[nodiscard]] std::byte* place(std::byte* side, std::int64_t repetition, std::size_t peer,
                                   int message) const noexcept {
        return side + ((repetition % slots_) * slot_stride_) +
               (static_cast<std::ptrdiff_t>(peer) * peer_stride_) + (message * message_stride_);
    }
    [[nodiscard]] measure::Payload payload(int source, int target, std::int64_t slot,
                                           int message) const;
    /// Messages of a window that have memory of their own.
    [[nodiscard]] int places() const noexcept { return message_stride_ == 0 ? 1 : window_; }

    Setting setting_;
    WindowRole role_;
    int window_;
    int bytes_;
    std::int64_t slots_;
    std::byte* send_;
    std::byte* receive_;
    std::ptrdiff_t slot_stride_;
    std::ptrdiff_t message_stride_;
    std::ptrdiff_t peer_stride_;  ///< from one peer's window to the next
    [[nodiscard]] MPI_Request* next_request() noexcept {
        return &requests_[static_cast<std::size_t>(posted_++)];
    }

    std::vector<MPI_Request> requests_;
    int posted_ = 0;
    std::uint64_t stamp_ = 0;
};

/// Windows in one direction, each answered by one byte: osu_bw, osu_mbw_mr and osu_bw_fan_in.
class AnsweredWindows final : public WindowOperation {
public:
    using WindowOperation::WindowOperation;
    void run(std::int64_t repetitions) override;
};

/// Makes a case of a study and a size one of `window` messages, which leave and arrive on every
/// rank that takes part, for each of at most `peers` peers. An operation is one message of the
/// window; bytes count once.
void as_window(measure::Case& point, int window, measure::CacheMode cache, int peers = 1);

/// The cases of a study between two ranks, over windows and sizes, timed on rank 0; each byte
/// counts once per direction.
[[nodiscard]] std::vector<measure::Case> window_cases(std::string_view study,
                                                      const Selection& selection, int directions);

}  // namespace transrank::lab::study
