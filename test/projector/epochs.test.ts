import { describe, expect, it } from '@jest/globals';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { restoredEvent } from '../../services/ingester/terms/announce-term.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows, type Rows } from '../../services/projector/projections/rows.ts';
import { createNarrator } from '../../workflows/history/timeline/narrator.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { aJob, after, anEndedPod, aPod, CLUSTER, jobDeleted, jobObserved, podObserved } from './builders.ts';

/** The event as it is recorded after that many restores of the API server. */
function inEpoch(epoch: number, event: JobEvent): JobEvent {
  return withDigest({
    ...event,
    id: `${event.id}/epoch/${epoch}`,
    data: { ...event.data, epoch },
  });
}

function rowsAfter(...events: JobEvent[]): Rows {
  const rows = emptyRows();
  projectAll(rows, events);
  return rows;
}

const restored = restoredEvent(CLUSTER, {
  epoch: 1,
  from: '900',
  to: '400',
  since: after(50),
  until: after(60),
});
const before = [
  jobObserved(1, aJob({ version: 890, status: { active: 1, succeeded: 5 } })),
  podObserved(2, anEndedPod({ name: 'pi-a', version: 900, exitCode: 0, endedAt: 2 })),
];
const job = (version: number, succeeded: number): JobEvent =>
  inEpoch(1, jobObserved(70, aJob({ version, status: { active: 1, succeeded } })));

describe('rows after the API server was restored from an older copy', () => {
  it('follow the versions of the new epoch, which are lower', () => {
    const rows = rowsAfter(
      ...before,
      restored,
      job(300, 2),
      inEpoch(1, podObserved(71, aPod({ name: 'pi-a', version: 310 }))),
    );
    expect([...rows.jobs.changed.values()][0]).toMatchObject({
      succeeded: 2,
      resource_version: '1000000000000000000000000000300',
    });
    expect([...rows.pods.changed.values()][0]).toMatchObject({
      phase: 'Running',
      resource_version: '1000000000000000000000000000310',
    });
  });

  it('contain each status once, also a status whose version the old epoch had already', () => {
    const rows = rowsAfter(...before, restored, job(890, 2), job(891, 3), job(890, 2));
    expect([...rows.statuses.changed.values()].map(({ succeeded }) => succeeded)).toEqual([5, 2, 3]);
  });

  it('are not changed by late facts of the old epoch', () => {
    const late = jobObserved(80, aJob({ version: 899, status: { succeeded: 6 } }));
    const rows = rowsAfter(...before, restored, job(300, 2), late);
    expect([...rows.jobs.changed.values()][0]).toMatchObject({ succeeded: 2 });
  });

  it('show a Job that the copy does not have as deleted', () => {
    const rows = rowsAfter(...before, restored, inEpoch(1, jobDeleted({ at: 70, version: 400 }, false)));
    expect([...rows.jobs.changed.values()][0]).toMatchObject({ deleted_at: after(70), deletion_seen: false });
  });

  it('name the restore as a gap of the whole cluster', () => {
    const rows = rowsAfter(restored);
    expect([...rows.gaps.changed.values()]).toMatchObject([
      {
        resource: 'all',
        since: after(50),
        until: after(60),
        reason:
          'the API server was restored from an older copy: epoch 1 begins at resourceVersion 400, after 900',
      },
    ]);
    expect([...rows.clusters.changed.values()]).toMatchObject([{ gap_count: 1, last_gap_until: after(60) }]);
  });
});

describe('the history of a Job after a restore', () => {
  it('marks a version as "seen late" only by comparison with versions of its own epoch', () => {
    const narrate = createNarrator(new Set());
    const messages = [...before, job(300, 2), job(299, 1)].flatMap((event) =>
      narrate(event).map((line) => line.message),
    );
    expect(messages.filter((each) => each.includes('seen late'))).toHaveLength(1);
    expect(messages.at(-1)).toContain('seen late');
  });
});
