// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/stopping.hpp"

namespace transrank::lab::measure {
namespace {

class Count final : public Stopping {
public:
    explicit Count(std::int64_t operations) : operations_(operations) {}

    [[nodiscard]] StopReason judge(const Progress& progress) const override {
        return progress.operations >= operations_ ? StopReason::count : StopReason::go_on;
    }

private:
    std::int64_t operations_;
};

}  // namespace

std::unique_ptr<Stopping> make_count_stopping(std::int64_t operations) {
    return std::make_unique<Count>(operations);
}

}  // namespace transrank::lab::measure
