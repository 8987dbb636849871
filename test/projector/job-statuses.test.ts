import { describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../workflows/job/events.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import { aJob, after, aPod, jobDeleted, jobObserved, podObserved } from './builders.ts';

function rowsAfter(...events: JobEvent[]) {
  const rows = emptyRows();
  projectAll(rows, events);
  return { statuses: [...rows.statuses.changed.values()], job: [...rows.jobs.changed.values()][0] };
}

function aReadyPod(name: string, version: number, created: number, ready?: number) {
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: after(ready ?? 0) };
  return aPod({
    name,
    version,
    metadata: { creationTimestamp: after(created) },
    status: { conditions: ready === undefined ? [] : [condition] },
  });
}

describe('the recorded statuses of a Job', () => {
  it('are one for each version that is newer than the last, and one for the deletion', () => {
    const { statuses } = rowsAfter(
      jobObserved(1, aJob({ version: 5 })),
      jobObserved(2, aJob({ version: 9, status: { active: 1 } })),
      jobObserved(3, aJob({ version: 7, status: { active: 2 } })),
      jobDeleted({ at: 4, version: 12 }),
    );
    expect(statuses).toMatchObject([
      { resource_version: '5', active: 0, deleted: false, seen_at: after(1) },
      { resource_version: '9', active: 1, deleted: false, seen_at: after(2) },
      { resource_version: '9', active: 1, deleted: true, seen_at: after(4) },
    ]);
  });

  it('are none when only pods and the deletion of the Job were observed', () => {
    const pod = podObserved(1, aPod({ name: 'pi-a', version: 3 }));
    expect(rowsAfter(pod, jobDeleted({ at: 4, version: 12 })).statuses).toEqual([]);
  });

  it('contain one deletion, however often the deletion is recorded', () => {
    const gone = jobDeleted({ at: 4, version: 5 }, false);
    const again = { ...jobDeleted({ at: 5, version: 6 }), id: 'again' };
    expect(rowsAfter(jobObserved(1, aJob({ version: 5 })), gone, again).statuses).toHaveLength(2);
  });
});

describe('the instants of the first pod and the first ready pod of a Job', () => {
  it('are the earliest among all its pods, in whatever order these are observed', () => {
    const { job } = rowsAfter(
      jobObserved(1, aJob({ version: 1 })),
      podObserved(2, aReadyPod('b', 11, 9)),
      podObserved(3, aReadyPod('b', 14, 9, 12)),
      podObserved(4, aReadyPod('a', 12, 7, 30)),
    );
    expect(job).toMatchObject({ attempt_count: 2, first_pod_at: after(7), first_ready_at: after(12) });
  });
});
