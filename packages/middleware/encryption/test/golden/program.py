"""What the programs of this folder share: how they are called, and how they refuse."""

import json
import pathlib
import sys


class Refused(Exception):
    pass


def answer_with(unseal):
    """Answers a JSON record of one line with its value in hexadecimal, or `refused: reason`."""

    def answer(line):
        try:
            return unseal(json.loads(line)).hex()
        except Refused as reason:
            return f"refused: {reason}"

    return answer


def run(file, golden, asked=None, answer=None):
    """Without arguments write the file beside this one, with --check compare it; with `asked` answer line by line."""
    path, arguments = pathlib.Path(__file__).with_name(file), sys.argv[1:]
    if asked and arguments == [asked]:
        for line in sys.stdin:
            print(answer(line))
    elif arguments == ["--check"]:
        sys.exit(path.read_text() != golden())
    elif arguments:
        sys.exit(f"unknown arguments: {' '.join(arguments)}")
    else:
        path.write_text(golden())
