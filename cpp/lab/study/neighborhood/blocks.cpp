// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/neighborhood/blocks.hpp"

#include <mpi.h>

#include <algorithm>
#include <utility>

#include "lab/study/baseline/arrays.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "lab/study/requests.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::neighborhood {
namespace {

constexpr int tag = 19;

class Messages final : public Blocks, public measure::Split {
public:
    Messages(const measure::Case& point, const Setting& setting, Partners all, bool persistent)
        : Blocks(point, setting, std::move(all), false), persistent_(persistent) {
        use(setting.workspace, point);
        if (persistent_) {
            make_requests(MPI_Recv_init, "MPI_Recv_init", MPI_Send_init, "MPI_Send_init");
        }
    }

    void run(std::int64_t repetitions) override { repeat(repetitions); }
    void start() override {
        if (persistent_) {
            requests_.start_all();
        } else {
            requests_.forget();
            make_requests(MPI_Irecv, "MPI_Irecv", MPI_Isend, "MPI_Isend");
        }
    }
    void finish() override { requests_.wait_all(); }

private:
    template <class Receive, class Send>
    void make_requests(const Receive& receive, const char* receive_name, const Send& send,
                       const char* send_name) {
        const auto count = static_cast<int>(bytes());
        for (std::size_t i = 0; i < partners().sources.size(); ++i) {
            mpi::check(receive(block(received(), i).data(), count, MPI_BYTE,
                               partners().sources[i].rank, tag, comm().handle(), requests_.add()),
                       receive_name);
        }
        for (std::size_t i = 0; i < partners().targets.size(); ++i) {
            mpi::check(send(block(sent(), i).data(), count, MPI_BYTE, partners().targets[i].rank,
                            tag, comm().handle(), requests_.add()),
                       send_name);
        }
    }

    bool persistent_;
    Requests requests_;
};

class LibraryExchange final : public Blocks, public measure::Split {
public:
    LibraryExchange(const measure::Case& point, const Setting& setting, Partners all)
        : Blocks(point, setting, std::move(all), false),
          arrays_(Arrays::shared(comm(), words(partners().targets), words(partners().sources))),
          mover_(baseline::make("auto", task())) {
        use(std::as_writable_bytes(arrays_.source), std::as_writable_bytes(arrays_.destination));
    }

    void fill(std::uint64_t stamp) override {
        mover_->before_rewriting();
        Blocks::fill(stamp);
        mover_->after_rewriting();
    }
    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            mover_->run();
        }
    }
    void start() override { mover_->start(); }
    void finish() override { mover_->finish(); }

private:
    [[nodiscard]] std::int64_t all_bytes(const std::vector<Partner>& side) const {
        return std::ssize(side) * bytes();
    }
    [[nodiscard]] std::int64_t words(const std::vector<Partner>& side) const {
        return (all_bytes(side) + std::int64_t{sizeof(double)} - 1) / std::int64_t{sizeof(double)};
    }
    [[nodiscard]] route::Leg leg(const Partner& partner, std::int64_t source,
                                 std::int64_t destination) const {
        return {.peer = partner.rank,
                .segments = {{.source = source * bytes(),
                              .destination = destination * bytes(),
                              .length = bytes()}}};
    }
    [[nodiscard]] baseline::Task task() const {
        std::vector<route::Leg> sends;
        std::vector<route::Leg> receives;
        const auto& [targets, sources] = partners();
        for (std::int64_t i = 0; bytes() > 0 && i < std::ssize(targets); ++i) {
            const auto& target = targets[static_cast<std::size_t>(i)];
            sends.push_back(leg(target, i, target.place));
        }
        for (std::int64_t i = 0; bytes() > 0 && i < std::ssize(sources); ++i) {
            const auto& source = sources[static_cast<std::size_t>(i)];
            receives.push_back(leg(source, source.place, i));
        }
        return {.comm = comm(),
                .route = {comm().rank(), comm().size(), all_bytes(targets), all_bytes(sources),
                          std::move(sends), std::move(receives)},
                .fields = {field_of(arrays_.source, arrays_.destination, 1)},
                .description = baseline::Description::segments};
    }

    Arrays arrays_;
    std::unique_ptr<baseline::Mover> mover_;
};

}  // namespace

Blocks::Blocks(const measure::Case& point, const Setting& setting, Partners partners, bool gathers)
    : comm_(setting.comm),
      partners_(std::move(partners)),
      bytes_(point.number("bytes")),
      gathers_(gathers) {}

void Blocks::fill(std::uint64_t stamp) {
    stamp_ = stamp;
    for (std::size_t i = 0; i < (gathers_ ? 1 : partners_.targets.size()); ++i) {
        payload(comm_.rank(), partners_.targets[i].rank).write(block(send_, i));
    }
    measure::poison(receive_);
}

std::uint64_t Blocks::verify(std::int64_t /*repetitions*/) {
    for (std::size_t i = 0; i < partners_.sources.size(); ++i) {
        payload(partners_.sources[i].rank, comm_.rank()).check(block(receive_, i));
    }
    return receive_.size();
}

void Blocks::use(std::span<std::byte> send, std::span<std::byte> receive) {
    const auto each = static_cast<std::size_t>(bytes_);
    send_ = send.first((gathers_ ? 1 : partners_.targets.size()) * each);
    receive_ = receive.first(partners_.sources.size() * each);
}

void Blocks::use(const measure::Workspace& workspace, const measure::Case& point) {
    const auto slot = std::max(point.send_bytes, point.receive_bytes);
    use(workspace.send(0, slot, point.send_bytes), workspace.receive(0, slot, point.receive_bytes));
}

std::span<std::byte> Blocks::block(std::span<std::byte> side, std::size_t index) const {
    const auto each = static_cast<std::size_t>(bytes_);
    return side.subspan(index * each, each);
}

measure::Payload Blocks::payload(int source, int target) const {
    return {.source = source, .target = gathers_ ? measure::all_ranks : target, .stamp = stamp_};
}

std::unique_ptr<measure::Operation> make_messages(const measure::Case& point,
                                                  const Setting& setting, Partners partners,
                                                  bool persistent) {
    return std::make_unique<Messages>(point, setting, std::move(partners), persistent);
}

std::unique_ptr<measure::Operation> make_exchange(const measure::Case& point,
                                                  const Setting& setting, Partners partners) {
    return std::make_unique<LibraryExchange>(point, setting, std::move(partners));
}

}  // namespace transrank::lab::study::neighborhood
