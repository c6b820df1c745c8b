# syntax=docker/dockerfile:1
# One image for every role: `node dist/<role>/main.js`. Targets: cpu (the default) and gpu.
#   docker build --target cpu -t parley:cpu .
#   docker build --target gpu -t parley:gpu .

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
RUN npx tsc -p tsconfig.build.json \
 && npx vite build --config web/vite.config.mjs \
 && npx vite build --config web/widget/vite.config.mjs \
 && npx vite build --config web/reference/vite.config.mjs \
 && npm prune --omit=dev \
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
COPY package.json LICENSE ./
COPY models models
COPY control-plane/agents/sample control-plane/agents/sample
USER parley
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 PARLEY_DATA_DIR=/data PARLEY_PROVIDERS=cuda,cpu
EXPOSE 8080
CMD ["node", "dist/workers/main.js"]

FROM node:20.19.5-bookworm-slim AS cpu
RUN useradd --system --uid 10001 --create-home parley && mkdir /data && chown parley /data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY models models
COPY control-plane/agents/sample control-plane/agents/sample
USER parley
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 PARLEY_DATA_DIR=/data
EXPOSE 8080
CMD ["node", "dist/edge/main.js"]
