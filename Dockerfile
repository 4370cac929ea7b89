# Two stages: the toolchain builds the server with the Swift runtime inside it and tries that very file; what is shipped
# is Debian with OpenSSL and zlib, the binary, and the demonstration as the default configuration.

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends curl libssl-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product associated \
    && install -D .build/release/associated /image/usr/local/bin/associated \
    && strip /image/usr/local/bin/associated
COPY config /image/etc/associated
COPY public /image/srv/associated
COPY LICENSE /image/usr/share/doc/associated/LICENSE
COPY script/smoke script/smoke
RUN script/smoke /image/usr/local/bin/associated /image/etc/associated /image/srv/associated

FROM debian:bookworm-slim
ARG VERSION=unreleased
LABEL org.opencontainers.image.title="associated" \
    org.opencontainers.image.description="Hosts and understands apple-app-site-association and assetlinks.json" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="$VERSION"
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libssl3 zlib1g \
    && rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/* \
    && install -d -o 65532 -g 65532 /var/lib/associated
COPY --from=build /image/ /
# In the environment rather than in the command, so that `health` asks where `serve` listens. Both read them. TLS is turned
# on with ASSOCIATED_HTTPS=0.0.0.0:8443 by those who bring certificates: without one, pages would be sent to a dead end.
ENV ASSOCIATED_CONFIG=/etc/associated ASSOCIATED_PUBLIC=/srv/associated ASSOCIATED_STATE=/var/lib/associated \
    ASSOCIATED_HTTP=0.0.0.0:8080
# The only place that is written to, and so the only one that is not read-only under `--read-only`.
VOLUME /var/lib/associated
# A number, so that an orchestrator can see that it is not root.
USER 65532:65532
EXPOSE 8080 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s CMD ["/usr/local/bin/associated", "health"]
ENTRYPOINT ["/usr/local/bin/associated"]
CMD ["serve"]
