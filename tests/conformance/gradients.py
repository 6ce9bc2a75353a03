"""Runs test-backend-ops' gradient tests on a DirectX device: each op's backward pass against numeric differences.

The program ends at the first op that ggml has no backward pass for, and for a few ops the CPU backend fails too: such cases
do not count. What fails on the device must fail on the CPU as well. Some cases go either way, on the CPU too: their numbers
are drawn afresh each time, and in f32 a difference may drown in a large sum. They fail if the device never passes and the CPU
always does. The last line reads:

    supported N of N, passed N, failed N
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import conformance

# Not a case of this test: its operands are not parameters, are not f32, or are too many.
NOT_ASKED = re.compile(r"not supported \[(?!DirectX|CPU)|skipping large tensors")

ROUNDS = 3

TRIES = 8

STOPS_OF_AN_OP = 2  # after so many the rest of its cases are taken to stop the program too


def verdicts_of(text):
    """{(op, parameters): words}. A case has a line that says OK whatever comes, then its verdict: under the name SUM if the
    test had to add up the op's result."""
    found, announced = {}, None
    for line in conformance.ESCAPES.sub("", text.replace("\r", "")).splitlines():
        match = conformance.VERDICT.match(line)
        if not match:
            continue
        op, parameters, words = match[1], match[2], match[3].strip()
        if announced and parameters == announced[1] and op in (announced[0], "SUM"):
            found.setdefault(announced, "passed" if words == "OK" else words)
            if words.split()[-1] == "OK" or words.startswith(("not supported", "skipping", "compare failed")):
                announced = None
        elif words == "OK":
            announced = (op, parameters)
        else:
            found[(op, parameters)] = words
            announced = None
    return found


def run(arguments, device, cases):
    """{(op, parameters): words} for all cases."""
    results, stops, left = {}, {}, list(cases)
    while left:
        batch = next(conformance.batches(left, 250))
        names = ",".join(f"{op}({parameters})" for op, parameters, _ in batch)
        try:
            done = conformance.run_program(arguments, ["grad", "-b", device, "-o", names])
            output, status = done.stdout, done.returncode
        except subprocess.TimeoutExpired as expired:
            output, status = (expired.stdout or b"").decode(errors="replace"), f"no answer for {arguments.timeout} s"
        fresh = verdicts_of(output)
        results.update(fresh)
        missing = [case for case in batch if case[:2] not in fresh]
        if missing:
            op, parameters, _ = missing[0]
            results[(op, parameters)] = f"the program stopped: {status}"
            stops[op] = stops.get(op, 0) + 1
            if stops[op] >= STOPS_OF_AN_OP:
                results.update({case[:2]: "the program would stop" for case in left if case[0] == op and case[:2] not in results})
        left = [case for case in left if case[:2] not in results]
    return results


def asked(arguments, cases):
    """{(op, parameters): words} for the cases that have a gradient to test. Most have none, and those cost next to nothing: an op
    of which a sample has not shown one is sampled again, more densely."""
    results, density = {}, arguments.sample
    for _ in range(ROUNDS):
        fresh = run(arguments, arguments.device, conformance.sample(cases, density) if density else cases)
        results.update({case: words for case, words in fresh.items() if not NOT_ASKED.search(words)})
        if not density:
            break
        seen = {op for op, _ in results}
        cases = [case for case in cases if case[:2] not in fresh and case[0] not in seen]
        density *= 4
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="test-backend-ops")
    parser.add_argument("--launcher", default="", help="what to run the program with (wine, another dynamic loader)")
    parser.add_argument("--plugin", help="GGML_BACKEND_PATH for the program")
    parser.add_argument("--device", default="DirectX0")
    parser.add_argument("--tier", choices=["sm51", "sm60", "sm66"], help="default: the device's best")
    parser.add_argument("--ops", help="comma-separated; default: all")
    parser.add_argument("--sample", type=int, metavar="N", help="about N cases an op and type")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one batch")
    arguments = parser.parse_args()
    arguments.launcher = arguments.launcher.split()
    arguments.program = arguments.program.resolve()
    os.environ["GGML_NO_BACKTRACE"] = "1"  # a debugger for each stop takes seconds

    wanted = arguments.ops.split(",") if arguments.ops else None
    cases = [case for case in conformance.list_cases(arguments, arguments.device) if not wanted or case[0] in wanted]
    total = len(cases)
    results = asked(arguments, [case for case in cases if case[2]])
    doubtful = {case: words for case, words in results.items() if words != "passed"}
    print(f"{len(results)} cases with a gradient, {len(doubtful)} doubtful", file=sys.stderr, flush=True)
    reference = run(arguments, "CPU", [(*case, True) for case in doubtful]) if doubtful else {}
    failures = {case: words for case, words in doubtful.items() if reference[case] == "passed"}
    for _ in range(TRIES - 1):
        again = [(*case, True) for case, words in failures.items() if " MAA = " in words]
        if not again:
            break
        on_device, on_cpu = run(arguments, arguments.device, again), run(arguments, "CPU", again)
        results.update({case: words for case, words in on_device.items() if words == "passed"})
        for case in on_device:
            if on_device[case] == "passed" or on_cpu[case] != "passed":
                del failures[case]

    for (op, parameters), words in failures.items():
        print(f"FAIL {op}({parameters}): {words}")
    without = sorted({case[0] for case in doubtful if case not in failures and results[case] != "passed"})
    if without:
        print(f"not on the CPU either, some or all of: {' '.join(without)}")
    passed = [case for case, words in results.items() if words == "passed"]
    print(f"ops: {' '.join(sorted({op for op, _ in passed}))}")
    print(f"supported {len(passed) + len(failures)} of {total}, passed {len(passed)}, failed {len(failures)}")
    sys.exit(1 if failures or not passed else 0)


if __name__ == "__main__":
    main()
