import type { Continued, PlacementCommandOf } from '../../../../workflows/placement/commands.ts';
import type { MemberFacts } from '../../../../workflows/placement/facts.ts';
import { memberJob } from '../../../../workflows/placement/member-job.ts';
import { memberFacts, placedJobFacts } from '../../../../workflows/placement/observe/compact.ts';
import { grantText } from '../../../../workflows/batch/index-grant.ts';
import { isFinished } from '../../../../workflows/batch/conditions.ts';
import {
  CONTINUED_FAILURES,
  GRANT,
  INDEXES,
  PLACED_FOR,
  PLACEMENT_FINALIZER,
} from '../../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import { KubernetesApiError, errorMessage } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import {
  toApiFailure,
  isConflict,
  isNotFound,
  jobPath,
  jobsPath,
  readJobNamed,
  readVersionOfJobs,
} from '../requests.ts';
import {
  outageAsNoAnswer,
  requestMemberCluster,
  memberRef,
  type NoAnswer,
  type PlacementContext,
  type PlacementOutcomeOf,
} from './context.ts';
import { countOpenPods } from './open-pods.ts';

/**
 * Creates a member from the live placed Job. This process copies the manifest directly from one API server to the other
 * API server (J-16.6). An existing Job with the name is the member only if this Job has the mark of the grant.
 */
export async function createMember(
  context: PlacementContext,
  command: PlacementCommandOf<'CreateMember'>,
): Promise<PlacementOutcomeOf<'CreateMember'>> {
  const { job, decision } = context;
  const { cluster, mark = decision } = command;
  const live = await outageAsNoAnswer(context, () => context.readJob().catch(homeRefusal));
  if (live !== null && 'result' in live) return { kind: 'CreateMember', ...live };
  const isOpen =
    live !== null && live.metadata.deletionTimestamp === undefined && !isFinished(live.status ?? {});
  // Without the finalizer, the deletion of the Job would leave the member behind (J-16.3).
  if (!isOpen || live.metadata.finalizers?.includes(PLACEMENT_FINALIZER) !== true)
    return {
      kind: 'CreateMember',
      result: 'stale',
      job: live === null ? null : placedJobFacts(job.cluster, live),
    };
  const body = memberJob(job.cluster, live, command, mark);
  const epoch = answeringEpoch(context, command);
  const outcome = await requestMemberCluster(context, cluster, async (client) => {
    const created = await createOrFind(context, client, body);
    if (created === null) return { result: 'taken' as const };
    const { member, existing } = created;
    let started: Job;
    try {
      started = await continueCounters(context, client, { cluster, member }, command.continues);
    } catch (error) {
      if (!isConflictOrRefusal(error)) throw error;
      // The member exists, so the core sends the command again until the member has its counters.
      return { result: 'unanswered' as const, message: errorMessage(error) };
    }
    return {
      result: 'created' as const,
      member: memberFacts(cluster, started, epoch),
      ...(existing && { existing: true as const }),
    };
  }).catch(toRefusal);
  return { kind: 'CreateMember', ...outcome, ...(!('member' in outcome) && epochField(epoch)) };
}

/** The field `epoch` of an outcome; empty before the first restore. */
function epochField(epoch: number): { epoch?: number } {
  return epoch > 0 ? { epoch } : {};
}

/** The epoch of the cluster's next answers. A decision of an earlier epoch may have no epoch. */
function answeringEpoch(
  { getEpoch }: PlacementContext,
  { cluster, from }: Pick<PlacementCommandOf<'CreateMember' | 'LookUpMember'>, 'cluster' | 'from'>,
): number {
  return Math.max(from?.epoch ?? 0, getEpoch(cluster));
}

/**
 * The outcome when the home refuses a read, which shows nothing about the cluster of the member. @throws the error of
 * an outage.
 */
function homeRefusal(error: unknown): NoAnswer {
  // This call throws the error of an outage.
  toRefusal(error);
  return { result: 'unanswered', message: `the placed Job cannot be read: ${errorMessage(error)}` };
}

/** The Job that this or an earlier attempt has created; null when another Job has the name. */
async function createOrFind(
  context: PlacementContext,
  client: KubernetesClient,
  body: ReturnType<typeof memberJob>,
): Promise<{ member: Job; existing: boolean } | null> {
  const { signal } = context;
  const ref = memberRef(context, client.cluster, body.metadata.name);
  try {
    const member = await client.request<Job>({ method: 'POST', path: jobsPath(ref), body, signal });
    return { member, existing: false };
  } catch (error) {
    if (!isConflictOrRefusal(error)) throw error;
    // The API server runs admission before it checks the name, so admission may also refuse a creation that was carried
    // out already.
    const found = await readJobNamed({ client, job: ref, signal }, ref.name).catch((noAnswer: unknown) => {
      if (!isConflictOrRefusal(noAnswer)) throw noAnswer;
      // Without an answer to this read, it is unknown whether the member exists.
      throw error;
    });
    if (found !== null && hasMarks(found, body.metadata.annotations))
      return { member: found, existing: true };
    if (found === null || !isConflict(error)) throw error;
    return null;
  }
}

function isConflictOrRefusal(error: unknown): boolean {
  return error instanceof KubernetesApiError && ['conflict', 'refused'].includes(error.meaning);
}

/** True when a Job has the annotations of a member of this grant. */
function hasMarks({ metadata }: Job, marks: Readonly<Record<string, string | undefined>>): boolean {
  return [PLACED_FOR, GRANT].every((name) => metadata.annotations?.[name] === marks[name]);
}

/** The most attempts. Other clients may keep writing the same member; the core then decides again. */
const ATTEMPTS = 5;

/**
 * Gives a suspended member the counters of the earlier members before the member is resumed (J-16.10). A late request
 * must not undo later successes of the member: the API server accepts a lower `succeeded` while `completions` equals
 * `parallelism` (J-1.40).
 */
async function continueCounters(
  context: PlacementContext,
  client: KubernetesClient,
  { cluster, member }: { cluster: string; member: Job },
  continues: Continued | undefined,
): Promise<Job> {
  const { failures: _inAnAnnotation, ...counters } = continues ?? {};
  const { name, uid } = member.metadata;
  const ref = memberRef(context, cluster, name);
  const { signal } = context;
  let live = member;
  for (let attempt = 1; ; attempt += 1) {
    if (Object.keys(counters).length === 0 || live.spec.suspend !== true) return live;
    try {
      return await client.request<Job>({
        method: 'PATCH',
        path: `${jobPath(ref)}/status`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { uid, resourceVersion: live.metadata.resourceVersion }, status: counters },
        signal,
      });
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      const found = await readJobNamed({ client, job: ref, signal }, name);
      if (found?.metadata.uid !== uid) throw error;
      live = found;
    }
  }
}

/**
 * Changes fields of a member's spec and the indexes that the member may run, if the member still has the known uid and
 * spec.
 */
export async function changeMember(
  context: PlacementContext,
  {
    cluster,
    name,
    uid,
    from,
    spec,
    annotations: followed,
    stop,
    indexes,
    failures,
  }: PlacementCommandOf<'ChangeMember'>,
): Promise<PlacementOutcomeOf<'ChangeMember'>> {
  const { signal } = context;
  const ref = memberRef(context, cluster, name);
  const annotations = {
    ...followed,
    ...(indexes !== undefined && { [INDEXES]: grantText(indexes) }),
    ...(failures !== undefined && { [CONTINUED_FAILURES]: JSON.stringify(failures) }),
  };
  const outcome = await requestMemberCluster(context, cluster, async (client) => {
    const facts = (job: Job): MemberFacts => memberFacts(cluster, job, from.epoch);
    let { resourceVersion } = from;
    for (let attempt = 1; ; attempt += 1) {
      const metadata = {
        uid,
        // A late request must not undo later changes, but a request to stop may always arrive.
        ...(stop === undefined && { resourceVersion }),
        ...(Object.keys(annotations).length > 0 && { annotations }),
      };
      try {
        const changed = await client.request<Job>({
          method: 'PATCH',
          path: jobPath(ref),
          contentType: 'application/merge-patch+json',
          body: { metadata, spec },
          signal,
        });
        return { result: 'done' as const, member: facts(changed) };
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw error;
        const live = await readJobNamed({ client, job: ref, signal }, name);
        if (live?.metadata.uid !== uid) return { result: 'gone' as const };
        // A restored older copy may lack the counters of a member that is about to be resumed (J-16.10).
        if (facts(live).generation !== from.generation || spec.suspend === false)
          return { result: 'stale' as const, member: facts(live) };
        ({ resourceVersion } = live.metadata);
      }
    }
  }).catch(goneOrRefusal(context, { cluster, name, uid }));
  return { kind: 'ChangeMember', ...outcome };
}

/** Deletes a member after its pods, if the Job with its name still has the UID of the member (J-16.17). */
export async function deleteMember(
  context: PlacementContext,
  { cluster, name, uid }: PlacementCommandOf<'DeleteMember'>,
): Promise<PlacementOutcomeOf<'DeleteMember'>> {
  const outcome = await requestMemberCluster(context, cluster, async (client) => {
    await client.request({
      method: 'DELETE',
      path: jobPath(memberRef(context, cluster, name)),
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Foreground',
        preconditions: { uid },
      },
      signal: context.signal,
    });
    return { result: 'done' as const };
  }).catch(goneOrRefusal(context, { cluster, name, uid }));
  return { kind: 'DeleteMember', ...outcome };
}

/** Reads a member and lists its pods. */
export async function lookUpMember(
  context: PlacementContext,
  command: PlacementCommandOf<'LookUpMember'>,
): Promise<PlacementOutcomeOf<'LookUpMember'>> {
  const { cluster, name, uid, mark, givenUp: of, gone } = command;
  const { job, signal } = context;
  const epoch = answeringEpoch(context, command);
  const ref = memberRef(context, cluster, name);
  const outcome = await requestMemberCluster(context, cluster, async (client) => {
    const listOpenPods = async (owner: string | undefined) => {
      const pods =
        owner === undefined
          ? { open: 0 }
          : await countOpenPods({ client, job: { ...job, ...ref }, signal }, owner, of);
      return { pods, listedAt: await readVersionOfJobs({ client, job: ref, signal }) };
    };
    if (gone !== undefined)
      return { result: 'done' as const, member: null, gone, ...(await listOpenPods(gone)) };
    const found = await readJobNamed({ client, job: ref, signal }, name);
    const marks = { [PLACED_FOR]: [job.cluster, job.namespace, job.name, job.uid].join('/'), [GRANT]: mark };
    const isIt = found !== null && (uid === undefined ? hasMarks(found, marks) : found.metadata.uid === uid);
    const owner = isIt ? found.metadata.uid : uid;
    return {
      result: 'done' as const,
      member: isIt ? memberFacts(cluster, found, epoch) : null,
      ...(await listOpenPods(owner)),
      ...(of !== undefined && { givenUp: of }),
    };
  }).catch(toRefusal);
  return { kind: 'LookUpMember', ...outcome, ...(outcome.result === 'done' && epochField(epoch)) };
}

async function memberOrRefusal(context: PlacementContext, cluster: string, name: string) {
  try {
    return await requestMemberCluster(context, cluster, (client) =>
      readJobNamed({ client, job: memberRef(context, cluster, name), signal: context.signal }, name),
    );
  } catch (error) {
    return toRefusal(error);
  }
}

/** The outcome when the API server refuses a request. */
export type Refusal = { result: 'failed'; error: ReturnType<typeof toApiFailure> };

/** Converts a refusal to an outcome; every other error is thrown. */
export function toRefusal(error: unknown): Refusal {
  return { result: 'failed', error: toApiFailure(error) };
}

/**
 * Converts an error to the outcome that the member is gone, or that the request was refused. A Job with the name and
 * another UID is not our member, so our member is gone.
 */
export function goneOrRefusal(
  context: PlacementContext,
  { cluster, name, uid }: { cluster: string; name: string; uid: string },
) {
  return async (error: unknown): Promise<{ result: 'gone' } | Refusal> => {
    if (isNotFound(error)) return { result: 'gone' };
    if (error instanceof KubernetesApiError && error.status === 409) {
      const found = await memberOrRefusal(context, cluster, name);
      if (found === null || ('metadata' in found && found.metadata.uid !== uid)) return { result: 'gone' };
    }
    return toRefusal(error);
  };
}
