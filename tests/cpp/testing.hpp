// SPDX-License-Identifier: BSD-3-Clause
// What nearly every test uses of the language, MPI and the test framework.
#pragma once

#include <doctest/doctest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

namespace testing {

/// What the error of this work says; empty where it throws none.
template <class Error = std::exception, class Work>
std::string words_of(const Work& work) {
    try {
        (void)work();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// A folder of this process, gone with the test.
class Folder {
public:
    Folder() {
        auto pattern = (std::filesystem::temp_directory_path() / "transrank-XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path = pattern;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path); }

    /// Makes a file, in a folder of its own where its name says so.
    void write(const std::filesystem::path& name, const std::string& text) const {
        std::filesystem::create_directories((path / name).parent_path());
        std::ofstream(path / name, std::ios::binary) << text;
    }

    std::filesystem::path path;
};

}  // namespace testing
