import path from 'node:path';
import { textIn } from '../../../infra/local/state/files.ts';
import { withoutPassword } from '../../../infra/local/state/addresses.ts';
import { pageAddress } from '../../page-address.ts';
import type { Addresses } from '../../../infra/local/state/addresses.ts';

/** The directory of the embedded servers, and the ledger's name of the only cluster if it differs from the context. */
interface Started {
  readonly stateDir: string;
  readonly clusterName?: string;
}

/**
 * The line that `up` prints when everything is ready. The line contains no password, but the path of the file with the password of the embedded
 * Postgres.
 */
export function readyLine(addresses: Addresses, { stateDir, clusterName }: Started): string {
  const kubeconfig = addresses.adminKubeconfig ?? addresses.kubeconfig;
  const { contexts } = addresses;
  const fields = {
    postgres: addresses.databaseUrl === undefined ? undefined : withoutPassword(addresses.databaseUrl),
    'postgres-password': passwordFile(addresses, stateDir),
    kafka: addresses.kafkaBrokers,
    temporal: addresses.temporalAddress,
    cluster: contexts?.length === 1 ? (clusterName ?? contexts[0]) : contexts?.join(','),
    kubeconfig,
    page: addresses.api === undefined ? undefined : pageAddress(addresses.api),
    api: addresses.api,
    'api-token': addresses.apiToken,
    metrics: metricsText(addresses.metrics ?? {}),
  };
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `jobledger is ready  ${shown.map(([name, value]) => `${name}=${value}`).join(' ')}`;
}

/** The line that `up` prints when a signal stops it; null without an embedded cluster, because no pod then ends. */
export function stopLine(embedded: Addresses | undefined): string | null {
  if (embedded?.kubeconfig === undefined) return null;
  return 'stopping; the pods of the embedded cluster end too, and the running pods count as failed after the next start';
}

/** The file with the password of the database; undefined if the database is not in the state directory. */
function passwordFile({ databaseUrl }: Addresses, stateDir: string): string | undefined {
  const file = path.join(stateDir, 'postgres', 'password');
  const password = textIn(file);
  if (databaseUrl === undefined || password === undefined) return undefined;
  return databaseUrl.includes(`:${password.trim()}@`) ? file : undefined;
}

/** The metrics addresses of the services as text; undefined if there are none. */
function metricsText(metrics: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(metrics).map(([name, address]) => `${name}@${address}`);
  return entries.length === 0 ? undefined : entries.join(',');
}
