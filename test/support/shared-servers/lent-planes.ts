import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Addresses } from '../../../infra/local/state/addresses.ts';
import type { LocalClusterOptions } from '../../../infra/local/cluster/local-cluster.ts';
import { writePrivately } from '../../../infra/local/state/files.ts';
import type { AuditPart, LentPlane } from './control-planes.ts';
import { PLANES, RUN_SERVERS_VARIABLE } from './serve-run.ts';

/** The control planes of the run that a test file uses for its clusters. */
export interface LentPlanes {
  addresses: Addresses;
  /** By cluster. */
  auditLogs: Readonly<Record<string, AuditPart>>;
  giveBack(): Promise<void>;
}

/** Options of which a plane of the run may be the cluster. `audit`: its requests are logged, as are those of any shared plane. */
const OF_SHARED = new Set(['name', 'node', 'builtInJobController', 'audit']);

/** Whether planes of the run can be these clusters: one with options of its own has a plane of its own. */
export function canBeLent(clusters: readonly LocalClusterOptions[]): boolean {
  return clusters.every(
    (cluster) =>
      Object.keys(cluster).every((option) => OF_SHARED.has(option)) &&
      (cluster.audit === undefined || cluster.audit === true),
  );
}

/** Borrows a control plane for each cluster, and writes the kubeconfigs of all of them into the state directory. */
export async function borrowPlanes(
  stateDir: string,
  clusters: readonly LocalClusterOptions[],
): Promise<LentPlanes> {
  const asked = await Promise.allSettled(clusters.map(borrow));
  const lent = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const giveBack = async (): Promise<void> => {
    await Promise.all(lent.map(({ id }) => fetch(planesUrl(`/${id}`), { method: 'DELETE' })));
  };
  const failure = asked.find((each) => each.status === 'rejected');
  if (failure !== undefined) {
    await giveBack();
    throw failure.reason;
  }
  const all = lent.map(({ addresses }) => addresses);
  const write = (name: string, of: (addresses: Addresses) => string | undefined): string =>
    writePrivately(join(stateDir, 'cluster', name), merged(all.map((each) => of(each) ?? '')));
  const services = Object.keys(all[0]?.serviceKubeconfigs ?? {});
  const ofService = (service: string): string =>
    write(`jobledger-${service}.kubeconfig`, ({ serviceKubeconfigs }) => serviceKubeconfigs?.[service]);
  const kubectl = all[0]?.kubectl;
  return {
    addresses: {
      adminKubeconfig: write('kubeconfig', ({ adminKubeconfig }) => adminKubeconfig),
      kubeconfig: write('jobledger.kubeconfig', ({ kubeconfig }) => kubeconfig),
      serviceKubeconfigs: Object.fromEntries(services.map((service) => [service, ofService(service)])),
      contexts: clusters.map(({ name }) => name),
      ...(kubectl !== undefined && { kubectl }),
    },
    auditLogs: Object.fromEntries(lent.map(({ auditLog }, at) => [clusters[at]?.name ?? '', auditLog])),
    async giveBack() {
      // A process that still reads them must not reach the cluster of another file.
      rmSync(join(stateDir, 'cluster'), { recursive: true, force: true });
      await giveBack();
    },
  };
}

async function borrow({ name, node, builtInJobController }: LocalClusterOptions): Promise<LentPlane> {
  const response = await fetch(planesUrl(''), {
    method: 'POST',
    body: JSON.stringify({ name, node, builtInJobController }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as LentPlane;
}

function planesUrl(path: string): string {
  return `${process.env[RUN_SERVERS_VARIABLE]}${PLANES}${path}`;
}

interface Kubeconfig {
  clusters: unknown[];
  users: unknown[];
  contexts: unknown[];
}

/** One kubeconfig with the contexts of all; that of the first file is the current one. */
function merged(files: readonly string[]): string {
  const all = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Kubeconfig);
  const of = (list: keyof Kubeconfig): unknown[] => all.flatMap((each) => each[list]);
  const lists = { clusters: of('clusters'), users: of('users'), contexts: of('contexts') };
  return `${JSON.stringify({ ...all[0], ...lists }, undefined, 2)}\n`;
}
