import { join } from 'node:path';
import { Client } from 'pg';
import type { Addresses } from '../../../infra/local/state/addresses.ts';
import { migrate } from '../../../services/projector/migrate.ts';
import { uniqueName, type OwnPart } from './own-part.ts';

export type DatabaseContent = 'migrated' | 'empty';

const TEMPLATE = 'migrated';

/** Makes a database with all migrations, from which others are copied. Nobody connects to it afterwards: Postgres copies no database in use. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await onServer(serverUrl, (client) => client.query(`create database ${TEMPLATE}`));
  const config = { DATABASE_URL: databaseUrl(serverUrl, TEMPLATE) };
  await migrate({ config }, join(process.cwd(), 'services/projector/migrations'));
}

export async function ownDatabase(shared: Addresses, content: DatabaseContent): Promise<OwnPart> {
  const { databaseUrl: serverUrl = '' } = shared;
  const name = uniqueName();
  const template = content === 'migrated' ? ` template ${TEMPLATE}` : '';
  await onServer(serverUrl, (client) => client.query(`create database ${name}${template}`));
  return {
    addresses: { databaseUrl: databaseUrl(serverUrl, name) },
    release: () => onServer(serverUrl, (client) => dropAll(client, name)),
  };
}

/** Also the databases that a test has made beside its own, with a longer name. */
async function dropAll(client: Client, name: string): Promise<void> {
  const text = 'select datname as name from pg_database where starts_with(datname, $1)';
  const { rows } = await client.query<{ name: string }>(text, [name]);
  // By force: ends the sessions of processes that a test has left running.
  for (const each of rows) await client.query(`drop database if exists ${each.name} with (force)`);
}

function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function onServer(serverUrl: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
