// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/point_to_point/window.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "lab/study/point_to_point/message.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study {
namespace {

constexpr int message_tag = 21;
constexpr int answer_tag = 22;

// From one message of a window to the next, where each has memory of its own: far enough apart that
// prefetching one does not bring the next.
constexpr std::int64_t message_alignment = 256;

// OSU's windows follow each other without a barrier; here one stands before each batch, and the
// ranks leave it up to a few microseconds apart.
constexpr double least_batch_seconds = 200e-6;

std::int64_t message_stride(std::int64_t bytes, measure::CacheMode cache) {
    if (cache == measure::CacheMode::warm) {
        return 0;
    }
    return (std::max<std::int64_t>(bytes, 1) + message_alignment - 1) / message_alignment *
           message_alignment;
}

// From one peer's window to the next: without a gap where messages have none.
std::int64_t peer_stride(std::int64_t bytes, int window, measure::CacheMode cache) {
    return cache == measure::CacheMode::warm ? bytes : message_stride(bytes, cache) * window;
}

std::int64_t window_bytes(std::int64_t bytes, int window, measure::CacheMode cache, int peers) {
    return (peer_stride(bytes, window, cache) * (peers - 1)) +
           (message_stride(bytes, cache) * (window - 1)) + bytes;
}

}  // namespace

WindowOperation::WindowOperation(const measure::Case& point, const Setting& setting,
                                 WindowRole role)
    : setting_(setting),
      role_(std::move(role)),
      window_(point.operations_per_repetition),
      bytes_(static_cast<int>(point.number("bytes"))),
      slots_(setting.workspace.slots(point.send_bytes)),
      send_(setting.workspace.send(0, point.send_bytes, point.send_bytes).data()),
      receive_(setting.workspace.receive(0, point.send_bytes, point.send_bytes).data()),
      slot_stride_(
          slots_ > 1 ? setting.workspace.send(1, point.send_bytes, point.send_bytes).data() - send_
                     : 0),
      message_stride_(message_stride(bytes_, setting.workspace.mode())),
      peer_stride_(peer_stride(bytes_, window_, setting.workspace.mode())),
      requests_(2 * static_cast<std::size_t>(window_) * role_.peers.size(), MPI_REQUEST_NULL) {}

measure::Payload WindowOperation::payload(int source, int target, std::int64_t slot,
                                          int message) const {
    const auto place = (static_cast<std::uint64_t>(slot) << 8U) + static_cast<unsigned>(message);
    return {.source = source, .target = target, .stamp = (stamp_ << 16U) + place};
}

void WindowOperation::fill(std::uint64_t stamp) {
    stamp_ = stamp;
    const int rank = setting_.comm.rank();
    const auto length = static_cast<std::size_t>(bytes_);
    for (std::int64_t slot = 0; slot < slots_; ++slot) {
        for (std::size_t peer = 0; peer < role_.peers.size(); ++peer) {
            for (int message = 0; message < places(); ++message) {
                if (role_.sends) {
                    payload(rank, role_.peers[peer], slot, message)
                        .write({place(send_, slot, peer, message), length});
                }
                if (role_.receives) {
                    measure::poison({place(receive_, slot, peer, message), length});
                }
            }
        }
    }
}

std::uint64_t WindowOperation::verify(std::int64_t repetitions) {
    if (!role_.receives) {
        return 0;
    }
    const std::int64_t used = std::min(repetitions, slots_);
    const auto length = static_cast<std::size_t>(bytes_);
    for (std::int64_t slot = 0; slot < used; ++slot) {
        for (std::size_t peer = 0; peer < role_.peers.size(); ++peer) {
            for (int message = 0; message < places(); ++message) {
                payload(role_.peers[peer], setting_.comm.rank(), slot, message)
                    .check({place(receive_, slot, peer, message), length});
            }
        }
    }
    return static_cast<std::uint64_t>(used) * role_.peers.size() *
           static_cast<std::uint64_t>(places()) * length;
}

void WindowOperation::post_receives(std::int64_t repetition) {
    for (std::size_t peer = 0; peer < role_.peers.size(); ++peer) {
        for (int message = 0; message < window_; ++message) {
            mpi::check(MPI_Irecv(place(receive_, repetition, peer, message), bytes_, MPI_BYTE,
                                 role_.peers[peer], message_tag, comm(), next_request()),
                       "MPI_Irecv");
        }
    }
}

void WindowOperation::post_sends(std::int64_t repetition) {
    for (std::size_t peer = 0; peer < role_.peers.size(); ++peer) {
        for (int message = 0; message < window_; ++message) {
            mpi::check(MPI_Isend(place(send_, repetition, peer, message), bytes_, MPI_BYTE,
                                 role_.peers[peer], message_tag, comm(), next_request()),
                       "MPI_Isend");
        }
    }
}

void WindowOperation::complete() {
    mpi::check(MPI_Waitall(posted_, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    posted_ = 0;
}

void AnsweredWindows::run(std::int64_t repetitions) {
    char answer = 0;
    for (std::int64_t i = 0; i < repetitions; ++i) {
        if (role().sends) {
            post_sends(i);
            complete();
            for (const int peer : role().peers) {
                mpi::check(
                    MPI_Recv(&answer, 1, MPI_CHAR, peer, answer_tag, comm(), MPI_STATUS_IGNORE),
                    "MPI_Recv");
            }
        } else if (role().receives) {
            post_receives(i);
            complete();
            for (const int peer : role().peers) {
                mpi::check(MPI_Send(&answer, 1, MPI_CHAR, peer, answer_tag, comm()), "MPI_Send");
            }
        }
    }
}

std::vector<AxisChoice> window_axes() {
    return {{.name = "window",
             .values = {std::to_string(osu_window)},
             .open = whole_numbers(1, most_window),
             .numbers = true}};
}

void as_window(measure::Case& point, int window, measure::CacheMode cache, int peers) {
    const auto bytes = point.number("bytes");
    point.group = point.study;
    point.operations_per_repetition = window;
    point.bytes_counted = static_cast<double>(bytes);
    point.least_batch_seconds = least_batch_seconds;
    point.send_bytes = window_bytes(bytes, window, cache, peers);
    point.receive_bytes = point.send_bytes;
    point.skip_reason = reason_against_message(bytes);
}

std::vector<measure::Case> window_cases(std::string_view study, const Selection& selection,
                                        int directions) {
    auto points =
        spread_sizes(combinations(study, selection, window_axes()), selection, window_sizes);
    for (auto& point : points) {
        as_window(point, static_cast<int>(point.number("window")), selection.cache);
        point.clocks = measure::Clocks::root;
        point.bytes_counted *= directions;
    }
    return points;
}

}  // namespace transrank::lab::study
