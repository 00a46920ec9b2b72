"""Sweeps in several processes: real workers, some of which die, and clusters that are not what they should be."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from crawler_core.errors import UserError
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.study.study_case import Point, StudyCase, extra_columns
from crawler_studies.study.study_file import open_study
from crawler_studies.sweep import cluster as cluster_module
from crawler_studies.sweep.cluster import Cluster, local_cluster, running_cluster
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.runner import sweep
from crawler_studies.sweep.table import sweep_columns
from crawler_studies.sweep.variable import parse_variables

CASE = StudyCase("three_link")
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import a test


def grid(*words: str) -> Grid:
    return Grid(parse_variables(CASE, words))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with local_cluster(2) as made:
        yield made


def scheduler_of(cluster: Cluster) -> str:
    scheduler: Any = cluster.client.scheduler
    return scheduler.address


def addresses(cluster: Cluster) -> list[str]:
    """Of the scheduler and its two workers; one that a test has ended may still be on its way back."""
    cluster.client.wait_for_workers(2, timeout=120)
    return [scheduler_of(cluster), *cluster.client.scheduler_info(n_workers=-1)["workers"]]


def test_a_cluster_of_our_own_listens_on_this_machine_only(cluster: Cluster) -> None:
    assert len(addresses(cluster)) == 3
    assert all(address.startswith("tcp://127.0.0.1:") for address in addresses(cluster))


def test_processes_find_what_one_process_finds(cluster: Cluster) -> None:
    over = grid("gait.omega=0.3:20:30:log", "gait.psi=0,20,90")
    evaluator = ModelEvaluator(CASE)
    alone = evaluator.evaluate(over.points(range(over.size)))
    found: dict[int, Result] = {}
    for numbers, results in cluster(evaluator, over, range(over.size)):
        assert not found.keys() & set(numbers)
        found.update(zip(numbers, results, strict=True))
    assert sorted(found) == list(range(over.size))
    for number, result in enumerate(alone):
        assert found[number] == result  # to the bit, whatever each process was given with it


class Dying:
    """Ends its process at one point, whenever that is evaluated, or only the first time."""

    backend = "model"

    def __init__(self, mark: Path | None = None) -> None:
        self.mark = mark

    def evaluate(self, points: Sequence[Point]) -> list[Result]:
        for point in points:
            if point["gait.omega"] == 3.0 and not (self.mark and self.mark.exists()):
                if self.mark:
                    self.mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return [Result(point["gait.omega"], 1.0, valid=True) for point in points]


def test_the_points_of_a_worker_that_dies_are_done_by_another_once(cluster: Cluster, tmp_path: Path) -> None:
    over = grid("gait.omega=1:30:30")
    with open_study(tmp_path / "s.sqlite", {}, sweep_columns(over, {})) as study:
        sweep(cluster, Dying(tmp_path / "died"), over, study, lambda _: None)
        rows = study.finished()
    assert (tmp_path / "died").exists()
    assert [row[2] for row in rows] == [row[1] for row in rows] == [float(k) for k in range(1, 31)]


@pytest.mark.exhaustive  # one that ends a worker is in every run
def test_a_point_that_ends_every_worker_is_not_valid_and_the_others_are(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler = cluster.client.cluster.scheduler
    monkeypatch.setattr(scheduler, "allowed_failures", 0)  # one death is enough for the test
    over = grid("gait.omega=2,3,4")
    found: dict[int, Result] = {}
    for numbers, results in cluster(Dying(), over, range(3)):
        found.update(zip(numbers, results, strict=True))
    assert [found[number].valid for number in range(3)] == [True, False, True]
    assert "ends every process" in found[1].reason


def test_physics_is_swept_in_processes(cluster: Cluster, tmp_path: Path) -> None:
    over = grid("gait.omega=10,14")
    coarse = PhysicsEvaluator.of(CASE, {"physics_rate": 1000.0, "rate": 250.0})
    own = extra_columns(CASE.spec)
    with open_study(tmp_path / "s.sqlite", {}, sweep_columns(over, own)) as study:
        sweep(cluster, coarse, over, study, lambda _: None, own)
        steps = [row[2] for row in study.finished()]
        unique = [row[1 + study.columns.index("unique")] for row in study.finished()]
    told = ModelEvaluator(CASE).evaluate(over.points(range(2)))
    assert steps == pytest.approx([result.step_length for result in told], rel=0.1)  # the physics is coarse
    assert unique == [None] * 2  # physics cannot tell


# clusters of others


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine needs its time until a scheduler answers and a worker shows."""
    monkeypatch.setattr(cluster_module, "SCHEDULER_TIMEOUT_S", 60.0)


@pytest.mark.usefixtures("patient")
def test_a_running_cluster_is_used_by_its_address(cluster: Cluster) -> None:
    over = grid("gait.omega=4,8")
    with running_cluster(scheduler_of(cluster), CASE) as other:
        found = [result for _, results in other(ModelEvaluator(CASE), over, range(2)) for result in results]
    assert sorted(round(result.step_length * 1e3, 2) for result in found)[0] == 2.83
    assert len(addresses(cluster)) == 3  # and it lives on


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "SCHEDULER_TIMEOUT_S", 0.5)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("listening", [True, False])
def test_an_address_where_no_scheduler_answers_is_one_sentence(listening: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
        if not listening:
            nobody.close()
        with pytest.raises(UserError, match=f"no Dask scheduler answers at tcp://127.0.0.1:{port}"):
            running_cluster(f"tcp://127.0.0.1:{port}", CASE).__enter__()


def test_a_workers_address_is_not_a_schedulers(cluster: Cluster) -> None:
    worker = addresses(cluster)[1]
    with pytest.raises(UserError, match="no Dask scheduler answers"):
        running_cluster(worker, CASE).__enter__()


@pytest.mark.parametrize("address", ["localhost", "http://127.0.0.1:8786", "tcp://"])
def test_what_is_no_address_is_one_sentence(address: str) -> None:
    with pytest.raises(UserError, match="is no address") as refused:
        running_cluster(address, CASE).__enter__()
    assert "\n" not in str(refused.value)


@pytest.fixture
def empty_scheduler() -> Iterator[str]:
    """The address of a scheduler without workers."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0", scheduler_kwargs={"dashboard": False}
    ) as made:
        yield made.scheduler_address


def test_a_cluster_without_workers_is_one_sentence(empty_scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        cluster_module, "SCHEDULER_TIMEOUT_S", 5.0
    )  # s, in which the scheduler, which is there, must have answered
    with pytest.raises(UserError, match="has no workers: start some with `dask worker"):
        running_cluster(empty_scheduler, CASE).__enter__()


@pytest.mark.exhaustive  # Dask's own worker takes long to start
@pytest.mark.usefixtures("patient")
def test_workers_without_our_packages_are_one_sentence(empty_scheduler: str, tmp_path: Path) -> None:
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [sys.executable, "-m", "distributed.cli.dask_worker", empty_scheduler, "--no-dashboard", "--no-nanny"]
    log = (tmp_path / "log").open("w")
    with subprocess.Popen(words, env=alone, cwd=tmp_path, stdout=log, stderr=log) as worker:
        try:
            with pytest.raises(UserError, match=r"a worker lacks this stack .*crawler_studies") as refused:
                running_cluster(empty_scheduler, CASE).__enter__()
        finally:
            worker.kill()
    assert "\n" not in str(refused.value)
