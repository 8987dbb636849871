import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { ensureGang } from '../../services/worker/activities/job/ensure-gang.ts';
import type { CommandContext } from '../../services/worker/activities/job/command-context.ts';
import { refusalEvents } from '../../services/adapters/kubernetes/events-on-job.ts';
import type { GroupToEnsure } from '../../workflows/job/commands.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import type { Job, ObjectMeta, PodGroup, Workload } from '../../workflows/kubernetes/objects.ts';
import { JOB_UID, jobObject, type JobFields } from '../support/builders.ts';
import { aCommandContext } from './a-command-context.ts';
import { statusError } from './a-played-server.ts';

const AT = '/apis/scheduling.k8s.io/v1beta1/namespaces/default';
const OWN = { workload: 'pi-w', podGroupTemplate: 'pi-pgt-0', podGroup: 'pi-w-pi-pgt-0-h' };
const OF_JOB = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  name: 'pi',
  uid: JOB_UID,
  controller: true,
  blockOwnerDeletion: true,
};
const DECIDED = Date.parse('2026-03-01T12:00:00.400Z');
const JUST_NOW = '2026-03-01T12:00:00Z';

interface Played {
  context: CommandContext;
  /** By resource and name. */
  objects: Map<string, { metadata: ObjectMeta; spec: object }>;
  /** Reason and message of each Event. */
  events: [string, string][];
  asked: string[];
  refuse: (request: ApiRequest) => Error | null;
}

/** An API server with Workloads and PodGroups. `job`: beside its fields, parts of the whole object. */
function playedWith(job: JobFields = {}, change: (job: Job) => void = () => undefined): Played {
  const live = jobObject(job);
  change(live);
  const base = aCommandContext();
  const played: Played = { context: base, objects: new Map(), events: [], asked: [], refuse: () => null };
  const answer = ({ method, path, body }: ApiRequest): unknown => {
    if (path.endsWith('/events')) {
      const { reason, message } = body as { reason: string; message: string };
      return void played.events.push([reason, message]);
    }
    const [resource = '', name] = path.slice(AT.length + 1).split(/[/?]/);
    played.asked.push(`${method} ${resource}`);
    const refusal = played.refuse({ method, path, body });
    if (refusal !== null) throw refusal;
    if (method === 'GET' && (name ?? '').includes('limit')) return listed(resource);
    if (method === 'POST') return created(resource, body as { metadata: ObjectMeta; spec: object });
    const found = played.objects.get(`${resource}/${name}`);
    if (found === undefined) throw statusError(404, 'NotFound', `${resource} "${name}" not found`);
    if (method === 'PATCH') patch(found, body as { op: string; path: string; value: unknown }[]);
    return found;
  };
  const listed = (resource: string): object => ({
    metadata: { resourceVersion: '1' },
    items: [...played.objects].filter(([key]) => key.startsWith(`${resource}/`)).map(([, item]) => item),
  });
  const created = (resource: string, object: { metadata: ObjectMeta; spec: object }): object => {
    const key = `${resource}/${object.metadata.name}`;
    if (played.objects.has(key)) throw statusError(409, 'AlreadyExists', `${key} already exists`);
    const metadata = { ...object.metadata, uid: `uid of ${key}`, creationTimestamp: JUST_NOW };
    played.objects.set(key, { ...object, metadata });
    return { ...object, metadata };
  };
  const client = {
    ...base.client,
    request: <T>(request: ApiRequest) => Promise.resolve().then(() => answer(request) as T),
  };
  const eventKey = { decision: 'east/decision', now: DECIDED, command: 0 };
  const read = (): Promise<Job> => Promise.resolve(live);
  played.context = { ...base, client, eventKey, readJob: read, recentJob: read };
  return played;
}

/** A JSON patch with `test` and `replace`. */
function patch(object: object, operations: readonly { op: string; path: string; value: unknown }[]): void {
  for (const { op, path, value } of operations) {
    const names = path.slice(1).split('/');
    const last = names.pop() ?? '';
    const parent = names.reduce(
      (at, name) => at[name] as Record<string, unknown>,
      object as Record<string, unknown>,
    );
    if (op === 'test' && parent[last] !== value)
      throw statusError(422, 'Invalid', `testing value ${path} failed`);
    if (op === 'replace') parent[last] = value;
  }
}

function ensure({ context }: Played, group: GroupToEnsure): Promise<Outcome> {
  const why = { rule: 'J-8.21', message: '' } as const;
  return ensureGang(context, { kind: 'EnsureGang', group, why }).then((outcome) => ({ ...outcome, at: 0 }));
}

function workloadIn({ objects }: Played, name = OWN.workload): Workload {
  return objects.get(`workloads/${name}`) as unknown as Workload;
}

function groupIn({ objects }: Played, name = OWN.podGroup): PodGroup {
  return objects.get(`podgroups/${name}`) as unknown as PodGroup;
}

const NEW = { own: OWN, create: true };
const GANG = { ...NEW, minCount: 3 };

describe('the Workload and the PodGroup of a new Job in Kubernetes 1.37', () => {
  it('are created with the Job as owner, with an Event each (J-8.23, J-8.25)', async () => {
    const played = playedWith();
    expect(await ensure(played, NEW)).toMatchObject({
      result: 'done',
      gang: { workload: 'pi-w', podGroup: OWN.podGroup, api: 'v1beta1', generation: 1 },
    });
    const workload = workloadIn(played);
    expect(workload.metadata.ownerReferences).toEqual([OF_JOB]);
    expect(workload.spec).toEqual({
      controllerRef: { apiGroup: 'batch', kind: 'Job', name: 'pi' },
      podGroupTemplates: [{ name: 'pi-pgt-0', schedulingPolicy: { basic: {} } }],
    });
    const group = groupIn(played);
    const api = 'scheduling.k8s.io/v1beta1';
    const ofWorkload = { apiVersion: api, kind: 'Workload', name: 'pi-w', uid: workload.metadata.uid };
    expect(group.metadata.ownerReferences).toEqual([OF_JOB, ofWorkload]);
    expect(group.spec).toEqual({
      workloadRef: { workloadName: 'pi-w', templateName: 'pi-pgt-0' },
      schedulingPolicy: { basic: {} },
    });
    expect(played.events).toEqual([
      ['WorkloadCreated', 'Created Workload pi-w for Job pi'],
      ['PodGroupCreated', `Created PodGroup ${OWN.podGroup} for Job pi`],
    ]);
    expect(played.asked).toEqual(['POST workloads', 'POST podgroups']);
  });

  it('contain all of spec.scheduling, and the priority class of the pods', async () => {
    const scheduling = {
      schedulingPolicy: { gang: {} },
      schedulingConstraints: { topology: [{ key: 'rack' }] },
      disruptionMode: { all: {} },
      resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpus' }],
    };
    const played = playedWith({ scheduling }, ({ spec }) => {
      if (spec.template !== undefined) spec.template.spec.priorityClassName = 'high';
    });
    expect(await ensure(played, GANG)).toMatchObject({ gang: { minCount: 3 } });
    const { schedulingConstraints, disruptionMode, resourceClaims } = scheduling;
    const template = {
      schedulingPolicy: { gang: { minCount: 3 } },
      schedulingConstraints,
      disruptionMode,
      resourceClaims,
      priorityClassName: 'high',
    };
    expect(workloadIn(played).spec.podGroupTemplates).toEqual([{ name: 'pi-pgt-0', ...template }]);
    expect(groupIn(played).spec).toMatchObject(template);
  });

  it('are found by a repeated attempt, which sends their Events again', async () => {
    const played = playedWith();
    const first = await ensure(played, GANG);
    expect(await ensure(played, GANG)).toEqual(first);
    expect(played.objects.size).toBe(2);
    expect(played.events.map(([reason]) => reason)).toEqual([
      'WorkloadCreated',
      'PodGroupCreated',
      'WorkloadCreated',
      'PodGroupCreated',
    ]);
  });

  it('have no Events when they existed before', async () => {
    const played = playedWith();
    await ensure(played, NEW);
    played.events.length = 0;
    for (const { metadata } of played.objects.values()) metadata.creationTimestamp = '2026-03-01T11:59:59Z';
    await ensure(played, NEW);
    expect(played.events).toEqual([]);
  });

  it.each([
    ['Workload', 'workloads/pi-w', 'Workload'],
    ['PodGroup', `podgroups/${OWN.podGroup}`, undefined],
  ])(
    'are not replaced by objects of other clients with their names, which are an error: %s',
    async (_kind, key, creating) => {
      const played = playedWith();
      const [, name = ''] = key.split('/');
      const metadata = {
        name,
        namespace: 'default',
        uid: 'x',
        resourceVersion: '1',
        creationTimestamp: JUST_NOW,
      };
      played.objects.set(key, { metadata, spec: {} });
      const outcome = await ensure(played, NEW);
      expect(outcome).toMatchObject({ result: 'failed', error: { status: 409, reason: 'AlreadyExists' } });
      expect('creating' in outcome ? outcome.creating : undefined).toBe(creating);
    },
  );

  it('fail when the Workload does not have exactly one template', async () => {
    const played = playedWith();
    await ensure(played, NEW);
    workloadIn(played).spec.podGroupTemplates.push({ name: 'b', schedulingPolicy: { basic: {} } });
    expect(await ensure(played, NEW)).toMatchObject({
      result: 'failed',
      error: { message: 'workload default/pi-w for job default/pi has 2 PodGroupTemplates, want exactly 1' },
    });
  });

  it('lead to the Event of upstream when the API server refuses them, and to another attempt after an outage', async () => {
    const played = playedWith();
    played.refuse = () => statusError(403, 'Forbidden', 'not in this namespace');
    const outcome = await ensure(played, NEW);
    expect(refusalEvents({ name: 'pi' }, outcome)).toEqual([
      {
        type: 'Warning',
        reason: 'FailedWorkloadCreate',
        message: 'Failed to create Workload for Job pi: not in this namespace',
      },
    ]);
    played.refuse = ({ path }) => (path.endsWith('podgroups') ? statusError(403, 'Forbidden', 'no') : null);
    expect(refusalEvents({ name: 'pi' }, await ensure(played, NEW))[0]?.reason).toBe('FailedGang');
    played.refuse = () => new UnavailableError('down');
    await expect(ensure(played, NEW)).rejects.toThrow(UnavailableError);
  });

  it('are not created when the pod template on the server names a scheduling group', async () => {
    const played = playedWith({}, ({ spec }) => {
      if (spec.template !== undefined) spec.template.spec.schedulingGroup = { podGroupName: 'theirs' };
    });
    expect(await ensure(played, NEW)).toMatchObject({
      gang: { none: 'the pod template names a scheduling group' },
    });
  });
});

describe('the Workload and the PodGroup of a Job that has started (J-8.23)', () => {
  it.each([
    ['no Workload', [], 'the Job has started, and has no pi-w among its workloads'],
    [
      'no PodGroup',
      [`podgroups/${OWN.podGroup}`],
      `the Job has started, and has no ${OWN.podGroup} among its podgroups`,
    ],
  ])('are not created when the Job has %s', async (_case, missing, none) => {
    const played = playedWith();
    if (missing.length > 0) await ensure(played, NEW);
    for (const key of missing) played.objects.delete(key);
    played.asked.length = 0;
    expect(await ensure(played, { own: OWN, create: false })).toMatchObject({ gang: { none } });
    expect(played.asked.every((asked) => asked.startsWith('GET'))).toBe(true);
  });
});

describe('the size of a gang (J-8.26)', () => {
  it('is changed in both the Workload and the PodGroup', async () => {
    const played = playedWith();
    await ensure(played, GANG);
    const outcome = await ensure(played, { own: OWN, minCount: 2, create: false });
    expect(outcome).toMatchObject({ gang: { minCount: 2 } });
    expect(workloadIn(played).spec.podGroupTemplates[0]?.schedulingPolicy).toEqual({ gang: { minCount: 2 } });
    expect(groupIn(played).spec.schedulingPolicy).toEqual({ gang: { minCount: 2 } });
    played.asked.length = 0;
    await ensure(played, { own: OWN, minCount: 2, create: false });
    expect(played.asked).toEqual(['GET workloads', 'GET podgroups']);
  });

  it('is not written into a PodGroup with another scheduling policy than gang', async () => {
    const played = playedWith();
    await ensure(played, NEW);
    const outcome = await ensure(played, { own: OWN, minCount: 2, create: false });
    expect(outcome).toMatchObject({ result: 'done', gang: { podGroup: OWN.podGroup } });
    expect(groupIn(played).spec.schedulingPolicy).toEqual({ basic: {} });
    expect(outcome).not.toHaveProperty('gang.minCount');
  });
});

describe('the PodGroup that the owner of a Job leaves to Jobledger (J-8.22)', () => {
  const OWNER = {
    apiVersion: 'example.com/v1',
    kind: 'SuperJob',
    name: 'parent',
    uid: 'parent-uid',
    controller: true,
  };
  const delegated = (template?: string): Played =>
    playedWith({}, ({ metadata }) => {
      metadata.ownerReferences = [OWNER];
      metadata.annotations = { 'scheduling.k8s.io/group-template-name': template ?? 'workers' };
    });
  const withWorkload = (played: Played, apiGroup = 'example.com'): void => {
    const metadata = {
      name: 'parents',
      namespace: 'default',
      uid: 'w',
      resourceVersion: '1',
      creationTimestamp: '2026-03-01T11:00:00Z',
    };
    const spec = {
      controllerRef: { apiGroup, kind: 'SuperJob', name: 'parent' },
      podGroupTemplates: [{ name: 'workers', schedulingPolicy: { gang: { minCount: 4 } }, priority: 5 }],
    };
    played.objects.set('workloads/parents', { metadata, spec });
  };

  it('is created from the template in the Workload of the owner, and has the Job as its only owner', async () => {
    const played = delegated();
    withWorkload(played);
    const outcome = await ensure(played, { create: true });
    expect(outcome).toMatchObject({ gang: { workload: 'parents', minCount: 4 } });
    const name =
      outcome.kind === 'EnsureGang' && 'gang' in outcome && 'podGroup' in outcome.gang
        ? outcome.gang.podGroup
        : '';
    const group = groupIn(played, name);
    expect(name).toMatch(/^parents-workers-/);
    expect(group.metadata.ownerReferences).toEqual([OF_JOB]);
    expect(group.spec).toEqual({
      workloadRef: { workloadName: 'parents', templateName: 'workers' },
      schedulingPolicy: { gang: { minCount: 4 } },
      priority: 5,
    });
    expect(played.events.map(([reason]) => reason)).toEqual(['PodGroupCreated']);
  });

  it('gets the size that the owner later sets in its Workload', async () => {
    const played = delegated();
    withWorkload(played);
    await ensure(played, { create: true });
    const [template] = workloadIn(played, 'parents').spec.podGroupTemplates;
    if (template?.schedulingPolicy.gang !== undefined) template.schedulingPolicy.gang.minCount = 6;
    expect(await ensure(played, { create: false })).toMatchObject({ gang: { minCount: 6 } });
  });

  it.each([
    [
      'no Workload refers to the owner',
      delegated(),
      null,
      'no Workload refers to SuperJob parent, the owner',
    ],
    [
      'the Workload refers to an owner of another API',
      delegated(),
      'example.org',
      'no Workload refers to SuperJob parent, the owner',
    ],
    [
      'the Workload has no such template',
      delegated('drivers'),
      'example.com',
      'Workload parents has no template "drivers" (scheduling.k8s.io/group-template-name)',
    ],
  ])('is not created when %s', async (_case, played, apiGroup, none) => {
    if (apiGroup !== null) withWorkload(played, apiGroup);
    expect(await ensure(played, { create: true })).toMatchObject({ gang: { none } });
  });
});
