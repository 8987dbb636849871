import { describe, expect, it } from '@jest/globals';
import type { JobView } from '../../services/read-model/views/jobs.ts';
import { InputError } from '../../services/adapters/errors.ts';
import { UnknownJobError } from '../../services/read-model/queries/find-job.ts';
import { jobOrUnknown, metBy, timedOutText } from '../../cli/verbs/wait/wait.ts';

function aRow(fields: Partial<JobView>): JobView {
  const row = {
    cluster: 'c',
    namespace: 'n',
    name: 'pi',
    kubectl_status: 'Running',
    status: 'Running',
    waiting_for: null,
    waiting_until: null,
    reason: null,
    finished_at: null,
    deleted_at: null,
  };
  return { ...row, ...fields } as JobView;
}

const AT = '2026-11-21T03:12:00Z';
const SUCCEEDED = { kubectl_status: 'Complete', status: 'Succeeded' } as const;
const FAILED = {
  kubectl_status: 'Failed',
  status: 'Failed',
  reason: '137 OOMKilled ×2: back-off limit reached',
} as const;
const WHY = 'Failed, 137 OOMKilled ×2: back-off limit reached';

describe('a wait for a Job', () => {
  it.each([
    ['complete', { ...SUCCEEDED, finished_at: AT }, { met: true, message: 'c/n/pi: Succeeded' }],
    ['complete', { ...FAILED, finished_at: AT }, { met: false, message: `c/n/pi: ${WHY}` }],
    ['failed', { ...FAILED, finished_at: AT }, { met: true, message: `c/n/pi: ${WHY}` }],
    ['failed', { ...SUCCEEDED, finished_at: AT }, { met: false, message: 'c/n/pi: Succeeded' }],
    ['ended', { ...FAILED, finished_at: AT, deleted_at: AT }, { met: true, message: `c/n/pi: ${WHY}` }],
    ['ended', { deleted_at: AT }, { met: false, message: 'c/n/pi was deleted before it ended' }],
  ] as const)(
    'ends with the result whether its condition was met: the condition %s and the Job %j',
    (condition, fields, met) => {
      expect(metBy(aRow(fields), condition)).toEqual(met);
    },
  );

  it('reports, at its time limit, whether the Job was ever seen, and the last status of the Job', () => {
    expect(timedOutText('nosuch', 2, null)).toBe(
      'no Job named "nosuch" was seen within 2 s; "jobledger get" lists those that were',
    );
    expect(timedOutText('pi', 2, aRow({ status: 'Pending', waiting_for: '0 of 2 nodes fit' }))).toBe(
      'c/n/pi has not ended after 2 s: Pending, waiting for: 0 of 2 nodes fit',
    );
  });

  it('continues while the Job runs, is suspended, or is about to fail', () => {
    for (const status of ['Running', 'Suspended', 'FailureTarget'])
      expect(metBy(aRow({ kubectl_status: status }), 'ended')).toBeNull();
  });
});

describe('a wait for an unknown Job', () => {
  function rowsOf(clusters: readonly string[], error: InputError) {
    return { job: () => Promise.reject(error), clusters: () => Promise.resolve([...clusters]) };
  }
  const unknown = new UnknownJobError('no such Job', []);

  it('continues, because a new Job is observed soon', async () => {
    const rows = rowsOf(['east'], unknown);
    expect(await jobOrUnknown(rows, { name: 'pi' }, true)).toBeNull();
    expect(await jobOrUnknown(rows, { name: 'pi', cluster: 'east' }, true)).toBeNull();
    expect(await jobOrUnknown(rowsOf([], unknown), { name: 'pi', cluster: 'east' }, true)).toBeNull();
    await expect(jobOrUnknown(rows, { name: 'pi' }, false)).rejects.toBe(unknown);
  });

  it('ends at once in a cluster that does not exist, with direct access and through an API', async () => {
    const fromApi = Object.assign(new InputError('no such Job'), { kind: 'unknown-job' });
    for (const error of [unknown, fromApi])
      await expect(jobOrUnknown(rowsOf(['east'], error), { name: 'pi', cluster: 'west' }, true)).rejects.toBe(
        error,
      );
  });
});
