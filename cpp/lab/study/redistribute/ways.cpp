// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/redistribute/ways.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "lab/measure/payload.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "lab/study/named.hpp"
#include "lab/study/redistribute/esmf.hpp"
#include "transrank/redistribution/redistribution.hpp"
#include "transrank/route/leg.hpp"
#include "transrank/transport/transport.hpp"

namespace transrank::lab::study::redistribute {
namespace {

using baseline::Description;
using Fields = std::vector<copy::Field>;

/// Shared-direct between shared arrays, without a choice of its own.
struct NamedStores {
    std::string_view name;
    copy::Stores stores;
};
constexpr std::array stores_named{
    NamedStores{.name = "direct-cached", .stores = copy::Stores::cached},
    NamedStores{.name = "direct-streamed", .stores = copy::Stores::streamed}};

// The baselines that are measured unless others are asked for.
constexpr std::array<std::string_view, 9> compared{
    "datatype",    "neighborhood",      "memcpy-once", "memcpy-per-field", "nontemporal",
    "memcpy-runs", "memcpy-from-peers", "mpi-packed",  "mpi-alltoallw"};

exchange::Options options_of(const std::string& way) {
    exchange::Options options;
    options.transport = way;
    if (const auto* named = find_named(stores_named, way)) {
        options.transport =
            std::ranges::find_if(transport::all(), &transport::Entry::needs_shared_arrays)->name;
        options.stores = named->stores;
    }
    return options;
}

Move store_library(const mpi::Communicator& comm, const Task& task, const Fields& fields,
                   const exchange::Options& options) {
    const auto made = std::make_shared<redistribution::Redistribution>(
        comm.handle(), task.source.layout, task.destination.layout);
    made->store(fields, options);
    return [made] { made->run(); };
}

std::shared_ptr<baseline::Mover> make_mover(const std::string& way, const mpi::Communicator& comm,
                                            const Task& task, const Fields& fields) {
    const bool listed = task.source.layout.index() + task.destination.layout.index() > 0;
    return baseline::make(way, {.comm = comm,
                                .route = task.route(comm.handle()),
                                .fields = fields,
                                .description = listed ? Description::rows : Description::boxes});
}

Store store_of(const std::string& way) {
    if (is_esmf_way(way)) {
        return esmf_store(way);
    }
    if (baseline::find(way) == nullptr) {
        return [options = options_of(way)](const auto&... task) {
            return store_library(task..., options);
        };
    }
    return
        [way](const auto&... task) { return [mover = make_mover(way, task...)] { mover->run(); }; };
}

/// Copies what is its own, as much as would arrive.
class Floor final : public Bundle {
public:
    Floor(const measure::Case& point, const Setting& setting, const Arrays& arrays,
          const std::shared_ptr<baseline::Mover>& mover)
        : Bundle(point, setting, arrays,
                 [mover](const auto&... /*task*/) { return [mover] { mover->run(); }; }),
          mover_(mover) {}

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
    void write_sources(std::uint64_t stamp) override {
        const auto source = arrays().source;
        for (std::size_t i = 0; i < source.size(); ++i) {
            source[i] = static_cast<double>((stamp % 4093) + i);
        }
    }

private:
    std::shared_ptr<baseline::Mover> mover_;
};

}  // namespace

AxisChoice way_axis() {
    AxisChoice axis{.name = "way",
                    .values = baseline::transports(),
                    .quick = {"auto", "mpi-packed", "memcpy-once"},
                    .on_request = esmf_ways(false)};
    axis.values.insert(axis.values.begin(), "auto");
    std::ranges::move(names_of(stores_named), std::back_inserter(axis.values));
    std::ranges::move(esmf_ways(true), std::back_inserter(axis.values));
    axis.values.insert(axis.values.end(), compared.begin(), compared.end());
    std::ranges::move(baseline::others_than(compared,
                                            [](const baseline::Entry& entry) {
                                                // It leaves the waiting to what is not timed.
                                                return entry.name != "floor-from-peers";
                                            }),
                      std::back_inserter(axis.on_request));
    return axis;
}

bool exists(const Layouts& layouts, const std::string& phase, std::string_view way) {
    const bool stored = way == "datatype" || way == "neighborhood";
    const bool listed = layouts.source_listed || layouts.destination_listed;
    return baseline::find(way) == nullptr ||
           ((phase == "run" || stored) && (!listed || way != "mpi-alltoallw"));
}

bool is_shared(std::string_view way) {
    const auto* baseline = baseline::find(way);
    return baseline != nullptr
               ? baseline->shared
               : find_named(stores_named, way) != nullptr || transport::prefers_shared_arrays(way);
}

std::unique_ptr<Bundle> make_bundle(const measure::Case& point, const Setting& setting,
                                    const Arrays& arrays) {
    const auto& way = point.text("way");
    const auto* baseline = baseline::find(way);
    if (baseline != nullptr && baseline->own_memory) {
        return std::make_unique<Floor>(
            point, setting, arrays,
            make_mover(way, setting.comm, task_of(point, setting), fields_of(arrays)));
    }
    auto made = std::make_unique<Bundle>(point, setting, arrays, store_of(way));
    // The library finds out in its first runs which stores are faster.
    const bool finds_out =
        baseline == nullptr && !is_esmf_way(way) && find_named(stores_named, way) == nullptr;
    if (finds_out && point.text("phase") == "run") {
        constexpr int enough = 8;
        made->settle(enough);
    }
    return made;
}

}  // namespace transrank::lab::study::redistribute
