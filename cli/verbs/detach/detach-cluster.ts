import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { InputError, UnavailableError } from '../../../services/adapters/errors.ts';
import { createAppender } from '../../../services/adapters/kafka/append.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import type { KubernetesClient } from '../../../services/adapters/kubernetes/client.ts';
import type { Leadership, LeaseRef } from '../../../services/adapters/kubernetes/lease.ts';
import { silentLog } from '../../../services/adapters/process/log.ts';
import type { Poller } from '../../../services/adapters/temporal/pollers.ts';
import { readInstallationId } from '../../../services/installation/installation.ts';
import { leaseNames } from '../../../services/shards/lease-name.ts';
import { readLiveTopic } from '../../../services/live-topic/live-topic.ts';
import { readIdentity, requireOneName } from '../../../services/ingester/terms/identity.ts';
import { freePlacedJobs, type FreedJobs } from './free-placed-jobs.ts';
import { freePods, type Freed } from './free-pods.ts';
import { heldLeases, hindrances, pollingText, takenOverText } from './hindrances.ts';
import { holdLease } from './hold-lease.ts';
import { leftAfter, type Left } from './left.ts';
import { planDetach, sumPlan, type DetachPlan } from './plan.ts';
import { readMembers } from './recorded-members.ts';
import { detachEvents } from './detach-events.ts';
import { survey } from './survey.ts';
import type { Controlled, Surveyed } from './surveyed.ts';
import { requireWatched } from './watched-before.ts';

export interface ReleaseDependencies extends Controlled {
  client: KubernetesClient;
  kafka: KafkaConnection;
  /** The workers that poll for this cluster. */
  pollers: () => Promise<readonly Poller[]>;
  leaseNamespace: string;
  /** The only namespaces that this installation watches; empty for the whole cluster. */
  namespaces: readonly string[];
  gangs: boolean;
  /** The name of the person. */
  by: string;
  dryRun: boolean;
  /** A worker that has not polled for this long, in milliseconds, has stopped. */
  quietMs: number;
  signal: AbortSignal;
}

export interface Detached {
  plan: DetachPlan;
  left: Left[];
  /** The reasons why the detachment would be refused now; empty after a completed detachment. */
  hindered: string[];
  /** The value is null in a dry run. */
  done: { detachment: string; freed: Freed; placed: FreedJobs } | null;
}

const IDENTITY_MS = 10_000;
const EVENTS_AT_ONCE = 500;

/**
 * Records a detachment, and removes our finalizers from the pods and the placed Jobs of a cluster. A dry run changes and records nothing. @throws
 * InputError if the detachment is refused; UnavailableError if a server does not answer: earlier changes stay, and a new detachment continues from
 * them.
 */
export async function detachCluster(dependencies: ReleaseDependencies): Promise<Detached> {
  const { client, kafka, leaseNamespace, pollers, quietMs, signal, dryRun } = dependencies;
  await requireCluster(dependencies);
  const [name = '', ...others] = leaseNames(client.cluster, await readInstallationId(kafka, signal));
  const lease = { client, namespace: leaseNamespace, name, signal };
  const ofOthers = others.map((other) => ({ ...lease, name: other }));
  const hindered = await hindrances([lease, ...ofOthers], pollers, quietMs);
  // The objects that a detachment by this plan leaves.
  const findLeft = (plan: DetachPlan): Left[] =>
    leftAfter(plan, {
      ...dependencies,
      cluster: client.cluster,
      lease,
      topics: Object.values(kafka.topics),
    });
  if (dryRun) {
    const surveyed = await surveyAll(dependencies, signal);
    const plan = planDetach(surveyed, dependencies);
    const all = [...hindered, ...takenOverText(surveyed, dependencies)];
    return { plan, left: findLeft(plan), hindered: all, done: null };
  }
  if (hindered.length > 0) throw new InputError(refusalText(client.cluster, hindered));
  const identity = `jobledger-detach_${hostname()}_${process.pid}`;
  const { plan, done } = await holdLease({ ...lease, identity }, (leadership) =>
    detach(dependencies, ofOthers, leadership),
  );
  return { plan, left: findLeft(plan), hindered: [], done };
}

/** Reads the objects of the cluster, and the recorded members that the detachment affects. */
async function surveyAll(
  { client, kafka, namespaces }: ReleaseDependencies,
  signal: AbortSignal,
): Promise<Surveyed> {
  const found = await survey({ client, namespaces, signal });
  return { ...found, members: await readMembers(kafka, found) };
}

/** Requires that the kubeconfig leads to the cluster that the ledger knows by this name. */
async function requireCluster({
  client,
  kafka,
  leaseNamespace,
  namespaces,
  signal,
}: ReleaseDependencies): Promise<void> {
  const known = await readLiveTopic(kafka);
  requireWatched(client.cluster, namespaces, known);
  const within = AbortSignal.any([signal, AbortSignal.timeout(IDENTITY_MS)]);
  const dependencies = { known, leaseNamespace, namespaces, log: silentLog(), signal: within };
  requireOneName(client.cluster, await readIdentity(client, dependencies), known);
}

/** The message that the cluster is not detached, with the reasons. */
function refusalText(cluster: string, hindered: readonly string[]): string {
  return `the cluster "${cluster}" is not detached:\n  ${hindered.join('\n  ')}`;
}

/** The steps that need the Lease. */
async function detach(
  dependencies: ReleaseDependencies,
  leasesOfOthers: readonly LeaseRef[],
  { signal, isHeld }: Leadership,
): Promise<{ plan: DetachPlan; done: NonNullable<Detached['done']> }> {
  const { client, claim, pollers, quietMs } = dependencies;
  // Throws if this process no longer holds the Lease.
  const permit = (): void => {
    if (!isHeld())
      throw new UnavailableError(
        'this process lost the Lease, so the detachment stopped and changes nothing more: run "jobledger admin detach" again',
      );
  };
  // No ingester can begin to lead while this process holds the Lease, but another ingester may lead already.
  const held = await heldLeases(leasesOfOthers);
  if (held.length > 0) throw new InputError(refusalText(client.cluster, held));
  const surveyed = await surveyAll(dependencies, signal);
  const taken = takenOverText(surveyed, dependencies);
  if (taken.length > 0) throw new InputError(refusalText(client.cluster, taken));
  const plan = planDetach(surveyed, dependencies);
  const id = randomUUID();
  const isRecorded = plan.jobs.length + plan.orphans.length + sumPlan(plan).placedJobCount > 0;
  if (isRecorded) await recordDetachment(dependencies, plan, { id, permit });
  const freed = await freePods(plan, { client, claim, signal, permit });
  const placed = await freePlacedJobs(plan, { client, signal, permit });
  // The Lease does not stop workers, so they are checked again.
  const begun = pollingText(await pollers(), { now: Date.now(), quietMs });
  if (begun.length > 0)
    throw new InputError(
      `workers have begun to poll during the detachment, and may have created pods:\n  ${begun.join('\n  ')}\nstop these workers, and run "jobledger admin detach" again`,
    );
  return { plan, done: { detachment: id, freed, placed } };
}

/** Appends the events of a detachment to the ledger. */
async function recordDetachment(
  { client, kafka, by, claim, namespaces }: ReleaseDependencies,
  plan: DetachPlan,
  { id, permit }: { id: string; permit: () => void },
): Promise<void> {
  const order = { detachment: id, by, cluster: client.cluster, claim, namespaces };
  const events = detachEvents(plan, order, new Date().toISOString());
  const appender = await createAppender(kafka);
  try {
    for (let at = 0; at < events.length; at += EVENTS_AT_ONCE)
      await appender.append(events.slice(at, at + EVENTS_AT_ONCE), permit);
  } finally {
    await appender.close();
  }
}
