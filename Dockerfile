# The studio as an ordinary user. With a read-only root only /data and /tmp are written:
#
#     docker build -t sherd-studio . && docker run --rm --read-only --tmpfs /tmp -v sherd:/data -p 127.0.0.1:8437:8437 \
#         -e SHERD_TOKEN=... sherd-studio
FROM python:3.11-slim

RUN useradd --create-home --uid 10001 sherd && mkdir /data && chown sherd:sherd /data
WORKDIR /opt/sherd
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src src
COPY examples examples
COPY experiments/results/all.csv experiments/results/contours.csv experiments/results/
RUN pip install --no-cache-dir -c constraints.txt '.[studio,photo]'

# Machine code that is compiled once is kept beside the jobs: the package itself cannot be written.
ENV NUMBA_CACHE_DIR=/data/numba OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
USER sherd
VOLUME /data
EXPOSE 8437
HEALTHCHECK --interval=30s --start-period=20s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8437/health').read()"]
# Bound to all addresses of the container, so it asks for a token: SHERD_TOKEN, or else it makes one up and prints it.
ENTRYPOINT ["sherd", "studio", "--host", "0.0.0.0", "--folder", "/data/studio", "--no-open"]
