// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/collectives/operation.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "lab/measure/outcome.hpp"
#include "lab/study/collectives/contents.hpp"
#include "lab/study/collectives/message_counter.hpp"
#include "lab/study/requests.hpp"
#include "transrank/mpi/collectives.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::collectives {
namespace {

Buffers buffers(const Flow& flow, const measure::Case& point, const Setting& setting) {
    const auto slot_bytes = std::max(point.send_bytes, point.receive_bytes);
    const auto bytes = flow.moves() ? point.number("bytes") : 0;
    const auto unit =
        flow.reduces() ? find_datatype(point.text("datatype")).bytes : std::int64_t{1};
    const auto result =
        unit * used(flow.receive.blocks, bytes / unit, setting.comm.rank(), setting.comm.size());
    return {.flow = flow,
            .send = setting.workspace.send(0, slot_bytes, point.send_bytes),
            .receive = setting.workspace.receive(0, slot_bytes, point.receive_bytes),
            .block_bytes = static_cast<std::size_t>(bytes),
            .result_bytes = static_cast<std::size_t>(result),
            .reduction = point.text("reduction", sum) == maximum ? MPI_MAX : MPI_SUM,
            .rank = setting.comm.rank(),
            .ranks = setting.comm.size()};
}

/// A case in any form. Calls are timed one by one, so slot 0 serves them all.
class CollectiveOperation : public measure::Operation {
public:
    CollectiveOperation(const measure::Case& point, const Setting& setting)
        : collective_(find(point.text("operation"))),
          roots_(roots_of(point, setting.comm.size())),
          sides_(buffers(collective_.flow, point, setting)) {
        const auto& flow = collective_.flow;
        auto count = static_cast<int>(sides_.block_bytes);
        MPI_Datatype datatype = MPI_BYTE;
        if (flow.reduces()) {
            const auto& numbers = find_datatype(point.text("datatype"));
            count /= static_cast<int>(numbers.bytes);
            datatype = numbers.handle;
            contents_ = numbers.contents(sides_);
        } else {
            contents_ = make_blocks(sides_);
        }
        call_ = {.send = sides_.send.data(),
                 .receive = sides_.receive.data(),
                 .count = count,
                 .datatype = datatype,
                 .reduction = sides_.reduction,
                 .counts = nullptr,
                 .displacements = nullptr,
                 .byte_displacements = nullptr,
                 .types = nullptr,
                 .rank = sides_.rank,
                 .root = 0,
                 .comm = setting.comm.handle()};
        if (collective_.displaced || flow.receive.blocks == Blocks::share) {
            share_out(sides_.ranks);
        }
    }

    void fill(std::uint64_t stamp) override {
        roots_.forget();
        contents_->fill(stamp);
    }

    std::uint64_t verify(std::int64_t /*repetitions*/) override {
        return contents_->verify(roots_);
    }

protected:
    [[nodiscard]] const Collective& collective() const noexcept { return collective_; }
    [[nodiscard]] Roots& roots() noexcept { return roots_; }
    [[nodiscard]] const Call& call(int root) noexcept {
        call_.root = root;
        return call_;
    }

    void give_in_place() noexcept { call_.send = static_cast<std::byte*>(MPI_IN_PLACE); }
    void put_in_place() const {
        const auto& flow = collective_.flow;
        const bool own_block =
            flow.send.blocks == Blocks::one && flow.receive.blocks == Blocks::one_per_rank;
        const auto offset =
            own_block ? sides_.block_bytes * static_cast<std::size_t>(sides_.rank) : 0;
        std::ranges::copy(sides_.send,
                          sides_.receive.begin() + static_cast<std::ptrdiff_t>(offset));
    }

private:
    [[nodiscard]] int roots_of(const measure::Case& point, int ranks) const {
        return collective_.flow.rooted() && point.text("root") == rotating_root ? ranks : 1;
    }

    // Equal blocks, or parts of one block, one behind the other, as in IMB and OSU.
    void share_out(int ranks) {
        const auto blocks =
            collective_.flow.receive.blocks == Blocks::share ? Blocks::share : Blocks::one;
        int displacement = 0;
        for (int rank = 0; rank < ranks; ++rank) {
            counts_.push_back(static_cast<int>(used(blocks, call_.count, rank, ranks)));
            displacements_.push_back(displacement);
            displacement += counts_.back();
        }
        types_.assign(counts_.size(), call_.datatype);
        call_.counts = counts_.data();
        call_.displacements = displacements_.data();
        call_.types = types_.data();
    }

    const Collective& collective_;
    Roots roots_;
    Buffers sides_;
    Call call_{};
    std::vector<int> counts_;
    std::vector<int> displacements_;
    std::vector<MPI_Datatype> types_;
    std::unique_ptr<Contents> contents_;
};

class Blocking : public CollectiveOperation {
public:
    Blocking(const measure::Case& point, const Setting& setting)
        : CollectiveOperation(point, setting),
          comm_(setting.comm),
          name_(collective().mpi_name()) {}

    void run(std::int64_t repetitions) override {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            mpi::check(collective().forms.blocking(call(roots().next())), name_.c_str());
        }
    }

    // The messages of one call distinguish algorithms, where the library counts them.
    void describe(text::JsonWriter& json) override {
        if (const auto counter = MessageCounter::find()) {
            const auto before = counter->sent();
            run(1);
            const auto after = counter->sent();
            describe_messages({after.messages - before.messages, after.bytes - before.bytes}, json);
        }
    }

private:
    void describe_messages(const std::array<std::uint64_t, 2>& own, text::JsonWriter& json) const {
        auto all = own;
        auto most = own;
        mpi::reduce(comm_, std::span(all), MPI_SUM);
        mpi::reduce(comm_, std::span(most), MPI_MAX);
        const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
        const measure::Outcome outcome{.values = {{"messages", number(all[0])},
                                                  {"bytes_sent", number(all[1])},
                                                  {"most_messages", number(most[0])},
                                                  {"most_bytes_sent", number(most[1])}},
                                       .series = {},
                                       .fields = {}};
        outcome.describe(json.key("outcome"));
    }

    const mpi::Communicator& comm_;
    std::string name_;
};

/// What a rank gives lies where it receives, and is put there anew before each call.
class InPlace final : public Blocking {
public:
    InPlace(const measure::Case& point, const Setting& setting) : Blocking(point, setting) {
        give_in_place();
    }
    void prepare() override { put_in_place(); }
    void describe(text::JsonWriter& /*json*/) override {}
};

class Nonblocking final : public CollectiveOperation, public measure::Split {
public:
    Nonblocking(const measure::Case& point, const Setting& setting)
        : CollectiveOperation(point, setting), name_("MPI_I" + std::string(collective().name)) {}

    void run(std::int64_t repetitions) override { repeat(repetitions); }
    void start() override {
        mpi::check(collective().forms.nonblocking(call(roots().next()), &request_), name_.c_str());
    }
    void finish() override {
        // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): started behind forms
        mpi::check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
    }

private:
    std::string name_;
    MPI_Request request_ = MPI_REQUEST_NULL;
};

class Persistent final : public CollectiveOperation, public measure::Split {
public:
    Persistent(const measure::Case& point, const Setting& setting)
        : CollectiveOperation(point, setting) {
        for (int root = 0; root < roots().different(); ++root) {
            mpi::check(collective().forms.persistent(call(root), requests_.add()),
                       collective().mpi_name("_init").c_str());
        }
    }

    void run(std::int64_t repetitions) override { repeat(repetitions); }
    void start() override {
        started_ = static_cast<std::size_t>(roots().next());
        requests_.start(started_);
    }
    void finish() override { requests_.wait(started_); }

private:
    Requests requests_;  ///< one for each root
    std::size_t started_ = 0;
};

}  // namespace

std::unique_ptr<measure::Operation> make_operation(const measure::Case& point,
                                                   const Setting& setting) {
    const auto& form = point.text("form");
    if (form == persistent_form) {
        return std::make_unique<Persistent>(point, setting);
    }
    if (form == in_place_form) {
        return std::make_unique<InPlace>(point, setting);
    }
    if (form == nonblocking_form) {
        return std::make_unique<Nonblocking>(point, setting);
    }
    return std::make_unique<Blocking>(point, setting);
}

}  // namespace transrank::lab::study::collectives
