// SPDX-License-Identifier: BSD-3-Clause
// ranks: 1 2 3 4 6
// Upwind advection on a torus against a serial computation of the whole grid.
#include <complex>

#include "lab/measure/payload.hpp"
#include "lab/study/advection/axes.hpp"
#include "lab/study/advection/march.hpp"
#include "lab/study/advection/wave.hpp"
#include "testing.hpp"
#include "transrank/mpi/agreement.hpp"
#include "transrank/transport/transport.hpp"

using namespace transrank;
using namespace transrank::lab;
using namespace transrank::lab::study::advection;
namespace baseline = transrank::lab::study::baseline;

namespace {

constexpr int steps = 7;
constexpr Extents extents{.rows = 17, .columns = 19};

constexpr std::array velocities{Courant{.x = 0.3, .y = 0.4}, Courant{.x = 0.3, .y = -0.4},
                                Courant{.x = -0.3, .y = 0.4}, Courant{.x = -0.3, .y = -0.4}};

std::size_t index(std::int64_t row, std::int64_t column) {
    const auto i = (row + extents.rows) % extents.rows;
    const auto j = (column + extents.columns) % extents.columns;
    return static_cast<std::size_t>((i * extents.columns) + j);
}

/// A field that no symmetry of the grid leaves as it is.
std::vector<double> initial_field() {
    std::vector<double> field(static_cast<std::size_t>(extents.rows * extents.columns));
    for (std::size_t i = 0; i < field.size(); ++i) {
        field[i] = std::sin(static_cast<double>(i * i % 101)) + (i == 40 ? 5.0 : 0.0);
    }
    return field;
}

/// The whole grid on one rank, in the plainest way.
std::vector<double> serial(const Stencil& stencil) {
    auto field = initial_field();
    for (int step = 0; step < steps; ++step) {
        std::vector<double> next(field.size());
        for (std::int64_t i = 0; i < extents.rows; ++i) {
            for (std::int64_t j = 0; j < extents.columns; ++j) {
                for (const auto& tap : stencil.taps) {
                    next[index(i, j)] += tap.weight * field[index(i + tap.row, j + tap.column)];
                }
            }
        }
        field = next;
    }
    return field;
}

void write_initial_field(const Domain& domain) {
    const auto field = initial_field();
    const auto [row, column] = domain.origin();
    std::ranges::fill(domain.field(), -7.0);
    for (std::int64_t i = 0; i < domain.block().rows(); ++i) {
        for (std::int64_t j = 0; j < domain.block().columns(); ++j) {
            domain.field()[static_cast<std::size_t>(domain.block().at(i, j))] =
                field[index(row + i, column + j)];
        }
    }
}

/// This rank's points, row by row.
std::vector<double> own_points(const Domain& domain) {
    std::vector<double> points;
    for (std::int64_t i = 0; i < domain.block().rows(); ++i) {
        const auto row = domain.field().subspan(static_cast<std::size_t>(domain.block().at(i, 0)),
                                                static_cast<std::size_t>(domain.block().columns()));
        points.insert(points.end(), row.begin(), row.end());
    }
    return points;
}

std::vector<double> own_part(const std::vector<double>& field, const Domain& domain) {
    const auto [row, column] = domain.origin();
    std::vector<double> points;
    for (std::int64_t i = 0; i < domain.block().rows(); ++i) {
        for (std::int64_t j = 0; j < domain.block().columns(); ++j) {
            points.push_back(field[index(row + i, column + j)]);
        }
    }
    return points;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// This rank's points after the steps; `halo` may be null.
std::vector<double> marched(const Domain& domain, baseline::Mover* halo, Overlap overlap) {
    write_initial_field(domain);
    March march(domain, halo, overlap);
    for (int step = 0; step < steps; ++step) {
        march.step();
    }
    return own_points(domain);
}

std::vector<std::string> all_halos() {
    auto names = transports({"auto"}).values;
    for (const auto& entry : transport::all()) {
        if (entry.reach != transport::Reach::itself) {
            names.emplace_back(entry.name);
        }
    }
    return names;
}

/// Every scheme in every direction; the process grids take turns.
template <class Check>
void for_each_domain(const Check& check) {
    constexpr std::array names{"even", "rows", "columns"};
    const mpi::Communicator world(MPI_COMM_WORLD);
    std::size_t turn = 0;
    for (const auto& scheme : schemes()) {
        for (const auto& courant : velocities) {
            const auto* name = names[turn++ % names.size()];
            CAPTURE(scheme.name);
            CAPTURE(courant.x);
            CAPTURE(courant.y);
            CAPTURE(name);
            check(Domain(world, processes_of(name, world.size()), extents, scheme.make(courant)));
        }
    }
}

}  // namespace

TEST_CASE("every way to update the halo gives the bits of the first, blocking and overlapped") {
    for_each_domain([](const Domain& domain) {
        const auto expected = own_part(serial(domain.stencil()), domain);
        std::vector<double> first;
        for (const auto& name : all_halos()) {
            CAPTURE(name);
            for (const auto overlap : {Overlap::none, Overlap::split}) {
                std::unique_ptr<baseline::Mover> halo;
                try {
                    halo = domain.make_halo(name, sources_of(overlap));
                } catch (const mpi::AgreedError&) {
                    continue;  // a transport that this machine or these ranks do not have
                }
                const auto found = marched(domain, halo.get(), overlap);
                first = first.empty() ? found : first;
                REQUIRE(same_bits(found, first));
                REQUIRE(largest_difference(found, expected) < 1e-13);
            }
        }
    });
}

TEST_CASE("without communication the field is wrong, and the wave notices it") {
    for_each_domain([](const Domain& domain) {
        const auto expected = own_part(serial(domain.stencil()), domain);
        CHECK(largest_difference(marched(domain, nullptr, Overlap::none), expected) > 0.1);
        const Wave wave(domain, 5);
        const auto halo = domain.make_halo("auto", Sources::owned);
        for (auto* one : {halo.get(), static_cast<baseline::Mover*>(nullptr)}) {
            wave.write();
            March march(domain, one, Overlap::none);
            for (int step = 0; step < steps; ++step) {
                march.step();
            }
            if (one == nullptr) {
                CHECK_THROWS_AS((void)wave.check(steps), measure::WrongPayload);
            } else {
                CHECK(wave.check(steps) == 8 * domain.block().points());
                CHECK_THROWS_AS((void)wave.check(steps + 1), measure::WrongPayload);
            }
        }
    });
}

TEST_CASE("every kernel gives the bits of a second array, however a row is divided") {
    const Block block(9, 203);
    std::vector<double> old(static_cast<std::size_t>(block.doubles()));
    for (std::size_t i = 0; i < old.size(); ++i) {
        old[i] = std::sin(static_cast<double>(i));
    }
    for (const auto& scheme : schemes()) {
        for (const auto& courant : velocities) {
            const auto stencil = scheme.make(courant);
            std::vector<double> weights;
            for (const auto& tap : stencil.taps) {
                weights.push_back(tap.weight);
            }
            auto expected = old;
            for (std::int64_t i = 0; i < block.rows(); ++i) {
                for (std::int64_t j = 0; j < block.columns(); ++j) {
                    double sum = 0;
                    for (std::size_t t = 0; t < weights.size(); ++t) {
                        const auto& tap = stencil.taps[t];
                        const auto place = block.at(i + tap.row, j + tap.column);
                        sum += weights[t] * old[static_cast<std::size_t>(place)];
                    }
                    expected[static_cast<std::size_t>(block.at(i, j))] = sum;
                }
            }
            const std::int64_t step = stencil.from_low_columns ? -1 : 1;
            const auto first = block.at(stencil.from_low_rows ? block.rows() - 1 : 0,
                                        stencil.from_low_columns ? block.columns() - 1 : 0);
            std::vector<double> bits;
            for (const auto& kernel : kernels_of(stencil)) {
                CAPTURE(copy::name(kernel.instruction_set));
                for (const std::int64_t head : {0, 1, 2, 5, 64, 203}) {
                    auto field = old;
                    const auto pitch = stencil.from_low_rows ? -block.pitch() : block.pitch();
                    kernel.sweep(field.data() + first, weights.data(),
                                 {block.rows(), head, pitch, step});
                    kernel.sweep(field.data() + first + (head * step), weights.data(),
                                 {block.rows(), block.columns() - head, pitch, step});
                    bits = bits.empty() ? field : bits;
                    CHECK(same_bits(field, bits));
                    CHECK(largest_difference(field, expected) < 1e-15);
                }
            }
        }
    }
}

TEST_CASE("mass is conserved, and no wave grows up to the limit of stability") {
    for (const auto& scheme : schemes()) {
        const double limit = scheme.order == 1 ? 0.5 : 2.0;
        for (const double part : {0.25, 0.5, 1.0}) {
            const auto stencil = scheme.make({.x = part * limit, .y = -part * limit});
            CHECK(std::abs(stencil.amplification(0, 0) - 1.0) < 1e-13);
            for (double phase = 0; phase < 6.3; phase += 0.1) {
                CHECK(std::abs(stencil.amplification(phase, 2 * phase)) < 1 + 1e-12);
            }
        }
    }
}

TEST_CASE("a step that is too long is refused with the longest one") {
    CHECK_THROWS_WITH_AS(
        (void)find_scheme("first-order").make({.x = 1.0, .y = -1.5}),
        "the time step is too long for the first-order scheme: |u| dt/h + |v| dt/h = 2.5 exceeds "
        "1; use at most 0.4 times this step",
        std::invalid_argument);
    CHECK_THROWS_AS((void)find_scheme("second-order").make({.x = 2.1, .y = 0}),
                    std::invalid_argument);
    CHECK_NOTHROW((void)find_scheme("second-order").make({.x = 2.0, .y = -2.0}));
}

TEST_CASE("a part thinner than the stencil is refused with rank, extent and remedy") {
    CHECK(reason_against({.rows = 5, .columns = 9}, {3, 2}, 2) ==
          "the part of rank 4 is 1 points thick in dimension 0, thinner than the 2 that the "
          "stencil reads of its neighbor; use fewer processes along this dimension or a larger "
          "grid");
    CHECK(reason_against({.rows = 6, .columns = 3}, {3, 2}, 2)
              .find("the part of rank 1 is 1 points") == 0);
    CHECK(reason_against({.rows = 6, .columns = 4}, {3, 2}, 2).empty());
}

TEST_CASE("ranks are spread over the process grid as asked") {
    CHECK(processes_of("even", 6) == Processes{3, 2});
    CHECK(processes_of("even", 7) == Processes{7, 1});
    CHECK(processes_of("rows", 4) == Processes{4, 1});
    CHECK(processes_of("columns", 4) == Processes{1, 4});
    CHECK_THROWS_AS((void)processes_of("diagonal", 4), std::invalid_argument);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Processes of_mpi{};
    MPI_Dims_create(ranks, 2, of_mpi.data());
    CHECK(processes_of("even", ranks) == of_mpi);
}
