# One image for every service: `docker run … jobledger run ingester`, `run dispatcher`, and so on.

# Compiles, on the platform of the machine that builds.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json LICENSE ./
# No install script is needed: the embedded Postgres is for laptops, a container is given DATABASE_URL.
RUN npm ci --ignore-scripts
COPY workflows workflows
COPY services services
COPY cli cli
COPY infra infra
COPY page page
RUN npm run prepare && npm run image-tree -- ../release

# The packages that run, on the platform of the image: some contain machine code.
FROM node:24.21.0-bookworm AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The image has a Node already.
RUN npm pkg delete optionalDependencies && npm ci --omit=dev --ignore-scripts
# Temporal's bridge comes for five platforms; this stage has the platform of the image, as `uname` says.
RUN cd node_modules/@temporalio/core-bridge/releases && own=$(uname -m)-unknown-linux-gnu && test -d "$own" \
    && find . -mindepth 1 -maxdepth 1 ! -name "$own" -exec rm -r {} +
# The bill of materials is of what is installed: without this, npm misses the development packages.
RUN npm pkg delete devDependencies && npm sbom --sbom-format cyclonedx > sbom.cdx.json

FROM node:24.21.0-bookworm-slim
# Temporal's client trusts the authorities of the system.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
WORKDIR /app
ENV NODE_ENV=production
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/sbom.cdx.json ./
COPY --from=build /release ./
# Nothing is written to the image: it runs with a read-only root.
USER 1000:1000
ENTRYPOINT ["node", "/app/jobledger.mjs"]
CMD ["--help"]
