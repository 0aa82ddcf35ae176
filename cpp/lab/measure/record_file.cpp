// SPDX-License-Identifier: BSD-3-Clause
#include "lab/measure/record_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace transrank::lab::measure {

RecordFile::RecordFile(std::string path)
    : path_(std::move(path)),
      descriptor_(open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) {
        fail("open", errno);
    }
}

RecordFile::~RecordFile() {
    close(descriptor_);
}

void RecordFile::fail(const char* what, int cause) const {
    throw RecordFailure("cannot " + std::string(what) + " record file " + path_ + ": " +
                        std::generic_category().message(cause));
}

void RecordFile::append(std::string_view line) {
    std::string whole(line);
    whole += '\n';
    const off_t before = lseek(descriptor_, 0, SEEK_END);
    for (std::size_t done = 0; done < whole.size();) {
        const ssize_t written = write(descriptor_, whole.data() + done, whole.size() - done);
        if (written >= 0) {
            done += static_cast<std::size_t>(written);
        } else if (errno != EINTR) {
            const int cause = errno;
            if (done > 0 && before >= 0 && ftruncate(descriptor_, before) != 0) {
                fail("take back half a line of", errno);
            }
            fail("write", cause);
        }
    }
}

void RecordFile::synchronise() {
    if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
        fail("write", errno);
    }
}

}  // namespace transrank::lab::measure
