// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lab/measure/operation.hpp"
#include "lab/study/redistribute/task.hpp"
#include "lab/study/redistribute/waves.hpp"
#include "lab/study/study.hpp"
#include "transrank/transport/field.hpp"

namespace transrank::lab::study::redistribute {

/// The bundle of a rank before and after, field after field, and what keeps the memory.
struct Arrays {
    std::span<double> source;
    std::span<double> destination;
    std::shared_ptr<const void> owner;  ///< null where the workspace has them
};

/// What a case redistributes; its grid scaled down as its axes say.
[[nodiscard]] Task task_of(const measure::Case& point, const Setting& setting);

/// What every way of redistributing has in common: contents, modes, checks.
class Bundle : public measure::Operation {
public:
    Bundle(const measure::Case& point, const Setting& setting, Arrays arrays);

    void fill(std::uint64_t stamp) final;
    void prepare() final;
    void run(std::int64_t repetitions) final;
    std::uint64_t verify(std::int64_t repetitions) override;

protected:
    /// Timed.
    virtual void redistribute() = 0;
    /// Writes what the sources hold after `stamp`. Timed in the mode `cycle`.
    virtual void write_sources(std::uint64_t stamp);
    [[nodiscard]] const Task& task() const { return task_; }
    [[nodiscard]] const Arrays& arrays() const { return arrays_; }
    /// One per field of the bundle; a unit is a double.
    [[nodiscard]] std::vector<transport::Field> bundle() const;

private:
    /// What the sources are to hold after `stamp`, as far as it can be computed beforehand.
    void form_waves(std::uint64_t stamp);
    void read_destinations();

    Task task_;
    bool rewrites_;
    bool reads_;
    bool times_writing_;
    Arrays arrays_;
    std::vector<Waves> waves_;  ///< one per field, of `stamp_`
    std::uint64_t stamp_ = 0;
    double read_ = 0;
};

}  // namespace transrank::lab::study::redistribute
