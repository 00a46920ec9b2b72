"""Evaluation on a Dask cluster: local processes of this command, or a cluster that runs already."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawler_core.errors import UserError
from crawler_studies.evaluators.evaluator import Evaluator, Result
from crawler_studies.study.study_case import StudyCase
from crawler_studies.study.study_file import differences
from crawler_studies.study.study_identity import study_identity
from crawler_studies.sweep.chunk_size import ChunkSize
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.runner import Finished, evaluate_timed

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

SCHEDULER_TIMEOUT_S = 3.0  # of a scheduler's answer, and of the first worker
TASKS_PER_WORKER = 2  # under way, so that no worker is idle


@dataclass(frozen=True)
class Cluster:
    """A source of finished evaluations."""

    client: Client

    def __call__(self, evaluator: Evaluator, grid: Grid, numbers: Sequence[int]) -> Iterator[Finished]:
        """Evaluate on the workers. The points of a worker that dies are evaluated by another one.

        Raises UserError where the cluster is lost or a worker lacks what it needs.
        """
        from distributed import as_completed

        chunk_size = ChunkSize()
        waiting = list(reversed(numbers))
        suspects: list[int] = []  # their worker died, perhaps of another point: they are evaluated alone, at the end
        under_way: dict[Future, list[int]] = {}
        completed = as_completed(loop=self.client.loop)

        def submit_chunks() -> None:
            capacity = TASKS_PER_WORKER * max(len(self._workers()), 1)
            while waiting and len(under_way) < capacity:
                size = max(1, min(chunk_size.size, len(waiting) // capacity))
                chunk = [waiting.pop() for _ in range(size)]
                future = self.client.submit(evaluate_timed, evaluator, grid.points(chunk), pure=False)
                under_way[future] = chunk
                completed.add(future)

        submit_chunks()
        for future in completed:
            chunk = under_way.pop(future)
            outcome = _outcome(future)
            if outcome is not None:
                results, seconds = outcome
                chunk_size.update(len(chunk), seconds)
                yield chunk, results
            else:
                suspects.extend(chunk)
            submit_chunks()
            if suspects and not under_way:
                yield from self._evaluate_alone(evaluator, grid, suspects)

    def _evaluate_alone(self, evaluator: Evaluator, grid: Grid, suspects: list[int]) -> Iterator[Finished]:
        """Evaluate each with no other point under way, so that a process that dies dies of it."""
        while suspects:
            number = suspects.pop()
            outcome = _outcome(self.client.submit(evaluate_timed, evaluator, grid.points([number]), pure=False))
            yield [number], outcome[0] if outcome else [Result.invalid("its evaluation ends every process that tries.")]

    def _workers(self) -> dict[str, Any]:
        return self.client.scheduler_info(n_workers=-1)["workers"]


@contextmanager
def local_cluster(workers: int) -> Iterator[Cluster]:
    """Start worker processes of one thread each on this machine; they end with this process, however it ends."""
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        stack.enter_context(_logging_disabled())
        # Ctrl-C reaches every process of the terminal. The workers and their nannies inherit the blocked signal, so
        # that this process alone decides when they end
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                worker_dashboard_address=None,
                memory_limit=0,
                silence_logs=logging.CRITICAL,
                preload=["crawler_studies.sweep.worker_preload"],
            )
            stack.enter_context(cluster)
            client = stack.enter_context(Client(cluster))
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        try:
            yield Cluster(client)
        except BaseException:
            _kill_workers(cluster)  # an orderly end would wait for the tasks under way
            raise


def _kill_workers(cluster: LocalCluster) -> None:
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid:
            with suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)


@contextmanager
def running_cluster(address: str, case: StudyCase) -> Iterator[Cluster]:
    """Connect to the cluster whose scheduler is at `address`.

    Raises UserError where it does not answer, has no workers, or workers with other packages or another robot.
    """
    from distributed import Client
    from distributed.comm.addressing import get_address_host_port

    with ExitStack() as stack:
        stack.enter_context(_logging_disabled())
        try:
            get_address_host_port(address, strict=True)
            # without this question the client would wait for ever for a server that listens and does not answer
            asyncio.run(asyncio.wait_for(_check_scheduler(address), SCHEDULER_TIMEOUT_S))
            client = stack.enter_context(Client(address, timeout=SCHEDULER_TIMEOUT_S, set_as_default=False))
        except ValueError as error:
            raise UserError(f"--scheduler {address} is no address ({error}): write tcp://127.0.0.1:8786.") from None
        except (OSError, asyncio.TimeoutError):
            raise UserError(
                f"no Dask scheduler answers at {address}: start one with `dask scheduler`, or leave --scheduler out."
            ) from None
        _check_workers(client, address, case)
        yield Cluster(client)


async def _check_scheduler(address: str) -> None:
    """Raise OSError where no scheduler answers."""
    from distributed.core import rpc

    async with rpc(address) as peer:
        if (await peer.identity())["type"] != "Scheduler":
            raise OSError


def _check_workers(client: Client, address: str, case: StudyCase) -> None:
    try:
        client.wait_for_workers(1, timeout=SCHEDULER_TIMEOUT_S)
    except TimeoutError:
        raise UserError(f"the cluster at {address} has no workers: start some with `dask worker {address}`.") from None
    try:
        identities = client.run(study_identity, case, ())
    except UserError as error:
        raise UserError(f"a worker of the cluster at {address} cannot have this robot: {error}") from None
    except Exception as error:  # an object that a worker cannot unpickle is reported as any exception
        raise _missing_package(error) from None
    own_identity = study_identity(case, ())
    for worker, identity in identities.items():
        if found := differences(identity, own_identity):
            difference = found[0].replace(" in the file", " there")
            raise UserError(f"the worker {worker} has another version of this stack or robot: {difference}.")


def _outcome(future: Future) -> tuple[list[Result], float] | None:
    """Return the task's value, or None where it ended its workers."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    try:
        return future.result()
    except KilledWorker:
        return None
    except ImportError as error:
        raise _missing_package(error) from None
    except (CancelledError, OSError):
        raise UserError(
            "the cluster is lost, its scheduler ended: the same command goes on where it stopped."
        ) from None


def _missing_package(error: Exception) -> UserError:
    return UserError(f"a worker lacks this stack ({error}): start it in an environment that has the same packages.")


@contextmanager
def _logging_disabled() -> Iterator[None]:
    """Disable Dask's log lines; errors come as exceptions."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
