"""Prints one digest of all that an editable installation depends on.

When it changes, run.sh and test.sh install anew. Python modules are not part of it: an editable
installation sees their changes by itself.
"""

import hashlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Hash the interpreter, the place, the build description and the native sources."""
    native = ROOT / "native"
    files = [ROOT / "pyproject.toml", ROOT / "CMakeLists.txt", ROOT / "src/horus_sim/__init__.py"]
    files.append(ROOT / "scripts/constraints.txt")
    files += sorted(
        path
        for path in native.rglob("*")
        if path.is_file() and path.relative_to(native).parts[0] != "tests" and path.name[0] != "."
    )
    digest = hashlib.sha256(f"{sys.version}\0{ROOT}".encode())
    for path in files:
        content = path.read_bytes()
        digest.update(f"\0{path.relative_to(ROOT)}\0{len(content)}\0".encode() + content)
    print(digest.hexdigest())


main()
