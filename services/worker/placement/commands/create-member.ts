import { isFinished } from '../../../../workflows/batch/conditions.ts';
import { PLACEMENT_FINALIZER } from '../../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { Continued, PlacementCommandOf } from '../../../../workflows/placement/commands.ts';
import { memberJob } from '../../../../workflows/placement/member-job.ts';
import { memberFacts, placedJobFacts } from '../../../../workflows/placement/observe/compact.ts';
import { KubernetesApiError, errorMessage } from '../../../adapters/errors.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { isConflict, jobPath, jobsPath, readJobNamed } from '../../command/requests.ts';
import type { PlacementContext, PlacementOutcomeOf } from './context.ts';
import {
  answeringEpoch,
  epochField,
  hasMarks,
  memberRef,
  outageAsNoAnswer,
  requestMemberCluster,
  toRefusal,
  type NoAnswer,
} from './member-cluster.ts';

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
