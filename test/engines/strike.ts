import { setTimeout as delay } from 'node:timers/promises';
import type { Outage } from '../kills/outages.ts';
import { stopped, STOPPED_MS } from '../kills/strike.ts';
import { eventually } from '../support/eventually.ts';
import type { Installation } from '../support/installation.ts';
import { BROKERS, PGBOUNCER, TEMPORALS, type Engines } from './engines.ts';
import { killForGood } from '../support/processes.ts';
import type { EngineRound, Fault } from './rounds.ts';

const QUOTA_MS = 20_000;
/** Much less than the load wants. */
const BYTES_PER_SECOND = 4000;
const REQUESTS_PER_SECOND = 3;
/**
 * The dispatcher writes a mark every 30 s, and recognizes a copy of Temporal that lacks two of them
 * (docs/backup-and-disaster.md).
 */
export const LAG_MS = 75_000;

/** Applies the fault of the round, and waits until everything answers; returns when something did not. */
export async function strike(
  installation: Installation,
  engines: Engines,
  { fault, which }: EngineRound,
): Promise<Outage> {
  const from = Date.now();
  const outage = await FAULT[fault](installation, engines, which);
  return outage ?? { from, to: Date.now() };
}

type Strike = (installation: Installation, engines: Engines, which: number) => Promise<Outage | void>;

const FAULT: Record<Fault, Strike> = {
  'broker killed': (installation, _engines, which) => killed(installation, ofThese(BROKERS, which)),
  'broker frozen': (installation, _engines, which) => stopped(installation, ofThese(BROKERS, which)),
  'two of three brokers down': (_installation, engines, which) =>
    down(engines, [ofThese(BROKERS, which), ofThese(BROKERS, which + 1)]),
  'quota of bytes in Kafka': async (_installation, { brokers }) => {
    await brokers.limitBytes(BYTES_PER_SECOND);
    await delay(QUOTA_MS);
    await brokers.limitBytes(undefined);
  },
  'Temporal server killed': (installation, _engines, which) =>
    killed(installation, ofThese(TEMPORALS, which)),
  'Temporal server frozen': (installation, _engines, which) =>
    stopped(installation, ofThese(TEMPORALS, which)),
  'both Temporal servers down': (_installation, engines) => down(engines, TEMPORALS),
  'quota of requests in Temporal': async (_installation, { temporal }) => {
    temporal.limitRequests(REQUESTS_PER_SECOND);
    await eventually('Temporal refuses requests', 30, () => temporal.refusesRequests());
    await delay(QUOTA_MS);
    temporal.limitRequests(undefined);
  },
  'primary killed': (installation, { postgres }) => killed(installation, postgres.primary()),
  'primary frozen': (installation, { postgres }) => stopped(installation, postgres.primary()),
  'standby promoted': (_installation, engines) => promoted(engines),
  // Its lag began before the Jobs of the round (prepare.ts). Temporal's servers remember what it lacks.
  'lagging standby promoted': async (_installation, engines) => {
    await Promise.all(TEMPORALS.map((name) => killForGood(engines.supervisor, name)));
    await promoted(engines);
    await Promise.all(TEMPORALS.map(engines.start));
  },
  'standby frozen': (installation, { postgres }) => stopped(installation, postgres.standby()),
  'PgBouncer frozen': (installation) => stopped(installation, PGBOUNCER),
  'ingester frozen': async (installation) => stopped(installation, await leadingIngester(installation)),
  'dispatcher frozen': (installation, _engines, which) => stopped(installation, ofPair('dispatcher', which)),
  'worker frozen': (installation, _engines, which) => stopped(installation, ofPair('worker', which)),
  'projector frozen': (installation, _engines, which) => stopped(installation, ofPair('projector', which)),
  'API frozen': (installation, _engines, which) => stopped(installation, ofPair('api', which)),
  'API server of Kubernetes frozen': (installation) => stopped(installation, 'local-kube-apiserver'),
};

function ofThese(names: readonly string[], which: number): string {
  return names[which % names.length] ?? '';
}

function ofPair(service: string, which: number): string {
  return which % 2 === 0 ? service : `${service}-2`;
}

/** The one that holds the Lease: its identity contains its process id. */
async function leadingIngester({ cluster, services }: Installation): Promise<string> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/jobledger/leases';
  const { items } = await cluster.client.request<{ items: LeaseObject[] }>({ method: 'GET', path });
  const holders = items.map(({ spec }) => spec?.holderIdentity ?? '');
  const leads = (name: string): boolean =>
    holders.some((holder) => holder.includes(`_${services.pid(name)}_`));
  const leading = ['ingester', 'ingester-2'].find(leads);
  if (leading === undefined) throw new Error(`no ingester leads; holders of Leases: ${holders.join(', ')}`);
  return leading;
}

interface LeaseObject {
  spec?: { holderIdentity?: string };
}

async function killed({ kill, answers }: Installation, name: string): Promise<void> {
  await kill(name);
  await answers(name);
}

async function down({ supervisor, start }: Engines, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => killForGood(supervisor, name)));
  await delay(STOPPED_MS);
  await Promise.all(names.map(start));
}

async function promoted({ postgres }: Engines): Promise<void> {
  await postgres.promote();
  await postgres.attach();
}
