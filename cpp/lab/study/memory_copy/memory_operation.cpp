// SPDX-License-Identifier: BSD-3-Clause
#include "lab/study/memory_copy/memory_operation.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lab/measure/payload.hpp"

namespace transrank::lab::study {
namespace {

constexpr double triad_scalar = 3;

/// One kernel on the slots of the workspace.
class KernelOperation : public measure::Operation {
public:
    KernelOperation(const measure::Case& point, const Setting& setting)
        : rank_(setting.comm.rank()),
          bytes_(static_cast<std::size_t>(point.number("bytes"))),
          slots_(setting.workspace.slots(point.number("bytes"))) {
        for (std::int64_t slot = 0; slot < slots_; ++slot) {
            from_.push_back(
                setting.workspace.send(slot, point.send_bytes, point.send_bytes).data());
            to_.push_back(
                setting.workspace.receive(slot, point.send_bytes, point.send_bytes).data());
        }
    }

    void fill(std::uint64_t stamp) final {
        stamp_ = stamp;
        for (std::size_t slot = 0; slot < from_.size(); ++slot) {
            write({from_[slot], bytes_}, payload(slot));
            measure::poison({to_[slot], bytes_});
        }
    }

    void run(std::int64_t repetitions) final {
        std::size_t slot = 0;
        for (std::int64_t i = 0; i < repetitions; ++i) {
            apply(to_[slot], from_[slot], bytes_);
            slot = slot + 1 == to_.size() ? 0 : slot + 1;
        }
    }

    std::uint64_t verify(std::int64_t repetitions) final {
        const auto used = static_cast<std::size_t>(std::min(repetitions, slots_));
        std::uint64_t compared = 0;
        for (std::size_t slot = 0; slot < used; ++slot) {
            compared += check({to_[slot], bytes_}, payload(slot));
        }
        return compared;
    }

protected:
    virtual void write(std::span<std::byte> from, const measure::Payload& payload) const = 0;
    virtual void apply(std::byte* to, const std::byte* from, std::size_t bytes) const = 0;
    [[nodiscard]] virtual std::uint64_t check(std::span<const std::byte> to,
                                              const measure::Payload& payload) const = 0;

private:
    // Slots of one fill differ, as messages do.
    [[nodiscard]] measure::Payload payload(std::size_t slot) const noexcept {
        return {.source = rank_, .target = rank_, .stamp = (stamp_ << 8U) + slot};
    }

    int rank_;
    std::size_t bytes_;
    std::int64_t slots_;
    std::vector<std::byte*> from_;
    std::vector<std::byte*> to_;
    std::uint64_t stamp_ = 0;
};

class CopyOperation final : public KernelOperation {
public:
    CopyOperation(const measure::Case& point, const Setting& setting, copy::Copy copy)
        : KernelOperation(point, setting), copy_(copy) {}

protected:
    void write(std::span<std::byte> from, const measure::Payload& payload) const override {
        payload.write(from);
    }
    void apply(std::byte* to, const std::byte* from, std::size_t bytes) const override {
        copy_(to, from, bytes);
    }
    [[nodiscard]] std::uint64_t check(std::span<const std::byte> to,
                                      const measure::Payload& payload) const override {
        payload.check(to);
        return to.size();
    }

private:
    copy::Copy copy_;
};

class TriadOperation final : public KernelOperation {
public:
    TriadOperation(const measure::Case& point, const Setting& setting, Triad triad)
        : KernelOperation(point, setting), triad_(triad) {}

protected:
    void write(std::span<std::byte> from, const measure::Payload& payload) const override {
        auto* operands = reinterpret_cast<double*>(from.data());
        const std::size_t count = from.size() / triad_bytes_read;
        for (std::size_t i = 0; i < count; ++i) {
            operands[i] = operand(payload, 0, i);
            operands[count + i] = operand(payload, 1, i);
        }
    }
    void apply(std::byte* to, const std::byte* from, std::size_t bytes) const override {
        const std::size_t count = bytes / triad_bytes_read;
        const auto* operands = reinterpret_cast<const double*>(from);
        triad_(reinterpret_cast<double*>(to), operands, operands + count, triad_scalar, count);
    }
    [[nodiscard]] std::uint64_t check(std::span<const std::byte> to,
                                      const measure::Payload& payload) const override {
        const auto* result = reinterpret_cast<const double*>(to.data());
        const std::size_t count = to.size() / triad_bytes_read;
        for (std::size_t i = 0; i < count; ++i) {
            const double expected =
                operand(payload, 0, i) + (triad_scalar * operand(payload, 1, i));
            if (result[i] != expected) {
                throw measure::WrongPayload("wrong data: triad of rank " +
                                            std::to_string(payload.source) + ", element " +
                                            std::to_string(i) + ": " + std::to_string(result[i]) +
                                            " instead of " + std::to_string(expected));
            }
        }
        return count * sizeof(double);
    }

private:
    // A whole number below 2^48 that differs from position to position: the triad of two is exact.
    static double operand(const measure::Payload& payload, std::uint64_t which, std::size_t i) {
        const auto rank = static_cast<std::uint64_t>(payload.source);
        const std::uint64_t mixed = (((payload.stamp << 1U) + which) * 0xD134'2543'DE82'EF95U) +
                                    (rank * 0xAF25'1AF3'B0F0'25B5U) + (i * 0x9E37'79B9'7F4A'7C15U);
        return static_cast<double>(mixed >> 16U);
    }

    Triad triad_;
};

}  // namespace

std::unique_ptr<measure::Operation> make_copy_operation(const measure::Case& point,
                                                        const Setting& setting, copy::Copy copy) {
    return std::make_unique<CopyOperation>(point, setting, copy);
}

std::unique_ptr<measure::Operation> make_triad_operation(const measure::Case& point,
                                                         const Setting& setting, Triad triad) {
    return std::make_unique<TriadOperation>(point, setting, triad);
}

}  // namespace transrank::lab::study
