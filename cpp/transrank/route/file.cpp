// SPDX-License-Identifier: BSD-3-Clause
#include "transrank/route/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "transrank/route/file_format.hpp"

namespace transrank::route {
namespace {

[[noreturn]] void fail(const std::string& what, const std::filesystem::path& path, int cause) {
    throw FileError("cannot " + what + " route file " + path.string() + ": " +
                    std::generic_category().message(cause));
}

/// An open file, closed on destruction.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    Descriptor(Descriptor&&) = delete;
    Descriptor& operator=(Descriptor&&) = delete;

    [[nodiscard]] int number() const noexcept { return number_; }
    /// Closes now; the error that a file system may only report at this point, or 0.
    [[nodiscard]] int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

private:
    int number_;
};

/// The error number, or 0.
int write_all(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        bytes = bytes.subspan(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return 0;
}

/// Some file systems cannot synchronise and say so; they lose nothing by it.
int synchronise(int descriptor) {
    return ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

/// A name in the same folder that no other rank, process or thread uses.
std::filesystem::path partial_name(const std::filesystem::path& path) {
    std::random_device random;
    std::ostringstream suffix;
    suffix << '.' << std::hex << random() << random() << ".partial";
    auto name = path;
    name += suffix.str();
    return name;
}

/// Makes a renaming last: it is an entry of the folder.
int synchronise_folder(const std::filesystem::path& path) {
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return opened.number() < 0 ? errno : synchronise(opened.number());
}

/// All of these bytes, unless the file ends before.
void read_all(int descriptor, std::span<std::byte> bytes, const std::filesystem::path& path) {
    while (!bytes.empty()) {
        const ssize_t read = ::read(descriptor, bytes.data(), bytes.size());
        if (read < 0 && errno != EINTR) {
            fail("read", path, errno);
        }
        if (read == 0) {
            return;
        }
        bytes = bytes.subspan(read < 0 ? 0 : static_cast<std::size_t>(read));
    }
}

/// The head is looked at before there is memory for the others: the file may be anything.
Words read_words(const std::filesystem::path& path) {
    // Not blocking: a pipe that nobody writes to would keep its reader waiting here.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat status{};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
        fail("read", path, errno);
    }
    if (!S_ISREG(status.st_mode)) {
        throw FileError("cannot read route file " + path.string() + ": it is not a regular file");
    }
    Head head{};
    read_all(file.number(), std::as_writable_bytes(std::span(head)), path);
    check_head(head, static_cast<std::uint64_t>(status.st_size), path.string());
    Words words(head[3]);
    std::ranges::copy(head, words.begin());
    // If the file is shortened meanwhile, the checksum does not match.
    read_all(file.number(), std::as_writable_bytes(std::span(words).subspan(head.size())), path);
    return words;
}

}  // namespace

void save(const Route& route, const std::filesystem::path& path) {
    const auto succeed = [&](int cause) {
        if (cause != 0) {
            fail("write", path, cause);
        }
    };
    const Words words = encode(route);
    const auto partial = partial_name(path);
    Descriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    succeed(file.number() < 0 ? errno : 0);
    try {
        succeed(write_all(file.number(), std::as_bytes(std::span(words))));
        succeed(synchronise(file.number()));
        succeed(file.close());
        succeed(::rename(partial.c_str(), path.c_str()) == 0 ? 0 : errno);
    } catch (const FileError&) {
        ::unlink(partial.c_str());
        throw;
    }
    succeed(synchronise_folder(path));
}

Route load(const std::filesystem::path& path) {
    return decode(read_words(path), path.string());
}

}  // namespace transrank::route
