// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace transrank::lab::measure {

/// A record that could not be written: disk full, no permission. what() names file and cause.
class RecordFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// An append-only file of lines; each line is in the kernel's hands when append returns, so a
/// killed process loses none. A line that could be written only in part (a full disk) is taken
/// back.
class RecordFile {
public:
    /// Opens `path` for appending, creating it when missing.
    explicit RecordFile(std::string path);
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;
    ~RecordFile();

    void append(std::string_view line);

    /// Asks the kernel to bring everything to the disk.
    void synchronise();

private:
    [[noreturn]] void fail(const char* what, int cause) const;

    std::string path_;
    int descriptor_;
};

}  // namespace transrank::lab::measure
