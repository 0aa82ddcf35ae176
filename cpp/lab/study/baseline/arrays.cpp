// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/baseline/arrays.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "transrank/memory/array_memory.hpp"
#include "transrank/mpi/agreement.hpp"

namespace transrank::lab::study {
namespace {

struct Memory {
    memory::ArrayMemory source;
    memory::ArrayMemory destination;

    Memory(std::int64_t sources, std::int64_t destinations)
        : source(static_cast<std::size_t>(sources) * sizeof(double)),
          destination(static_cast<std::size_t>(destinations) * sizeof(double)) {}
};

std::span<double> doubles(std::span<std::byte> bytes, std::int64_t count) {
    return {reinterpret_cast<double*>(bytes.data()), static_cast<std::size_t>(count)};
}

Arrays arrays_of(const std::shared_ptr<Memory>& memory, std::int64_t sources,
                 std::int64_t destinations) {
    return {.source = doubles(memory->source.bytes(), sources),
            .destination = doubles(memory->destination.bytes(), destinations),
            .owner = memory};
}

}  // namespace

Arrays Arrays::in(const measure::Workspace& workspace, const measure::Case& point,
                  std::int64_t sources, std::int64_t destinations) {
    const auto slot = std::max(point.send_bytes, point.receive_bytes);
    return {.source = doubles(workspace.send(0, slot, point.send_bytes), sources),
            .destination = doubles(workspace.receive(0, slot, point.receive_bytes), destinations)};
}

Arrays Arrays::shared(const mpi::Communicator& comm, std::int64_t sources,
                      std::int64_t destinations) {
    const auto memory =
        mpi::agreed(comm, [&] { return std::make_shared<Memory>(sources, destinations); });
    return arrays_of(memory, sources, destinations);
}

Arrays Arrays::shared(const mpi::Communicator& comm, const std::string& group, std::int64_t sources,
                      std::int64_t destinations) {
    const auto memory = mpi::agreed(comm, [&] {
        return shared_by(group, [&] { return std::make_shared<Memory>(sources, destinations); });
    });
    return arrays_of(memory, sources, destinations);
}

copy::Field field_of(std::span<const double> source, std::span<double> destination,
                     std::int64_t unit_bytes) {
    return {.source = std::as_bytes(source).data(),
            .source_bytes = static_cast<std::int64_t>(source.size_bytes()),
            .destination = std::as_writable_bytes(destination).data(),
            .destination_bytes = static_cast<std::int64_t>(destination.size_bytes()),
            .unit_bytes = unit_bytes,
            .scalar = unit_bytes % std::int64_t{sizeof(double)} == 0 ? copy::Scalar::float64
                                                                     : copy::Scalar::opaque};
}

double sum_of(std::span<const double> values) {
    std::array<double, 8> sums{};
    for (std::size_t i = 0; i + sums.size() <= values.size(); i += sums.size()) {
        for (std::size_t lane = 0; lane < sums.size(); ++lane) {
            sums[lane] += values[i + lane];
        }
    }
    return std::reduce(sums.begin(), sums.end());
}

}  // namespace transrank::lab::study
