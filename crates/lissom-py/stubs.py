"""Writes the docstrings of the compiled module into its stubs, so that editors show them: `python crates/lissom-py/stubs.py`.

Run it with the package installed, after a docstring or a signature has changed; a test compares both.
"""

import ast
import inspect
import pathlib
import textwrap

from lissom import _lissom

STUBS = pathlib.Path(__file__).with_name("python") / "lissom" / "_lissom.pyi"


def docstring(thing: object, indent: str) -> list[str]:
    """The lines of a docstring; none if the thing has no own one."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    if not text:
        return []
    quoted = text.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    end = "\n" if "\n" in quoted else ""
    return textwrap.indent(f'"""{quoted}{end}"""', indent, lambda line: line.strip() != "").splitlines()


def documented(source: str) -> str:
    """The stubs with the docstrings that the module has now."""
    lines = source.splitlines()
    edits: list[tuple[int, int, list[str]]] = []

    def visit(node: ast.ClassDef | ast.FunctionDef, thing: object) -> None:
        body = node.body[0]
        has = isinstance(body, ast.Expr) and isinstance(body.value, ast.Constant) and isinstance(body.value.value, str)
        indent = " " * (node.col_offset + 4)
        own = docstring(thing, indent)
        # `...` stands alone behind the colon, or below.
        inline = not has and isinstance(body, ast.Expr) and body.lineno == node.body[0].end_lineno and not lines[body.lineno - 1].startswith(indent)
        if isinstance(node, ast.FunctionDef):
            if has:
                edits.append((body.lineno - 1, body.end_lineno or body.lineno, own or [f"{indent}..."]))
            elif own and inline:
                head = lines[body.lineno - 1].rsplit(" ...", 1)[0]
                edits.append((body.lineno - 1, body.lineno, [head, *own]))
        elif has:
            edits.append((body.lineno - 1, body.end_lineno or body.lineno, own))
        elif own and not inline:
            first = min([body.lineno, *(d.lineno for d in getattr(body, "decorator_list", []))])
            edits.append((first - 1, first - 1, own))
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("__"):
                    # A setter repeats what its getter says.
                    setter = any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in inner.decorator_list)
                    visit(inner, None if setter else getattr(thing, inner.name, None))

    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and hasattr(_lissom, node.name):
            visit(node, getattr(_lissom, node.name))
    for start, end, text in sorted(edits, reverse=True):
        lines[start:end] = text
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    STUBS.write_text(documented(STUBS.read_text()))
