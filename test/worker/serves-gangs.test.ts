import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createServesGangs } from '../../services/worker/activities/job/serves-gangs.ts';

const GROUPS = '/apis';
const RESOURCES = '/apis/scheduling.k8s.io/v1alpha2';

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
  const servesGangs = createServesGangs({ client, log: silentLog(), now: () => clock.now });
  return { servesGangs, paths, clock, played };
}

const SERVED = ['batch/v1', 'scheduling.k8s.io/v1alpha2'];
const BOTH = ['workloads', 'podgroups', 'podgroups/status'];

function refusal(status: number): KubernetesApiError {
  return new KubernetesApiError({ status, reason: String(status), message: 'no', causes: [] });
}

describe('whether a cluster serves gangs (J-8.1)', () => {
  it.each([
    ['it has Workloads and PodGroups', SERVED, BOTH, true, [GROUPS, RESOURCES]],
    ['it has only one of them', SERVED, ['workloads'], false, [GROUPS, RESOURCES]],
    ['it does not list the version of the API', ['batch/v1'], refusal(404), false, [GROUPS]],
    ['it tells nobody what it serves', refusal(403), refusal(403), false, [GROUPS]],
  ])('%s', async (_case, versions, resources, expected, asked) => {
    const { servesGangs, paths } = asking(versions, resources);
    expect(await servesGangs()).toBe(expected);
    expect(paths).toEqual(asked);
  });

  it('is asked once a minute, for all Jobs together', async () => {
    const { servesGangs, paths, clock, played } = asking(['batch/v1'], BOTH);
    expect([await servesGangs(), await servesGangs()]).toEqual([false, false]);
    clock.now = 60_000;
    played.versions = SERVED;
    expect(await servesGangs()).toBe(true);
    expect(paths).toEqual([GROUPS, GROUPS, RESOURCES]);
  });

  it.each([
    ['did not answer', new UnavailableError('down')],
    ['does not find what it has listed', refusal(404)],
  ])('is asked again when the API server %s', async (_case, error) => {
    const { servesGangs, played } = asking(SERVED, error);
    await expect(servesGangs()).rejects.toBe(error);
    played.resources = BOTH;
    expect(await servesGangs()).toBe(true);
  });
});
