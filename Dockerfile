# syntax=docker/dockerfile:1
# An image for each role, by what its process needs: docker build --build-arg ROLE=api .
#   api        guidesmith api, guidesmith worker --queues jobs, guidesmith db upgrade: no codec and no model in it
#   media      guidesmith worker --queues media
#   speech     guidesmith worker --queues speech: with the weights
#   providers  guidesmith worker --queues providers
#   all        any of them
# None holds a Temporal server: that is another container, or another machine.
ARG PYTHON_IMAGE=python:3.13-slim-trixie

FROM ${PYTHON_IMAGE} AS tools
COPY bootstrap.txt ./
# uv, of one version, and no file of it whose SHA-256 is not there
RUN pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore --no-deps --only-binary=:all: --require-hashes --requirement bootstrap.txt
ENV UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 UV_NO_PROGRESS=1
WORKDIR /app

FROM tools AS wheel
COPY pyproject.toml uv.lock README.md LICENSE NOTICE hatch_build.py ./
COPY domain domain
COPY workflows workflows
COPY activities activities
COPY starter starter
COPY guidesmith guidesmith
RUN --mount=type=cache,target=/root/.cache/uv uv build --wheel --out-dir /wheel

# The dependencies are a layer of their own: a change of the code does not install them again.
FROM tools AS build
ARG ROLE=all
COPY deploy/requirements/${ROLE}.txt requirements.txt
RUN --mount=type=cache,target=/root/.cache/uv uv venv --quiet && uv pip install --no-deps --only-binary :all: --require-hashes --requirement requirements.txt
RUN --mount=type=bind,from=wheel,source=/wheel,target=/wheel uv pip install --no-deps --offline /wheel/*.whl

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
USER 10001:10001
WORKDIR /var/lib/guidesmith
EXPOSE 8400 9464
STOPSIGNAL SIGTERM
# The API's own; docker-compose.yml asks a worker on its metrics port instead.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=6 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8400/healthz', timeout=4)"]
ENTRYPOINT ["guidesmith"]
CMD ["api"]
