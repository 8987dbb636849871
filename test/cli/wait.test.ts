import { describe, expect, it } from '@jest/globals';
import type { JobView } from '../../services/read-model/views.ts';
import { metBy, timedOutWords } from '../../cli/verbs/wait/wait.ts';

function aRow(fields: Partial<JobView>): JobView {
  const row = {
    cluster: 'c',
    namespace: 'n',
    name: 'pi',
    status: 'Running',
    state: 'Running',
    waits_for: null,
    waits_until: null,
    reason: null,
    finished_at: null,
    deleted_at: null,
  };
  return { ...row, ...fields } as JobView;
}

const AT = '2026-11-21T03:12:00Z';
const SUCCEEDED = { status: 'Complete', state: 'Succeeded' } as const;
const FAILED = {
  status: 'Failed',
  state: 'Failed',
  reason: '137 OOMKilled ×2: back-off limit reached',
} as const;
const WHY = 'Failed, 137 OOMKilled ×2: back-off limit reached';

describe('waiting for a Job', () => {
  it.each([
    ['complete', { ...SUCCEEDED, finished_at: AT }, { met: true, words: 'c/n/pi: Succeeded' }],
    ['complete', { ...FAILED, finished_at: AT }, { met: false, words: `c/n/pi: ${WHY}` }],
    ['failed', { ...FAILED, finished_at: AT }, { met: true, words: `c/n/pi: ${WHY}` }],
    ['failed', { ...SUCCEEDED, finished_at: AT }, { met: false, words: 'c/n/pi: Succeeded' }],
    ['ended', { ...FAILED, finished_at: AT, deleted_at: AT }, { met: true, words: `c/n/pi: ${WHY}` }],
    ['ended', { deleted_at: AT }, { met: false, words: 'c/n/pi was deleted before it ended' }],
  ] as const)('to be %s, with %j', (condition, fields, met) => {
    expect(metBy(aRow(fields), condition)).toEqual(met);
  });

  it('that takes too long says whether the Job was ever seen, and what it does', () => {
    expect(timedOutWords('nosuch', 2, null)).toBe(
      'no Job named "nosuch" was seen within 2 s; "jobledger get" lists those that were',
    );
    expect(timedOutWords('pi', 2, aRow({ state: 'Pending', waits_for: '0 of 2 nodes fit' }))).toBe(
      'c/n/pi has not ended after 2 s: Pending, waits for: 0 of 2 nodes fit',
    );
  });

  it('goes on while the Job runs, is suspended, or only about to fail', () => {
    for (const status of ['Running', 'Suspended', 'FailureTarget'])
      expect(metBy(aRow({ status }), 'ended')).toBeNull();
  });
});
