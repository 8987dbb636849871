import { describe, expect, it } from '@jest/globals';
import type { KubernetesEventObserved } from '../../../workflows/job/events.ts';
import { decodeEvent, encodeEvent } from '../../../services/adapters/events/event-codec.ts';
import {
  createEventRecorder,
  type EventRecorder,
  type EventResult,
  type FindStream,
} from '../../../services/ingester/kubernetes-events/event-recorder.ts';
import {
  createSeenEvents,
  MOST_OF_JOB,
  MOST_OF_REASON,
  type SeenEvents,
} from '../../../services/ingester/kubernetes-events/seen-events.ts';
import { WAIT_MS } from '../../../services/ingester/kubernetes-events/waiting-room.ts';
import { anEvent } from './an-event.ts';

const START = Date.parse('2026-12-01T08:00:10Z');

interface Played {
  recorder: EventRecorder;
  /** Shows an Event with this text about a pod, as a new version of the Event `event-<uid>`. */
  show(changes: {
    pod?: string;
    note?: string;
    reason?: string;
    uid?: string;
    namespace?: string;
  }): KubernetesEventObserved[];
  retry(): KubernetesEventObserved[];
  results: EventResult[];
  /** The Jobs of the known pods; `other` for a pod without a Job. */
  pods: Map<string, string>;
  seen: SeenEvents;
  clock: { now: number };
}

function played(records: Iterable<readonly [string, unknown]> = []): Played {
  const clock = { now: START };
  const now = (): number => clock.now;
  const pods = new Map([['pod-1', 'job-1']]);
  const results: EventResult[] = [];
  const findStream: FindStream = ({ regarding }) => {
    const jobUid = pods.get(regarding.uid);
    if (jobUid === undefined) return 'unknown';
    return jobUid === 'other' ? 'other' : { jobUid, jobName: 'pi' };
  };
  const seen = createSeenEvents(records, now);
  const recorder = createEventRecorder(
    { cluster: 'east' },
    { findStream, seen, count: (result) => results.push(result), now },
  );
  let version = 500;
  return {
    recorder,
    results,
    pods,
    seen,
    clock,
    show({ pod = 'pod-1', uid = 'event-1', namespace = 'default', ...changes }) {
      version += 1;
      const regarding = { ...anEvent().regarding, uid: pod, namespace };
      const event = anEvent({ ...changes, regarding }, { uid, namespace, resourceVersion: String(version) });
      return recorder.observe(event).map((record) => record.event);
    },
    retry: () => recorder.retry().map((record) => record.event),
  };
}

const nodes = (cpu: number): string => `0/9 nodes are available: ${cpu} Insufficient cpu.`;

describe('an Event about a pod', () => {
  it('is an event in the stream of the Job, unchanged after it is written to the ledger and read back', () => {
    const [event, ...others] = played().show({});
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      id: 'east/kubernetes-event/pod-1/event-1/501',
      type: 'kubernetes-event.observed',
      subject: 'default/pi',
      time: '2026-12-01T08:00:10.000Z',
      data: { cluster: 'east', jobUid: 'job-1', reason: 'FailedScheduling', reportedBy: 'default-scheduler' },
    });
    expect(event?.data).not.toHaveProperty('regardingVersion');
    if (event === undefined) throw new Error('no event');
    expect(encodeEvent(event).key).toBe('east/job-1');
    expect(decodeEvent(encodeEvent(event).value)).toEqual(event);
  });

  it('is recorded once while only numbers change, and again when its text changes in kind', () => {
    const { show, results } = played();
    expect([1, 2, 3, 9].flatMap((cpu) => show({ note: nodes(cpu) }))).toHaveLength(1);
    expect(show({ note: '0/9 nodes are available: 9 Insufficient memory.' })).toHaveLength(1);
    expect(show({ note: nodes(4) })).toHaveLength(0);
    expect(results.filter((result) => result === 'repeated')).toHaveLength(4);
  });

  it('is recorded for each pod and each reason', () => {
    const { show, pods } = played();
    pods.set('pod-2', 'job-1');
    expect(show({})).toHaveLength(1);
    expect(show({ pod: 'pod-2' })).toHaveLength(1);
    expect(show({ reason: 'NotTriggerScaleUp' })).toHaveLength(1);
  });

  it('is not recorded again by the next ingester, which knows what the first has recorded', () => {
    const first = played();
    const [record] = first.recorder.observe(anEvent());
    const value: unknown = JSON.parse(JSON.stringify(record?.seen));
    const next = played([
      ['job-1', value],
      ['job-2', 'unreadable'],
    ]);
    expect(next.show({})).toEqual([]);
    expect(next.show({ note: 'another text' })).toHaveLength(1);
  });
});

describe('the budget of a Job', () => {
  it('ends for one reason before it ends for the others, and the last record says so', () => {
    const { show, pods, recorder } = played();
    for (let at = 0; at < 200; at += 1) pods.set(`many-${at}`, 'job-1');
    const scheduling = Array.from({ length: 200 }, (_, at) =>
      show({ pod: `many-${at}`, uid: `e-${at}` }),
    ).flat();
    expect(scheduling).toHaveLength(MOST_OF_REASON);
    expect(scheduling.map(({ data }) => data.isLast === true)).toEqual([
      ...Array.from({ length: MOST_OF_REASON - 1 }, () => false),
      true,
    ]);
    const others = ['Evicted', 'Preempted'].flatMap((reason) =>
      Array.from({ length: 200 }, (_, at) => show({ pod: `many-${at}`, reason })).flat(),
    );
    expect(scheduling.length + others.length).toBe(MOST_OF_JOB);
    expect(recorder.takeDropped()?.data.dropped).toEqual([
      { namespace: 'default', cause: 'job-budget', count: 600 - MOST_OF_JOB },
    ]);
    expect(recorder.takeDropped()).toBeNull();
  });
});

describe('a namespace with 10,000 new Events', () => {
  it('fills its own budget only, and what is dropped is counted', () => {
    const { show, pods, recorder } = played();
    for (let at = 0; at < 10_000; at += 1) pods.set(`loud-${at}`, `loud-job-${at}`);
    const loud = Array.from({ length: 10_000 }, (_, at) =>
      show({ pod: `loud-${at}`, namespace: 'loud' }),
    ).flat();
    expect(loud.length).toBeLessThan(1000);
    expect(show({})).toHaveLength(1);
    expect(recorder.takeDropped()?.data).toMatchObject({
      dropped: [{ namespace: 'loud', cause: 'namespace-rate', count: 10_000 - loud.length }],
    });
  });

  it('does not take the room in which Events of others wait for their pods', () => {
    const { show, pods, retry, recorder } = played();
    for (let at = 0; at < 10_000; at += 1) show({ pod: `loud-${at}`, uid: `e-${at}`, namespace: 'loud' });
    expect(recorder.waitingCount).toBeLessThan(1000);
    show({ pod: 'late', uid: 'quiet' });
    pods.set('late', 'job-1');
    expect(retry()).toHaveLength(1);
    expect(recorder.takeDropped()?.data.dropped).toEqual([
      { namespace: 'loud', cause: 'too-many-waiting', count: 10_000 - recorder.waitingCount },
    ]);
  });
});

describe('an Event that comes before its pod', () => {
  it('is recorded in its latest version when the pod is known', () => {
    const { show, pods, retry } = played();
    expect(show({ pod: 'late', note: nodes(1) })).toEqual([]);
    expect(show({ pod: 'late', note: nodes(2) })).toEqual([]);
    expect(retry()).toEqual([]);
    pods.set('late', 'job-1');
    expect(retry()).toMatchObject([{ data: { jobUid: 'job-1', note: nodes(2) } }]);
    expect(retry()).toEqual([]);
  });

  it('is left out without a count when no Job controls the pod', () => {
    const { show, pods, retry, recorder } = played();
    show({ pod: 'late' });
    pods.set('late', 'other');
    expect(retry()).toEqual([]);
    expect([recorder.waitingCount, recorder.takeDropped()]).toEqual([0, null]);
  });

  it('is counted as dropped when the pod does not become known in time', () => {
    const { show, retry, recorder, clock } = played();
    show({ pod: 'never' });
    clock.now += WAIT_MS - 1;
    retry();
    expect(recorder.takeDropped()).toBeNull();
    clock.now += 1;
    retry();
    expect(recorder.takeDropped()?.data.dropped).toEqual([
      { namespace: 'default', cause: 'unknown-object', count: 1 },
    ]);
  });
});

describe('the memory of recorded Events', () => {
  it('forgets a Job without an Event for a day', () => {
    const { show, seen, clock } = played();
    show({});
    clock.now += 23 * 3_600_000;
    expect(seen.forget()).toEqual([]);
    show({});
    clock.now += 23 * 3_600_000;
    expect(seen.forget()).toEqual([]);
    clock.now += 2 * 3_600_000;
    expect(seen.forget()).toEqual(['job-1']);
    expect(show({})).toHaveLength(1);
  });
});
