"""Runs ggml's own test-backend-ops on a DirectX device and counts what it says.

Every case is asked for by its full name, in batches, so that a run can be sampled, split into shards and resumed, and a
crash costs one case instead of the rest. The last line reads:

    supported N of N, passed N, failed N
"""

import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import time

# What a dense language model needs: no tier may fail these, and none may claim fewer cases than the CPU backend, except
# for types that are not done yet.
DENSE = (
    "GET_ROWS SET_ROWS CPY CONT DUP ADD SUB MUL DIV SCALE SQR SQRT CLAMP RMS_NORM NORM ROPE SOFT_MAX FLASH_ATTN_EXT MUL_MAT "
    "REGLU GEGLU SWIGLU SWIGLU_OAI GEGLU_ERF GEGLU_QUICK ABS SGN NEG STEP TANH ELU RELU SIGMOID GELU GELU_QUICK SILU HARDSWISH "
    "HARDSIGMOID EXP EXPM1 SOFTPLUS GELU_ERF XIELU FLOOR CEIL ROUND TRUNC"
).split()

BATCH_BYTES = 60_000  # of command line: Windows takes 32 KiB characters less, Linux 128 KiB


def program_environment(arguments):
    environment = dict(os.environ)
    if arguments.plugin:
        environment["GGML_BACKEND_PATH"] = str(arguments.plugin)
    if arguments.tier:
        environment["GGML_DIRECTX_TIER"] = arguments.tier
    environment["GGML_DIRECTX_SOFTWARE"] = "1"
    return environment


def run_program(arguments, extra):
    command = [*arguments.launcher, str(arguments.program), *extra]
    return subprocess.run(command, env=program_environment(arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, cwd=arguments.program.parent, timeout=arguments.timeout)


def rows_of(text):
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if '"op_name"' in line), None)
    if start is None:
        return []
    return list(csv.DictReader(lines[start:]))


ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
VERDICT = re.compile(r"^  (\w+)\((.*)\): (.*)$")
FAILURE = re.compile(r"^\[.*?  (\w+)\((.*)\): (.*)$")  # what is wrong stands in front: [ADD] ERR = 0.1 > 0.01   ADD(...): FAIL


def verdicts_of(text):
    """{(op, parameters): words} from the console output: the other formats do not say what failed."""
    found = {}
    for line in ESCAPES.sub("", text.replace("\r", "")).splitlines():
        match = VERDICT.match(line) or FAILURE.match(line)
        if match:
            found[(match[1], match[2])] = (match[3] + " " + line[:match.start(1)]).strip()
    return found


def list_cases(arguments, device):
    """[(op, parameters, supported)] in the program's order."""
    done = run_program(arguments, ["support", "-b", device, "--output", "csv"])
    cases = [(row["op_name"], row["op_params"], row["supported"] == "1") for row in rows_of(done.stdout)]
    if not cases:
        sys.exit(f"test-backend-ops lists no case for {device} (exit status {done.returncode}):\n{done.stderr[-2000:]}")
    return cases


def sample(cases, per_op):
    """At most `per_op` cases an op and types, evenly spread over the program's order: the same ones every time."""
    groups = {}
    for case in cases:
        kinds = tuple(part for part in case[1].split(",") if part.startswith("type"))
        groups.setdefault((case[0], kinds), []).append(case)
    chosen = []
    for group in groups.values():
        n = min(per_op, len(group))
        chosen += [group[i * len(group) // n] for i in range(n)]
    return chosen


def codebook_of(case):
    """The type whose codebook ggml's quantiser must build first, for seconds, once a process."""
    return max(re.findall(r"iq1|iq[23]_\w+", case[1]), default="")


def batches(cases, limit):
    batch, size = [], 0
    for case in sorted(cases, key=codebook_of, reverse=True):  # the slow ones first, or a worker would wait for the last of them
        length = len(case[0]) + len(case[1]) + 3
        if batch and (size + length > BATCH_BYTES or len(batch) >= limit or codebook_of(case) != codebook_of(batch[0])):
            yield batch
            batch, size = [], 0
        batch.append(case)
        size += length
    if batch:
        yield batch


def run_batch(arguments, batch):
    """{(op, parameters): "passed" | reason}; a case that the program died in gets that as its reason."""
    results = {}
    left = list(batch)
    while left:
        names = ",".join(f"{op}({params})" for op, params, _ in left)
        try:
            done = run_program(arguments, ["test", "-b", arguments.device, "-o", names])
            output, status = done.stdout, done.returncode
            errors = done.stderr
        except subprocess.TimeoutExpired as expired:
            output = (expired.stdout or b"").decode(errors="replace") if isinstance(expired.stdout, bytes) else expired.stdout or ""
            status, errors = f"no answer for {arguments.timeout} s", ""
        for key, words in verdicts_of(output).items():
            results[key] = "passed" if words == "OK" else words
        missing = [case for case in left if (case[0], case[1]) not in results]
        if missing:
            # the first one without a result is where the program stopped
            if status != 0:
                results[(missing[0][0], missing[0][1])] = f"the program stopped: {status} {errors.strip().splitlines()[-1:]}"
                missing = missing[1:]
            else:
                for case in missing:
                    results[(case[0], case[1])] = "the program printed no result"
                missing = []
        left = missing
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="test-backend-ops")
    parser.add_argument("--launcher", default="", help="what to run the program with (wine, another dynamic loader)")
    parser.add_argument("--plugin", help="GGML_BACKEND_PATH for the program")
    parser.add_argument("--device", default="DirectX0")
    parser.add_argument("--tier", choices=["sm51", "sm60", "sm66"], help="default: the device's best")
    parser.add_argument("--ops", help="comma-separated; 'dense' for the ops of dense language models; default: all")
    parser.add_argument("--sample", type=int, metavar="N", help="at most N cases an op and its types")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="the I-th of N equal parts")
    parser.add_argument("--results", type=pathlib.Path, help="JSON lines, one a case; cases already in it are not run again")
    parser.add_argument("--require-cpu", action="store_true", help="a case that the CPU supports and the device does not is a failure")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="run N batches at the same time")
    parser.add_argument("--timeout", type=int, default=1800, help="seconds for one batch")
    arguments = parser.parse_args()
    arguments.launcher = arguments.launcher.split()
    arguments.program = arguments.program.resolve()

    wanted = DENSE if arguments.ops == "dense" else arguments.ops.split(",") if arguments.ops else None
    cases = [case for case in list_cases(arguments, arguments.device) if not wanted or case[0] in wanted]
    total = len(cases)
    cpu = {(op, params) for op, params, on_cpu in list_cases(arguments, "CPU") if on_cpu}
    refused = [case for case in cases if not case[2] and (case[0], case[1]) in cpu] if arguments.require_cpu else []
    unchecked = sum(case[2] and (case[0], case[1]) not in cpu for case in cases)
    # what the CPU backend cannot run has no reference
    cases = [case for case in cases if not case[2] or (case[0], case[1]) in cpu]
    if arguments.sample:
        cases = sample([case for case in cases if case[2]], arguments.sample)
    part, parts = map(int, arguments.shard.split("/"))
    cases = cases[part - 1::parts]
    supported = [case for case in cases if case[2]]

    results = {}
    if arguments.results and arguments.results.exists():
        with arguments.results.open() as f:
            for line in f:
                entry = json.loads(line)
                results[(entry["op"], entry["params"])] = entry["result"]
    todo = [case for case in supported if (case[0], case[1]) not in results]
    started, done = time.monotonic(), 0
    # small batches towards the end would leave workers idle; large ones save starts of the program
    limit = max(20, min(250, len(todo) // (8 * arguments.jobs)))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as workers:
        for running in concurrent.futures.as_completed([workers.submit(run_batch, arguments, batch) for batch in batches(todo, limit)]):
            fresh = running.result()
            results.update(fresh)
            done += len(fresh)
            if arguments.results:
                with arguments.results.open("a") as f:
                    for (op, params), result in fresh.items():
                        f.write(json.dumps({"op": op, "params": params, "result": result}) + "\n")
            print(f"{done} of {len(todo)} cases, {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)

    failed = 0
    for op, params, _ in supported:
        result = results[(op, params)]
        if result != "passed":
            failed += 1
            print(f"FAIL {op}({params}): {result}")
    for op, params, _ in refused:
        failed += 1
        print(f"FAIL {op}({params}): the CPU supports it, {arguments.device} does not")
    if unchecked:
        print(f"{unchecked} more cases are supported that the CPU backend cannot check")
    print(f"supported {len(supported)} of {total}, passed {len(supported) - failed + len(refused)}, failed {failed}")
    if not supported:
        sys.exit("nothing was tested")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
