// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <optional>
#include <vector>

#include "transrank/mpi/error.hpp"
#include "transrank/study/hand_packing.hpp"
#include "transrank/study/redistribute/way.hpp"

namespace transrank::study::redistribute {
namespace {

constexpr int tag = 0;

/// One peer, and a buffer for what all fields of the bundle send to it or get from it.
struct Side {
    Side(const route::Leg& leg, std::size_t bundle)
        : peer(leg.peer), packing(leg, sizeof(double)), buffer(bundle * packing.bytes()) {}

    [[nodiscard]] std::byte* of_field(std::size_t field) {
        return buffer.data() + (field * packing.bytes());
    }

    int peer;
    HandPacking packing;
    std::vector<std::byte> buffer;
};

class Packed final : public Bundle {
public:
    Packed(const measure::Case& point, const Setting& setting, const Arrays& arrays)
        : Bundle(point, setting, arrays), comm_(setting.comm.handle()), bundle_(bundle()) {
        const auto route = task().route(comm_);
        for (const auto& leg : route.sends()) {
            if (leg.peer != task().rank) {
                departures_.emplace_back(leg, bundle_.size());
            }
        }
        for (const auto& leg : route.receives()) {
            if (leg.peer == task().rank) {
                within_.emplace(leg, sizeof(double));
            } else {
                arrivals_.emplace_back(leg, bundle_.size());
            }
        }
    }

protected:
    void redistribute() override {
        requests_.clear();
        for (auto& side : arrivals_) {
            mpi::check(MPI_Irecv(side.buffer.data(), static_cast<int>(side.buffer.size()), MPI_BYTE,
                                 side.peer, tag, comm_, &requests_.emplace_back(MPI_REQUEST_NULL)),
                       "MPI_Irecv");
        }
        for (auto& side : departures_) {
            for (std::size_t field = 0; field < bundle_.size(); ++field) {
                side.packing.pack(bundle_[field].source, side.of_field(field));
            }
            mpi::check(MPI_Isend(side.buffer.data(), static_cast<int>(side.buffer.size()), MPI_BYTE,
                                 side.peer, tag, comm_, &requests_.emplace_back(MPI_REQUEST_NULL)),
                       "MPI_Isend");
        }
        for (const auto& field : bundle_) {
            if (within_) {
                within_->copy(field.source, field.destination);
            }
        }
        mpi::check(
            MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
        for (auto& side : arrivals_) {
            for (std::size_t field = 0; field < bundle_.size(); ++field) {
                side.packing.unpack(side.of_field(field), bundle_[field].destination);
            }
        }
    }

private:
    MPI_Comm comm_;
    std::vector<transport::Field> bundle_;
    std::vector<Side> departures_;
    std::vector<Side> arrivals_;
    std::optional<HandPacking> within_;
    std::vector<MPI_Request> requests_;
};

}  // namespace

Way mpi_packed() {
    return {.name = "mpi-packed",
            .summary = "packed by hand, one MPI_Isend and MPI_Irecv per peer",
            .floor = false,
            .make = [](const measure::Case& point, const Setting& setting,
                       const Arrays& arrays) -> std::unique_ptr<Bundle> {
                return std::make_unique<Packed>(point, setting, arrays);
            }};
}

}  // namespace transrank::study::redistribute
