// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/neighborhood/operation.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "lab/measure/payload.hpp"
#include "lab/study/arrays.hpp"
#include "lab/study/baseline/baseline.hpp"
#include "lab/study/collectives/collective.hpp"
#include "lab/study/collectives/operation.hpp"
#include "lab/study/neighborhood/topology.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::neighborhood {
namespace {

using collectives::Call;
using collectives::Forms;
using collectives::forms_of;

constexpr int tag = 19;
constexpr std::array all_forms{collectives::blocking_form, collectives::nonblocking_form,
                               collectives::persistent_form};
constexpr std::span<const std::string_view> split_forms = std::span(all_forms).subspan(1);
constexpr std::span<const std::string_view> persistent_only = std::span(all_forms).subspan(2);

constexpr auto blocks = [](const Call& c) {
    return std::tuple(c.send, c.count, c.datatype, c.receive, c.count, c.datatype, c.comm);
};

/// One of MPI's collectives among the neighbors of a graph.
struct Collective {
    std::string_view name;
    std::string_view mpi_name;
    bool gathers;
    Forms forms;
};

const auto& collective_table() {
    static const std::array rows{Collective{
        .name = "neighbor_allgather",
        .mpi_name = "MPI_Neighbor_allgather",
        .gathers = true,
        .forms = forms_of(
            blocks, [](auto... a) { return MPI_Neighbor_allgather(a...); },
            [](auto... a) { return MPI_Ineighbor_allgather(a...); },
            [](auto... a)
                requires requires { MPI_Neighbor_allgather_init(a...); }
            { return MPI_Neighbor_allgather_init(a...); })},
        Collective{
            .name = "neighbor_allgatherv",
            .mpi_name = "MPI_Neighbor_allgatherv",
            .gathers = true,
            .forms = forms_of(
                [](const Call& c) {
                    return std::tuple(c.send, c.count, c.datatype, c.receive, c.counts,
                                      c.displacements, c.datatype, c.comm);
                },
                [](auto... a) { return MPI_Neighbor_allgatherv(a...); },
                [](auto... a) { return MPI_Ineighbor_allgatherv(a...); },
                [](auto... a)
                    requires requires { MPI_Neighbor_allgatherv_init(a...); }
                { return MPI_Neighbor_allgatherv_init(a...); })},
            Collective{
                .name = "neighbor_alltoall",
                .mpi_name = "MPI_Neighbor_alltoall",
                .gathers = false,
                .forms = forms_of(
                    blocks, [](auto... a) { return MPI_Neighbor_alltoall(a...); },
                    [](auto... a) { return MPI_Ineighbor_alltoall(a...); },
                    [](auto... a)
                        requires requires { MPI_Neighbor_alltoall_init(a...); }
                    { return MPI_Neighbor_alltoall_init(a...); })},
                Collective{
                    .name = "neighbor_alltoallv",
                    .mpi_name = "MPI_Neighbor_alltoallv",
                    .gathers = false,
                    .forms = forms_of(
                        [](const Call& c) {
                            return std::tuple(c.send, c.counts, c.displacements, c.datatype,
                                              c.receive, c.counts, c.displacements, c.datatype,
                                              c.comm);
                        },
                        [](auto... a) { return MPI_Neighbor_alltoallv(a...); },
                        [](auto... a) { return MPI_Ineighbor_alltoallv(a...); },
                        [](auto... a)
                            requires requires { MPI_Neighbor_alltoallv_init(a...); }
                        { return MPI_Neighbor_alltoallv_init(a...); })},
                    Collective{.name = "neighbor_alltoallw",
                               .mpi_name = "MPI_Neighbor_alltoallw",
                               .gathers = false,
                               .forms = forms_of(
                                   [](const Call& c) {
                                       return std::tuple(c.send, c.counts, c.byte_displacements,
                                                         c.types, c.receive, c.counts,
                                                         c.byte_displacements, c.types, c.comm);
                                   },
                                   [](auto... a) { return MPI_Neighbor_alltoallw(a...); },
                                   [](auto... a) { return MPI_Ineighbor_alltoallw(a...); },
                                   [](auto... a)
                                       requires requires { MPI_Neighbor_alltoallw_init(a...); }
                                   { return MPI_Neighbor_alltoallw_init(a...); })}};
    return rows;
}

const Collective* find_collective(std::string_view name) {
    const auto& rows = collective_table();
    const auto found = std::ranges::find(rows, name, &Collective::name);
    return found == rows.end() ? nullptr : &*found;
}

/// Blocks in neighbors' order: what is sent, and what must have come.
class Blocks : public measure::Operation {
public:
    Blocks(const measure::Case& point, const Setting& setting)
        : comm_(setting.comm),
          neighbors_(neighborhood::neighbors(point.text("topology"), comm_.rank(), comm_.size())),
          bytes_(point.number("bytes")),
          gathers_(find_way(point.text("operation")).gathers) {}

    void fill(std::uint64_t stamp) override {
        stamp_ = stamp;
        for (std::size_t i = 0; i < (gathers_ ? 1 : degree()); ++i) {
            payload(comm_.rank(), neighbors_[i]).write(block(send_, i));
        }
        measure::poison(receive_);
    }
    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        for (std::size_t i = 0; i < degree(); ++i) {
            payload(neighbors_[i], comm_.rank()).check(block(receive_, i));
        }
        return receive_.size();
    }

protected:
    /// Of each of which the first blocks are used. To be called once, before fill.
    void use(std::span<std::byte> send, std::span<std::byte> receive) {
        const auto all = degree() * static_cast<std::size_t>(bytes_);
        send_ = send.first(gathers_ ? static_cast<std::size_t>(bytes_) : all);
        receive_ = receive.first(all);
    }
    void use(const measure::Workspace& workspace, const measure::Case& point) {
        const auto slot = std::max(point.send_bytes, point.receive_bytes);
        use(workspace.send(0, slot, point.send_bytes),
            workspace.receive(0, slot, point.receive_bytes));
    }

    [[nodiscard]] const mpi::Communicator& comm() const { return comm_; }
    [[nodiscard]] const std::vector<int>& neighbors() const { return neighbors_; }
    [[nodiscard]] std::size_t degree() const { return neighbors_.size(); }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] std::span<std::byte> sent() const { return send_; }
    [[nodiscard]] std::span<std::byte> received() const { return receive_; }
    [[nodiscard]] std::span<std::byte> block(std::span<std::byte> side, std::size_t index) const {
        const auto each = static_cast<std::size_t>(bytes_);
        return side.subspan(index * each, each);
    }

private:
    [[nodiscard]] measure::Payload payload(int source, int target) const {
        return {
            .source = source, .target = gathers_ ? measure::all_ranks : target, .stamp = stamp_};
    }

    const mpi::Communicator& comm_;
    std::vector<int> neighbors_;
    std::int64_t bytes_;
    bool gathers_;
    std::span<std::byte> send_;
    std::span<std::byte> receive_;
    std::uint64_t stamp_ = 0;
};

class ByCollective final : public Blocks {
public:
    ByCollective(const measure::Case& point, const Setting& setting)
        : Blocks(point, setting),
          collective_(*find_collective(point.text("operation"))),
          form_(point.text("form")),
          graph_(setting.comm.adjacent(neighbors(), neighbors())),
          counts_(degree(), static_cast<int>(bytes())),
          displacements_(degree()),
          byte_displacements_(degree()),
          types_(degree(), MPI_BYTE) {
        use(setting.workspace, point);
        for (std::size_t i = 0; i < degree(); ++i) {
            displacements_[i] = static_cast<int>(i) * counts_[i];
            byte_displacements_[i] = displacements_[i];
        }
        call_ = {.send = sent().data(),
                 .receive = received().data(),
                 .count = static_cast<int>(bytes()),
                 .datatype = MPI_BYTE,
                 .reduction = MPI_OP_NULL,
                 .counts = counts_.data(),
                 .displacements = displacements_.data(),
                 .byte_displacements = byte_displacements_.data(),
                 .types = types_.data(),
                 .rank = comm().rank(),
                 .root = 0,
                 .comm = graph_.handle()};
        if (form_ == collectives::persistent_form) {
            checked(collective_.forms.persistent(call_, &request_));
        }
    }
    ByCollective(const ByCollective&) = delete;
    ByCollective& operator=(const ByCollective&) = delete;
    ~ByCollective() override {
        if (request_ != MPI_REQUEST_NULL) {
            MPI_Request_free(&request_);
        }
    }

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            if (form_ == collectives::blocking_form) {
                checked(collective_.forms.blocking(call_));
                continue;
            }
            if (form_ == collectives::persistent_form) {
                mpi::check(MPI_Start(&request_), "MPI_Start");
            } else {
                checked(collective_.forms.nonblocking(call_, &request_));
            }
            mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
        }
    }

private:
    void checked(int status) const { mpi::check(status, collective_.mpi_name.data()); }

    const Collective& collective_;
    std::string form_;
    mpi::Communicator graph_;
    std::vector<int> counts_;
    std::vector<int> displacements_;
    std::vector<MPI_Aint> byte_displacements_;
    std::vector<MPI_Datatype> types_;
    Call call_{};
    MPI_Request request_ = MPI_REQUEST_NULL;
};

/// MPI_Isend to and MPI_Irecv from each neighbor, or the same as persistent requests.
class ByMessages final : public Blocks {
public:
    ByMessages(const measure::Case& point, const Setting& setting)
        : Blocks(point, setting),
          persistent_(point.text("form") == collectives::persistent_form),
          requests_(2 * degree(), MPI_REQUEST_NULL) {
        use(setting.workspace, point);
        if (persistent_) {
            each(MPI_Recv_init, MPI_Send_init);
        }
    }
    ByMessages(const ByMessages&) = delete;
    ByMessages& operator=(const ByMessages&) = delete;
    ~ByMessages() override {
        for (auto& request : requests_) {
            if (request != MPI_REQUEST_NULL) {
                MPI_Request_free(&request);
            }
        }
    }

    void run(std::int64_t repetitions) override {
        const auto count = static_cast<int>(requests_.size());
        for (std::int64_t i = 0; i < repetitions; ++i) {
            if (persistent_) {
                mpi::check(MPI_Startall(count, requests_.data()), "MPI_Startall");
            } else {
                each(MPI_Irecv, MPI_Isend);
            }
            mpi::check(MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
        }
    }

private:
    template <class Receive, class Send>
    void each(const Receive& receive, const Send& send) {
        const auto count = static_cast<int>(bytes());
        auto* request = requests_.data();
        for (std::size_t i = 0; i < degree(); ++i) {
            mpi::check(receive(block(received(), i).data(), count, MPI_BYTE, neighbors()[i], tag,
                               comm().handle(), request++),
                       "the receive from a neighbor");
        }
        for (std::size_t i = 0; i < degree(); ++i) {
            mpi::check(send(block(sent(), i).data(), count, MPI_BYTE, neighbors()[i], tag,
                            comm().handle(), request++),
                       "the send to a neighbor");
        }
    }

    bool persistent_;
    std::vector<MPI_Request> requests_;
};

/// transrank's Exchange, from and into arrays that ranks of a node share.
class ByExchange final : public Blocks {
public:
    ByExchange(const measure::Case& point, const Setting& setting)
        : Blocks(point, setting),
          arrays_(Arrays::shared(comm(), words(), words())),
          mover_(baseline::make("auto", task(point.text("topology")))) {
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

private:
    [[nodiscard]] std::int64_t all_bytes() const {
        return static_cast<std::int64_t>(degree()) * bytes();
    }
    [[nodiscard]] std::int64_t words() const {
        return (all_bytes() + std::int64_t{sizeof(double)} - 1) / std::int64_t{sizeof(double)};
    }
    /// Block i to neighbor i, which has this rank at some place of its own list.
    [[nodiscard]] baseline::Task task(const std::string& topology) const {
        std::vector<route::Leg> sends;
        std::vector<route::Leg> receives;
        for (std::size_t i = 0; bytes() > 0 && i < degree(); ++i) {
            const auto theirs = neighborhood::neighbors(topology, neighbors()[i], comm().size());
            const auto place = std::ranges::find(theirs, comm().rank()) - theirs.begin();
            const auto mine = static_cast<std::int64_t>(i) * bytes();
            const auto other = static_cast<std::int64_t>(place) * bytes();
            sends.push_back(
                {.peer = neighbors()[i],
                 .segments = {{.source = mine, .destination = other, .length = bytes()}}});
            receives.push_back(
                {.peer = neighbors()[i],
                 .segments = {{.source = other, .destination = mine, .length = bytes()}}});
        }
        return {.comm = comm(),
                .route = {comm().rank(), comm().size(), all_bytes(), all_bytes(), std::move(sends),
                          std::move(receives)},
                .fields = {field_of(arrays_.source, arrays_.destination, 1)},
                .description = baseline::Description::segments};
    }

    Arrays arrays_;
    std::unique_ptr<baseline::Mover> mover_;
};

std::vector<Way> make_table() {
    std::vector<Way> table;
    for (const auto& row : collective_table()) {
        table.push_back({.name = row.name, .gathers = row.gathers, .forms = all_forms});
    }
    table.push_back({.name = "messages", .forms = split_forms});
    table.push_back({.name = "exchange", .shares_arrays = true, .forms = persistent_only});
    return table;
}

}  // namespace

bool Way::has(std::string_view form) const {
    return std::ranges::find(forms, form) != forms.end();
}

std::string Way::obstacle(std::string_view form) const {
    const auto* collective = find_collective(name);
    return collective != nullptr && form == collectives::persistent_form &&
                   collective->forms.persistent == nullptr
               ? "this MPI has no " + std::string(collective->mpi_name) + "_init"
               : "";
}

std::span<const Way> ways() {
    static const auto table = make_table();
    return table;
}

const Way& find_way(std::string_view name) {
    const auto found = std::ranges::find(ways(), name, &Way::name);
    if (found == ways().end()) {
        throw std::out_of_range("no way to exchange blocks with neighbors is called '" +
                                std::string(name) + "'");
    }
    return *found;
}

std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                   const Setting& setting) {
    const auto& operation = point.text("operation");
    if (operation == "messages") {
        return std::make_unique<ByMessages>(point, setting);
    }
    if (operation == "exchange") {
        return std::make_unique<ByExchange>(point, setting);
    }
    return std::make_unique<ByCollective>(point, setting);
}

}  // namespace transrank::lab::study::neighborhood
