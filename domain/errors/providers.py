"""What providers and other hosts do."""

from domain.errors.base import GuidesmithError


class ProviderError(GuidesmithError):
    """A model or speech provider did not do what was asked."""

    code = "PROVIDER_ERROR"


class ProviderUnavailable(ProviderError):
    """5xx, a refused or broken connection."""

    code = "PROVIDER_UNAVAILABLE"
    retryable = True


class ProviderTimeout(ProviderError):
    """No answer in time."""

    code = "PROVIDER_TIMEOUT"
    retryable = True


class ProviderRateLimited(ProviderError):
    """429. ``retry_after_s`` carries what the provider asked for."""

    code = "PROVIDER_RATE_LIMITED"
    retryable = True


class ProviderAnswerInvalid(ProviderError):
    """An answer that cannot be read: cut JSON, a missing field. Providers do this once and are right again."""

    code = "PROVIDER_ANSWER_INVALID"
    retryable = True


class ProviderAccessDenied(ProviderError):
    """401 or 403: the key or its permission is wrong."""

    code = "PROVIDER_ACCESS_DENIED"


class ProviderRequestTooLarge(ProviderError):
    """413: what was sent is more than the provider takes."""

    code = "PROVIDER_REQUEST_TOO_LARGE"


class ProviderRequestRefused(ProviderError):
    """Any other 4xx: the configuration (model name, endpoint, schema) does not fit the provider."""

    code = "PROVIDER_REQUEST_REFUSED"


class ProviderOutputExpired(ProviderError):
    """What a provider made is not at its address any more: 403, 404 or 410. It has to be made again."""

    code = "PROVIDER_OUTPUT_EXPIRED"


class VoiceUnavailable(GuidesmithError):
    """No voice of that name, or none at all, is on the machine that was to speak."""

    code = "VOICE_UNAVAILABLE"


class SpeakingFailed(GuidesmithError):
    """The voice on this machine made no sound of a text, or took too long."""

    code = "SPEAKING_FAILED"


class ContentRejected(ProviderError):
    """Moderation, or a provider's own safety filter, does not let this be made. Trying again will not help."""

    code = "CONTENT_REJECTED"


class ProviderNotConfigured(ProviderError):
    """Something is asked for that needs a provider, and the settings name none. There is no job."""

    code = "PROVIDER_NOT_CONFIGURED"


class ProviderSilent(ProviderError):
    """A provider did not say what became of its work by the deadline, nor when it was asked."""

    code = "PROVIDER_SILENT"


class PageUnreadable(GuidesmithError):
    """A web page that is not there, is no page, or holds no text that a reader would look for."""

    code = "PAGE_UNREADABLE"


class RobotsDisallowed(GuidesmithError):
    """A site whose robots.txt does not let the page be fetched."""

    code = "ROBOTS_DISALLOWED"


class AddressRefused(GuidesmithError):
    """A URL that a user gave and that is not spoken with: another scheme, a private network, this machine."""

    code = "ADDRESS_REFUSED"


class WebhookUndelivered(GuidesmithError):
    """A user's webhook endpoint did not take a delivery. It is sent again for a day."""

    code = "WEBHOOK_UNDELIVERED"
    retryable = True


class WebhookEndpointGone(GuidesmithError):
    """A user's webhook endpoint answered 410: the delivery is not sent again by itself."""

    code = "WEBHOOK_ENDPOINT_GONE"


class ModelNotAllowed(ProviderError):
    """A model profile that the settings do not list."""

    code = "MODEL_NOT_ALLOWED"
