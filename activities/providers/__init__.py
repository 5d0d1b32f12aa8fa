"""Clients of other people's models over HTTP, and what their answers mean."""

from activities.providers.chat import ChatClient
from activities.providers.http import Answer, ProviderClient

__all__ = ["Answer", "ChatClient", "ProviderClient"]
