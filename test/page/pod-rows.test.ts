import { describe, expect, it } from '@jest/globals';
import type { ListedPod } from '../../page/api/rows.ts';
import { toLanes } from '../../page/job/pods/lanes.ts';
import { creationMessage, podRowsAt, podsInOrder, type ShownPod } from '../../page/job/pods/pod-rows.ts';
import { aFailedPod, aJob, at as instant } from '../support/builders.ts';
import { given } from '../support/given.ts';
import { after, aPod, START } from './a-job.ts';

const FAILED = aPod('first', {
  completion_index: 4,
  phase: 'Failed',
  exit_code: 3,
  reason: 'Error',
  created_at: after(0),
  started_at: after(2),
  first_ready_at: null,
  finished_at: after(9),
});
const AGAIN = aPod('again', {
  completion_index: 4,
  phase: 'Running',
  exit_code: null,
  reason: null,
  created_at: after(20),
  started_at: after(22),
  first_ready_at: null,
  finished_at: null,
});

function at(seconds: number, pods: readonly ListedPod[], most = 12): { count: number; rows: ShownPod[] } {
  return podRowsAt(podsInOrder(toLanes(pods), pods), START + seconds * 1000, most);
}

describe('the pods of a Job at an instant', () => {
  it('are the pods that existed, the latest first, in their state at that instant', () => {
    const { count, rows } = at(21, [FAILED, AGAIN]);
    expect(count).toBe(2);
    expect(rows).toEqual([
      { pod: AGAIN, index: 4, attempt: 2, state: 'Pending', exit: '–', began: null, ended: null },
      {
        pod: FAILED,
        index: 4,
        attempt: 1,
        state: 'Failed',
        exit: '3',
        began: START + 2000,
        ended: START + 9000,
      },
    ]);
  });

  it('have no end yet when the instant is before their end', () => {
    expect(at(5, [FAILED, AGAIN])).toEqual({
      count: 1,
      rows: [
        { pod: FAILED, index: 4, attempt: 1, state: 'Running', exit: '–', began: START + 2000, ended: null },
      ],
    });
    expect(at(-1, [FAILED, AGAIN])).toEqual({ count: 0, rows: [] });
  });

  it('are all counted, and only the latest of them have a row', () => {
    const pods = Array.from({ length: 30 }, (_, n) =>
      aPod(`pod-${n}`, { completion_index: n, created_at: after(n), started_at: null, finished_at: null }),
    );
    const { count, rows } = at(19, pods, 3);
    expect(count).toBe(20);
    expect(rows.map(({ pod }) => pod.name)).toEqual(['pod-19', 'pod-18', 'pod-17']);
  });
});

describe('the reason on the page for the creation of a pod', () => {
  it.each([
    [[0], 10, 'the back-off after 1 failure had ended'],
    [[-9, 0], 20, 'the back-off after 2 failures had ended'],
  ])('names the back-off that the core recorded, after failures at %j s', (failures, seconds, expected) => {
    const status = { startTime: instant(-60), ready: 0, terminating: 0 };
    const job = given(aJob({ parallelism: 1, completions: 4, status }));
    const { verdict } = job
      .and(...failures.map((finished) => aFailedPod({ finished })))
      .when(null, { after: seconds });
    const creation = verdict.commands.find(({ kind }) => kind === 'CreatePods');
    expect(creationMessage(creation?.why.message ?? null, failures.length + 1)).toBe(expected);
  });
});
