"""Others on the same network: a second run, a second node of a kind."""

from __future__ import annotations

import os
import signal
import subprocess

from crawler_bringup.stack import Options, make_stack
from crawler_cli.processes import command
from crawler_cli.storm.kind import Kind, crawls
from crawler_cli.storm.scene import Scene, Unmet

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
    second = scene.start([*words, "--out", str(scene.place / "second")], "second")
    scene.expect(lambda: second.poll() is not None, APPEARS, "the second run did not end")
    if second.returncode:
        raise Unmet(f"the run in a namespace of its own ended with {second.returncode}: {scene.printed('second')}")


def _second(node: str) -> Kind:
    """A second node of a kind, by another name, as it would come from another machine."""

    def inject(scene: Scene) -> None:
        stack = make_stack(Options(robot=scene.spec.name, backend="mock"))
        spec = next(one for one in stack.nodes if one.name == node)
        words = [word.replace(f"__node:={node}", f"__node:=second_{node}") for word in command(spec, scene.place)]
        with (scene.place / "second.log").open("wb") as log:
            child = subprocess.Popen(words, stdout=log, stderr=log, env=scene.environment, start_new_session=True)
        try:
            scene.expect(lambda: scene.witness.said((f"second_{node}",), 0.0), APPEARS, f"second_{node} was not named")
            scene.listen(1.0)
        finally:
            os.kill(child.pid, signal.SIGKILL)
            child.wait()

    must = crawls(f"second_{node}", text="ignored and named; crawls on")
    return Kind(f"rings/second_{node}", f"a second {node} node", must, inject)


KINDS = (
    Kind(
        "rings/same_names",
        "a second run under the same names",
        crawls(text="it is refused; the first crawls on"),
        _second_run,
    ),
    Kind("rings/namespace", "a second run in a namespace", crawls(text="both crawl"), _beside),
    _second("gait"),
    _second("controller"),
    _second("backend"),
)
