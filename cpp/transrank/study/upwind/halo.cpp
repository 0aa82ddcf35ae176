// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/study/upwind/halo.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "transrank/exchange/exchange.hpp"

namespace transrank::study::upwind {
namespace {

/// By the engine: an exchange for each of the two arrays.
class Exchanged final : public Halo {
public:
    Exchanged(std::string_view transport, const Domain& domain)
        : exchanges_{bind(transport, domain, 0), bind(transport, domain, 1)} {}

    void start(int which) override { exchanges_[static_cast<std::size_t>(which)].start(); }
    void finish(int which) override { exchanges_[static_cast<std::size_t>(which)].wait(); }

private:
    static exchange::Exchange bind(std::string_view transport, const Domain& domain, int which) {
        const auto bytes = std::as_writable_bytes(domain.array(which));
        exchange::Options options;
        options.transport = transport;
        return {route_of(domain.torus().pieces(domain.stencil()), domain.torus()),
                domain.torus().comm().handle(),
                {{.source = bytes.data(),
                  .source_bytes = static_cast<std::int64_t>(bytes.size()),
                  .destination = bytes.data(),
                  .destination_bytes = static_cast<std::int64_t>(bytes.size()),
                  .unit_bytes = sizeof(double),
                  .scalar = transport::Scalar::float64}},
                options};
    }

    std::array<exchange::Exchange, 2> exchanges_;
};

}  // namespace

std::span<const Way> ways() {
    static const std::array table = {mpi_messages(), mpi_put_fence(), mpi_put_post()};
    return table;
}

std::unique_ptr<Halo> make_halo(std::string_view name, const Domain& domain) {
    const auto way = std::ranges::find(ways(), name, &Way::name);
    return way == ways().end() ? std::make_unique<Exchanged>(name, domain) : way->make(domain);
}

}  // namespace transrank::study::upwind
