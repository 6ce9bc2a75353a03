"""Sums up what ctest ran: scripts/test's last line.

A test program counts its own cases where its output says how many there were; otherwise it is one case.
"""

import re
import sys
import xml.etree.ElementTree


def number(pattern, text):
    return sum(int(n) for n in re.findall(pattern, text, re.MULTILINE))


def count(output):
    """(passed, failed, skipped) by the words of the programs that ran, or None."""
    found = re.findall(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", output, re.MULTILINE)
    if found:  # a lane that has summed up its own
        return tuple(sum(int(row[i]) for row in found) for i in range(3))
    counts = []
    if "[==========]" in output:  # GoogleTest
        counts.append((number(r"^\[  PASSED  \] (\d+) tests?\.", output), number(r"^\[  FAILED  \] (\d+) tests?, listed below", output),
                       number(r"^\[  SKIPPED \] (\d+) tests?, listed below", output)))
    found = re.findall(r"^Ran (\d+) tests? in .*?^(OK|FAILED)(?: \((.*?)\))?$", output, re.MULTILINE | re.DOTALL)
    if found:  # unittest
        ran = sum(int(n) for n, _, _ in found)
        words = ", ".join(words for _, _, words in found)
        failed = number(r"(?:failures|errors)=(\d+)", words)
        skipped = number(r"skipped=(\d+)", words)
        counts.append((max(0, ran - failed - skipped), failed, skipped))
    found = re.findall(r"^supported \d+ of \d+, passed (\d+), failed (\d+)$", output, re.MULTILINE)
    if found:  # the conformance runner
        counts.append((sum(int(p) for p, _ in found), sum(int(f) for _, f in found), 0))
    return tuple(map(sum, zip(*counts))) if counts else None


def main():
    totals = [0, 0, 0]
    for case in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        status = case.get("status")
        output = case.findtext("system-out") or ""
        counted = count(output)
        if case.find("skipped") is not None and status != "run":
            reason = output.strip().splitlines()[-1:] or ["no reason given"]
            print(f"skipped: {case.get('name')}: {reason[0]}")
            counted = (0, 0, 1)
        elif status == "run":  # its exit status was 0
            counted = counted or (1, 0, 0)
        else:
            # whatever it counted, its end was bad
            counted = counted or (0, 1, 0)
            counted = counted if counted[1] else (counted[0], 1, counted[2])
            print(f"failed: {case.get('name')}")
        totals = [total + n for total, n in zip(totals, counted)]
    print("{} passed, {} failed, {} skipped".format(*totals))
    sys.exit(1 if totals[1] or not sum(totals) else 0)


if __name__ == "__main__":
    main()
