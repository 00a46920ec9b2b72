"""The parameters of the view node."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter


@dataclass(frozen=True)
class ViewSettings:
    """The node's parameters."""

    host: str = parameter("127.0.0.1", doc="address to serve at; beyond loopback a token is required", constant=True)
    port: int = parameter(8600, lower=0, upper=65535, doc="port to serve at; 0: any free port", constant=True)
    token: str = parameter("", doc="required at the end of the page's address; empty: none on loopback", constant=True)
    view_only: bool = parameter(False, doc="true: the page has no commands", constant=True)
    rate: float = parameter(30.0, unit="Hz", lower=1.0, upper=30.0, doc="frames per second", constant=True)
