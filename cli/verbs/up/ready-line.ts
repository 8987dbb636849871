import { withoutPassword } from '../../../infra/local/database-url.ts';
import { pageAddress } from '../../page-address.ts';
import type { Addresses } from '../../../infra/local/addresses.ts';

/** The line that `up` prints when everything is ready. Contains no password. */
export function readyLine(addresses: Addresses): string {
  const kubeconfig = addresses.adminKubeconfig ?? addresses.kubeconfig;
  const fields = {
    postgres: addresses.databaseUrl === undefined ? undefined : withoutPassword(addresses.databaseUrl),
    kafka: addresses.kafkaBrokers,
    temporal: addresses.temporalAddress,
    cluster: addresses.contexts?.join(','),
    kubeconfig,
    page: addresses.api === undefined ? undefined : pageAddress(addresses.api),
    api: addresses.api,
    'api-token': addresses.apiToken,
    metrics: metricsText(addresses.metrics ?? {}),
  };
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `jobledger is ready  ${shown.map(([name, value]) => `${name}=${value}`).join(' ')}`;
}

function metricsText(metrics: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(metrics).map(([name, address]) => `${name}@${address}`);
  return entries.length === 0 ? undefined : entries.join(',');
}
