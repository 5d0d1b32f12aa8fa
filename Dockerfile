# syntax=docker/dockerfile:1
# One image for the API and for every worker: `guidesmith api`, `guidesmith worker --queues ...`, `guidesmith db upgrade`.
# It holds the speech weights and no Temporal server: that is another container, or another machine.
ARG PYTHON_IMAGE=python:3.13-slim-trixie

FROM ${PYTHON_IMAGE} AS build
COPY bootstrap.txt ./
# uv, of one version, and no file of it whose SHA-256 is not there
RUN pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore --no-deps --only-binary=:all: --require-hashes --requirement bootstrap.txt
ENV UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 UV_NO_PROGRESS=1
WORKDIR /app

# The dependencies are a layer of their own: a change of the code does not install them again.
COPY pyproject.toml uv.lock ./
RUN --mount=type=cache,target=/root/.cache/uv uv sync --locked --no-dev --extra multilingual --extra speech-en --extra cjk --extra tts --no-install-project

COPY README.md LICENSE NOTICE hatch_build.py ./
COPY domain domain
COPY workflows workflows
COPY activities activities
COPY starter starter
COPY guidesmith guidesmith
RUN --mount=type=cache,target=/root/.cache/uv uv sync --locked --no-dev --extra multilingual --extra speech-en --extra cjk --extra tts --no-editable

FROM ${PYTHON_IMAGE}
RUN useradd --system --uid 10001 --user-group --home-dir /var/lib/guidesmith --create-home guidesmith
COPY --from=build /app/.venv /app/.venv
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    GUIDESMITH_DATA_DIR=/var/lib/guidesmith \
    GUIDESMITH_API_HOST=0.0.0.0 \
    GUIDESMITH_API_PORT=8400 \
    GUIDESMITH_METRICS_HOST=0.0.0.0 \
    GUIDESMITH_LOG_FORMAT=json
USER guidesmith
WORKDIR /var/lib/guidesmith
EXPOSE 8400 9464
STOPSIGNAL SIGTERM
# The API's own; docker-compose.yml asks a worker on its metrics port instead.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=6 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8400/healthz', timeout=4)"]
ENTRYPOINT ["guidesmith"]
CMD ["api"]
