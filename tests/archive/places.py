"""Backing up and restoring what a test's memory has; backups as an earlier version wrote them."""

import zipfile
from collections.abc import Callable
from pathlib import Path

from ana.archive import backup, restore
from ana.backends.chroma.care.files import copy_files
from ana.handles import DataHandles
from ana.memory.memory import Memory
from ana.settings import load_settings
from ana.workspace import Workspace, open_workspace
from tests.chroma import chroma_of, upkeep_of
from tests.conftest import folders


def find_workspace(memory: Memory) -> Workspace:
    """Return the workspace of a memory in the folder `data` of a test's own folder."""
    return open_workspace(load_settings(folders(chroma_of(memory).path.parent)))


def open_handles(memory: Memory, traces: Path | None = None) -> DataHandles:
    workspace = find_workspace(memory)
    if traces:
        workspace = workspace.change(traces_dir=traces)
    return DataHandles(workspace, workspace.make_clock(), memory, workspace.open_traces(), keeper=upkeep_of(memory))


def back_up(memory: Memory, to: Path, traces: Path | None = None) -> Path:
    backup.back_up(open_handles(memory, traces), to)
    return to


def put_back(memory: Memory, source: Path, traces: Path | None = None) -> Path:
    return Path(restore.restore(open_handles(memory, traces), source, None, lambda *_: None)[0])


def pack_files(memory: Memory, to: Path, traces: Path | None = None) -> Path:
    """Write a backup as an earlier version did: a ZIP of the files."""
    folder = chroma_of(memory).folder
    copied = to.with_suffix("")
    with folder.hold():
        folder.close()
        copy_files(folder.path, traces, copied, "")
    with zipfile.ZipFile(to, "w") as archive:
        for file in sorted(copied.rglob("*"), key=lambda file: file.name == "backup.json"):
            if file.is_file():
                archive.write(file, str(file.relative_to(copied)))
    return to


def rewrite(source: Path, target: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """A backup with other files in it."""
    with zipfile.ZipFile(source) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return target
