# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges: routes bound to arrays, along which data move as often as needed."""

from transrank._core import AgreedError, BrokenExchange, Misuse, transports
from transrank.exchange.bound import Bound
from transrank.exchange.exchange import Exchange

__all__ = ["AgreedError", "Bound", "BrokenExchange", "Exchange", "Misuse", "transports"]
