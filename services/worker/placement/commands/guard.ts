import { parseInstant } from '../../../../workflows/ledger/instants.ts';
import { BUILT_IN_MANAGER, GRANT, GUARDED, PLACED_FOR } from '../../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../../workflows/kubernetes/objects.ts';
import type { PlacementCommandOf } from '../../../../workflows/placement/commands.ts';
import { guardName } from '../../../../workflows/placement/definitions/member-name.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import {
  isConflict,
  isNotFound,
  jobPath,
  jobsPath,
  readJobAtTime,
  readJobNamed,
  type Requesting,
} from '../../command/requests.ts';
import type { PlacementContext, PlacementOutcomeOf } from './context.ts';
import { goneOrRefusal, memberRef, requestMemberCluster } from './member-cluster.ts';

/** Our own field manager, which the API server derives from the name of the program. */
const OURS = 'jobledger';

/**
 * Creates the guard of a grant, or extends its deadline (J-16.16). The deadline counts from the start that the
 * cluster's own controller has set with the clock of the cluster, so that a late extension does not end later than an
 * extension that arrives in time.
 */
export async function renewGuard(
  context: PlacementContext,
  command: PlacementCommandOf<'RenewGuard'>,
): Promise<PlacementOutcomeOf<'RenewGuard'>> {
  const { cluster, uid, mark = context.decision, leaseSeconds } = command;
  const ref = memberRef(context, cluster, guardName(command.name));
  const outcome = await requestMemberCluster(context, cluster, async (client) => {
    const { job: read, serverTime: now } = await readJobAtTime(
      { client, job: ref, signal: context.signal },
      ref.name,
    );
    const guard = read ?? (uid === undefined ? await createGuard(context, client, { command, mark }) : null);
    if (guard === null) return { result: 'gone' as const };
    const isIt =
      uid === undefined ? guard.metadata.annotations?.[GRANT] === mark : guard.metadata.uid === uid;
    if (!isIt) return { result: uid === undefined ? ('taken' as const) : ('gone' as const) };
    if (guard.metadata.deletionTimestamp !== undefined) return { result: 'gone' as const };
    const start = parseInstant(guard.status?.startTime);
    const isStarted = start !== null && isStartedByCluster(guard);
    if (start !== null && now > 0)
      await client.request({
        method: 'PATCH',
        path: jobPath(ref),
        contentType: 'application/merge-patch+json',
        body: {
          metadata: { uid: guard.metadata.uid },
          spec: { activeDeadlineSeconds: Math.ceil((now - start) / 1000) + leaseSeconds, suspend: false },
        },
        signal: context.signal,
      });
    return { result: 'done' as const, uid: guard.metadata.uid, isStarted };
  }).catch(goneOrRefusal(context, { cluster, name: ref.name, uid: uid ?? '' }));
  return { kind: 'RenewGuard', ...outcome };
}

/** Deletes the guard and keeps its member. The member loses its reference to the guard before the deletion. */
export async function releaseGuard(
  context: PlacementContext,
  { cluster, name, uid, member }: PlacementCommandOf<'ReleaseGuard'>,
): Promise<PlacementOutcomeOf<'ReleaseGuard'>> {
  const ref = memberRef(context, cluster, guardName(name));
  const outcome = await requestMemberCluster(context, cluster, async (client) => {
    if (member !== undefined)
      await removeGuardFromMember(context, client, memberRef(context, cluster, name, member));
    await client.request({
      method: 'DELETE',
      path: jobPath(ref),
      body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Orphan', preconditions: { uid } },
      signal: context.signal,
    });
    return { result: 'done' as const };
  }).catch(goneOrRefusal(context, { cluster, name: ref.name, uid }));
  return { kind: 'ReleaseGuard', ...outcome };
}

/** Removes the guard from a member. A member that is gone and another Job with its name are left unchanged. */
async function removeGuardFromMember(
  { signal }: PlacementContext,
  client: KubernetesClient,
  member: Requesting['job'],
): Promise<void> {
  try {
    await client.request({
      method: 'PATCH',
      path: jobPath(member),
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid: member.uid, annotations: { [GUARDED]: null } } },
      signal,
    });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/**
 * Creates the guard: a Job of the built-in controller without pods, which ends and disappears unless its deadline is
 * extended.
 */
async function createGuard(
  context: PlacementContext,
  client: KubernetesClient,
  { command, mark }: { command: PlacementCommandOf<'RenewGuard'>; mark: string },
): Promise<Job | null> {
  const ref = memberRef(context, command.cluster, guardName(command.name));
  const body = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: ref.name, annotations: { [GRANT]: mark } },
    spec: {
      managedBy: BUILT_IN_MANAGER,
      parallelism: 0,
      ttlSecondsAfterFinished: 0,
      activeDeadlineSeconds: command.leaseSeconds,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'guard', image: 'none' }] } },
    },
  };
  try {
    return await client.request<Job>({ method: 'POST', path: jobsPath(ref), body, signal: context.signal });
  } catch (error) {
    if (!isConflict(error)) throw error;
    return readJobNamed({ client, job: ref, signal: context.signal }, ref.name);
  }
}

/**
 * True when the cluster's own controller has started the guard. If Jobledger replaces the built-in controller, no
 * controller in the cluster would enforce the deadline.
 */
function isStartedByCluster({ metadata }: Job): boolean {
  const { managedFields = [] } = metadata as Job['metadata'] & {
    managedFields?: { manager?: string; subresource?: string }[];
  };
  return managedFields.some(({ manager, subresource }) => manager !== OURS && subresource === 'status');
}

/**
 * The reason why no pod may start for a member with a guard (J-16.16); null for any other Job. Either the guard is
 * gone, or its deadline has passed and the cluster has not deleted the guard yet, for example after an outage of its
 * control plane. Another cluster may then have the Job.
 */
export async function guardPassedReason(
  context: Requesting,
  { metadata }: Pick<Job, 'metadata'>,
): Promise<string | null> {
  const { annotations = {}, ownerReferences = [] } = metadata;
  const ownName = guardName(metadata.name);
  const guard = ownerReferences.find(({ kind, name }) => kind === 'Job' && name === ownName);
  if (annotations[PLACED_FOR] === undefined && annotations[GUARDED] === undefined) return null;
  // The garbage collector removes references to objects that are gone.
  if (guard === undefined)
    return annotations[GUARDED] === undefined ? null : `the guard ${ownName} of the Job is gone`;
  const { job: live, serverTime: now } = await readJobAtTime(context, guard.name);
  if (live?.metadata.uid !== guard.uid) return `the guard ${guard.name} of the Job is gone`;
  const start = parseInstant(live.status?.startTime);
  const { activeDeadlineSeconds = 0 } = live.spec;
  if (start === null || now >= start + activeDeadlineSeconds * 1000)
    return `the deadline of the guard ${guard.name} of the Job has passed`;
  return null;
}
