import { describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../workflows/job/events.ts';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import type { PodRow } from '../../services/read-model/tables/pods.ts';
import { seededRandom } from '../support/random.ts';
import { after, aPod, podDeleted, podObserved, START } from './builders.ts';
import { randomPodLife, type HeldPeriod } from './pod-lives.ts';

function podAfter(...events: JobEvent[]): PodRow | undefined {
  const rows = emptyRows();
  projectAll(rows, events);
  return [...rows.pods.changed.values()][0];
}

const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: after(5) };
const running = { conditions: [scheduled], containerStatuses: [{ name: 'main', state: { running: {} } }] };

describe('the time at which a pod was bound to its node', () => {
  it('is the transition of the condition PodScheduled', () => {
    expect(podAfter(podObserved(6, aPod({ name: 'a', version: 1, status: running })))).toMatchObject({
      bound_at: after(5),
      held_until: null,
    });
  });

  it('is unknown while the pod has no node', () => {
    const waiting = { ...scheduled, status: 'False' };
    const pod = aPod({ name: 'a', version: 1, phase: 'Pending', status: { conditions: [waiting] } });
    expect(podAfter(podObserved(6, { ...pod, spec: { containers: [] } }))).toMatchObject({ bound_at: null });
  });

  it('is the acceptance by the kubelet for a pod that was created with a node', () => {
    const pod = aPod({ name: 'a', version: 1, status: { startTime: after(7) } });
    expect(podAfter(podObserved(8, pod))).toMatchObject({ bound_at: after(7) });
  });
});

describe('the hours of a pod whose status a user has edited', () => {
  it('begin at most an hour before its creation, and end at most an hour after the event', () => {
    const pod = aPod({
      name: 'a',
      version: 2,
      phase: 'Succeeded',
      status: {
        conditions: [{ ...scheduled, lastTransitionTime: '0001-01-01T00:00:00Z' }],
        containerStatuses: [
          { name: 'main', state: { terminated: { exitCode: 0, finishedAt: '9999-12-31T23:59:59Z' } } },
        ],
      },
    });
    const hour = 3600;
    const created = Date.parse(pod.metadata.creationTimestamp);
    expect(podAfter(podObserved(32.5, pod))).toMatchObject({
      bound_at: new Date(created - hour * 1000).toISOString(),
      held_until: after(32 + hour),
    });
    const edited = { ...pod, status: { ...pod.status, phase: 'Running' as const } };
    const deletion = podDeleted(40, { name: 'a', version: 3 });
    expect(podAfter(podObserved(1, edited), deletion)).toMatchObject({ held_until: after(40 + hour) });
  });
});

describe('the time until which a pod held its node', () => {
  it('is the end of its last container, whatever the order of its containers', () => {
    const state = (finishedAt: string) => ({ terminated: { exitCode: 0, finishedAt } });
    const pod = aPod({
      name: 'a',
      version: 2,
      phase: 'Succeeded',
      status: {
        conditions: [scheduled],
        initContainerStatuses: [{ name: 'proxy', state: state(after(31)) }],
        containerStatuses: [
          { name: 'main', state: state(after(30)) },
          { name: 'other', state: state(after(29)) },
        ],
      },
    });
    expect(podAfter(podObserved(32.5, pod))).toMatchObject({
      last_container_ended_at: after(31),
      held_until: after(31),
      held_until_at_least: null,
    });
  });

  it('stays the end of the last container when the pod is deleted later', () => {
    const ended = { terminated: { exitCode: 0, finishedAt: after(30) } };
    const pod = aPod({
      name: 'a',
      version: 2,
      phase: 'Succeeded',
      status: { containerStatuses: [{ name: 'main', state: ended }] },
    });
    const events = [podObserved(31, pod), podDeleted(900, { name: 'a', version: 3 })];
    expect(podAfter(...events)).toMatchObject({ held_until: after(30), deleted_at: after(900) });
  });

  it('is the deletion, in whole seconds, when the deletion came before the end was seen', () => {
    const events = [
      podObserved(6, aPod({ name: 'a', version: 1, status: running })),
      podDeleted(40.9, { name: 'a', version: 2 }),
    ];
    expect(podAfter(...events)).toMatchObject({ held_until: after(40), held_until_at_least: null });
  });

  it('has bounds when nobody saw the deletion', () => {
    const events = [
      podObserved(6.2, aPod({ name: 'a', version: 1, status: running })),
      podDeleted(400.9, { name: 'a', version: 2, seen: false }),
    ];
    expect(podAfter(...events)).toMatchObject({ held_until: after(400), held_until_at_least: after(6) });
  });

  it('has bounds when a pod failed and no container was seen ending, and retains them through later versions', () => {
    const unready = { type: 'Ready', status: 'False', lastTransitionTime: after(100) };
    const lost = (version: number) =>
      aPod({ name: 'a', version, phase: 'Failed', status: { ...running, conditions: [scheduled, unready] } });
    const events = [
      podObserved(400.9, lost(2)),
      podObserved(500, lost(3)),
      podDeleted(600, { name: 'a', version: 4 }),
    ];
    expect(podAfter(...events)).toMatchObject({ held_until: after(400), held_until_at_least: after(100) });
  });
});

describe('the requests of a pod that is resized in place again and again', () => {
  it('have their last hundred steps', () => {
    const resized = (number: number): JobEvent => {
      const pod = aPod({ name: 'a', version: number + 1, status: running });
      const requests = { cpu: String(number) };
      pod.spec = { ...pod.spec, containers: [{ name: 'main', resources: { requests } }] };
      return podObserved(10 + number, pod);
    };
    const steps = podAfter(...Array.from({ length: 150 }, (_, number) => resized(number)))?.request_steps;
    expect(steps).toHaveLength(100);
    expect(steps?.at(-1)).toMatchObject({ until: after(159), cpu_request_cores: '148' });
  });
});

/** The periods that the columns of a row show. */
function heldPeriods(row: PodRow): HeldPeriod[] {
  if (row.bound_at === null || row.held_until === null) return [];
  const seconds = (at: string): number => (Date.parse(at) - START) / 1000;
  const [bound, until, atLeast] = [
    row.bound_at,
    row.held_until,
    row.held_until_at_least ?? row.held_until,
  ].map(seconds) as [number, number, number];
  const steps = [...(row.request_steps ?? []), { ...row, until: row.held_until }];
  return steps.flatMap((step, at) => {
    const from = Math.max(bound, seconds(steps[at - 1]?.until ?? row.bound_at ?? ''));
    const end = Math.min(seconds(step.until), until);
    if (end <= from) return [];
    return [
      {
        from,
        until: end,
        atLeast: Math.min(end, Math.max(atLeast, bound)),
        cores: Number(step.cpu_request_cores),
        bytes: Number(step.memory_request_bytes),
        gpus: Number(step.gpu_request),
      },
    ];
  });
}

describe('the columns of random pods', () => {
  it('show exactly the periods for which the pods held their nodes', () => {
    const chance = seededRandom(58);
    for (let number = 0; number < 500; number += 1) {
      const life = randomPodLife(number, chance);
      const row = podAfter(...life.events);
      if (row === undefined) throw new Error('the pod has no row');
      expect([number, heldPeriods(row)]).toEqual([number, life.isOpen ? [] : life.periods]);
    }
  });
});
