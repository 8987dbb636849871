#!/bin/sh
# Postgres runs this when its data directory is new. It creates Grafana's user, which can only read the schema.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$GRAFANA_POSTGRES_PASSWORD" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role jobledger_reader nologin;
create role grafana login password :'password' in role jobledger_reader;
alter role grafana set default_transaction_read_only = on;
alter role grafana set statement_timeout = '30s';
SQL
