// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace testing {

/// Control groups in a folder of this test's own.
class Groups {
public:
    Groups()
        : root_(std::filesystem::temp_directory_path() /
                ("transrank-groups-" + std::to_string(getpid()))) {
        std::filesystem::create_directories(root_);
    }
    Groups(const Groups&) = delete;
    Groups& operator=(const Groups&) = delete;
    ~Groups() { std::filesystem::remove_all(root_); }

    void write(const std::filesystem::path& name, const std::string& text) const {
        std::filesystem::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text << '\n';
    }
    [[nodiscard]] std::filesystem::path of_process() const { return root_ / "of_process"; }
    [[nodiscard]] std::filesystem::path file_system() const { return root_ / "fs"; }

private:
    std::filesystem::path root_;
};

}  // namespace testing
