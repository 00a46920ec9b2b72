"""The parameters of the view node."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter


@dataclass(frozen=True)
class ViewSettings:
    """The node's parameters."""

    host: str = parameter("127.0.0.1", doc="address to serve at; beyond loopback a token is asked for", constant=True)
    port: int = parameter(8600, low=0, high=65535, doc="port to serve at; 0: any that is free", constant=True)
    token: str = parameter("", doc="what the page's address must end with; empty: none on loopback", constant=True)
    view_only: bool = parameter(False, doc="whether the page can only look", constant=True)
    rate: float = parameter(30.0, unit="Hz", low=1.0, high=30.0, doc="frames per second", constant=True)
