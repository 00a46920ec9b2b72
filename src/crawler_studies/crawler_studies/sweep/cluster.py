"""Evaluation on a Dask cluster: one of this command's own, or one that runs already."""

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
from crawler_studies.sweep.runner import Finished, timed

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

ANSWER = 3.0  # s that a scheduler may take to answer, and a cluster to show a worker
AHEAD = 2  # tasks per worker that are under way, so that none waits for us


@dataclass(frozen=True)
class Cluster:
    """A source of finished evaluations."""

    client: Client

    def __call__(self, evaluator: Evaluator, grid: Grid, numbers: Sequence[int]) -> Iterator[Finished]:
        """Evaluate on the workers. A worker that dies has its points evaluated by another one.

        Raises UserError where the cluster is lost or a worker lacks what it needs.
        """
        from distributed import as_completed

        pace = ChunkSize()
        waiting = list(reversed(numbers))
        suspects: list[int] = []  # had a worker die, perhaps of another point beside them: one by one, at the end
        under_way: dict[Future, list[int]] = {}
        completed = as_completed(loop=self.client.loop)

        def submit(chunk: list[int]) -> None:
            future = self.client.submit(timed, evaluator, grid.points(chunk), pure=False)
            under_way[future] = chunk
            completed.add(future)

        def fill() -> None:
            room = AHEAD * max(len(self._workers()), 1)
            while waiting and len(under_way) < room:
                size = max(1, min(pace.size, len(waiting) // room))
                submit([waiting.pop() for _ in range(size)])

        fill()
        for future in completed:
            chunk = under_way.pop(future)
            outcome = _outcome(future)
            if outcome is not None:
                results, seconds = outcome
                pace.took(len(chunk), seconds)
                yield chunk, results
            else:
                suspects.extend(chunk)
            fill()
            if suspects and not under_way:
                yield from self._alone(evaluator, grid, suspects)

    def _alone(self, evaluator: Evaluator, grid: Grid, suspects: list[int]) -> Iterator[Finished]:
        """Evaluate each with nothing beside it, so that a process that dies dies of it."""
        while suspects:
            number = suspects.pop()
            outcome = _outcome(self.client.submit(timed, evaluator, grid.points([number]), pure=False))
            yield [number], outcome[0] if outcome else [Result.invalid("its evaluation ends every process that tries.")]

    def _workers(self) -> dict[str, Any]:
        return self.client.scheduler_info(n_workers=-1)["workers"]


@contextmanager
def local_cluster(workers: int) -> Iterator[Cluster]:
    """Worker processes of one thread each, on this machine only; they end with this process, by whatever end."""
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        stack.enter_context(_quiet())
        # Ctrl-C reaches every process of the terminal. The workers, and whoever restarts them, inherit that it is
        # blocked: this process alone decides what ends.
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
            _kill(cluster)  # nobody wants what is under way: an orderly end would wait for it
            raise


def _kill(cluster: LocalCluster) -> None:
    for nanny in cluster.workers.values():
        nanny.auto_restart = False
        if nanny.pid:
            with suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)


@contextmanager
def running_cluster(address: str, case: StudyCase) -> Iterator[Cluster]:
    """The cluster whose scheduler is at `address`.

    Raises UserError where nobody answers there, it has no workers, or they have other packages or another robot.
    """
    from distributed import Client
    from distributed.comm.addressing import get_address_host_port

    with ExitStack() as stack:
        stack.enter_context(_quiet())
        try:
            get_address_host_port(address, strict=True)
            # the client itself would wait for ever for one who listens and says nothing
            asyncio.run(asyncio.wait_for(_ask_scheduler(address), ANSWER))
            client = stack.enter_context(Client(address, timeout=ANSWER, set_as_default=False))
        except ValueError as error:
            raise UserError(f"--scheduler {address} is no address ({error}): write tcp://127.0.0.1:8786.") from None
        except (OSError, asyncio.TimeoutError):
            raise UserError(
                f"no Dask scheduler answers at {address}: start one with `dask scheduler`, or leave --scheduler out."
            ) from None
        _check_workers(client, address, case)
        yield Cluster(client)


async def _ask_scheduler(address: str) -> None:
    """Raises OSError where no scheduler answers."""
    from distributed.core import rpc

    async with rpc(address) as peer:
        if (await peer.identity())["type"] != "Scheduler":
            raise OSError


def _check_workers(client: Client, address: str, case: StudyCase) -> None:
    try:
        client.wait_for_workers(1, timeout=ANSWER)
    except TimeoutError:
        raise UserError(f"the cluster at {address} has no workers: start some with `dask worker {address}`.") from None
    try:
        theirs = client.run(study_identity, case, ())
    except UserError as error:
        raise UserError(f"a worker of the cluster at {address} cannot have this robot: {error}") from None
    except Exception as error:  # what a worker cannot even read comes back as just that
        raise _lacking(error) from None
    ours = study_identity(case, ())
    for worker, identity in theirs.items():
        if apart := differences(identity, ours):
            said = apart[0].replace(" in the file", " there")
            raise UserError(f"the worker {worker} has another version of this stack or robot: {said}.")


def _outcome(future: Future) -> tuple[list[Result], float] | None:
    """What the task returned; None where it ended its workers."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    try:
        return future.result()
    except KilledWorker:
        return None
    except ImportError as error:
        raise _lacking(error) from None
    except (CancelledError, OSError):
        raise UserError(
            "the cluster is lost, its scheduler ended: the same command goes on where it stopped."
        ) from None


def _lacking(error: Exception) -> UserError:
    return UserError(f"a worker lacks this stack ({error}): start it in an environment that has the same packages.")


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask says nothing: what matters comes as exceptions."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
