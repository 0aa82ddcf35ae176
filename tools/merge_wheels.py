# SPDX-License-Identifier: BSD-3-Clause
"""Make one wheel of several for different MPIs: ``merge_wheels.py WHEEL... FOLDER``.

They agree in everything but `transrank/variants`, of which the new wheel has all. Its platform tag
says which glibc the compiled files need. Prints the wheel's name, its SHA-256 and its size.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

VARIANTS = "transrank/variants/"
# The oldest glibc for which pip knows a tag of this form.
OLDEST_GLIBC = 17
# Of every file: a wheel of the same contents has the same bytes.
TIME = (1980, 1, 1, 0, 0, 0)

Files = dict[str, tuple[bytes, int]]  # by name: content and mode


def read(wheel: Path) -> Files:
    """The files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            entry.filename: (archive.read(entry), entry.external_attr >> 16)
            for entry in archive.infolist()
            if not entry.is_dir()
        }


def merge(wheels: Sequence[Path]) -> Files:
    """The files of all; ValueError if two differ where they have to agree."""
    merged: Files = {}
    for wheel in wheels:
        for name, content in read(wheel).items():
            if name.endswith(".dist-info/RECORD"):
                continue
            if merged.setdefault(name, content)[0] != content[0]:
                raise ValueError(f"{name} of {wheel} differs from that of the other wheels")
    return merged


def platform(files: Mapping[str, tuple[bytes, int]]) -> str:
    """The platform tag: the newest glibc of which a compiled file needs a symbol."""
    needed = (
        int(minor)
        for content, _ in files.values()
        if content.startswith(b"\x7fELF")
        for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", content)
    )
    return f"manylinux_2_{max([OLDEST_GLIBC, *needed])}_x86_64"


def write(files: Files, name: str, folder: Path) -> Path:
    """Write a wheel whose file name has this tag."""
    (info,) = {file.split("/")[0] for file in files if ".dist-info/" in file}
    wheel = f"{info}/WHEEL"
    text = files[wheel][0].decode()
    tags = name.rsplit("-", 3)[1:]
    text = re.sub(r"^Tag: .*\n", "", text, flags=re.MULTILINE).rstrip("\n")
    complete = {**files, wheel: (f"{text}\nTag: {'-'.join(tags)}\n\n".encode(), files[wheel][1])}
    record = "".join(
        f"{each},sha256={_digest(content)},{len(content)}\n"
        for each, (content, _) in sorted(complete.items())
    )
    complete[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o100644)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        # What describes the wheel comes last, as the format recommends.
        for each in sorted(complete, key=lambda each: (each.startswith(info), each)):
            entry = zipfile.ZipInfo(each, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = complete[each][1] << 16
            archive.writestr(entry, complete[each][0])
    return path


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main(words: Sequence[str]) -> int:
    """Merge the wheels that the command line names."""
    *wheels, folder = map(Path, words)
    try:
        files = merge(wheels)
    except ValueError as why:
        print(why, file=sys.stderr)
        return 1
    distribution, version, python, abi, _ = wheels[0].stem.split("-")
    path = write(files, f"{distribution}-{version}-{python}-{abi}-{platform(files)}", folder)
    variants = {each.removeprefix(VARIANTS).split("/")[0] for each in files if VARIANTS in each}
    print(f"{path}: {', '.join(sorted(variants))}; {path.stat().st_size / 1e6:.1f} MB")
    print(f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
