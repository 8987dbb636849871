import { grantText } from '../../../../workflows/batch/index-grant.ts';
import { CONTINUED_FAILURES, GRANT, INDEXES, PLACED_FOR } from '../../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { PlacementCommandOf } from '../../../../workflows/placement/commands.ts';
import type { MemberFacts } from '../../../../workflows/placement/facts.ts';
import { memberFacts } from '../../../../workflows/placement/observe/compact.ts';
import { isConflict, jobPath, readJobNamed, readVersionOfJobs } from '../../command/requests.ts';
import type { PlacementContext, PlacementOutcomeOf } from './context.ts';
import {
  answeringEpoch,
  epochField,
  goneOrRefusal,
  hasMarks,
  memberRef,
  requestMemberCluster,
  toRefusal,
} from './member-cluster.ts';
import { countOpenPods } from './open-pods.ts';

/** The most attempts. Other clients may keep writing the same member; the core then decides again. */
const ATTEMPTS = 5;

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
        owner === undefined ? { open: 0 } : await countOpenPods({ client, job: ref, signal }, owner, of);
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
