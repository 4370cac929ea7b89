# Three stages: the toolchain builds the server with the Swift runtime in it and tests this binary; Debian provides the libraries it
# needs; the image has these and nothing else, with the demonstration as the default configuration.
#
# The binary is built on Debian 12, the base of Swift's images, and runs on Debian 13, whose OpenSSL 3.5 is supported for years and
# offers a post-quantum key exchange. To build from exact images, give digests (docs/hardening.md, "Base images").
ARG SWIFT_IMAGE=swift:6.3-bookworm
ARG DEBIAN_IMAGE=debian:trixie-slim

FROM ${SWIFT_IMAGE} AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends curl libssl-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
# The commit that `associated version` shows: docker build --build-arg COMMIT=$(git rev-parse --short HEAD)
ARG COMMIT=unknown
RUN sed -i "s/static let commit = \"unknown\"/static let commit = \"$COMMIT\"/" Sources/Program/Supervision/Process/Product.swift \
    && swift build -c release --static-swift-stdlib --product associated \
    && install -D .build/release/associated /image/usr/local/bin/associated \
    && strip /image/usr/local/bin/associated
COPY config /image/etc/associated
COPY public /image/srv/associated
COPY LICENSE /image/usr/share/doc/associated/LICENSE
COPY script/smoke script/smoke
RUN script/smoke /image/usr/local/bin/associated /image/etc/associated /image/srv/associated

FROM ${DEBIAN_IMAGE} AS runtime
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libsqlite3-0 libssl3t64 publicsuffix zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /image/ /image/
COPY script/image-root /usr/local/bin/
RUN image-root /image

# No shell, no package manager, no other program.
FROM scratch
ARG VERSION=unreleased
LABEL org.opencontainers.image.title="associated" \
    org.opencontainers.image.description="Hosts and understands apple-app-site-association and assetlinks.json" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.version="$VERSION"
COPY --from=runtime /image/ /
# In the environment instead of the command, so that `health` and `status` use the same addresses as `serve`. The admin listener
# cannot be reached from outside the container until you give it another address and a token. If you have certificates, turn TLS on
# with ASSOCIATED_HTTPS=[::]:8443; without one, pages would be redirected to a failing handshake.
ENV ASSOCIATED_CONFIG=/etc/associated ASSOCIATED_PUBLIC=/srv/associated ASSOCIATED_STATE=/var/lib/associated \
    ASSOCIATED_HTTP=[::]:8080 ASSOCIATED_ADMIN=127.0.0.1:9464
# The only place that the server writes to, and the only writable one with `--read-only`.
VOLUME /var/lib/associated
# A number, so that an orchestrator can see that this is not root.
USER 65532:65532
EXPOSE 8080 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=3s --start-period=5s CMD ["/usr/local/bin/associated", "health"]
ENTRYPOINT ["/usr/local/bin/associated"]
CMD ["serve"]
