"""The application: static files, and the resources as JSON under /api."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from hockeystick.page import body
from hockeystick.page.access import Access
from hockeystick.page.cache import Cache
from hockeystick.page.catalogue import catalogue
from hockeystick.page.errors import WRONG, Refused
from hockeystick.page.guard import Guard
from hockeystick.page.openapi import openapi
from hockeystick.page.pool import Answer, Pool
from hockeystick.page.resource import Resource

STATIC = Path(__file__).parent / "static"
OK = 200
GONE = 499
"""Nobody reads this answer."""


def application(pool: Pool, access: Access | None = None) -> ASGIApp:
    """The whole of it, for a server of ASGI; the pool starts and ends with it."""
    cache = Cache()
    questions = [_route(each, pool, cache) for each in catalogue().values()]
    api = Mount("/api", routes=[Route("/openapi.json", _openapi), *questions])

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        pool.start()
        yield
        await pool.close()

    static = Mount("/", StaticFiles(directory=STATIC, html=True))
    handlers: Any = {Refused: _refused, HTTPException: _failed, ClientDisconnect: _left}
    app = Starlette(routes=[api, static], lifespan=lifespan, exception_handlers=handlers)
    return Guard(app, access or Access())


def _route(resource: Resource, pool: Pool, cache: Cache) -> Route:
    """Where a resource is asked."""

    async def endpoint(request: Request) -> Response:
        asked = {} if resource.asked is None else await body.read(request)
        if not isinstance(asked, dict) or asked.keys() & request.path_params.keys():
            raise Refused(WRONG, "the body must be an object, of fields that are not in the path")
        asked |= request.path_params
        key = json.dumps([resource.path, asked], sort_keys=True).encode()
        kept = cache.get(key) if resource.kept else None
        if kept is not None:
            return _json(Answer(OK, kept))
        answer = await _unless_gone(request, pool.ask(resource.path, asked))
        if answer.status == OK and resource.kept:
            cache.keep(key, answer.body)
        return _json(answer)

    return Route(f"/{resource.path}", endpoint, methods=[resource.method])


async def _unless_gone(request: Request, asking: Any) -> Answer:
    """The answer, unless the browser gives up before: then nobody computes it."""
    answer = asyncio.ensure_future(asking)
    answer.add_done_callback(_heard)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        return await answer if answer.done() else Answer(GONE, b"{}")
    finally:
        gone.cancel()
        answer.cancel()


def _heard(answer: asyncio.Future[Answer]) -> None:
    """A refusal for which nobody waits is no defect, and not to be logged as one."""
    if not answer.cancelled():
        answer.exception()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _json(answer: Answer) -> Response:
    return Response(answer.body, answer.status, media_type="application/json")


async def _openapi(_: Request) -> Response:
    return JSONResponse(openapi())


async def _refused(_: Request, refused: Refused) -> Response:
    return JSONResponse(refused.to_json(), refused.status)


async def _left(_: Request, __: ClientDisconnect) -> Response:
    return _json(Answer(GONE, b"{}"))


async def _failed(_: Request, error: HTTPException) -> Response:
    """What is not there, or not asked that way."""
    return JSONResponse(Refused(0, error.detail).to_json(), error.status_code, error.headers)
