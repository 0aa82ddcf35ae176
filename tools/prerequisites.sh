#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: prerequisites.sh PYTHON CXX
# Fail with one line for each thing that the build needs and this machine lacks.
set -u
python=$1
cxx=$2
missing=0

lack() {
    echo "transrank needs $1 (Debian, Ubuntu: apt-get install $2)" >&2
    missing=1
}

if ! command -v "$python" >/dev/null; then
    lack "Python 3.10 or later, and finds no '$python'" "python3 python3-dev python3-venv"
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    lack "Python 3.10 or later; '$python' is $("$python" -V 2>&1); name another: make PYTHON=python3.11" \
        "python3 python3-dev python3-venv"
else
    "$python" -c 'import os, sysconfig, sys
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
        lack "the headers of $("$python" -V), and finds no Python.h" python3-dev
    command -v uv >/dev/null || "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        lack "the venv module of $("$python" -V)" python3-venv
fi
if ! command -v "$cxx" >/dev/null; then
    lack "a C++20 compiler, and finds no '$cxx'" g++
elif ! echo 'int main() { return __cplusplus > 201703L ? 0 : 1; }
#include <source_location>
#include <span>' | "$cxx" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
    lack "a C++20 compiler (g++ 12 or later); '$cxx' is $("$cxx" --version | head -n 1)" g++
fi
exit $missing
