// SPDX-License-Identifier: BSD-3-Clause
// Question: what does a ghost exchange along one dimension cost? Every rank sends to both neighbors
// of a periodic ring (MPI_Isend), receives from both and waits. Timed from a barrier over a batch;
// the number is the slowest rank's. Bytes count four times, as in IMB Exchange. Unlike IMB, the two
// messages of a rank come from and go to different memory, as ghosts do.
#include <algorithm>
#include <array>

#include "lab/study/point_to_point/message.hpp"
#include "lab/study/table.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study {
namespace {

constexpr std::string_view study_name = "exchange";
constexpr int tag = 14;

class Exchange final : public measure::Operation {
public:
    Exchange(const measure::Case& point, const Setting& setting)
        : setting_(setting),
          bytes_(static_cast<int>(point.number("bytes"))),
          slots_(setting.workspace.slots(2 * std::int64_t{bytes_})) {
        const int size = setting.comm.size();
        left_ = (setting.comm.rank() + size - 1) % size;
        right_ = (setting.comm.rank() + 1) % size;
    }

    void fill(std::uint64_t stamp) override {
        stamp_ = stamp;
        for (std::int64_t slot = 0; slot < slots_; ++slot) {
            payload(rank(), right_, slot, 0).write(half(send(slot), 0));
            payload(rank(), left_, slot, 1).write(half(send(slot), 1));
            measure::poison(receive(slot));
        }
    }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            const auto out = send(i % slots_);
            const auto in = receive(i % slots_);
            std::array<MPI_Request, 2> requests{};
            post(half(out, 0), right_, requests[0]);
            post(half(out, 1), left_, requests[1]);
            // On one or two ranks both neighbors are the same rank: MPI then matches by order, and
            // the first message that arrives is the one sent to the right.
            collect(half(in, 0), left_);
            collect(half(in, 1), right_);
            mpi::check(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
        }
    }

    std::uint64_t verify(std::int64_t repetitions) override {
        const std::int64_t used = std::min(repetitions, slots_);
        for (std::int64_t slot = 0; slot < used; ++slot) {
            payload(left_, rank(), slot, 0).check(half(receive(slot), 0));
            payload(right_, rank(), slot, 1).check(half(receive(slot), 1));
        }
        return static_cast<std::uint64_t>(2 * used * bytes_);
    }

private:
    [[nodiscard]] std::span<std::byte> send(std::int64_t slot) const {
        return setting_.workspace.send(slot, 2 * std::int64_t{bytes_}, 2 * std::int64_t{bytes_});
    }
    [[nodiscard]] std::span<std::byte> receive(std::int64_t slot) const {
        return setting_.workspace.receive(slot, 2 * std::int64_t{bytes_}, 2 * std::int64_t{bytes_});
    }
    [[nodiscard]] std::span<std::byte> half(std::span<std::byte> both, std::size_t index) const {
        const auto length = static_cast<std::size_t>(bytes_);
        return both.subspan(index * length, length);
    }
    [[nodiscard]] int rank() const { return setting_.comm.rank(); }
    // The direction, 0 to the right, is part of the stamp: with two ranks, source and target do not
    // show it.
    [[nodiscard]] measure::Payload payload(int source, int target, std::int64_t slot,
                                           std::uint64_t direction) const {
        const auto stamp = (stamp_ << 9U) + (static_cast<std::uint64_t>(slot) << 1U) + direction;
        return {.source = source, .target = target, .stamp = stamp};
    }
    void post(std::span<std::byte> message, int target, MPI_Request& request) const {
        mpi::check(MPI_Isend(message.data(), bytes_, MPI_BYTE, target, tag, setting_.comm.handle(),
                             &request),
                   "MPI_Isend");
    }
    void collect(std::span<std::byte> message, int source) const {
        mpi::check(MPI_Recv(message.data(), bytes_, MPI_BYTE, source, tag, setting_.comm.handle(),
                            MPI_STATUS_IGNORE),
                   "MPI_Recv");
    }

    Setting setting_;
    int bytes_;
    std::int64_t slots_;
    int left_;
    int right_;
    std::uint64_t stamp_ = 0;
};

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    return message_cases(study_name, selection, [](measure::Case& point) {
        point.bytes_counted *= 4;
        point.send_bytes *= 2;
        point.receive_bytes *= 2;
    });
}

}  // namespace

Study exchange() {
    return {.name = study_name,
            .summary = "each rank exchanges messages with both neighbors in a ring (IMB Exchange)",
            .sizes = message_sizes,
            .cases = cases,
            .prepare = make<Exchange>};
}

}  // namespace transrank::lab::study
