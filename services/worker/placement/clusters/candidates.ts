import type { CandidatesInput, ObjectRef, LeftMember } from '../../../../workflows/activities.ts';
import { failuresToContinue } from '../../../../workflows/job/definitions/continued-failures.ts';
import type { JobState } from '../../../../workflows/job/state.ts';
import type { Job, PodTemplate } from '../../../../workflows/kubernetes/objects.ts';
import {
  recordableMembers,
  seenMember,
  type SeenMember,
} from '../../../../workflows/placement/definitions/seen.ts';
import { memberName } from '../../../../workflows/placement/definitions/member-name.ts';
import {
  MOST_CLUSTERS,
  toPlaces,
  computeShares,
} from '../../../../workflows/placement/decide/spread/shares.ts';
import { choose, podsAtOnce, whyNot, type Excluded } from '../../../../workflows/placement/decide/choose.ts';
import { refusalReason } from '../../../../workflows/placement/definitions/refusal.ts';
import type {
  Candidate,
  Candidates,
  ClusterAvailability,
  LeftFailures,
} from '../../../../workflows/placement/settings.ts';
import { KubernetesApiError, errorMessage } from '../../../adapters/errors.ts';
import { TooLongResponseError, type KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import type { Log } from '../../../adapters/process/log.ts';
import { impatientClient } from '../../../adapters/kubernetes/impatient-client.ts';
import { readJobNamed } from '../../command/requests.ts';
import { allowsNamespace, type AllowedCluster } from './allowed-clusters.ts';
import { createCapacities, type Capacities } from './capacities.ts';
import { createClusterProfiles, type ClusterProfiles } from './cluster-profiles.ts';
import { podRequirements, countFittingPods, type PodRequirements } from './room.ts';

/** The time within which the home must answer, in milliseconds. */
const HOME_ANSWERS_WITHIN_MS = 3000;

interface CandidatesDependencies {
  /** The operator's clusters. */
  allowed: readonly AllowedCluster[];
  /** The client for a cluster; null when this worker has no access. */
  findClient(cluster: string): KubernetesClient | null;
  /** The present availability of the clusters. */
  message(): Readonly<Record<string, ClusterAvailability>>;
  /** The state of a member's own workflow, by its stream in the ledger. */
  readState(member: ObjectRef, signal: AbortSignal): Promise<JobState>;
  now(): number;
  log: Log;
  /** Aborted at the end of the process. */
  signal: AbortSignal;
}

/** Reads the clusters that could run a placed Job (`placementCandidates`). */
export type ReadCandidates = (
  home: KubernetesClient,
  input: CandidatesInput,
  signal: AbortSignal,
) => Promise<Candidates>;

/**
 * Creates the function that reads the candidates. All homes share the known room of the clusters, so that Jobs that are
 * created at the same time do not all choose the same free room. The room in the cluster that the core will choose is
 * kept for the Job until its pods are listed (J-16.4). No more than the existing room is kept, because a Job may ask
 * for any number of pods. Only the chosen cluster is asked for the ServiceAccount and the quotas of the namespace, and
 * the answer also shows that the cluster is available.
 */
export function createReadCandidates(dependencies: CandidatesDependencies): ReadCandidates {
  const { allowed, now, log, signal: ending } = dependencies;
  const { findClient } = dependencies;
  const capacities = createCapacities({ now, log, signal: ending });
  const profiles = createClusterProfiles({ findClient, signal: ending });
  const sources = { ...dependencies, capacities, profiles };
  for (const { name, profile } of allowed) {
    const client = findClient(name);
    if (client !== null) capacities.watch(client);
    if (profile !== undefined) profiles.watch(profile);
  }
  return async (home, input, signal) => {
    const { job, facts, except, withRoom = false, grant, continued, spread } = input;
    const impatient = impatientClient(home, HOME_ANSWERS_WITHIN_MS);
    let live: Job | null;
    try {
      live = await readJobNamed({ client: impatient, job, signal }, job.name);
    } catch (error) {
      // Members in other clusters must not wait for the home.
      return { readAt: now(), clusters: [], unread: `the home: ${describeNoAnswer(error, signal)}` };
    }
    const template = live?.metadata.uid === job.uid ? live.spec.template : undefined;
    const ofHome = allowed.filter((each) => allowsNamespace(each, home.cluster, job.namespace));
    const excluded = new Map(except.map((cluster) => [cluster, 'it is left']));
    const wanted: Wanted = { job, template, facts, excluded, signal, needs: new Map() };
    const clusters = await Promise.all(ofHome.map((each) => readCandidate(sources, each, wanted)));
    if (spread !== undefined) {
      const { ranked } = choose(facts, clusters, { excluded });
      const best = new Set(ranked.slice(0, MOST_CLUSTERS));
      const known = clusters.map(async (each) => (best.has(each) ? askCluster(sources, each, wanted) : each));
      const asked = await Promise.all(known);
      if (grant === 1) keepShares(capacities, wanted, choose(facts, asked, { excluded }).ranked);
      const left = await readLeftByMembers(dependencies, spread.left, signal);
      if ('unread' in left) return { readAt: now(), clusters: [], ...left };
      const leftBy = Object.fromEntries(left.map(({ grant: number, failures }) => [number, failures]));
      return { readAt: now(), clusters: asked, ...(left.length > 0 && { leftBy }), ...seenField(left) };
    }
    const asked = new Set<string>();
    let { chosen } = choose(facts, clusters, { excluded, withRoom });
    while (chosen !== null && !asked.has(chosen.cluster)) {
      asked.add(chosen.cluster);
      clusters[clusters.indexOf(chosen)] = await askCluster(sources, chosen, wanted);
      ({ chosen } = choose(facts, clusters, { excluded, withRoom }));
    }
    if (chosen !== null && template !== undefined)
      capacities.keep(chosen.cluster, {
        job: homeName(job),
        namespace: job.namespace,
        member: fullName({ ...job, name: memberName(job, { cluster: chosen.cluster, number: grant }) ?? '' }),
        pods: Math.min(podsAtOnce(facts), chosen.room ?? Infinity),
        needs: wanted.needs.get(chosen.cluster) ?? podRequirements(template.spec),
      });
    const left = await readLeftByMembers(dependencies, continued === undefined ? [] : [continued], signal);
    if ('unread' in left) return { readAt: now(), clusters: [], ...left };
    const [last] = left;
    return {
      readAt: now(),
      clusters,
      ...(last !== undefined && { left: last.failures }),
      ...seenField(left),
    };
  };
}

/** The facts in the stream of a member. */
interface LeftByMember {
  grant: number;
  failures: LeftFailures;
  seen: SeenMember | null;
}

/**
 * Reads the facts that earlier members left. `unread` is the reason why a stream could not be read. Members in other
 * clusters must not wait for this stream, so the read is not repeated.
 */
async function readLeftByMembers(
  { readState }: Pick<CandidatesDependencies, 'readState'>,
  members: readonly LeftMember[],
  signal: AbortSignal,
): Promise<LeftByMember[] | { unread: string }> {
  const found = await Promise.all(
    members.map(async ({ grant, member, known }): Promise<LeftByMember | { unread: string }> => {
      try {
        const state = await readState(member, signal);
        const seen = known === undefined ? null : seenMember(state, grant, known);
        return { grant, failures: failuresToContinue(state), seen };
      } catch (error) {
        signal.throwIfAborted();
        const { cluster, namespace, name } = member;
        return {
          unread: `the member ${namespace}/${name} in the cluster ${cluster}: ${errorMessage(error)}`,
        };
      }
    }),
  );
  return (
    found.find((each) => 'unread' in each) ?? found.filter((each): each is LeftByMember => 'grant' in each)
  );
}

/** The field `seen` of the candidates; empty when the members have shown nothing new. */
function seenField(left: readonly LeftByMember[]): Pick<Candidates, 'seen'> {
  const seen = recordableMembers(left.flatMap((each) => each.seen ?? []));
  return seen.length === 0 ? {} : { seen };
}

/** Keeps the room for the first shares of a spread Job until its pods are listed. */
function keepShares(
  capacities: Capacities,
  { job, template, facts, needs }: Wanted,
  ranked: readonly Candidate[],
): void {
  if (template === undefined) return;
  const rooms = new Map(ranked.map(({ cluster, room = Infinity }) => [cluster, room]));
  const shares = computeShares(
    facts.preferences.spread ?? 'even',
    toPlaces(ranked, new Map()),
    podsAtOnce(facts),
  );
  for (const [at, [cluster, pods]] of Object.entries(shares).entries())
    capacities.keep(cluster, {
      job: homeName(job),
      namespace: job.namespace,
      member: fullName({ ...job, name: memberName(job, { cluster, number: at + 1 }) ?? '' }),
      pods: Math.min(pods, rooms.get(cluster) ?? Infinity),
      needs: needs.get(cluster) ?? podRequirements(template.spec),
    });
}

function fullName({ namespace, name }: Pick<ObjectRef, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/** The name of a Job with its home, because two homes may have Jobs with the same name. */
function homeName(job: ObjectRef): string {
  return `${job.cluster}/${fullName(job)}`;
}

interface Wanted {
  job: ObjectRef;
  template: PodTemplate | undefined;
  facts: CandidatesInput['facts'];
  excluded: Excluded;
  signal: AbortSignal;
  /** The requirements of a pod by cluster, with the defaults of its namespace in the cluster. */
  needs: Map<string, PodRequirements>;
}

/** The sources of the facts about the clusters. */
interface Sources extends CandidatesDependencies {
  capacities: Capacities;
  profiles: ClusterProfiles;
}

/** The facts about a cluster as a candidate for a Job, or the reason why the cluster is refused. */
async function readCandidate(
  { findClient, message, capacities, profiles, now }: Sources,
  { name: cluster, labels: configured, price, profile }: AllowedCluster,
  { job, template, facts, excluded, signal }: Wanted,
): Promise<Candidate> {
  const described = profile === undefined ? { labels: {} } : await profiles.readLabels(profile);
  const labels = { ...('labels' in described ? described.labels : {}), ...configured };
  const known: Candidate = {
    cluster,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(price !== undefined && { price }),
  };
  const { clusters } = facts.preferences;
  const selectsLabels = clusters !== undefined && 'labels' in clusters;
  const refusal =
    refusalReason(message()[cluster] ?? {}) ??
    // The cluster is included as refused, so that a message can explain why the Job does not go to this cluster.
    ('unknown' in described && selectsLabels ? described.unknown : null);
  if (refusal !== null) return { ...known, refused: refusal };
  const client = findClient(cluster);
  if (client === null) return { ...known, refused: 'this worker has no access to it (JOBLEDGER_CONTEXTS)' };
  if (template === undefined) return { ...known, refused: 'the Job is gone' };
  // The room is computed only for clusters that the Job may use, because the computation takes time.
  if (whyNot(facts.preferences, known, excluded) !== null) return known;
  try {
    const capacity = await capacities.read(client);
    // If this worker may not list the nodes and pods of the whole cluster, the room is not known.
    if (capacity === null) return known;
    const others = capacities.keptForOthers(cluster, homeName(job));
    const wanted = { kept: others, wanted: podsAtOnce(facts), now: now() };
    return { ...known, room: countFittingPods(capacity, podRequirements(template.spec), wanted) };
  } catch (error) {
    return { ...known, refused: describeNoAnswer(error, signal) };
  }
}

/** Adds the answers of a candidate's API server about the namespace. */
async function askCluster(
  { findClient, capacities, now }: Sources,
  { room = Infinity, ...known }: Candidate,
  { job, facts, template, signal, needs: needed }: Wanted,
): Promise<Candidate> {
  const { namespace } = job;
  const client = findClient(known.cluster);
  if (client === null || template === undefined) return { ...known, room };
  try {
    const [lacking, spec] = await Promise.all([
      capacities.lacking(client, { namespace, account: serviceAccountOf(template) }, signal),
      capacities.defaulted(client, { namespace, spec: template.spec }, signal),
    ]);
    if (lacking !== null) return { ...known, refused: lacking };
    const needs = podRequirements(spec ?? template.spec);
    needed.set(known.cluster, needs);
    const [quota, capacity] = await Promise.all([
      capacities.quotaRoom(client, { namespace, needs }, signal),
      spec === undefined ? null : capacities.read(client),
    ]);
    const others = capacities.keptForOthers(known.cluster, homeName(job));
    const wanted = { kept: others, wanted: podsAtOnce(facts), now: now() };
    const fitting = capacity === null ? room : countFittingPods(capacity, needs, wanted);
    const least = Math.min(room, fitting, quota);
    return Number.isFinite(least) ? { ...known, room: least } : known;
  } catch (error) {
    return { ...known, refused: describeNoAnswer(error, signal) };
  }
}

/** The reason why a cluster gave no usable answer. @throws the reason of `signal` when it is aborted. */
function describeNoAnswer(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  return error instanceof KubernetesApiError || error instanceof TooLongResponseError
    ? errorMessage(error)
    : 'it does not answer';
}

function serviceAccountOf({ spec }: PodTemplate): string {
  const { serviceAccountName = 'default' } = spec as PodTemplate['spec'] & { serviceAccountName?: string };
  return serviceAccountName;
}
