// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/redistribute/baselines.hpp"

#include <array>
#include <cstring>

#include "lab/measure/payload.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "lab/study/redistribute/stored.hpp"
#include "transrank/route/runs.hpp"

namespace transrank::lab::study::redistribute {
namespace {

using baseline::Description;

// Those that are measured unless others are asked for.
constexpr std::array<std::string_view, 9> compared{
    "datatype",    "neighborhood",      "memcpy-once", "memcpy-per-field", "nontemporal",
    "memcpy-runs", "memcpy-from-peers", "mpi-packed",  "mpi-alltoallw"};

std::unique_ptr<baseline::Mover> mover(const std::string& way, const mpi::Communicator& comm,
                                       const Task& task, std::vector<transport::Field> fields) {
    const bool listed = task.source.layout.index() + task.destination.layout.index() > 0;
    return baseline::make(way, {.comm = comm,
                                .route = task.route(comm.handle()),
                                .fields = std::move(fields),
                                .description = listed ? Description::rows : Description::boxes});
}

class Moved final : public Stored {
public:
    Moved(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Stored(point, setting, arrays), comm_(setting.comm), way_(point.text("way")) {
        store();
    }

protected:
    void store() override {
        mover_.reset();
        mover_ = mover(way_, comm_, task(), bundle());
    }
    void move() override { mover_->run(); }

private:
    const mpi::Communicator& comm_;
    std::string way_;
    std::unique_ptr<baseline::Mover> mover_;
};

/// Copies what is its own, as much as would arrive.
class Floor final : public Bundle {
public:
    Floor(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Bundle(point, setting, arrays),
          mover_(mover(point.text("way"), setting.comm, task(), bundle())) {}

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        std::uint64_t verified = 0;
        for (const auto& field : mover_->fields()) {
            for (const auto& leg : mover_->route().receives()) {
                route::for_each_run(
                    leg, [&](std::int64_t source, std::int64_t destination, std::int64_t units) {
                        const auto bytes = static_cast<std::size_t>(units * field.unit_bytes);
                        if (std::memcmp(field.destination + (destination * field.unit_bytes),
                                        field.source + (source * field.unit_bytes), bytes) != 0) {
                            throw measure::WrongPayload("wrong copy on rank " +
                                                        std::to_string(task().rank));
                        }
                        verified += bytes;
                    });
            }
        }
        return verified;
    }

protected:
    void redistribute() override { mover_->run(); }

    void write_sources(std::uint64_t stamp) override {
        const auto source = arrays().source;
        for (std::size_t i = 0; i < source.size(); ++i) {
            source[i] = static_cast<double>((stamp % 4093) + i);
        }
    }

private:
    std::unique_ptr<baseline::Mover> mover_;
};

}  // namespace

std::vector<std::string> baseline_ways() {
    return {compared.begin(), compared.end()};
}

std::vector<std::string> further_baseline_ways() {
    return baseline::others_than(compared, [](const baseline::Entry& entry) {
        return entry.name != "floor-from-peers";  // which leaves the waiting to what is not timed
    });
}

bool takes_lists(std::string_view way) {
    return way != "mpi-alltoallw";
}

bool is_stored(std::string_view way) {
    return way == "datatype" || way == "neighborhood";
}

std::unique_ptr<Bundle> make_baseline(const measure::Case& point, const Setting& setting,
                                      const Arrays& arrays) {
    if (baseline::find(point.text("way"))->own_memory) {
        return std::make_unique<Floor>(point, setting, arrays);
    }
    return std::make_unique<Moved>(point, setting, arrays);
}

}  // namespace transrank::lab::study::redistribute
