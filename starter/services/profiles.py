"""Names of models and of prompts that a request may choose by."""

from collections.abc import Sequence

from domain.errors import ModelNotAllowed, RequestInvalid


def check_profile(profile: str | None, profiles: Sequence[str]) -> None:
    """Raises: ModelNotAllowed: There is no such model profile; ``details`` list those there are."""
    if profile is not None and profile not in profiles:
        raise ModelNotAllowed(
            f"There is no such model profile. Profiles: {', '.join(profiles)}.",
            details={"model_profiles": list(profiles)},
        )


def check_template(template_id: str) -> None:
    """Refuse a prompt template that nobody has: the version that is written names the one that was used.

    Raises:
        RequestInvalid: There is no such template.
    """
    from activities.drafting.chat.prompts import REWRITE_TEMPLATE
    from activities.drafting.local import LOCAL_TEMPLATE

    known = (REWRITE_TEMPLATE, LOCAL_TEMPLATE)
    if template_id not in known:
        raise RequestInvalid(
            f"There is no such prompt template. Templates: {', '.join(known)}.",
            field="prompt_template_id",
            details={"prompt_templates": list(known)},
        )
