import type { GroupToEnsure } from '../../../../workflows/job/commands.ts';
import { podGroupName } from '../../../../workflows/job/definitions/gang-names.ts';
import type { Gang } from '../../../../workflows/job/gang.ts';
import type { ApiFailure } from '../../../../workflows/decision/api-failure.ts';
import { jobFacts } from '../../../../workflows/job/observe/compact.ts';
import { findController } from '../../../../workflows/kubernetes/controller.ts';
import { GROUP_TEMPLATE_NAME } from '../../../../workflows/kubernetes/names.ts';
import type {
  ObjectMeta,
  PodGroup,
  PodGroupTemplate,
  Workload,
} from '../../../../workflows/kubernetes/objects.ts';
import { pathSegment } from '../../../adapters/kubernetes/path-segment.ts';
import { toApiFailure, isConflict } from '../../command/requests.ts';
import { emitOnJob } from './emit-on-job.ts';
import {
  createGroupObject,
  isControlledBy,
  listItems,
  newWorkload,
  ownerReference,
  groupPath,
  readItem,
  type Found,
  type GroupResource,
  type GroupRequest,
} from './group-objects.ts';
import { controllerReference } from './new-pod.ts';

/** Thrown with the reason why the PodGroup does not exist yet. */
export class GroupNotEnsured extends Error {
  override readonly name = 'GroupNotEnsured';
  readonly failure: ApiFailure;
  readonly creating: 'Workload' | undefined;

  constructor(failure: ApiFailure, creating?: 'Workload') {
    super(failure.message);
    this.failure = failure;
    this.creating = creating;
  }
}

/** Finds the PodGroup of the Job, or creates the PodGroup and its Workload, in Kubernetes 1.37 (J-8.22 to J-8.27). */
export function ensurePodGroup(of: GroupRequest, group: GroupToEnsure): Promise<Gang> {
  const { own } = group;
  return own === undefined ? ensureDelegatedGroup(of, group) : ensureOwnGroup(of, group, own);
}

type OwnNames = NonNullable<GroupToEnsure['own']>;

async function ensureOwnGroup(of: GroupRequest, group: GroupToEnsure, names: OwnNames): Promise<Gang> {
  const workload = await ensureOwnWorkload(of, group, names);
  if ('none' in workload) return workload;
  const [template, ...others] = workload.spec.podGroupTemplates;
  if (template === undefined || others.length > 0) throw templateCountError(of, workload);
  const owners = [controllerReference(of.job), ownerReference(of, workload)];
  const found = await findOrCreate<PodGroup>(of, 'podgroups', names.podGroup, {
    mayCreate: group.create,
    body: newPodGroup(of, names.podGroup, { workload, template, owners }),
  });
  if ('none' in found) return found;
  await emitCreated(of, [
    { kind: 'Workload', ...workload },
    { kind: 'PodGroup', ...found },
  ]);
  const { minCount } = group;
  await setGangSize(of, 'workloads', { ...workload, template, at: '/spec/podGroupTemplates/0' }, minCount);
  const size = await setGangSize(of, 'podgroups', { ...found, template: found.spec, at: '/spec' }, minCount);
  return toGang(of, workload, found, size);
}

async function ensureOwnWorkload(
  of: GroupRequest,
  group: GroupToEnsure,
  names: OwnNames,
): Promise<Found<Workload>> {
  try {
    return await findOrCreate<Workload>(of, 'workloads', names.workload, {
      mayCreate: group.create,
      body: newWorkload(of, names.workload, templateFor(of, group, names.podGroupTemplate)),
    });
  } catch (error) {
    throw new GroupNotEnsured(toApiFailure(error), 'Workload');
  }
}

/** Ensures the PodGroup of a Job that is a part of another owner, which leaves the PodGroup to Jobledger (J-8.22). */
async function ensureDelegatedGroup(of: GroupRequest, group: GroupToEnsure): Promise<Gang> {
  const { metadata } = of.job;
  const owner = findController(metadata);
  const [apiGroup = '', version] = (owner?.apiVersion ?? '').split('/');
  const groupOfOwner = version === undefined ? '' : apiGroup;
  const [workload] = await listItems<Workload>(of, 'workloads', ({ spec: { controllerRef: ref } }) => {
    return (ref?.apiGroup ?? '') === groupOfOwner && ref?.kind === owner?.kind && ref?.name === owner?.name;
  });
  if (workload === undefined)
    return { none: `no Workload refers to ${owner?.kind} ${owner?.name}, the owner` };
  const templateName = metadata.annotations?.[GROUP_TEMPLATE_NAME];
  const template = workload.spec.podGroupTemplates.find(({ name }) => name === templateName);
  if (template === undefined)
    return {
      none: `Workload ${workload.metadata.name} has no template "${templateName}" (${GROUP_TEMPLATE_NAME})`,
    };
  const name = podGroupName(workload.metadata.name, template.name);
  const owners = [controllerReference(of.job)];
  const found = await findOrCreate<PodGroup>(of, 'podgroups', name, {
    mayCreate: group.create,
    body: newPodGroup(of, name, { workload, template, owners }),
  });
  if ('none' in found) return found;
  await emitCreated(of, [{ kind: 'PodGroup', ...found }]);
  const size = await setGangSize(
    of,
    'podgroups',
    { ...found, template: found.spec, at: '/spec' },
    gangMinCount(template),
  );
  return toGang(of, workload, found, size);
}

interface Wish {
  mayCreate: boolean;
  body: object;
}

/**
 * Finds or creates the Job's own object of this name, which an earlier attempt may have created. @throws the error of
 * the API server, also when the name belongs to the object of another client.
 */
async function findOrCreate<T extends { metadata: ObjectMeta }>(
  of: GroupRequest,
  resource: GroupResource,
  name: string,
  { mayCreate, body }: Wish,
): Promise<Found<T>> {
  const readOwnItem = async (): Promise<T | null> => {
    const found = await readItem<T>(of, resource, name);
    return found !== null && isControlledBy(of.job, found.metadata) ? found : null;
  };
  if (!mayCreate)
    return (await readOwnItem()) ?? { none: `the Job has started, and has no ${name} among its ${resource}` };
  try {
    return await createGroupObject<T>(of, resource, body);
  } catch (error) {
    const found = isConflict(error) ? await readOwnItem() : null;
    if (found === null) throw error;
    return found;
  }
}

/** The template of a PodGroup in the Workload of a Job (J-8.23). */
function templateFor({ job }: GroupRequest, { minCount }: GroupToEnsure, name: string): PodGroupTemplate {
  const { scheduling = {}, template } = job.spec;
  const { schedulingConstraints, disruptionMode, resourceClaims = [] } = scheduling;
  const priorityClassName = template?.spec.priorityClassName;
  return {
    name,
    schedulingPolicy: minCount === undefined ? { basic: {} } : { gang: { minCount } },
    ...(schedulingConstraints?.topology?.length && { schedulingConstraints }),
    ...(disruptionMode !== undefined && { disruptionMode }),
    ...(resourceClaims.length > 0 && { resourceClaims }),
    ...(priorityClassName !== undefined && { priorityClassName }),
  };
}

interface PodGroupOrigin {
  workload: Workload;
  template: PodGroupTemplate;
  owners: object[];
}

/** The PodGroup of a Job (J-8.25). The group has the whole template, even if a user wrote the template. */
function newPodGroup(
  { job, api }: GroupRequest,
  name: string,
  { workload, template, owners }: PodGroupOrigin,
): object {
  const { name: templateName, schedulingPolicy, schedulingConstraints, ...others } = template;
  const { disruptionMode, resourceClaims, priorityClassName, priority } = others;
  return {
    apiVersion: api,
    kind: 'PodGroup',
    metadata: { name, namespace: job.metadata.namespace, ownerReferences: owners },
    spec: {
      workloadRef: { workloadName: workload.metadata.name, templateName },
      schedulingPolicy,
      // The API server may write null for an absent field.
      ...(schedulingConstraints != null && { schedulingConstraints }),
      ...(disruptionMode !== undefined && { disruptionMode }),
      ...(resourceClaims !== undefined && { resourceClaims }),
      ...(priorityClassName !== undefined && { priorityClassName }),
      ...(priority !== undefined && { priority }),
    },
  };
}

type WithPolicy = Pick<PodGroupTemplate, 'schedulingPolicy'>;

function gangMinCount({ schedulingPolicy }: WithPolicy): number | undefined {
  return schedulingPolicy.gang?.minCount;
}

/** Gives a gang the wanted size (J-8.26), and returns the size that it has. `at` is the path of its template. */
async function setGangSize(
  of: GroupRequest,
  resource: GroupResource,
  { metadata: { name, uid }, template, at }: { metadata: ObjectMeta; template: WithPolicy; at: string },
  wanted: number | undefined,
): Promise<number | undefined> {
  const size = gangMinCount(template);
  if (size === undefined || wanted === undefined || size === wanted) return size;
  const { client, signal } = of.context;
  await client.request({
    method: 'PATCH',
    path: `${groupPath(of, resource)}/${pathSegment(name)}`,
    contentType: 'application/json-patch+json',
    body: [
      { op: 'test', path: '/metadata/uid', value: uid },
      { op: 'replace', path: `${at}/schedulingPolicy/gang/minCount`, value: wanted },
    ],
    signal,
  });
  return wanted;
}

function toGang(
  { job }: GroupRequest,
  workload: Workload,
  group: PodGroup,
  minCount: number | undefined,
): Gang {
  return {
    workload: workload.metadata.name,
    podGroup: group.metadata.name,
    api: 'v1beta1',
    ...(minCount !== undefined && { minCount }),
    generation: jobFacts(job).generation,
  };
}

/**
 * The error for a Workload without exactly one template, in upstream's words. The Job waits until a user corrects the
 * Workload.
 */
function templateCountError({ job }: GroupRequest, { metadata, spec }: Workload): Error {
  const [namespace, count] = [metadata.namespace, spec.podGroupTemplates.length];
  return new GroupNotEnsured({
    status: 422,
    reason: 'Invalid',
    message: `workload ${namespace}/${metadata.name} for job ${namespace}/${job.metadata.name} has ${count} PodGroupTemplates, want exactly 1`,
  });
}

/**
 * Sends Events about the objects that this decision has created. An earlier attempt may have created the objects and
 * may have ended before it sent the Events, which have the same names.
 */
function emitCreated(
  { context, job }: GroupRequest,
  objects: readonly { kind: string; metadata: ObjectMeta }[],
): Promise<void> {
  const decidedAt = Math.floor(context.eventKey.now / 1000) * 1000;
  const created = objects.filter(({ metadata }) => Date.parse(metadata.creationTimestamp) >= decidedAt);
  return emitOnJob(
    context,
    created.map(({ kind, metadata }) => ({
      type: 'Normal',
      reason: `${kind}Created`,
      message: `Created ${kind} ${metadata.name} for Job ${job.metadata.name}`,
    })),
  );
}
