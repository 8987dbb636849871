import type { CommandOf, WorkloadToCreate } from '../../../../workflows/job/commands.ts';
import { podGroupName } from '../../../../workflows/job/definitions/gang-names.ts';
import type { Gang } from '../../../../workflows/job/gang.ts';
import { GANG_API, POD_GROUP_API } from '../../../../workflows/kubernetes/names.ts';
import type { ObjectMeta, PodGroup, Workload } from '../../../../workflows/kubernetes/objects.ts';
import { pause } from '../../../adapters/waiting/pause.ts';
import { toApiFailure, isConflict } from '../../command/requests.ts';
import type { CommandContext } from './command-context.ts';
import { ensurePodGroup, GroupNotEnsured } from './ensure-pod-group.ts';
import { emitOnJob } from './emit-on-job.ts';
import {
  createGroupObject,
  isControlledBy,
  listItems,
  newWorkload,
  ownerReference,
  type Found,
  type GroupRequest,
} from './group-objects.ts';
import { controllerReference } from './new-pod.ts';
import type { OutcomeOf } from './outcome-of.ts';

/** Finds or creates the Workload and the PodGroup of the Job, by the API that the decision names. */
export async function ensureGang(
  context: CommandContext,
  { workload, group }: CommandOf<'EnsureGang'>,
): Promise<OutcomeOf<'EnsureGang'>> {
  const job = await context.readJob();
  if (job === null) return { kind: 'EnsureGang', result: 'gone' };
  // The record of a large Job leaves out its template.
  if (job.spec.template?.spec.schedulingGroup !== undefined)
    return {
      kind: 'EnsureGang',
      result: 'done',
      gang: { none: 'the pod template names a scheduling group' },
    };
  try {
    const gang =
      group === undefined
        ? await findGang({ context, job, api: GANG_API }, workload)
        : await ensurePodGroup({ context, job, api: POD_GROUP_API }, group);
    return { kind: 'EnsureGang', result: 'done', gang };
  } catch (error) {
    const { failure, creating } =
      error instanceof GroupNotEnsured ? error : { failure: toApiFailure(error), creating: undefined };
    return {
      kind: 'EnsureGang',
      result: 'failed',
      ...(creating !== undefined && { creating }),
      error: failure,
    };
  }
}

/**
 * Finds or creates the gang (J-8.3 to J-8.5), including the objects of an earlier attempt. Both lists are read from the
 * server, so that an outdated copy causes no fallback (B-12).
 */
async function findGang(of: GroupRequest, wanted: WorkloadToCreate | undefined): Promise<Gang> {
  const workload = await retryAfterConflict(of, () => findWorkload(of, wanted));
  if ('none' in workload) return workload;
  // An earlier attempt may have created the Workload without sending the Event, so the Event is sent again under the
  // same name.
  if (workload.metadata.name === wanted?.name) await emitCreated(of, workload);
  const group = await retryAfterConflict(of, () => findPodGroup(of, workload));
  return 'none' in group ? group : { workload: workload.metadata.name, podGroup: group.metadata.name };
}

async function findWorkload(
  of: GroupRequest,
  wanted: WorkloadToCreate | undefined,
): Promise<Found<Workload>> {
  const found = await listItems<Workload>(of, 'workloads', ({ spec: { controllerRef: ref } }) => {
    return ref?.apiGroup === 'batch' && ref.kind === 'Job' && ref.name === of.job.metadata.name;
  });
  const [only] = found;
  if (only === undefined) {
    if (wanted === undefined) return { none: 'the Job is not new, and no Workload refers to it' };
    const { name, podGroupTemplate, minCount } = wanted;
    const template = { name: podGroupTemplate, schedulingPolicy: { gang: { minCount } } };
    return createGroupObject<Workload>(of, 'workloads', newWorkload(of, name, template));
  }
  const reason = unusableReason(of, 'Workloads refer to the Job', found);
  if (reason !== null) return { none: reason };
  const { length } = only.spec.podGroupTemplates;
  if (length !== 1) return { none: `Workload ${only.metadata.name} has ${length} podGroupTemplates` };
  return only;
}

async function findPodGroup(of: GroupRequest, workload: Workload): Promise<Found<PodGroup>> {
  const { name } = workload.metadata;
  const found = await listItems<PodGroup>(
    of,
    'podgroups',
    ({ spec }) => spec.podGroupTemplateRef?.workload?.workloadName === name,
  );
  const [only] = found;
  if (only === undefined) return createGroupObject<PodGroup>(of, 'podgroups', newPodGroup(of, workload));
  const reason = unusableReason(of, `PodGroups refer to Workload ${name}`, found);
  return reason === null ? only : { none: reason };
}

/**
 * The reason why the found objects cannot be used; null if they can be used. Several objects are ambiguous, and an
 * object that the Job does not control belongs to another client.
 */
function unusableReason(
  { job }: GroupRequest,
  what: string,
  found: readonly { metadata: ObjectMeta }[],
): string | null {
  const names = found.map(({ metadata }) => metadata.name).toSorted();
  if (found.length > 1) return `${found.length} ${what}: ${names.join(', ')}`;
  const isOurs = found.every(({ metadata }) => isControlledBy(job, metadata));
  return isOurs ? null : `the Job does not control ${names.join()}`;
}

/**
 * The PodGroup of a Workload (J-8.5). The policy comes from the Workload, even if a user wrote the Workload (J-8.12).
 */
function newPodGroup(of: GroupRequest, workload: Workload): object {
  const { job, api } = of;
  const { name } = workload.metadata;
  const [template] = workload.spec.podGroupTemplates;
  const { name: podGroupTemplateName = '', schedulingPolicy } = template ?? {};
  return {
    apiVersion: api,
    kind: 'PodGroup',
    metadata: {
      name: podGroupName(name, podGroupTemplateName),
      namespace: job.metadata.namespace,
      ownerReferences: [controllerReference(job), ownerReference(of, workload)],
    },
    spec: {
      podGroupTemplateRef: { workload: { workloadName: name, podGroupTemplateName } },
      schedulingPolicy,
    },
  };
}

const TRIES = 5;
const BETWEEN_MS = 10;

/**
 * Repeats a search after a conflict. If the name exists although no object was found, another attempt has just created
 * the object (J-8.3).
 */
async function retryAfterConflict<T>(
  { context: { signal } }: GroupRequest,
  look: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await look();
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
      await pause(BETWEEN_MS, signal);
    }
  }
}

function emitCreated({ context, job }: GroupRequest, { metadata }: Workload): Promise<void> {
  const message = `Created Workload ${metadata.name} for Job ${job.metadata.name}`;
  return emitOnJob(context, [{ type: 'Normal', reason: 'WorkloadCreated', message }]);
}
