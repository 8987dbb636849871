import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import { silentLog } from '../../services/adapters/log.ts';
import { createServesGangs } from '../../services/worker/activities/serves-gangs.ts';

/** What the API server answers, one answer after the other; the last one is repeated. */
function asking(...answers: (string[] | Error)[]): {
  servesGangs: () => Promise<boolean>;
  paths: string[];
  clock: { now: number };
} {
  const [paths, clock]: [string[], { now: number }] = [[], { now: 0 }];
  const request = <T>({ path }: { path: string }): Promise<T> => {
    const answer = answers[Math.min(paths.length, answers.length - 1)] ?? [];
    paths.push(path);
    return answer instanceof Error
      ? Promise.reject(answer)
      : Promise.resolve({ resources: answer.map((name) => ({ name })) } as T);
  };
  const client = { cluster: 'east', request, stream: () => Promise.reject(new Error('not asked for')) };
  return { servesGangs: createServesGangs({ client, log: silentLog(), now: () => clock.now }), paths, clock };
}

function refusal(status: number): KubernetesApiError {
  return new KubernetesApiError({ status, reason: String(status), message: 'no', causes: [] });
}

describe('whether a cluster serves gangs (J-8.1)', () => {
  it.each([
    ['it has Workloads and PodGroups', ['workloads', 'podgroups', 'podgroups/status'], true],
    ['it has only one of them', ['workloads'], false],
    ['it does not know the version of the API', refusal(404), false],
    ['it tells nobody what it serves', refusal(403), false],
  ])('%s', async (_case, answer, expected) => {
    const { servesGangs, paths } = asking(answer);
    expect(await servesGangs()).toBe(expected);
    expect(paths).toEqual(['/apis/scheduling.k8s.io/v1alpha2']);
  });

  it('is asked once a minute, for all Jobs together', async () => {
    const { servesGangs, paths, clock } = asking([], ['workloads', 'podgroups']);
    expect([await servesGangs(), await servesGangs()]).toEqual([false, false]);
    clock.now = 60_000;
    expect(await servesGangs()).toBe(true);
    expect(paths).toHaveLength(2);
  });

  it('is asked again when the API server did not answer', async () => {
    const { servesGangs } = asking(new UnavailableError('down'), ['workloads', 'podgroups']);
    await expect(servesGangs()).rejects.toThrow('down');
    expect(await servesGangs()).toBe(true);
  });
});
