"""The command line, called in the process of the tests."""

import sys
from pathlib import Path

import pytest
from command import Cli, Ran

from coordgym.cli import main


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])  # a command adds its folder

    def call(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["coordgym", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return Ran(0 if code is None else int(code), *capsys.readouterr())

    return call
