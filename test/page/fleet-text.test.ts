import { describe, expect, it } from '@jest/globals';
import { filterChips } from '../../page/fleet/filters/filter-text.ts';
import { filtersOfGroup } from '../../page/fleet/groups/group-filters.ts';
import { frequentLabels } from '../../page/fleet/filters/labels.ts';
import { jobProgress } from '../../page/components/progress.ts';
import { runTime } from '../../page/components/run-time.ts';
import { viewsIn } from '../../page/fleet/saved-views.ts';
import { statusTiles } from '../../page/fleet/tiles.ts';
import { statusReasonText } from '../../page/fleet/jobs/status-reason.ts';
import { after, aRow, START } from './a-job.ts';

describe('the progress bar and text of a Job', () => {
  it.each([
    [
      'a Job at work',
      { completions: 10, succeeded: 4, active: 2 },
      { succeeded: 40, failed: 0, running: 20, message: '4/10' },
    ],
    [
      'a failed Job, whose failed pods are in the bar',
      {
        status: 'Failed' as const,
        completions: 10,
        succeeded: 4,
        failed: 3,
        active: 0,
        finished_at: after(9),
      },
      { succeeded: 40, failed: 30, running: 0, message: '4/10' },
    ],
    [
      'more failed pods than remaining work, which fill the bar',
      { status: 'Failed' as const, completions: 1, failed: 4, active: 0, finished_at: after(9) },
      { succeeded: 0, failed: 100, running: 0, message: '0/1' },
    ],
    [
      'a Job that still runs, whose failed pods are not in the bar',
      { completions: 2, succeeded: 1, failed: 5, active: 1 },
      { succeeded: 50, failed: 0, running: 50, message: '1/2' },
    ],
    [
      'a Job that has not started, whose bar is empty',
      { status: 'Pending' as const, completions: 2, active: 2 },
      { succeeded: 0, failed: 0, running: 0, message: '0/2' },
    ],
    [
      'a work queue, with its succeeded and its active pods',
      { completions: null, succeeded: 3, active: 1 },
      { succeeded: 75, failed: 0, running: 25, message: '3' },
    ],
    [
      'a Job without completions, which is complete',
      { completions: 0, active: 0 },
      { succeeded: 100, failed: 0, running: 0, message: '0/0' },
    ],
  ])('show the succeeded, failed and running pods: %s', (_of, fields, expected) => {
    expect(jobProgress(aRow(fields))).toEqual(expected);
  });
});

describe('the reason in a row of the fleet', () => {
  const now = START;
  it.each([
    [
      { status: 'Failed' as const, reason: '137 OOMKilled ×2: back-off limit reached' },
      '137 OOMKilled ×2: back-off limit reached',
    ],
    [
      {
        status: 'Retrying' as const,
        reason: 'exit code 3 ×2',
        waiting_for: 'its next attempt',
        waiting_until: after(38),
      },
      'exit code 3 ×2; waits for its next attempt, in 38 s',
    ],
    [{ status: 'Pending' as const, waiting_for: 'its pod to start' }, 'waits for its pod to start'],
    [
      { status: 'Pending' as const, waiting_for: 'its pod to start', waiting_until: after(-5) },
      'waits for its pod to start',
    ],
    [
      { status: 'External' as const, waiting_for: 'the built-in Job controller' },
      'controlled by the built-in Job controller',
    ],
    [{ active: 62 }, '62 pods at work'],
    [{ status: 'Deleted' as const, active: 1 }, ''],
    [{ status: 'Succeeded' as const, active: 0 }, ''],
  ])('shows why the Job failed, or what it waits for: %j gives "%s"', (fields, message) => {
    expect(statusReasonText(aRow(fields), now)).toBe(message);
  });
});

describe('the duration in a row of the fleet', () => {
  it.each([
    ['before its start', { started_at: null }, '–'],
    ['at work', {}, '1 min 40 s'],
    ['ended', { finished_at: after(6) }, '6 s'],
    ['deleted before its end', { deleted_at: after(7) }, '7 s'],
  ])('shows the time between start and end: %s', (_of, fields, message) => {
    expect(runTime(aRow(fields), START + 100_400)).toBe(message);
  });
});

describe('the tiles of the fleet', () => {
  const count = (status: 'Running' | 'Pending' | 'Failed' | 'Succeeded' | 'External', jobs: number) => ({
    status,
    job_count: jobs,
    active: jobs * 2,
    oldest: jobs === 0 ? null : after(-840),
  });

  it('show for each status the number of Jobs, and their pods, the age of the oldest, or their share of the ended Jobs', () => {
    const counts = [
      count('Running', 3),
      count('Pending', 9),
      count('Failed', 1),
      count('Succeeded', 3),
      count('External', 1),
    ];
    expect(statusTiles(counts, START).map(({ status, jobs, more }) => `${status} ${jobs} ${more}`)).toEqual([
      'Running 3 6 pods',
      'Pending 9 oldest 14 min',
      'Retrying 0 ',
      'Failed 1 25.0 % of ended',
      'Succeeded 3 75.0 % of ended',
      'External 1 oldest 14 min',
    ]);
  });

  it('show no number before the Jobs are counted', () => {
    expect(statusTiles(undefined, START).every(({ jobs }) => jobs === null)).toBe(true);
  });
});

describe('the filter chips of the fleet', () => {
  it('name each filter, and lead to the list of Jobs without this filter', () => {
    const filters = {
      cluster: 'east',
      status: ['Failed', 'Pending'],
      labels: ['team=maths', 'app=x'],
      reason: '137 OOMKilled',
      deleted: 'hidden' as const,
      from: START,
    };
    const chips = filterChips(filters, START);
    expect(chips.map(({ about, value }) => `${about} ${value}`)).toEqual([
      'status Failed or Pending',
      'reason 137 OOMKilled',
      'deleted hidden',
      expect.stringMatching(/^created from [\d:]+$/),
      'label team=maths',
      'label app=x',
    ]);
    expect(chips[0]?.without).toEqual({ ...filters, status: undefined });
    expect(chips.at(-1)?.without).toEqual({ ...filters, labels: ['team=maths'] });
    expect(filterChips({ labels: ['a=b'] }, START)[0]?.without).toEqual({});
  });
});

describe('a group in the fleet', () => {
  it.each([
    ['reason' as const, { reason: 'x' }],
    ['status' as const, { status: ['x'] }],
    ['kubectl_status' as const, { kubectlStatus: ['x'] }],
    ['owner' as const, { owner: 'x' }],
    ['waiting' as const, null],
    ['failure' as const, null],
  ])('leads to the list that is filtered by its value: grouped by %s, with the filter %j', (by, filters) => {
    expect(filtersOfGroup({}, by, 'x')).toEqual(filters);
  });
});

describe('the labels that a user can choose', () => {
  it('are the frequent labels first, without labels of Kubernetes', () => {
    const own = { 'batch.kubernetes.io/job-name': 'a', 'controller-uid': 'u' };
    expect(
      frequentLabels([
        aRow({ labels: { team: 'a', ...own } }),
        aRow({ labels: { team: 'b' } }),
        aRow({ labels: { team: 'b' } }),
      ]),
    ).toEqual(['team=b', 'team=a']);
  });
});

describe('the saved views of the fleet', () => {
  it.each([
    [null, {}],
    ['{"failures":"?status=Failed"}', { failures: '?status=Failed' }],
    ['{"a":1,"b":"?x=1"}', { b: '?x=1' }],
    ['not JSON', {}],
    ['null', {}],
  ])('are read from the stored text, without invalid parts: %j gives %j', (text, views) => {
    expect(viewsIn(text)).toEqual(views);
  });
});
