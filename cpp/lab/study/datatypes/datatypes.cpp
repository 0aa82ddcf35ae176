// SPDX-License-Identifier: BSD-3-Clause
// Question: what does it cost to send pieces that lie apart? A ping-pong whose message is `bytes`
// in pieces of `piece` bytes each: as one element of an MPI datatype, packed and unpacked by hand
// around a message of bytes, or by MPI_Pack and MPI_Unpack. Beside them `contiguous`, the same
// bytes without a gap; what the others take longer, divided by their pieces, is the cost of a
// piece.
//
// Timed on rank 0 from a barrier over a batch of round trips; the number is half a round trip.
// Bytes count once, without the gaps. Datatypes are made and committed outside the clock.
#include <algorithm>
#include <limits>
#include <memory>

#include "lab/measure/payload.hpp"
#include "lab/study/datatypes/pieces.hpp"
#include "lab/study/table.hpp"
#include "lab/text/sizes.hpp"
#include "transrank/mpi/error.hpp"

namespace transrank::lab::study::datatypes {
namespace {

constexpr std::string_view study_name = "datatypes";
constexpr std::string_view default_sizes = "1KiB..1MiB:x4";
constexpr std::string_view contiguous = "contiguous";
constexpr std::string_view by_datatype = "datatype";
constexpr std::string_view by_hand = "by-hand";
constexpr std::string_view by_mpi_pack = "mpi-pack";
constexpr std::int64_t element_bytes = sizeof(double);
constexpr int tag = 27;

/// A ping-pong of two ranks; how a message is sent and received is up to the derived class.
class PiecesPingPong : public measure::Operation {
public:
    PiecesPingPong(const measure::Case& point, const Setting& setting)
        : comm_(setting.comm),
          pieces_(pieces_of(point)),
          packed_(static_cast<std::size_t>(point.number("bytes") / element_bytes)),
          slots_(setting.workspace.slots(point.send_bytes)) {
        for (std::int64_t slot = 0; slot < slots_; ++slot) {
            const auto bytes = point.send_bytes;
            send_.push_back(doubles(setting.workspace.send(slot, bytes, bytes)));
            receive_.push_back(doubles(setting.workspace.receive(slot, bytes, bytes)));
        }
    }

    /// `contiguous` is one piece.
    static Pieces pieces_of(const measure::Case& point) {
        const auto bytes = point.number("bytes");
        const auto& layout = point.text("layout");
        const bool whole = layout == contiguous;
        const auto piece = whole ? bytes : point.number("piece");
        return {whole ? layout_names().front() : layout, bytes / piece, piece / element_bytes};
    }

    void fill(std::uint64_t stamp) final {
        stamp_ = stamp;
        for (std::int64_t slot = 0; slot < slots_; ++slot) {
            payload(comm_.rank(), peer(), slot).write(std::as_writable_bytes(std::span(packed_)));
            pieces_.unpack(packed_.data(), send_[static_cast<std::size_t>(slot)]);
            measure::poison(std::as_writable_bytes(std::span(packed_)));
            pieces_.unpack(packed_.data(), receive_[static_cast<std::size_t>(slot)]);
        }
    }

    void run(std::int64_t repetitions) final {
        for (std::int64_t i = 0; i < repetitions; ++i) {
            const auto slot = static_cast<std::size_t>(i % slots_);
            if (comm_.rank() == 0) {
                send_one(send_[slot]);
                receive_one(receive_[slot]);
            } else {
                receive_one(receive_[slot]);
                send_one(send_[slot]);
            }
        }
    }

    std::uint64_t verify(std::int64_t repetitions) final {
        const auto used = std::min(repetitions, slots_);
        for (std::int64_t slot = 0; slot < used; ++slot) {
            pieces_.pack(receive_[static_cast<std::size_t>(slot)], packed_.data());
            payload(peer(), comm_.rank(), slot).check(std::as_bytes(std::span(packed_)));
        }
        return static_cast<std::uint64_t>(used) * packed_.size() * element_bytes;
    }

protected:
    virtual void send_one(const double* array) = 0;
    virtual void receive_one(double* array) = 0;

    [[nodiscard]] const Pieces& pieces() const noexcept { return pieces_; }
    [[nodiscard]] std::vector<double>& packed() noexcept { return packed_; }
    [[nodiscard]] int count() const noexcept { return static_cast<int>(packed_.size()); }
    [[nodiscard]] int peer() const noexcept { return 1 - comm_.rank(); }
    void send(const void* data, int count, MPI_Datatype type) const {
        mpi::check(MPI_Send(data, count, type, peer(), tag, comm()), "MPI_Send");
    }
    void receive(void* data, int count, MPI_Datatype type) const {
        mpi::check(MPI_Recv(data, count, type, peer(), tag, comm(), MPI_STATUS_IGNORE), "MPI_Recv");
    }
    [[nodiscard]] MPI_Comm comm() const noexcept { return comm_.handle(); }

private:
    static double* doubles(std::span<std::byte> memory) {
        return reinterpret_cast<double*>(memory.data());
    }
    [[nodiscard]] measure::Payload payload(int source, int target, std::int64_t slot) const {
        return {.source = source,
                .target = target,
                .stamp = (stamp_ << 16U) + static_cast<std::uint64_t>(slot)};
    }

    const mpi::Communicator& comm_;
    Pieces pieces_;
    std::vector<double> packed_;
    std::int64_t slots_;
    std::vector<double*> send_;
    std::vector<double*> receive_;
    std::uint64_t stamp_ = 0;
};

class ByDatatype : public PiecesPingPong {
public:
    ByDatatype(const measure::Case& point, const Setting& setting)
        : PiecesPingPong(point, setting), type_(pieces().datatype()) {}

protected:
    void send_one(const double* array) override { send(array, 1, type()); }
    void receive_one(double* array) override { receive(array, 1, type()); }
    [[nodiscard]] MPI_Datatype type() const noexcept { return type_.handle(); }

private:
    baseline::Datatype type_;
};

class Contiguous final : public PiecesPingPong {
public:
    using PiecesPingPong::PiecesPingPong;

protected:
    void send_one(const double* array) override { send(array, count(), MPI_DOUBLE); }
    void receive_one(double* array) override { receive(array, count(), MPI_DOUBLE); }
};

class ByHand final : public PiecesPingPong {
public:
    using PiecesPingPong::PiecesPingPong;

protected:
    void send_one(const double* array) override {
        pieces().pack(array, packed().data());
        send(packed().data(), count(), MPI_DOUBLE);
    }
    void receive_one(double* array) override {
        receive(packed().data(), count(), MPI_DOUBLE);
        pieces().unpack(packed().data(), array);
    }
};

class ByPack final : public ByDatatype {
public:
    ByPack(const measure::Case& point, const Setting& setting) : ByDatatype(point, setting) {
        int bytes = 0;
        mpi::check(MPI_Pack_size(1, type(), comm(), &bytes), "MPI_Pack_size");
        buffer_.resize(static_cast<std::size_t>(bytes));
    }

protected:
    void send_one(const double* array) override {
        int position = 0;
        mpi::check(MPI_Pack(array, 1, type(), buffer_.data(), bytes(), &position, comm()),
                   "MPI_Pack");
        send(buffer_.data(), position, MPI_PACKED);
    }
    void receive_one(double* array) override {
        int position = 0;
        receive(buffer_.data(), bytes(), MPI_PACKED);
        mpi::check(MPI_Unpack(buffer_.data(), bytes(), &position, array, 1, type(), comm()),
                   "MPI_Unpack");
    }

private:
    [[nodiscard]] int bytes() const { return static_cast<int>(buffer_.size()); }

    std::vector<std::byte> buffer_;
};

std::vector<AxisChoice> axes() {
    AxisChoice layout{.name = "layout", .values = {std::string(contiguous)}};
    std::ranges::copy(layout_names(), std::back_inserter(layout.values));
    return {std::move(layout),
            {.name = "way",
             .values = {std::string(by_datatype), std::string(by_hand), std::string(by_mpi_pack)}},
            {.name = "piece",
             .values = {"8", "64", "1024"},
             .on_request = {"16", "32", "128", "256", "512", "2048", "4096", "8192"},
             .numbers = true}};
}

std::string reason_against(std::int64_t bytes, std::int64_t piece) {
    if (bytes == 0 || bytes % piece != 0) {
        return text::format_size(bytes) + " are not pieces of " + text::format_size(piece);
    }
    if (4 * bytes > std::numeric_limits<int>::max()) {
        return "the pieces of this study lie within 2^31 - 1 bytes";
    }
    return "";
}

std::vector<measure::Case> cases(const Selection& selection, int /*ranks*/) {
    const auto choices = axes();
    std::vector<measure::Case> curves;
    for (const auto& curve : combinations(study_name, selection, {choices[0]})) {
        const bool whole = curve.text("layout") == contiguous;
        std::ranges::move(
            whole ? std::vector{curve}
                  : spread(spread({curve}, selection, choices[1]), selection, choices[2]),
            std::back_inserter(curves));
    }
    auto points = spread_sizes(curves, selection, default_sizes);
    for (auto& point : points) {
        const auto bytes = point.number("bytes");
        const bool whole = point.text("layout") == contiguous;
        point.group = study_name;
        point.clocks = measure::Clocks::root;
        point.operations_per_repetition = 2;
        point.bytes_counted = static_cast<double>(bytes);
        point.skip_reason = reason_against(bytes, whole ? element_bytes : point.number("piece"));
        if (point.skip_reason.empty()) {
            point.send_bytes = PiecesPingPong::pieces_of(point).extent() * element_bytes;
            point.receive_bytes = point.send_bytes;
            point.further_bytes = 2 * bytes;
        }
    }
    return points;
}

std::unique_ptr<measure::Operation> prepare(const measure::Case& point, const Setting& setting) {
    const auto way = point.text("way", contiguous);
    if (way == contiguous) {
        return std::make_unique<Contiguous>(point, setting);
    }
    if (way == by_hand) {
        return std::make_unique<ByHand>(point, setting);
    }
    if (way == by_mpi_pack) {
        return std::make_unique<ByPack>(point, setting);
    }
    return std::make_unique<ByDatatype>(point, setting);
}

}  // namespace

Study study() {
    return {.name = study_name,
            .summary =
                "non-contiguous data, sent by MPI datatypes, packed by hand, or packed by MPI_Pack",
            .sizes = default_sizes,
            .axes = axes,
            .fewest_ranks = 2,
            .most_ranks = 2,
            .cases = cases,
            .prepare = prepare,
            .surveyed = false};
}

}  // namespace transrank::lab::study::datatypes
