// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/overlap/operation.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "lab/machine/clock.hpp"
#include "lab/study/baseline/arrays.hpp"
#include "lab/study/collectives/collective.hpp"
#include "lab/study/collectives/operation.hpp"
#include "lab/study/neighborhood/blocks.hpp"
#include "lab/study/neighborhood/operation.hpp"
#include "lab/study/point_to_point/message.hpp"
#include "lab/study/table.hpp"
#include "transrank/mpi/collectives.hpp"

namespace transrank::lab::study::overlap {
namespace {

/// The next rank, and the one before.
neighborhood::Partners shifted(const mpi::Communicator& comm) {
    const int ranks = comm.size();
    return {.targets = {{.rank = (comm.rank() + 1) % ranks, .place = 0}},
            .sources = {{.rank = (comm.rank() + ranks - 1) % ranks, .place = 0}}};
}

/// Arithmetic that needs nothing but the core: each step waits for the one before.
void compute(std::int64_t steps) {
    volatile double sink = 1;
    double value = sink;
    for (std::int64_t i = 0; i < steps; ++i) {
        value = (value * 0.999999) + 1e-6;
    }
    sink = value;
}

template <class Work>
double fastest_of_trials(const Work& work) {
    constexpr int trials = 5;
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < trials; ++i) {
        const double begin = machine::now();
        work();
        best = std::min(best, machine::now() - begin);
    }
    return best;
}

/// Steps of computation that take as long as an operation does, by the name of its case.
using Lengths = std::map<std::string, std::int64_t>;

struct SplitOperation {
    explicit SplitOperation(std::unique_ptr<measure::Operation> made)
        : whole(std::move(made)), split(dynamic_cast<measure::Split*>(whole.get())) {}
    std::unique_ptr<measure::Operation> whole;
    measure::Split* split;  ///< the same one
};

std::int64_t length_of(const SplitOperation& operation, const mpi::Communicator& comm) {
    constexpr std::int64_t steps = 20'000;
    constexpr std::int64_t repetitions = 4;
    operation.whole->fill(0);
    std::array<double, 2> seconds{
        fastest_of_trials([&] { operation.whole->run(repetitions); }) / repetitions,
        fastest_of_trials([] { compute(steps); }) / steps};
    mpi::reduce(comm, std::span(seconds), MPI_MAX);
    return std::max<std::int64_t>(static_cast<std::int64_t>(seconds[0] / seconds[1]), 1);
}

class Part : public measure::Operation {
public:
    Part(SplitOperation operation, std::shared_ptr<const Lengths> lengths, std::int64_t steps)
        : operation_(std::move(operation)), lengths_(std::move(lengths)), steps_(steps) {}
    void fill(std::uint64_t stamp) override { operation_.whole->fill(stamp); }
    void prepare() override { operation_.whole->prepare(); }
    std::uint64_t verify(std::int64_t repetitions) override {
        return operation_.whole->verify(repetitions);
    }

protected:
    [[nodiscard]] measure::Split& operation() const { return *operation_.split; }
    [[nodiscard]] std::int64_t steps() const { return steps_; }

private:
    SplitOperation operation_;
    std::shared_ptr<const Lengths> lengths_;  ///< kept for the other parts
    std::int64_t steps_;
};

class Computation final : public Part {
public:
    using Part::Part;
    void fill(std::uint64_t /*stamp*/) override {}
    std::uint64_t verify(std::int64_t /*repetitions*/) override { return 0; }
    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            compute(steps());
        }
    }
};

class Together final : public Part {
public:
    using Part::Part;
    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            operation().start();
            compute(steps());
            operation().finish();
        }
    }
};

bool among_neighbors(std::string_view operation) {
    return std::ranges::any_of(neighborhood::ways(), [&](const neighborhood::Way& way) {
        return way.by_collective && way.name == operation;
    });
}

/// The case of the study `collectives`, or on a ring of `neighborhood`, that `part` names.
measure::Case collective_case(const measure::Case& part, int ranks) {
    Selection selection{
        .sizes = {part.number("bytes")},
        .axes = {{"operation", {part.text("operation")}}, {"form", {part.text("form")}}}};
    if (!among_neighbors(part.text("operation"))) {
        return collectives::study().cases(selection, ranks).front();
    }
    selection.axes["topology"] = {"ring"};
    return neighborhood::study().cases(selection, ranks).front();
}

SplitOperation make_whole(const measure::Case& point, const Setting& setting) {
    const auto& operation = point.text("operation");
    if (operation == message) {
        return SplitOperation(
            neighborhood::make_messages(point, setting, shifted(setting.comm),
                                        point.text("form") == collectives::persistent_form));
    }
    if (operation == exchange) {
        return SplitOperation(neighborhood::make_exchange(point, setting, shifted(setting.comm)));
    }
    const auto whole = collective_case(point, setting.comm.size());
    return SplitOperation(among_neighbors(operation) ? neighborhood::make_operation(whole, setting)
                                                     : collectives::make_operation(whole, setting));
}

}  // namespace

measure::Case moved(const measure::Case& part, int ranks) {
    const auto& operation = part.text("operation");
    if (operation != message && operation != exchange) {
        return collective_case(part, ranks);
    }
    const auto bytes = part.number("bytes");
    measure::Case point;
    point.bytes_counted = static_cast<double>(bytes);
    point.skip_reason = reason_against_message(bytes);
    if (operation == message) {
        point.send_bytes = bytes;
        point.receive_bytes = bytes;
    } else {
        point.further_bytes = 2 * bytes;
    }
    return point;
}

std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                   const Setting& setting) {
    auto operation = make_whole(point, setting);
    const auto& part = point.text("part");
    if (part == alone) {
        return std::move(operation.whole);
    }
    const auto lengths = shared_by(point.group, [] { return std::make_shared<Lengths>(); });
    const auto key = point.text("form") + "/" + std::to_string(point.number("bytes"));
    if (!lengths->contains(key)) {
        (*lengths)[key] = length_of(operation, setting.comm);
    }
    const auto steps = lengths->at(key);
    if (part == computation) {
        return std::make_unique<Computation>(std::move(operation), lengths, steps);
    }
    return std::make_unique<Together>(std::move(operation), lengths, steps);
}

}  // namespace transrank::lab::study::overlap
