# SPDX-License-Identifier: MIT
"""The plugin as the dynamic linker sees it: it lives in other people's processes, so it must bring and take nothing
that could meet theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Symbol, SymbolTableSection

from rocprofsys_multipass.native import find_native

SDK = "librocprofiler-sdk.so.1"
# glibc and its loader, and libgcc's unwinder, of which there must be one per process. Not libstdc++, SQLite or
# protobuf: those are linked statically or not at all, since the application may have other versions of them.
ALLOWED_LIBRARIES = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libgcc_s.so.1", SDK}
# Linker's and compiler's own, weak and undefined where nothing provides them.
ALLOWED_WEAK = re.compile(
    r"_ITM_.*|__gmon_start__|__cxa_finalize|__pthread_key_create|pthread_.*|_ZGTt.*|__cxa_pure_virtual"
)
GPU_RUNTIMES = re.compile(r"(?:hip[A-Z_]|hsa_|hiprtc|amd_comgr|roctx|nccl|rccl)")


@pytest.fixture(scope="module")
def plugin() -> Iterator[ELFFile]:
    with find_native().plugin.open("rb") as stream:
        yield ELFFile(stream)


@pytest.fixture(scope="module")
def dynamic(plugin: ELFFile) -> DynamicSection:
    section = plugin.get_section_by_name(".dynamic")
    assert isinstance(section, DynamicSection)
    return section


def texts(dynamic: DynamicSection, tag: str) -> list[str]:
    """Texts of all entries with this tag; pyelftools names the attribute as the tag in small letters."""
    attribute = tag.removeprefix("DT_").lower()
    return [getattr(entry, attribute) for entry in dynamic.iter_tags(tag)]


def dynamic_symbols(elf: ELFFile) -> list[Symbol]:
    section = elf.get_section_by_name(".dynsym")
    assert isinstance(section, SymbolTableSection)
    return [symbol for symbol in section.iter_symbols() if symbol.name]


def test_only_the_entry_point_is_exported(plugin: ELFFile) -> None:
    exported = {symbol.name for symbol in dynamic_symbols(plugin) if symbol["st_shndx"] != "SHN_UNDEF"}
    assert exported == {"rocprofiler_configure"}


def test_the_entry_point_has_no_version(plugin: ELFFile) -> None:
    assert plugin.get_section_by_name(".gnu.version_d") is None


def test_it_needs_the_sdk_and_the_c_library_only(dynamic: DynamicSection) -> None:
    needed = set(texts(dynamic, "DT_NEEDED"))
    assert SDK in needed
    assert needed - ALLOWED_LIBRARIES == set()


def test_it_calls_no_gpu_runtime(plugin: ELFFile) -> None:
    undefined = [symbol.name for symbol in dynamic_symbols(plugin) if symbol["st_shndx"] == "SHN_UNDEF"]
    assert [name for name in undefined if GPU_RUNTIMES.match(name)] == []
    assert [name for name in undefined if name.startswith("sqlite3_") or "protobuf" in name] == []


def test_it_handles_no_signal_and_ends_no_process(plugin: ELFFile) -> None:
    """Signals are the program's. It blocks some for a moment on its own behalf, which needs no handler."""
    undefined = {symbol.name for symbol in dynamic_symbols(plugin) if symbol["st_shndx"] == "SHN_UNDEF"}
    handling = {
        "signal",
        "sigaction",
        "sigset",
        "bsd_signal",
        "sigaltstack",
        "sigprocmask",
        "signalfd",
        "raise",
        "kill",
    }
    assert undefined & handling == set()
    assert undefined & {"fork", "vfork", "exit", "_exit", "quick_exit"} == set()


def test_of_the_sdk_it_needs_only_what_version_1_0_exports(plugin: ELFFile) -> None:
    """Anything newer is looked up at run time, so that one binary loads under every SDK from 1.0 on."""
    newer = {
        "rocprofiler_configure_kernel_replay_service",
        "rocprofiler_dispatch_counting_service_set_agents",
        "rocprofiler_create_counter",
    }
    undefined = {symbol.name for symbol in dynamic_symbols(plugin) if symbol["st_shndx"] == "SHN_UNDEF"}
    assert any(name.startswith("rocprofiler_") for name in undefined)
    assert undefined & newer == set()


def test_weak_references_are_the_compilers_own(plugin: ELFFile) -> None:
    weak = {
        symbol.name
        for symbol in dynamic_symbols(plugin)
        if symbol["st_shndx"] == "SHN_UNDEF" and symbol["st_info"]["bind"] == "STB_WEAK"
    }
    assert {name for name in weak if not ALLOWED_WEAK.fullmatch(name)} == set()


def test_its_name_is_its_soname(dynamic: DynamicSection) -> None:
    names = texts(dynamic, "DT_SONAME")
    assert names in ([], ["librocprofsys-multipass.so"])


def test_it_brings_no_search_path_of_the_machine_that_built_it(dynamic: DynamicSection) -> None:
    """A path to the simulator in the plugin would put the stand-in SDK in the place of a real one."""
    paths = [*texts(dynamic, "DT_RPATH"), *texts(dynamic, "DT_RUNPATH")]
    entries = [entry for path in paths for entry in path.split(":") if entry]
    assert [entry for entry in entries if not entry.startswith("$ORIGIN")] == []
    assert [entry for entry in entries if "sim" in Path(entry).parts] == []


def test_it_needs_no_executable_stack_and_no_text_relocations(plugin: ELFFile, dynamic: DynamicSection) -> None:
    stacks = [segment for segment in plugin.iter_segments() if segment["p_type"] == "PT_GNU_STACK"]
    assert len(stacks) == 1
    assert stacks[0]["p_flags"] & 1 == 0
    assert list(dynamic.iter_tags("DT_TEXTREL")) == []


@pytest.mark.parametrize("name", ["librocprofiler-sdk.so.1", "libmultipass-sim-hip.so"])
def test_the_simulator_stays_out_of_the_default_search_path(name: str) -> None:
    native = find_native()
    assert (native.root / "sim" / name).is_file()
    assert not (native.root / "lib" / name).exists()


def test_the_stand_in_sdk_has_the_soname_of_the_real_one() -> None:
    with (find_native().simulator / SDK).open("rb") as stream:
        section = ELFFile(stream).get_section_by_name(".dynamic")
        assert isinstance(section, DynamicSection)
        assert texts(section, "DT_SONAME") == [SDK]


def test_the_reader_of_counters_starts_without_an_sdk() -> None:
    with find_native().counter_reader.open("rb") as stream:
        section = ELFFile(stream).get_section_by_name(".dynamic")
        assert isinstance(section, DynamicSection)
        assert SDK not in texts(section, "DT_NEEDED")


def test_what_it_loads_behind_the_sdk_finds_that_by_name_only() -> None:
    with (find_native().root / "lib" / "librocprofsys-multipass-counters.so").open("rb") as stream:
        module = ELFFile(stream)
        section = module.get_section_by_name(".dynamic")
        assert isinstance(section, DynamicSection)
        assert SDK in texts(section, "DT_NEEDED")
        assert set(texts(section, "DT_NEEDED")) - ALLOWED_LIBRARIES == set()
        assert [*texts(section, "DT_RPATH"), *texts(section, "DT_RUNPATH")] == []
        exported = {symbol.name for symbol in dynamic_symbols(module) if symbol["st_shndx"] != "SHN_UNDEF"}
        assert exported == {"multipass_read_counters", "multipass_probe_sdk"}
