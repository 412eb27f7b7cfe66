# SPDX-License-Identifier: MIT
"""The classes of the journal's messages, which are kept as protoc wrote them, are those of journal.proto.

So neither a build nor an installation needs protoc. Another release of protoc writes another text, so messages are
compared.
"""

from __future__ import annotations

import ast
import keyword
import subprocess
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from rocprofsys_multipass.trace import journal_pb2

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "python/rocprofsys_multipass/trace"
PROTO = ROOT / "library/journal"
COMMAND = (
    "write them again: protoc --proto_path=library/journal --python_out=python/rocprofsys_multipass/trace "
    "--pyi_out=python/rocprofsys_multipass/trace journal.proto"
)


def described(folder: Path) -> FileDescriptorProto:
    """journal.proto as protoc reads it; JSON names, which classes do not keep, are left out."""
    output = folder / "journal.bin"
    subprocess.run(
        ["protoc", f"--proto_path={PROTO}", f"--descriptor_set_out={output}", "journal.proto"], check=True, text=True
    )
    (found,) = FileDescriptorSet.FromString(output.read_bytes()).file
    for message in found.message_type:
        for field in message.field:
            field.ClearField("json_name")
    return found


def test_the_classes_of_the_journal_are_those_of_its_proto(tmp_path: Path) -> None:
    found = FileDescriptorProto()
    found.ParseFromString(journal_pb2.DESCRIPTOR.serialized_pb)
    assert found == described(tmp_path), COMMAND


def test_their_types_are_too(tmp_path: Path) -> None:
    tree = ast.parse((FOLDER / "journal_pb2.pyi").read_text(encoding="utf-8"))
    found = {
        node.name: {name for part in node.body if isinstance(part, ast.Assign) for name in ast.literal_eval(part.value)}
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    wanted = {  # a field that is called as a keyword has no attribute
        message.name: {field.name for field in message.field if not keyword.iskeyword(field.name)}
        for message in described(tmp_path).message_type
    }
    assert found == wanted, COMMAND
