# syntax=docker/dockerfile:1
# One image for every role: `node dist/<role>/main.js`. Targets: cpu (the default) and gpu, which carries CUDA 12.6 and cuDNN 9.
#   docker build --target cpu -t parley:cpu .
#   docker build --target gpu -t parley:gpu .
# `npm run image:dry` replays these steps where there is no Docker engine. docs/kubernetes.md says what is inside.

FROM node:20.19.5-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN ONNXRUNTIME_NODE_INSTALL=skip npm ci
COPY tsconfig.base.json tsconfig.build.json ./
COPY protocol protocol
COPY common common
COPY audio audio
COPY submission submission
COPY speech speech
COPY transcription transcription
COPY edge edge
COPY scheduler scheduler
COPY workers workers
COPY tools tools
COPY control-plane control-plane
COPY agents agents
COPY launcher launcher
COPY cli cli
COPY web web
COPY LICENSE ./
COPY models models
RUN npx tsc -p tsconfig.build.json \
 && npx vite build --config web/vite.config.mjs \
 && npx vite build --config web/widget/vite.config.mjs \
 && npx vite build --config web/reference/vite.config.mjs \
 && npm prune --omit=dev \
 # What is inside, and under which licences: `parley licences` prints them too.
 && mkdir -p about && node dist/cli/run.js licences --texts > about/LICENCES.txt \
 # It would miss what is pruned, and of the lock file alone it leaves out what a package for development needs too.
 && npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx --sbom-type=application > about/sbom.cdx.json \
 # Binaries of other systems and other versions of Node.js: most of the size of these two packages.
 && find node_modules -name "uws_*.node" ! -name "uws_linux_$(node -p 'process.arch')_$(node -p 'process.versions.modules').node" -delete \
 && find node_modules/onnxruntime-node/bin/napi-v6 -mindepth 2 -maxdepth 2 -type d ! -path "*/linux/$(node -p 'process.arch')" -exec rm -r {} +

FROM build AS build-gpu
# The CUDA provider is not in the npm package: onnxruntime's own install script fetches it.
RUN ONNXRUNTIME_NODE_INSTALL=cuda12 node node_modules/onnxruntime-node/script/install.js

FROM nvidia/cuda:12.6.3-cudnn-runtime-ubuntu24.04 AS gpu
COPY --from=build-gpu /usr/local/bin/node /usr/local/bin/node
RUN useradd --system --uid 10001 --create-home parley && mkdir /data && chown parley /data
WORKDIR /app
COPY --from=build-gpu /app/node_modules node_modules
COPY --from=build-gpu /app/dist dist
COPY --from=build-gpu /app/about about
COPY package.json LICENSE ./
COPY models models
COPY control-plane/agents/sample control-plane/agents/sample
USER parley
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 PARLEY_METRICS_PORT=9464 PARLEY_PUBLIC_METRICS=off PARLEY_DATA_DIR=/data PARLEY_PROVIDERS=cuda,cpu
EXPOSE 8080
# Every role answers at its metrics port.
HEALTHCHECK --interval=5s --timeout=3s --start-period=120s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PARLEY_METRICS_PORT}/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
LABEL org.opencontainers.image.title="Parley" org.opencontainers.image.description="Self-hosted speech and voice-agent service" org.opencontainers.image.licenses="Apache-2.0 AND GPL-3.0-or-later" org.opencontainers.image.version="0.1.0" dev.parley.cuda="12.6.3" dev.parley.cudnn="9"
CMD ["node", "dist/workers/main.js"]

FROM node:20.19.5-bookworm-slim AS cpu
RUN useradd --system --uid 10001 --create-home parley && mkdir /data && chown parley /data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/about about
COPY package.json LICENSE ./
COPY models models
COPY control-plane/agents/sample control-plane/agents/sample
USER parley
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 PARLEY_METRICS_PORT=9464 PARLEY_PUBLIC_METRICS=off PARLEY_DATA_DIR=/data
EXPOSE 8080
# Every role answers at its metrics port.
HEALTHCHECK --interval=5s --timeout=3s --start-period=120s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PARLEY_METRICS_PORT}/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
LABEL org.opencontainers.image.title="Parley" org.opencontainers.image.description="Self-hosted speech and voice-agent service" org.opencontainers.image.licenses="Apache-2.0 AND GPL-3.0-or-later" org.opencontainers.image.version="0.1.0"
CMD ["node", "dist/edge/main.js"]
