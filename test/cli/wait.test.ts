import { describe, expect, it } from '@jest/globals';
import type { JobView } from '../../services/read-model/views.ts';
import { metBy } from '../../cli/verbs/wait/wait.ts';

function aRow(fields: Partial<JobView>): JobView {
  const row = {
    cluster: 'c',
    namespace: 'n',
    name: 'pi',
    status: 'Running',
    finished_at: null,
    deleted_at: null,
  };
  return { ...row, ...fields } as JobView;
}

const AT = '2026-11-21T03:12:00Z';

describe('waiting for a Job', () => {
  it.each([
    ['complete', { status: 'Complete', finished_at: AT }, { met: true, words: 'c/n/pi: Complete' }],
    ['complete', { status: 'Failed', finished_at: AT }, { met: false, words: 'c/n/pi: Failed' }],
    ['failed', { status: 'Failed', finished_at: AT }, { met: true, words: 'c/n/pi: Failed' }],
    ['failed', { status: 'Complete', finished_at: AT }, { met: false, words: 'c/n/pi: Complete' }],
    ['ended', { status: 'Failed', finished_at: AT, deleted_at: AT }, { met: true, words: 'c/n/pi: Failed' }],
    ['ended', { deleted_at: AT }, { met: false, words: 'c/n/pi was deleted before it ended' }],
  ] as const)('to be %s, with %j', (condition, fields, met) => {
    expect(metBy(aRow(fields), condition)).toEqual(met);
  });

  it('goes on while the Job runs, is suspended, or only about to fail', () => {
    for (const status of ['Running', 'Suspended', 'FailureTarget'])
      expect(metBy(aRow({ status }), 'ended')).toBeNull();
  });
});
