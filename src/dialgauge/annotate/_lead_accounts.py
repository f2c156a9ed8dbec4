"""The leads' own accounts: adding and removing them, their roles and links."""

from typing import Annotated, Any

import fastapi
from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.engine import Connection

from dialgauge.annotate import _leads as leads
from dialgauge.annotate._access import Visitor, open_link
from dialgauge.annotate._leads import LeadRole
from dialgauge.annotate._web import Site

_ID = Annotated[int, fastapi.Path(ge=1, le=2_000_000_000)]


class NewLead(BaseModel):
    """Someone who helps to run the study."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=80)]
    role: LeadRole = "viewer"


class LeadChange(BaseModel):
    """A lead's new role; None removes them."""

    model_config = ConfigDict(extra="forbid")

    role: LeadRole | None


def add_lead_accounts(router: fastapi.APIRouter, site: Site) -> None:
    """Register the routes. Only owners may change who the leads are."""
    project = site.project

    def link_for(connection: Connection, number: int, actor: str) -> dict[str, Any]:
        days = project.section.link_days
        token, expires = open_link(connection, project.secret, None, days, lead=number, actor=actor)
        return {"id": number, "link": f"{site.base_url}/enter/{token}", "expires": expires}

    @router.get("/leads")
    def show(request: Request) -> dict[str, Any]:
        def view(connection: Connection, lead: Visitor) -> dict[str, Any]:
            return {"leads": leads.leads_view(connection), "you": lead.lead, "role": lead.role}

        return site.look(request, view, lead=True)

    @router.post("/leads")
    async def add(request: Request, body: NewLead) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            number = leads.add_lead(connection, body.name, body.role, actor=lead.name)
            return link_for(connection, number, lead.name)

        return await site.act(request, write, lead=True, role="owner")

    @router.post("/leads/{number}")
    async def change(request: Request, number: _ID, body: LeadChange) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            leads.change_lead(connection, number, body.role, actor=lead.name)
            return {"leads": leads.leads_view(connection)}

        return await site.act(request, write, lead=True, role="owner")

    @router.post("/leads/{number}/link")
    async def link(request: Request, number: _ID) -> dict[str, Any]:
        def write(connection: Connection, lead: Visitor) -> dict[str, Any]:
            leads.find_lead(connection, number)
            return link_for(connection, number, lead.name)

        return await site.act(request, write, lead=True, role="owner")
