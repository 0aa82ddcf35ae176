// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lab/study/study.hpp"

// Every study's row is made in its own file; study.cpp lists them. Those with parts in a folder
// have a namespace of its name.
namespace transrank::lab::study {

Study pingpong();
Study multi_pingpong();
Study pingping();
Study sendrecv();
Study exchange();
Study bandwidth();
Study bidirectional_bandwidth();
Study message_rate();
Study fan();
Study send_modes();
Study matching();

Study memory_copy();
Study advection_solution();

}  // namespace transrank::lab::study

namespace transrank::lab::study::datatypes {
Study study();
}
namespace transrank::lab::study::collectives {
Study study();
}
namespace transrank::lab::study::one_sided {
Study study();
}
namespace transrank::lab::study::overlap {
Study study();
}
namespace transrank::lab::study::neighborhood {
Study study();
}
namespace transrank::lab::study::alltoall_algorithms {
Study study();
}
namespace transrank::lab::study::ghost {
Study study();
}
namespace transrank::lab::study::contention {
Study study();
}
namespace transrank::lab::study::locality {
Study study();
}
namespace transrank::lab::study::advection {
Study study();
}
namespace transrank::lab::study::redistribute {
Study study();
}
namespace transrank::lab::study::plan_scaling {
Study study();
}
