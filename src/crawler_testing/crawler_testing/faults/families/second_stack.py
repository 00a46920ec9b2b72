"""Others on the same network: a second run, a second node of a kind."""

from __future__ import annotations

import os
import signal
import subprocess

from crawler_bringup.stack.stack import Options, make_stack
from crawler_cli.run.node_processes import command
from crawler_testing.faults.fault_kind import FaultKind, crawls
from crawler_testing.fixtures.run_harness import Scene, Unmet

SHORT = 2.0  # s that the second one runs
APPEARS = 30.0  # s until it has come and been noticed


def _second_run(scene: Scene) -> None:
    second = scene.start(
        ["--backend", "mock", "--duration", f"{SHORT:g}", "--out", str(scene.place / "second")], "second"
    )
    scene.expect(lambda: second.poll() is not None, APPEARS, "the second run did not end")
    if second.returncode != 2 or "--namespace" not in scene.printed("second"):
        last = scene.printed("second").strip().splitlines()[-1:]
        raise Unmet(f"the second run was not refused with 2 and --namespace: {second.returncode}, {' '.join(last)}")


def _beside(scene: Scene) -> None:
    words = ["--backend", "mock", "--duration", f"{SHORT:g}", "--namespace", "other"]
    second = scene.start([*words, "--out", str(scene.place / "beside")], "second")
    scene.expect(lambda: second.poll() is not None, APPEARS, "the second run did not end")
    if second.returncode:
        raise Unmet(f"the run in a namespace of its own ended with {second.returncode}: {scene.printed('second')}")


def _start_second(scene: Scene, node: str) -> subprocess.Popen[bytes]:
    """A second node of a kind, by another name, as it would come from another machine."""
    stack = make_stack(Options(robot=scene.spec.name, backend="mock"))
    spec = next(one for one in stack.nodes if one.name == node)
    words = [word.replace(f"__node:={node}", f"__node:=second_{node}") for word in command(spec, scene.place)]
    with (scene.place / "second.err").open("wb") as log:
        return subprocess.Popen(words, stdout=log, stderr=log, env=scene.environment, start_new_session=True)


def _second_backend(scene: Scene) -> None:
    child = _start_second(scene, "backend")
    scene.expect(lambda: child.poll() is not None, APPEARS, "the second backend did not end")
    if child.returncode != 2 or "already" not in scene.printed("second"):
        raise Unmet(f"the second backend was not refused: it ended with {child.returncode}")


def _second(node: str) -> FaultKind:
    def inject(scene: Scene) -> None:
        child = _start_second(scene, node)
        try:
            scene.expect(lambda: scene.witness.said((f"second_{node}",), 0.0), APPEARS, f"second_{node} was not named")
            scene.listen(1.0)
        finally:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()

    must = crawls(f"second_{node}", text="ignored and named; crawls on")
    return FaultKind(f"rings/second_{node}", f"a second {node} node", must, inject)


KINDS = (
    FaultKind(
        "rings/same_names",
        "a second run under the same names",
        crawls(text="it is refused; the first crawls on"),
        _second_run,
    ),
    FaultKind("rings/namespace", "a second run in a namespace", crawls(text="both crawl"), _beside),
    _second("gait"),
    _second("controller"),
    FaultKind(
        "rings/second_backend", "a second backend node", crawls(text="it is refused; crawls on"), _second_backend
    ),
)
