// SPDX-License-Identifier: BSD-3-Clause
// Question: which algorithm is best for an alltoall of which size, and does the MPI library choose
// it? Compared are transrank's own, persistent (made once, not timed); `mpi`, MPI_Alltoall as the
// library does it; and `mpi-NAME`, the algorithms that the library can be made to use by a control
// variable of its tools interface. Timed as IMB and OSU do: a common start before each call, the
// slowest rank counts. `bytes` is the length of the block from one rank to another; bytes count as
// a rank has them in its send buffer.
//
// memory `shared`: what is sent lies where node-mates can map it, for all algorithms alike;
// `private`: it does not, as arrays of a program that does not ask transrank for them.
#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "lab/study/alltoall_algorithms/forced.hpp"
#include "lab/study/collectives/contents.hpp"
#include "lab/study/named.hpp"
#include "lab/study/table.hpp"
#include "transrank/collective/alltoall.hpp"
#include "transrank/collective/method.hpp"
#include "transrank/memory/shared_segment.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::alltoall_algorithms {
namespace {

constexpr std::string_view study_name = "alltoall-algorithms";
constexpr std::string_view default_sizes = "1..1MiB";
constexpr std::string_view shared_memory = "shared";
constexpr std::string_view private_memory = "private";

// An algorithm of the library's, or the library's own choice.
const Forcible* find_forcible(std::string_view name) {
    return name == library_default.name ? &library_default : find_named(forcible(), name);
}

std::vector<AxisChoice> axes() {
    AxisChoice algorithms{.name = "algorithm",
                          .values = {std::string(transrank::collective::automatic)},
                          .quick = {std::string(transrank::collective::automatic),
                                    std::string(library_default.name)}};
    std::ranges::move(names_of(transrank::collective::methods()),
                      std::back_inserter(algorithms.values));
    std::ranges::move(names_of(forcible()), std::back_inserter(algorithms.values));
    return {algorithms,
            {.name = "arrays",
             .values = {std::string(shared_memory)},
             .on_request = {std::string(private_memory)}}};
}

/// What all algorithms move: blocks that say where they come from and go to.
class AlltoallOperation : public measure::Operation {
public:
    AlltoallOperation(const measure::Case& point, const Setting& setting)
        : block_bytes_(point.number("bytes")),
          receive_(setting.workspace.receive(0, point.receive_bytes, point.receive_bytes)) {
        if (point.text("arrays") == shared_memory) {
            const auto bytes = static_cast<std::size_t>(point.send_bytes);
            shared_.emplace(std::max<std::size_t>(bytes, 1));
            send_ = shared_->bytes().first(bytes);
        } else {
            send_ = setting.workspace.send(0, point.send_bytes, point.send_bytes);
        }
        contents_ = collectives::make_blocks({.flow = collectives::find("alltoall").flow,
                                              .send = send_,
                                              .receive = receive_,
                                              .block_bytes = static_cast<std::size_t>(block_bytes_),
                                              .result_bytes = receive_.size(),
                                              .reduction = MPI_OP_NULL,
                                              .rank = setting.comm.rank(),
                                              .ranks = setting.comm.size()});
    }

    void fill(std::uint64_t stamp) override { contents_->fill(stamp); }
    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        return contents_->verify(collectives::Roots(1));
    }

protected:
    [[nodiscard]] std::span<std::byte> send() const noexcept { return send_; }
    [[nodiscard]] std::span<std::byte> receive() const noexcept { return receive_; }
    [[nodiscard]] std::int64_t block_bytes() const noexcept { return block_bytes_; }

private:
    std::int64_t block_bytes_;
    std::optional<memory::SharedSegment> shared_;
    std::span<std::byte> send_;
    std::span<std::byte> receive_;
    std::unique_ptr<collectives::Contents> contents_;
};

class Own final : public AlltoallOperation {
public:
    Own(const measure::Case& point, const Setting& setting)
        : AlltoallOperation(point, setting),
          bound_(setting.comm.handle(), send().data(), receive().data(), block_bytes(),
                 {.algorithm = point.text("algorithm")}) {}

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            bound_.run();
        }
    }

    void describe(text::JsonWriter& json) override { json.key("chosen").value(bound_.algorithm()); }

private:
    transrank::collective::Alltoall bound_;
};

class Library final : public AlltoallOperation {
public:
    Library(const measure::Case& point, const Setting& setting, const Forcible& algorithm)
        : AlltoallOperation(point, setting),
          forced_(force(setting.comm, algorithm)),
          count_(static_cast<int>(block_bytes())) {}

    void prepare() override { forced_->choose(); }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            mpi::check(MPI_Alltoall(send().data(), count_, MPI_BYTE, receive().data(), count_,
                                    MPI_BYTE, forced_->comm()),
                       "MPI_Alltoall");
        }
    }

private:
    std::unique_ptr<Forced> forced_;
    int count_;
};

std::string reason_to_skip(const std::string& name, std::int64_t bytes, int ranks) {
    if (bytes > std::numeric_limits<int>::max()) {
        return "MPI_Alltoall takes at most 2^31 - 1 elements for one rank";
    }
    if (const auto* forcible = find_forcible(name)) {
        return forcible->most_ranks == 0 || ranks <= forcible->most_ranks
                   ? ""
                   : "only for " + std::to_string(forcible->most_ranks) + " ranks";
    }
    const auto* method = find_named(transrank::collective::methods(), name);
    const schedule::Problem problem{.ranks = ranks};
    return method == nullptr || method->algorithm == nullptr
               ? ""
               : method->algorithm->reason_against(problem);
}

std::vector<measure::Case> cases(const Selection& selection, int ranks) {
    std::vector<measure::Case> points;
    const auto choices = axes();
    for (const auto& arrays : values_of(selection, choices[1])) {
        for (const auto bytes : sizes_of(selection, default_sizes)) {
            for (const auto& algorithm : values_of(selection, choices[0])) {
                auto& point = points.emplace_back();
                point.study = study_name;
                point.axes = {{.name = "algorithm", .value = algorithm},
                              {.name = "arrays", .value = arrays},
                              {.name = "bytes", .value = bytes}};
                point.group = std::string(study_name) + "/" + arrays + "/" + std::to_string(bytes);
                point.timing = measure::TimingKind::single;
                point.skip_reason = reason_to_skip(algorithm, bytes, ranks);
                if (point.skip_reason.empty()) {
                    point.send_bytes = bytes * ranks;
                    point.receive_bytes = bytes * ranks;
                    point.bytes_counted = static_cast<double>(point.send_bytes);
                }
            }
        }
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    if (const auto* algorithm = find_forcible(point.text("algorithm"))) {
        return std::make_unique<Library>(point, setting, *algorithm);
    }
    return std::make_unique<Own>(point, setting);
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary =
                "alltoall by transrank's algorithms, by MPI's default, and by each algorithm "
                "that MPI can be set to use",
            .sizes = default_sizes,
            .quick_sizes = 2,
            .axes = axes,
            .cases = cases,
            .prepare = prepare};
}

}  // namespace transrank::lab::study::alltoall_algorithms
