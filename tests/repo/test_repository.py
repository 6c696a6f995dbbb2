"""The repository as such: layout, licences, packaging, documents, and nothing that belongs to one machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = sorted(path for path in (ROOT / "plugins").iterdir() if path.name.startswith("kc_"))
TOY = ROOT / "tests" / "fixtures" / "kc_toy"
DISTRIBUTIONS = {
    "kernelcraft-core": (ROOT, ROOT / "kernelcraft_core"),
    "kc-tasks": (ROOT / "tasks", ROOT / "tasks" / "src" / "kc_tasks"),
    "kc-toy": (TOY, TOY / "src" / "kc_toy"),
    **{path.name.replace("_", "-"): (path, path / "src" / path.name) for path in PLUGINS},
}
SKIPPED = {".git", ".venv", "__pycache__", "build", "dist", ".hypothesis", ".import_linter_cache"}
SKIPPED |= {".mypy_cache", ".pytest_cache", ".ruff_cache"}


@cache
def files() -> list[Path]:
    """Return the files of the repository: those that git knows or would add, or all when there is no git."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
        return [ROOT / name for name in listed if name and (ROOT / name).is_file()]
    return [
        p for p in ROOT.rglob("*") if p.is_file() and not any(part in SKIPPED for part in p.relative_to(ROOT).parts)
    ]


def texts(*suffixes: str) -> list[tuple[Path, str]]:
    out = []
    for path in files():
        if not suffixes or path.suffix in suffixes:
            try:
                out.append((path, path.read_text(encoding="utf-8")))
            except UnicodeDecodeError:
                continue
    return out


def project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))


# --- distributions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distribution_has_licence_readme_and_types(name: str) -> None:
    folder, package = DISTRIBUTIONS[name]
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert "Apache License" in (folder / "LICENSE").read_text(encoding="utf-8")
    assert (folder / "README.md").stat().st_size > 100
    assert (package / "py.typed").exists()
    data = project(folder)["project"]
    assert (data["name"], data["license"], data["license-files"]) == (name, "Apache-2.0", ["LICENSE"])
    assert data["requires-python"] == project(ROOT)["project"]["requires-python"]


def test_folders_with_a_project_file_are_the_distributions() -> None:
    found = {path.parent for path in files() if path.name == "pyproject.toml"}
    assert found == {folder for folder, _ in DISTRIBUTIONS.values()}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distribution_is_installed_for_development_and_built_in_ci(name: str) -> None:
    folder, _ = DISTRIBUTIONS[name]
    relative = folder.relative_to(ROOT).as_posix()
    requirements = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()
    assert f"-e {relative}" in requirements
    command = next(line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.startswith("pip wheel"))
    covered = {".", "./tasks", "./tests/fixtures/kc_toy"} | {f"./plugins/{p.name}" for p in PLUGINS}
    assert "./plugins/kc_*" in command
    assert f"./{relative}".removesuffix("/.") in covered | {"./."}


@pytest.mark.parametrize("name", [name for name in DISTRIBUTIONS if name != "kernelcraft-core"])
def test_plugin_distribution_has_one_entry_point_and_bounds_like_the_core(name: str) -> None:
    folder, package = DISTRIBUTIONS[name]
    data = project(folder)["project"]
    assert data["entry-points"] == {"kernelcraft": {name.removeprefix("kc-"): f"{package.name}.plugin"}}
    core = {requirement.split(">=")[0]: requirement for requirement in project(ROOT)["project"]["dependencies"]}
    ours = {requirement.split(">=")[0]: requirement for requirement in data["dependencies"]}
    assert "kernelcraft-core" in ours
    assert all(core[key] == value for key, value in ours.items() if key in core)


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda path: path.name)
def test_plugins_have_the_same_layout(folder: Path) -> None:
    package = folder / "src" / folder.name
    for path in ("plugin.py", "machine.py", "isa/__init__.py", "docs/__init__.py", "py.typed", "__init__.py"):
        assert (package / path).exists(), f"{folder.name} has no {path}"
    for path in ("README.md", "LICENSE", "pyproject.toml", "tests/test_conformance.py"):
        assert (folder / path).exists(), f"{folder.name} has no {path}"
    top = {path.relative_to(folder).parts[0] for path in files() if folder in path.parents}
    assert top <= {"README.md", "LICENSE", "pyproject.toml", "CHANGELOG.md", "src", "tests"}
    assert len((package / "plugin.py").read_text(encoding="utf-8").splitlines()) <= 120, "plugin.py only delegates"


def test_dependencies_are_the_ones_that_doctor_knows() -> None:
    from kernelcraft_core.cli.doctor import DEPENDENCIES

    listed = project(ROOT)["project"]["dependencies"]
    assert tuple(re.split("[>=]", entry)[0] for entry in listed) == DEPENDENCIES
    assert all(re.fullmatch(r"[a-z]+>=\d+(\.\d+)*,<\d+", entry) for entry in listed)


def test_constraints_are_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*", pin) for pin in pins)
    names = [pin.split("==")[0].lower().replace("_", "-") for pin in pins]
    assert len(set(names)) == len(names)
    wanted = {re.split(r"[\[>=<]", line)[0] for line in (ROOT / "requirements-dev.txt").read_text().splitlines()}
    assert {name for name in wanted if name and name[0] not in "#-"} <= set(names)


# --- code ----------------------------------------------------------------------------------------------------------


def test_only_the_code_generator_executes_source() -> None:
    ignores = project(ROOT)["tool"]["ruff"]["lint"]["per-file-ignores"]
    exempt = [key for key, rules in ignores.items() if {"S102", "S307"} & set(rules) and "tests" not in key]
    assert exempt == ["kernelcraft_core/sim/codegen.py"]
    found = set()
    for path, text in texts(".py"):
        inside = path.relative_to(ROOT)
        if inside.parts[0] in {"kernelcraft_core", "plugins", "tasks"} and "tests" not in inside.parts:
            if re.search(r"(?<![.\w])(exec|eval)\(", text):
                found.add(inside.as_posix())
    assert found <= {"kernelcraft_core/sim/codegen.py"}


def test_core_names_no_plugin_in_an_import() -> None:
    for path, text in texts(".py"):
        if (ROOT / "kernelcraft_core") in path.parents:
            assert not re.search(r"^\s*(from|import) kc_", text, re.MULTILINE), path


def test_modules_have_a_bearable_length() -> None:
    limit = 600  # look for the seam
    for path, text in texts(".py"):
        if "tests" not in path.parts:
            assert text.count("\n") <= limit, f"{path.relative_to(ROOT)} has {text.count(chr(10))} lines: find the seam"


# --- documents -----------------------------------------------------------------------------------------------------


def slug(heading: str) -> str:
    """Return the anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_links_lead_somewhere() -> None:
    for path, text in texts(".md"):
        prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", prose):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            goal = (path.parent / name).resolve() if name else path
            assert goal.exists(), f"{path.relative_to(ROOT)}: {link}"
            if anchor:
                headings = re.findall(r"^#+ (.*)$", goal.read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in {slug(heading) for heading in headings}, f"{path.relative_to(ROOT)}: {link}"


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    for path in files():
        if (ROOT / "docs") in path.parents and path.suffix == ".md" and path.name != "README.md":
            assert f"({path.relative_to(ROOT / 'docs').as_posix()})" in index, (
                f"docs/README.md does not list {path.name}"
            )


def test_decision_records_are_numbered_without_gaps() -> None:
    names = sorted(path.name for path in files() if path.parent == ROOT / "docs" / "adr")
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    for name in names:
        text = (ROOT / "docs" / "adr" / name).read_text(encoding="utf-8")
        assert re.match(rf"# {int(name[:4])}\. \S", text), name
        headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
        for part in ("Context", "Decision", "Consequences"):
            assert any(heading.startswith(part) for heading in headings), f"{name}: {part}"


def test_changelog_fragments_have_known_types() -> None:
    for path in files():
        if path.parent == ROOT / "changelog.d" and path.name != "README.md":
            assert re.fullmatch(r"\d+(\.[a-z0-9-]+)?\.(added|changed|fixed|removed|security)\.md", path.name), path.name
            assert path.read_text(encoding="utf-8").startswith("- "), path.name


def test_ci_ends_with_the_test_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = next(line for line in readme.splitlines() if line.startswith("python3 -m venv") and "pytest" in line)
    last = (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().splitlines()[-1]
    assert command.endswith(f".venv/bin/{last}")
    assert "-c constraints.txt -r requirements-dev.txt" in command


# --- nothing of one machine ----------------------------------------------------------------------------------------

PLACES = [
    r"/(work|root|opt|home|Users|mnt|usr/local)/\w",  # absolute paths
    r"\b[\w.-]*py" + r"pi\.org",
    r"python" + r"hosted",
    r"(deb|security|ftp)\.deb" + r"ian",
    r"npm" + r"js",
    r"\b(index-url|find-links|trusted-host)\b",
    r"\b(?:10|192\.168)(?:\.\d{1,3}){2,3}\b",
]


def test_no_machine_or_package_index_is_named() -> None:
    pattern = re.compile("|".join(PLACES), re.IGNORECASE)
    own = Path(__file__).resolve()
    for path, text in texts():
        if path != own and path.name != "LICENSE":
            found = pattern.search(text)
            assert found is None, f"{path.relative_to(ROOT)}: {found and found[0]}"


def test_no_leftovers_are_committed() -> None:
    for path in files():
        assert path.suffix not in {".pyc", ".orig", ".rej", ".swp", ".whl"}, path
        assert path.stat().st_size < 2_000_000, path
