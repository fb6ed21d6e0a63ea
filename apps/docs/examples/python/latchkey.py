"""Checks a license of Latchkey. One file, Python 3.9 or later. Only leases need a package, `cryptography`. Copy it into your project.

    guard = Latchkey("https://licenses.example.com", key, "shop.example.com", "/var/lib/shop/license.json")
    if guard.check().state == "invalid":
        ...
"""

import base64
import email.utils
import hashlib
import json
import logging
import math
import os
import random
import re
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Callable, NamedTuple, Optional, Sequence, Union

try:
    import fcntl
except ImportError:  # Windows: only the threads of one process share a call.
    fcntl = None

HOUR = 3600
DAY = 86_400
# No Retry-After silences the check for longer than this.
LONGEST_PAUSE = 3600
# The clocks of the server and of the site may differ by so many seconds.
SKEW = 300
# How often the time is stored, in seconds, so that a later reader sees that the clock was set back.
STEP = 60

log = logging.getLogger("latchkey")


@dataclass(frozen=True)
class Verdict:
    """What is known about a license."""

    #: "valid", "invalid" or "unknown". Unknown means: no answer, and no earlier one that still counts.
    state: str
    #: If invalid: the server's `error`, such as "expired". Otherwise: why the last call brought no answer.
    reason: Optional[str]
    #: Seconds since 1970. None for a perpetual license.
    expires_at: Optional[float]
    #: Time of the server's answer. If it never gave one: of the first call.
    checked_at: float
    from_cache: bool
    #: If it is valid by a lease: when that ends, in seconds since 1970.
    lease_until: Optional[float] = None


@dataclass(frozen=True)
class Change:
    """What `activate` returns."""

    ok: bool
    #: The server's `error`, such as "domain_limit_reached", or why there is no answer, such as "offline".
    reason: Optional[str] = None
    message: Optional[str] = None


class Reply(NamedTuple):
    status: int
    retry_after: Optional[str]
    text: str


#: An answer, or why there is none: "network" or "timeout".
Sent = Union[Reply, str]


class Latchkey:
    """Make one for each license, when your program starts. Threads and processes may share its file.

    `domain` is that of your site. Take it from your configuration: clients choose the Host header.
    `grace_days`: for so long a valid license stays valid while the server gives no answer.
    `timeout`: seconds for one call. `now` returns the time in seconds.
    `public_keys` are those of the server, each 43 characters. Then only a lease that one of them has signed makes the
    license valid, until it ends, also if the server is away. It needs the package `cryptography`. Write the domain as the
    server does, such as "shop.example.com". Build the keys into your code: who fetches them can be given others.
    `issuer`: the address at which the server itself knows its license API, if it is not `url`.
    `lease`: one to begin with, as a text, or the `Path` of a file that has it.
    `offline`: never asks the server. Only a lease, given or kept, makes the license valid. It needs `public_keys`.
    """

    def __init__(
        self,
        url: str,
        license_key: str,
        domain: str,
        path: str,
        *,
        grace_days: float = 7,
        timeout: float = 3.0,
        now: Callable[[], float] = time.time,
        public_keys: Sequence[str] = (),
        issuer: Optional[str] = None,
        lease: Union[str, os.PathLike, None] = None,
        offline: bool = False,
    ):
        if not url.lower().startswith(("http://", "https://")):
            raise ValueError("url is missing or wrong.")
        if not license_key or not domain:
            raise ValueError("license_key or domain is missing.")
        self._url = url.rstrip("/")
        self._license = {"license_key": license_key, "domain": domain}
        self._grace = grace_days * DAY
        self._timeout = timeout
        self._now = now
        if isinstance(public_keys, str) or not all(len(_bytes_of(key) or b"") == 32 for key in public_keys):
            raise ValueError("public_keys is wrong.")
        if not public_keys and (offline or lease is not None):
            raise ValueError("offline and lease need public_keys.")
        self._given = lease
        self._offline = offline
        self._leases = LeaseReader(public_keys, issuer or url, domain, license_key) if public_keys else None
        # Answers are kept for this server, key and domain only. What was kept without leases does not count with them.
        kind = "lease " if public_keys else ""
        self._id = hashlib.sha256(f"{kind}{url} {license_key} {domain}".encode()).hexdigest()
        self._file = _File(path)
        # What is kept, for the case that the file fails, with the time and the ticks at which it was seen.
        self._memory: Optional[tuple[dict, float, float]] = None
        # The last text that the file is known to have had. Another text is from another process.
        self._stored = ""
        self._mutex = threading.Lock()

    def check(self, fresh: bool = False) -> Verdict:
        """Returns what is known. Asks the server if the last answer is too old, or with `fresh`. Never raises."""
        kept = self._newest()
        if self._offline:
            kept = kept or {**_start(self._now()), "fault": "no_lease"}
            self._stamp(kept)
            return self._verdict({**kept, "doubt": None}, True)
        if kept and self._is_fresh(kept, fresh):
            self._stamp(kept)
            return self._verdict(kept, True)
        # While another request asks, visitors of this one need not wait if an earlier answer counts.
        must_wait = fresh or kept is None or self._state(kept) == "unknown"
        with self._file.alone(3 * self._timeout if must_wait else 0) as is_alone:
            if not is_alone and not must_wait:
                return self._verdict(kept, True)
            # Meanwhile another request may have asked.
            found = self._newest()
            is_new = _when(found) != _when(kept)
            if found and self._is_fresh(found, fresh and not is_new):
                return self._verdict(found, True)
            operation = "lease" if self._leases else "verify"
            answer = self._read(self._call("GET", f"{operation}?{urllib.parse.urlencode(self._license)}"))
            kept = self._after(answer, found)
            self._keep(kept)
            return self._verdict(kept, answer["state"] == "unknown")

    def activate(self) -> Change:
        """Binds the license to the domain. Never raises."""
        if self._offline:
            return Change(False, "offline")
        # Otherwise a check that runs now could keep an answer from before.
        with self._file.alone(3 * self._timeout):
            reply = self._call("POST", "activate", json.dumps(self._license).encode())
            body = _fields(reply.text) if isinstance(reply, Reply) else {}
            if isinstance(reply, Reply) and reply.status == 200 and body.get("success") is True:
                self._keep(self._after({"state": "unknown", "reason": "network", "wait": 0}, None))
                return Change(True)
        error, message = body.get("error"), body.get("message")
        return Change(
            False,
            error if isinstance(error, str) else self._doubt(reply)["reason"],
            message if isinstance(message, str) else None,
        )

    def _call(self, method: str, path: str, body: Optional[bytes] = None) -> Sent:
        """Calls once more if the first call brought no answer.

        Not if the server limits calls or names a time: then another call would do harm.
        """
        reply = send(method, f"{self._url}/{path}", body, self._timeout)
        doubt = self._doubt(reply)
        if doubt["reason"] not in ("network", "timeout", "server_error") or doubt["wait"] is not None:
            return reply
        time.sleep(random.uniform(0.2, 0.7))
        return send(method, f"{self._url}/{path}", body, self._timeout)

    def _read(self, reply: Sent) -> dict:
        """Reads the answer of `verify` or `lease`. Only the server's own words make a license valid or invalid."""
        if isinstance(reply, Reply):
            body = _fields(reply.text)
            valid, error, license = body.get("valid"), body.get("error"), body.get("license")
            if self._leases and valid is True:
                text = body.get("lease")
                is_given = reply.status == 200 and isinstance(text, str)
                lease = self._leases.read(text) if is_given else "bad_answer"
                fault = lease if isinstance(lease, str) else lease.fault_at(self._now())
                if fault:
                    return {"state": "unknown", "reason": fault, "wait": None}
                return {"state": "valid", "lease": text, **lease.kept()}
            if reply.status == 200 and valid is True and isinstance(license, dict) and "expires_at" in license:
                until = license["expires_at"]
                end = _time_of(until)
                if until is None or end is not None:
                    return {"state": "valid", "expires_at": end}
            # 404 has other causes too: a wrong address, or a proxy.
            is_known = reply.status == 200 or (reply.status == 404 and error == "invalid_key")
            if valid is False and isinstance(error, str) and is_known:
                return {"state": "invalid", "reason": error}
        return self._doubt(reply)

    def _doubt(self, reply: Sent) -> dict:
        """Why a reply is not what was asked for."""
        if isinstance(reply, str):
            return {"state": "unknown", "reason": reply, "wait": None}
        status = reply.status
        if status == 429:
            reason = "rate_limited"
        elif status >= 500 or status == 408:
            reason = "server_error"
        else:
            reason = "refused" if status == 422 else "bad_answer"
        wait = _pause(reply.retry_after, self._now())
        return {"state": "unknown", "reason": reason, "wait": wait}

    def _after(self, answer: dict, before: Optional[dict]) -> dict:
        """What is kept after an answer. Ages count from it: a clock that is set back makes none smaller."""
        chance = random.random()
        start = {"checked_at": self._now(), "age": 0, "doubt": None, "held": False}
        if answer["state"] != "unknown":
            issued, mark = (before or {}).get("issued", 0), (before or {}).get("mark", 0)
            if answer.get("issued", 0) > issued:
                # Only a lease that is newer than all before proves that a mark in the future was a mistake of the clock.
                issued, mark = answer["issued"], answer["issued"]
            start = {**start, "mark": max(self._now(), mark)}
            answer = {**answer, "issued": issued}
            if start["mark"] >= answer.get("until", math.inf):
                # An old lease comes again, while the clock is set back.
                answer = {**answer, "state": "unknown", "fault": "expired_lease"}
            return {**start, **answer, "ask_at": HOUR * (1 - 0.2 * chance)}
        kept = before or {"state": "unknown", **start}
        wait = answer["wait"]
        pause = 30 * (1 + chance) if wait is None else wait
        return {**kept, "ask_at": kept["age"] + pause, "doubt": answer["reason"], "held": wait is not None}

    def _is_fresh(self, kept: dict, is_forced: bool) -> bool:
        """Whether the server need not be asked. Force asks it anyway, except while the server wants a pause."""
        if kept["age"] >= kept["ask_at"] or (is_forced and not kept["held"]):
            return False
        return kept["state"] != "valid" or kept["doubt"] is not None or kept["age"] < _life(kept)

    def _state(self, kept: dict) -> str:
        if kept["state"] == "invalid":
            return "invalid"
        age = kept["age"]
        is_in_time = self._leases or age < self._grace or (kept["doubt"] is None and age < kept["ask_at"])
        return "valid" if kept["state"] == "valid" and age < _life(kept) and is_in_time else "unknown"

    def _verdict(self, kept: dict, from_cache: bool) -> Verdict:
        state = self._state(kept)
        return Verdict(
            state,
            kept["reason"] if state == "invalid" else kept["doubt"] or (kept.get("fault") if state == "unknown" else None),
            kept["expires_at"] if state == "valid" else None,
            kept["checked_at"],
            from_cache and state != "unknown",
            kept.get("until") if state == "valid" else None,
        )

    def _look(self) -> Optional[dict]:
        """Returns what is kept, with its age now."""
        with self._mutex:
            text = self._file.read()
            found = self._known(text) if text != self._stored else None
            mine = None
            if self._memory:
                kept, wall, ticks = self._memory
                # The clock may be set back, but the ticks go on.
                passed = time.monotonic() - ticks
                mine = {**kept, "age": kept["age"] + max(self._now() - wall, passed)}
                mine["mark"] = max(self._now(), kept.get("mark", 0) + passed)
            if found:
                self._stored = text
                if _when(found) == _when(mine):
                    found["age"] = max(found["age"], mine["age"])
            newest = self._leased(found or mine, bool(found))
            if newest:
                self._memory = (newest, self._now(), time.monotonic())
            return newest

    def _known(self, text: str) -> Optional[dict]:
        """Anything that this class did not write counts as nothing."""
        kept = _fields(text)
        end, reason, doubt = kept.get("expires_at"), kept.get("reason"), kept.get("doubt")
        if kept.get("for") != self._id or not all(_is_number(kept.get(n)) for n in ("checked_at", "age", "ask_at", "seen")):
            return None
        is_whole = {
            "valid": end is None or _is_number(end),
            "invalid": isinstance(reason, str),
            "unknown": True,
        }.get(str(kept.get("state")), False)
        if not is_whole or not (doubt is None or isinstance(doubt, str)):
            return None
        kept = {**kept, "expires_at": end, "doubt": doubt, "held": kept.get("held") is True}
        for name in ("mark", "issued"):
            kept[name] = kept[name] if _is_number(kept.get(name)) else 0
        passed = self._now() - kept["seen"]
        if passed >= 0:
            return {**kept, "age": kept["age"] + passed}
        # The clock was set back while nobody looked. So nobody knows how old the answer is.
        return {**kept, "state": "invalid" if kept["state"] == "invalid" else "unknown", "age": 0, "ask_at": 0}

    def _newest(self) -> Optional[dict]:
        """Returns what is kept, or the given lease if it is newer. What the server said later counts more."""
        kept = self._look()
        text = _text_of(self._given)
        if not text:
            return kept
        now = self._now()
        lease = self._leases.read(text)
        if isinstance(lease, str):
            return kept or {**_start(now), "fault": lease}
        is_later = not kept or kept["state"] != "invalid" or lease.issued > kept["checked_at"] + SKEW
        if lease.issued <= (kept or {}).get("issued", 0) or not is_later:
            return kept
        age, mark = max(0, now - lease.issued), max(now, (kept or {}).get("mark", 0))
        begun = {**_start(now), "checked_at": lease.issued, "age": age, "ask_at": age, "lease": text, "mark": mark}
        given = self._leased({**begun, **lease.kept()}, True)
        self._keep(given)
        return given

    def _leased(self, kept: Optional[dict], is_stored: bool) -> Optional[dict]:
        """Decides by the kept lease, which others could have changed. The mark is the latest time that was ever seen."""
        if not kept or not self._leases or kept["state"] == "invalid":
            return kept
        now = self._now()
        mark = max(now, kept.get("mark", 0))
        lease = self._leases.read(kept.get("lease"))
        # While the program runs, ticks show how late it is, and a clock that is set back does not matter.
        is_back = now + SKEW < mark and (is_stored or kept["state"] == "unknown")
        fault = lease if isinstance(lease, str) else "clock_set_back" if is_back else lease.fault_at(mark)
        found = {**kept, "fault": fault, "mark": mark}
        if fault:
            return {**found, "state": "unknown", "ask_at": 0 if kept["doubt"] is None else kept["ask_at"]}
        return {**found, **lease.kept(), "issued": kept["issued"], "state": "valid"}

    def _keep(self, kept: dict) -> None:
        with self._mutex:
            now = self._now()
            kept = {**kept, "for": self._id, "seen": now}
            self._memory = (kept, now, time.monotonic())
            text = json.dumps(kept)
            if self._file.write(text):
                self._stored = text

    def _stamp(self, kept: dict) -> None:
        """Stores the time now and then, unless another request is about to store an answer."""
        if self._now() - kept.get("seen", self._now()) > STEP:
            with self._file.alone(0) as is_alone:
                newest = self._look() if is_alone else None
                if newest:
                    self._keep(newest)


class Lease(NamedTuple):
    """A lease whose signature, issuer, domain and license are right. Times are in seconds since 1970."""

    issued: float
    begin: float
    until: float
    #: The end of the license. None for a perpetual one.
    expires_at: Optional[float]

    def fault_at(self, now: float) -> Optional[str]:
        """Why the lease does not count at this time."""
        if max(self.issued, self.begin) > now + SKEW:
            return "early_lease"
        return None if now < self.until else "expired_lease"

    def kept(self) -> dict:
        return {"issued": self.issued, "until": self.until, "expires_at": self.expires_at}


class LeaseReader:
    """Reads the leases of one license and domain. Raises ImportError without the package `cryptography`."""

    def __init__(self, public_keys: Sequence[str], issuer: str, domain: str, license_key: str):
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        self._fault = InvalidSignature
        self._keys = [Ed25519PublicKey.from_public_bytes(_bytes_of(key)) for key in public_keys]
        self._issuer = issuer.rstrip("/")
        self._domain = domain
        # The lease names the license by a digest of its key. Keys of Latchkey have one spelling, others stay as they are.
        line = "".join(part.strip() for part in re.split(r"[\r\n]+", license_key))
        key = line.upper() if re.fullmatch(r"LIC(-[A-Z0-9]{4}){4}", line, re.IGNORECASE | re.ASCII) else license_key
        self._subject = hashlib.sha256(key.encode()).digest()[:16]

    def read(self, text) -> Union[Lease, str]:
        """Returns the lease, or why it does not count, whatever the time is."""
        if not isinstance(text, str):
            return "no_lease"
        parts = text.split(".")
        header, claims, signature = map(_bytes_of, parts) if len(parts) == 3 else (None, None, None)
        head = _fields((header or b"").decode("utf-8", "replace"))
        # `crit` names an extension that must be understood, which this code does not.
        is_form = head.get("alg") == "EdDSA" and head.get("typ") == "latchkey-lease+jwt" and "crit" not in head
        if not is_form or signature is None or len(signature) != 64:
            return "malformed_lease"
        if not any(self._is_signed(key, signature, f"{parts[0]}.{parts[1]}".encode()) for key in self._keys):
            return "wrong_signature"
        facts = _fields((claims or b"").decode("utf-8", "replace"))
        times = [facts.get(name) for name in ("iat", "nbf", "exp")]
        end, subject = facts.get("expires_at", False), facts.get("sub")
        expires_at = _time_of(end)
        is_whole = all(map(_is_number, times)) and (end is None or expires_at is not None) and isinstance(subject, str)
        if not is_whole or facts.get("v") != 1:
            return "malformed_lease"
        if facts.get("iss") != self._issuer:
            return "wrong_issuer"
        if facts.get("aud") != self._domain:
            return "wrong_domain"
        return Lease(*times, expires_at) if _bytes_of(subject) == self._subject else "wrong_license"

    def _is_signed(self, key, signature: bytes, data: bytes) -> bool:
        try:
            key.verify(signature, data)
            return True
        except self._fault:
            return False


class _File:
    """The file with the last answer. Only its user can read it."""

    def __init__(self, path: str):
        self._path = path
        self._threads = threading.Lock()
        folder = os.path.dirname(os.path.abspath(path))
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            self._is_safe = _is_own(folder)
            if not self._is_safe:
                # Otherwise somebody else on this machine could write an answer into it.
                log.warning("%s belongs to somebody else, or others can write to it. Answers are kept in memory.", folder)
        except OSError as fault:
            self._is_safe = False
            log.warning("%s. Answers are kept in the memory of this process only.", fault)

    def read(self) -> str:
        if not self._is_safe:
            return ""
        try:
            with open(self._path, encoding="utf-8") as file:
                return file.read()
        except (OSError, ValueError):
            return ""

    def write(self, text: str) -> bool:
        """Writes another file and renames it, so that nobody reads half an answer. Returns whether it could."""
        if not self._is_safe:
            return False
        new = None
        try:
            # Only its user can read a file of mkstemp.
            number, new = tempfile.mkstemp(prefix="latchkey-", dir=os.path.dirname(os.path.abspath(self._path)))
            with os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(new, self._path)
            return True
        except OSError as fault:
            log.warning("%s. Answers are kept in the memory of this process only.", fault)
            if new:
                try:
                    os.unlink(new)
                except OSError:
                    pass
            return False

    @contextmanager
    def alone(self, patience: float):
        """Lets one thread of one process in at a time. After `patience` seconds, yields False."""
        end = time.monotonic() + patience
        if not self._threads.acquire(timeout=patience):
            yield False
            return
        number = None
        try:
            if fcntl and self._is_safe:
                try:
                    number = os.open(f"{self._path}.lock", os.O_CREAT | os.O_RDWR, 0o600)
                except OSError:
                    pass
            yield number is None or _locked(number, end)
        finally:
            if number is not None:
                os.close(number)
            self._threads.release()


def _is_own(folder: str) -> bool:
    if os.name == "nt":
        return True
    facts = os.stat(folder)
    return facts.st_uid in (os.geteuid(), 0) and not facts.st_mode & 0o002


def _locked(number: int, end: float) -> bool:
    while True:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.05)


def send(method: str, url: str, body: Optional[bytes], timeout: float) -> Sent:
    """Calls the server once. Never takes longer than `timeout`."""
    found: list[Sent] = []

    def call() -> None:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        request = urllib.request.Request(url, body, headers, method=method)
        try:
            try:
                response = urllib.request.urlopen(request, timeout=timeout)
            except urllib.error.HTTPError as refusal:
                response = refusal
            with response:
                text = response.read().decode("utf-8", "replace")
                found.append(Reply(response.status, response.headers.get("Retry-After"), text))
        except Exception as fault:  # Many kinds: of sockets, TLS and HTTP.
            cause = getattr(fault, "reason", fault)
            found.append("timeout" if isinstance(cause, TimeoutError) else "network")

    # The time of urllib counts for each part of the answer, and not for all of it.
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(timeout)
    return found[0] if found else "timeout"


def _start(now: float) -> dict:
    """What is known before any answer."""
    return {"state": "unknown", "checked_at": now, "age": 0, "ask_at": 0, "doubt": None, "held": False, "expires_at": None}


def _text_of(given: Union[str, os.PathLike, None]) -> str:
    """The text of a lease. A file is read each time, so that a newer lease can be put into it."""
    if given is None or isinstance(given, str):
        return (given or "").strip()
    try:
        with open(given, encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return ""


def _life(kept: dict) -> float:
    """Seconds from the answer to the end of the license.

    If it has ended by this clock, while the server called it valid, then this clock is wrong, and says nothing about
    the end.
    """
    end = kept.get("expires_at")
    return end - kept["checked_at"] if end is not None and end > kept["checked_at"] else math.inf


def _when(kept: Optional[dict]) -> Optional[tuple]:
    return kept and (kept["checked_at"], kept["ask_at"])


def _pause(text: Optional[str], now: float) -> Optional[float]:
    """Retry-After in seconds: a number or a date."""
    if not text:
        return None
    try:
        wait = float(text) if text.isdecimal() else email.utils.parsedate_to_datetime(text).timestamp() - now
    except (TypeError, ValueError):
        return None
    return min(max(wait, 1), LONGEST_PAUSE)


def _time_of(text) -> Optional[float]:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except (AttributeError, ValueError):
        return None


def _bytes_of(text: str) -> Optional[bytes]:
    """The bytes of base64url."""
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        return None
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None


def _is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15


def _fields(text: str) -> dict:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
