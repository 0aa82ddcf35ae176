// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lab/measure/operation.hpp"
#include "lab/measure/payload.hpp"
#include "lab/study/study.hpp"

namespace transrank::lab::study::neighborhood {

/// A rank that a block goes to or comes from, and how many blocks lie before it there.
struct Partner {
    int rank;
    std::int64_t place;
};

/// Block i goes to the i-th target, and the block of the i-th source becomes block i.
struct Partners {
    std::vector<Partner> targets;
    std::vector<Partner> sources;
};

/// Blocks of `bytes` for some ranks and from some: what is sent, and what must have come.
class Blocks : public measure::Operation {
public:
    /// `gathers`: all targets are sent the same block.
    Blocks(const measure::Case& point, const Setting& setting, Partners partners, bool gathers);

    void fill(std::uint64_t stamp) override;
    std::uint64_t verify(std::int64_t repetitions) override;

protected:
    /// The memory whose first blocks are used. To be called once, before fill.
    void use(std::span<std::byte> send, std::span<std::byte> receive);
    void use(const measure::Workspace& workspace, const measure::Case& point);

    [[nodiscard]] const mpi::Communicator& comm() const { return comm_; }
    [[nodiscard]] const Partners& partners() const { return partners_; }
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] std::span<std::byte> sent() const { return send_; }
    [[nodiscard]] std::span<std::byte> received() const { return receive_; }
    [[nodiscard]] std::span<std::byte> block(std::span<std::byte> side, std::size_t index) const;

private:
    [[nodiscard]] measure::Payload payload(int source, int target) const;

    const mpi::Communicator& comm_;
    Partners partners_;
    std::int64_t bytes_;
    bool gathers_;
    std::span<std::byte> send_;
    std::span<std::byte> receive_;
    std::uint64_t stamp_ = 0;
};

/// MPI_Isend and MPI_Irecv, or the same as persistent requests; also a measure::Split.
[[nodiscard]] std::unique_ptr<measure::Operation> make_messages(const measure::Case& point,
                                                                const Setting& setting,
                                                                Partners partners, bool persistent);

/// Collective. transrank's Exchange, from and into arrays that ranks of a node share; also a
/// measure::Split.
[[nodiscard]] std::unique_ptr<measure::Operation> make_exchange(const measure::Case& point,
                                                                const Setting& setting,
                                                                Partners partners);

}  // namespace transrank::lab::study::neighborhood
