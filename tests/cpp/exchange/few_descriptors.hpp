// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <sys/resource.h>

#include "testing.hpp"

namespace testing {

/// As long as it lives this process can have `more` files than it has now.
class FewDescriptors {
public:
    explicit FewDescriptors(rlim_t more = 0) {
        getrlimit(RLIMIT_NOFILE, &before_);
        const int lowest_free = open("/dev/null", O_RDONLY | O_CLOEXEC);
        close(lowest_free);
        auto less = before_;
        less.rlim_cur = static_cast<rlim_t>(lowest_free) + more;
        setrlimit(RLIMIT_NOFILE, &less);
    }
    FewDescriptors(const FewDescriptors&) = delete;
    FewDescriptors& operator=(const FewDescriptors&) = delete;
    ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

}  // namespace testing
