"""Drafting: what was said, or shown, becomes a draft; a draft becomes a document; one block is written again."""

from activities.drafting.chat.drafter import CHAT_PROFILE, ChatDrafter, ChatModel
from activities.drafting.compose import Composed, block_markdown, compose
from activities.drafting.drafters import Drafter, OnProgress, Rewrite, Stop
from activities.drafting.local import LOCAL_PROFILE, LocalDrafter

__all__ = [
    "CHAT_PROFILE",
    "LOCAL_PROFILE",
    "ChatDrafter",
    "ChatModel",
    "Composed",
    "Drafter",
    "LocalDrafter",
    "OnProgress",
    "Rewrite",
    "Stop",
    "block_markdown",
    "compose",
]
