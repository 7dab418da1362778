# ragctl for linux/amd64 and linux/arm64: docker buildx build --platform linux/amd64,linux/arm64 .
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json tsconfig.build.json tsconfig.convert.json ./
COPY scripts/build.js scripts/pack.ts scripts/
COPY scripts/convert scripts/convert
COPY bin bin
COPY config config
COPY fixtures fixtures
COPY models/manifest.yaml models/
COPY skills skills
COPY src src
COPY LICENSE README.md server.json ./
# `npm ci` builds dist/; packed is what runs, for this platform and without a GPU.
RUN npm ci && node scripts/pack.ts --to /tmp && mkdir /opt/ragctl && \
    tar -xzf /tmp/ragctl-*.tgz -C /opt/ragctl --strip-components 1

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
