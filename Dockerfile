# ragctl for linux/amd64 and linux/arm64: docker buildx build --platform linux/amd64,linux/arm64 .
FROM node:24-bookworm-slim AS build
WORKDIR /opt/ragctl
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY scripts/build.js scripts/
COPY bin bin
COPY config config
COPY fixtures fixtures
COPY models/manifest.yaml models/
COPY src src
COPY LICENSE README.md ./
# `npm ci` builds dist/; what only developers need goes again, Node.js among it: the image has its own.
RUN npm ci && npm prune --omit=dev --ignore-scripts && rm -rf src scripts tsconfig.json tsconfig.build.json

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    RAGCTL_HOME=/var/lib/ragctl
COPY --from=build /opt/ragctl /opt/ragctl
# A volume that is made of an empty folder takes over its owner.
RUN install -d -o 1000 -g 1000 -m 700 /var/lib/ragctl && ln -s /opt/ragctl/bin/ragctl.js /usr/local/bin/ragctl
USER 1000:1000
WORKDIR /var/lib/ragctl
VOLUME /var/lib/ragctl
EXPOSE 7070
ENTRYPOINT ["ragctl"]
CMD ["--help"]
