import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createSchedulingApi } from '../../services/worker/activities/job/scheduling-api.ts';

const GROUPS = '/apis';
const RESOURCES = '/apis/scheduling.k8s.io/v1alpha2';
const LATER_RESOURCES = '/apis/scheduling.k8s.io/v1beta1';

/** An API server that lists these versions, and these resources of gang scheduling. */
function asking(versions: string[] | Error, resources: string[] | Error = []) {
  const played = { versions, resources };
  const [paths, clock]: [string[], { now: number }] = [[], { now: 0 }];
  const request = <T>({ path }: { path: string }): Promise<T> => {
    paths.push(path);
    const answer = path === GROUPS ? played.versions : played.resources;
    if (answer instanceof Error) return Promise.reject(answer);
    const groups = answer.map((groupVersion) => ({ versions: [{ groupVersion }] }));
    return Promise.resolve(
      (path === GROUPS ? { groups } : { resources: answer.map((name) => ({ name })) }) as T,
    );
  };
  const client = { cluster: 'east', request, stream: () => Promise.reject(new Error('not asked for')) };
  const schedulingApi = createSchedulingApi({
    client,
    log: silentLog(),
    now: () => clock.now,
  });
  return { schedulingApi, paths, clock, played };
}

const SERVED = ['batch/v1', 'scheduling.k8s.io/v1alpha2'];
const BOTH = ['workloads', 'podgroups', 'podgroups/status'];

function refusal(status: number): KubernetesApiError {
  return new KubernetesApiError({ status, reason: String(status), message: 'no', causes: [] });
}

describe('the API of Workloads and PodGroups that a cluster serves (J-8.1, J-8.20)', () => {
  it.each([
    ['the cluster has Workloads and PodGroups', SERVED, BOTH, 'served', [GROUPS, RESOURCES]],
    ['the cluster has only Workloads', SERVED, ['workloads'], 'not-served', [GROUPS, RESOURCES]],
    ['the cluster does not list the version of the API', ['batch/v1'], refusal(404), 'not-served', [GROUPS]],
    ['the cluster refuses to list its APIs', refusal(403), refusal(403), 'not-served', [GROUPS]],
  ])('is served only when both resources exist: %s', async (_case, versions, resources, expected, asked) => {
    const { schedulingApi, paths } = asking(versions, resources);
    expect(await schedulingApi()).toBe(expected);
    expect(paths).toEqual(asked);
  });

  it('is v1beta1 on a cluster of Kubernetes 1.37', async () => {
    const { schedulingApi, paths } = asking(['scheduling.k8s.io/v1beta1'], BOTH);
    expect(await schedulingApi()).toBe('v1beta1');
    expect(paths).toEqual([GROUPS, LATER_RESOURCES]);
  });

  it('is the later version when a cluster serves two', async () => {
    const { schedulingApi } = asking([...SERVED, 'scheduling.k8s.io/v1beta1'], BOTH);
    expect(await schedulingApi()).toBe('v1beta1');
  });

  it('is requested once a minute, for all Jobs together', async () => {
    const { schedulingApi, paths, clock, played } = asking(['batch/v1'], BOTH);
    expect([await schedulingApi(), await schedulingApi()]).toEqual(['not-served', 'not-served']);
    clock.now = 60_000;
    played.versions = SERVED;
    expect(await schedulingApi()).toBe('served');
    expect(paths).toEqual([GROUPS, GROUPS, RESOURCES]);
  });

  it.each([
    ['did not answer', new UnavailableError('down')],
    ['does not find what it has listed', refusal(404)],
  ])('is requested again when the API server %s', async (_case, error) => {
    const { schedulingApi, played } = asking(SERVED, error);
    await expect(schedulingApi()).rejects.toBe(error);
    played.resources = BOTH;
    expect(await schedulingApi()).toBe('served');
  });
});
