// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "stub_docstrings.hpp"  // made of _core.pyi: stub_docstrings, pairs of a name and its words

namespace transrank::bindings {

/// The docstring of a class or method (`Class.method`) in the stub; it does not compile without.
consteval const char* stub_says(std::string_view name) {
    for (const auto& [known, words] : stub_docstrings) {
        if (known == name) {
            return words;
        }
    }
    throw "the stub has no docstring of that name";
}

}  // namespace transrank::bindings
