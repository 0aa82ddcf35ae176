// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/upwind/halo.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "transrank/exchange/exchange.hpp"

namespace transrank::study::upwind {
namespace {

/// By the engine.
class Exchanged final : public Halo {
public:
    Exchanged(std::string_view transport, const Domain& domain, Sources sources)
        : exchange_(bind(transport, domain, sources)) {}

    void start() override { exchange_.start(); }
    void finish() override { exchange_.wait(); }

private:
    static exchange::Exchange bind(std::string_view transport, const Domain& domain,
                                   Sources sources) {
        const auto bytes = std::as_writable_bytes(domain.field());
        exchange::Options options;
        options.transport = transport;
        return {route_of(domain.torus().pieces(domain.stencil(), sources), domain.torus()),
                domain.torus().comm().handle(),
                {{.source = bytes.data(),
                  .source_bytes = static_cast<std::int64_t>(bytes.size()),
                  .destination = bytes.data(),
                  .destination_bytes = static_cast<std::int64_t>(bytes.size()),
                  .unit_bytes = sizeof(double),
                  .scalar = transport::Scalar::float64}},
                options};
    }

    exchange::Exchange exchange_;
};

}  // namespace

std::span<const Way> ways() {
    static const std::array table = {mpi_messages(), mpi_put_fence(), mpi_put_post()};
    return table;
}

std::unique_ptr<Halo> make_halo(std::string_view name, const Domain& domain, Sources sources) {
    const auto way = std::ranges::find(ways(), name, &Way::name);
    return way == ways().end() ? std::make_unique<Exchanged>(name, domain, sources)
                               : way->make(domain, sources);
}

}  // namespace transrank::study::upwind
