// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/timing.hpp"

namespace transrank::lab::measure {

Timing timing(TimingKind kind) {
    switch (kind) {
        case TimingKind::bulk:
            return time_bulk;
        case TimingKind::single:
            return time_single;
        case TimingKind::in_turn:
            return time_in_turn;
        case TimingKind::own:
            return time_own;
    }
    return time_bulk;
}

}  // namespace transrank::lab::measure
