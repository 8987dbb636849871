import { describe, expect, it } from '@jest/globals';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import type { KubernetesEventsDropped } from '../../workflows/ledger/kubernetes-events.ts';
import { aKubernetesEvent } from '../history/a-kubernetes-event.ts';
import { aJob, jobObserved } from './builders.ts';

const JOB = jobObserved(1, aJob({ version: 1 }));
const AT = '2026-12-01T08:00:00.000Z';

describe('the rows of Kubernetes Events', () => {
  it('have the object, the further object and the text, and change no other row', () => {
    const [rows, without] = [emptyRows(), emptyRows()];
    const related = { kind: 'Pod', namespace: 'other', name: 'urgent-1', uid: 'u1' };
    projectAll(rows, [JOB, aKubernetesEvent(JOB, { lastAt: AT, reason: 'Preempted', related })]);
    projectAll(without, [JOB]);
    expect([...rows.kubernetesEvents.changed.values()]).toMatchObject([
      {
        job_uid: 'job-1',
        kind: 'Pod',
        name: 'pi-x7k2q',
        reason: 'Preempted',
        reported_by: 'default-scheduler',
        related_namespace: 'other',
        related_name: 'urgent-1',
        is_last: false,
      },
    ]);
    expect([rows.jobs.changed, rows.pods.changed]).toEqual([without.jobs.changed, without.pods.changed]);
  });

  it('count what was dropped for each namespace and cause, and a gap without a number', () => {
    const rows = emptyRows();
    const dropped = withDigest<KubernetesEventsDropped>({
      id: 'east/kubernetes-events-dropped/1',
      type: 'kubernetes-events.dropped',
      source: 'east',
      subject: 'east',
      time: AT,
      data: {
        cluster: 'east',
        since: AT,
        until: AT,
        dropped: [{ namespace: 'loud', cause: 'namespace-rate', count: 9700 }],
        further: 3,
        gap: { reason: 'expired' },
      },
    });
    projectAll(rows, [dropped]);
    const found = [...rows.droppedEvents.changed.values()];
    expect(found.map(({ namespace, cause, count }) => [namespace, cause, count])).toEqual([
      ['loud', 'namespace-rate', 9700],
      ['*', 'further', 3],
      ['*', 'gap', null],
    ]);
  });
});
