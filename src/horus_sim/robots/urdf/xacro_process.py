"""The child process that expands xacro: ``python -m horus_sim.robots.urdf.xacro_process``.

Takes an order as JSON on standard input and answers in JSON on standard output.
"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horus_sim.errors import DescriptionError, MissingResourceError
from horus_sim.files.document import read_bytes
from horus_sim.robots.uris import UriResolver
from horus_sim.robots.xml import MAX_BYTES, parse_xml
from horus_sim.system import limit_memory

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_MEMORY = 2 * 1024**3


def expand(order: Mapping[str, Any]) -> str:
    """The expanded document of an order; see `expand_xacro` for what it holds."""
    import xacro
    from xacro import substitution_args

    roots = tuple(Path(root) for root in order["roots"])
    resolver = UriResolver(Path(order["folder"]), Path(order["home"]), roots)

    def find_package(package: str) -> str:
        return str(resolver.resolve(f"package://{package}", f"$(find {package})", "directory"))

    def open_confined(name: str, *_: object, **__: object) -> io.StringIO:
        path = resolver.resolve(str(name), "xacro")
        data = read_bytes(path, MAX_BYTES, DescriptionError)
        if path.suffix.lower() not in (".yaml", ".yml"):
            parse_xml(data, str(path))  # refuses entities and nesting without end
        return io.StringIO(data.decode())

    # The module has no parameter for either.
    substitution_args._eval_find = find_package
    xacro.open = open_confined  # type: ignore[attr-defined]
    xacro.init_stacks(order["path"])
    document: Any = xacro.parse(order["text"])
    xacro.process_doc(document, mappings=dict(order["arguments"]), verbosity=0)
    return document.toxml()


def main() -> None:
    """Answers the order on standard input."""
    limit_memory(_MAX_MEMORY)
    order = json.load(sys.stdin)
    printed, sys.stdout = sys.stdout, sys.stderr  # the package prints
    try:
        answer = {"xml": expand(order)}
    except (DescriptionError, MissingResourceError) as error:
        answer = {"error": str(error)}
    except RecursionError:
        answer = {"error": "macros call each other without end; look for one that calls itself"}
    except Exception as error:  # noqa: BLE001 - whatever the macros do becomes the answer
        answer = {"error": _told_once(error)}
    json.dump(answer, printed)


def _told_once(error: BaseException) -> str:
    """What an error says, without repetitions: xacro wraps errors and quotes them each time."""
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, DescriptionError):
            return str(inner)
        wrapped = getattr(inner, "exc", None)
        inner = wrapped if isinstance(wrapped, BaseException) else inner.__cause__
    lines = [line.strip() for line in str(error).splitlines()]
    return "; ".join(dict.fromkeys(filter(None, lines))) or type(error).__name__


if __name__ == "__main__":
    main()
