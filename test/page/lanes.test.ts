import { describe, expect, it } from '@jest/globals';
import type { ListedDecision, ListedPod } from '../../page/api/rows.ts';
import { podOutcome } from '../../services/read-model/shown/pod-outcome.ts';
import { indexBackOffs } from '../../page/job/pods/index-back-offs.ts';
import { laneBackOffs, toLanes, podStateAt, podTextAt } from '../../page/job/pods/lanes.ts';

const START = Date.parse('2026-11-21T03:00:00Z');
const after = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

function aRow(name: string, fields: Partial<ListedPod> = {}): ListedPod {
  const row = {
    uid: `uid-${name}`,
    name,
    completion_index: null,
    phase: 'Pending',
    exit_code: null,
    reason: null,
    end_message: null,
    created_at: after(0),
    started_at: null,
    first_ready_at: null,
    finished_at: null,
    deleted_at: null,
    ...fields,
  };
  return row as ListedPod;
}

const FAILED = aRow('a', {
  phase: 'Failed',
  exit_code: 3,
  started_at: after(2),
  first_ready_at: after(5),
  finished_at: after(9),
});

describe('the lanes of the time axis', () => {
  it('are one lane for each index, in order, with its attempts in the order of creation', () => {
    const lanes = toLanes([
      aRow('b2', { completion_index: 10, created_at: after(1) }),
      aRow('a2', { completion_index: 2, created_at: after(7) }),
      aRow('a1', { completion_index: 2, created_at: after(0) }),
    ]);
    expect(lanes.map(({ label, pods }) => [label, pods.map(({ name }) => name)])).toEqual([
      ['index 2', ['a1', 'a2']],
      ['index 10', ['b2']],
    ]);
  });

  it('are one lane for each index in each cluster of a spread Job', () => {
    const [north, west] = ['north', 'west'].map((cluster) => ({ cluster, uid: cluster, name: 'pi' }));
    const lanes = toLanes([
      { ...aRow('w2', { completion_index: 2 }), ...(west && { member: west }) },
      { ...aRow('n2', { completion_index: 2, created_at: after(9) }), ...(north && { member: north }) },
      { ...aRow('w0', { completion_index: 0 }), ...(west && { member: west }) },
    ]);
    expect(lanes.map(({ cluster, label, pods }) => [cluster, label, pods.length])).toEqual([
      ['north', 'index 2', 1],
      ['west', 'index 0', 1],
      ['west', 'index 2', 1],
    ]);
    expect(new Set(lanes.map(({ key }) => key)).size).toBe(3);
  });

  it('are one lane for each pod of a Job without indexes', () => {
    const lanes = toLanes([aRow('second', { created_at: after(1) }), aRow('first')]);
    expect(lanes.map(({ label }) => label)).toEqual(['first', 'second']);
  });
});

describe('a pod on the time axis', () => {
  it('is pending, running and ready until its end', () => {
    const [lane] = toLanes([FAILED]);
    expect(lane?.pods[0]).toEqual({
      uid: 'uid-a',
      name: 'a',
      segments: [
        { kind: 'pending', from: START, to: START + 2000 },
        { kind: 'running', from: START + 2000, to: START + 5000 },
        { kind: 'ready', from: START + 5000, to: START + 9000 },
      ],
      outcome: 'failed',
      end: { at: START + 9000, message: 'exit code 3', code: '3', isFailure: true },
    });
  });

  it('has an open end while it exists', () => {
    const [lane] = toLanes([aRow('a', { phase: 'Running', started_at: after(2) })]);
    expect(lane?.pods[0]).toMatchObject({ segments: [{ to: START + 2000 }, { to: null }], end: null });
  });

  it('ends at its deletion when it is deleted before it ran', () => {
    const [lane] = toLanes([aRow('a', { deleted_at: after(4), end_message: 'suspended' })]);
    expect(lane?.pods[0]?.end).toEqual({
      at: START + 4000,
      message: 'suspended',
      code: '',
      isFailure: false,
    });
  });

  it.each([
    [-1, null],
    [0, 'pending'],
    [3, 'running'],
    [8.999, 'ready'],
    [9, 'exit code 3'],
  ])('is described by its state at an instant: after %s s as %s', (seconds, word) => {
    const pod = toLanes([FAILED])[0]?.pods[0];
    expect(pod && podTextAt(pod, START + seconds * 1000)).toBe(word);
  });
});

describe('the displayed outcome of a pod', () => {
  it.each([
    ['succeeded', { phase: 'Succeeded', exit_code: 0 }],
    ['failed', { phase: 'Failed', exit_code: 3, end_message: 'exit code 3 (Error)' }],
    ['failed', { phase: 'Failed', reason: 'Evicted', end_message: 'evicted: low on memory' }],
    [
      'stopped',
      { phase: 'Failed', exit_code: 143, end_message: 'deleted by Jobledger: 7 failed pods, the limit is 6' },
    ],
    ['stopped', { phase: 'Failed', exit_code: 143, end_message: 'deleted with its Job' }],
    ['stopped', { phase: 'Pending' }],
  ] as const)('is %s for %j', (outcome, fields) => {
    expect(podOutcome(aRow('a', fields))).toBe(outcome);
  });

  it('is shown as the state of the pod from its end on', () => {
    const pod = toLanes([FAILED])[0]?.pods[0];
    expect([-1, 0, 3, 9].map((at) => pod && podStateAt(pod, START + at * 1000))).toEqual([
      null,
      'Pending',
      'Running',
      'Failed',
    ]);
  });
});

describe('the back-offs on the time axis', () => {
  const aWait = (fields: Partial<ListedDecision>): ListedDecision =>
    ({ recorded_at: after(0), waiting_message: null, ...fields }) as ListedDecision;
  const attempts = [
    aRow('a1', { completion_index: 1, phase: 'Failed', exit_code: 1, finished_at: after(5) }),
    aRow('a2', {
      completion_index: 1,
      phase: 'Failed',
      exit_code: 1,
      created_at: after(20),
      finished_at: after(25),
    }),
  ];

  it('are drawn between the failed attempts of an index, and from the last attempt to the next due time', () => {
    const [lane] = toLanes(attempts);
    expect(lane && laneBackOffs(lane, START + 60_000)).toEqual([
      { from: START + 5000, to: START + 20_000 },
      { from: START + 25_000, to: START + 60_000 },
    ]);
    expect(lane && laneBackOffs(lane, null)).toHaveLength(1);
  });

  it('are the recorded back-offs of the index when each index has its own back-off', () => {
    const decided = (at: number, until: number, index: number) =>
      aWait({
        recorded_at: after(at),
        waiting_message: `no pod before ${after(until)}: back-off of index ${index}`,
      });
    const recorded = indexBackOffs([decided(5, 15, 1), decided(6, 40, 2), aWait({ waiting_message: 'x' })]);
    const [first, second] = toLanes(
      [
        ...attempts,
        aRow('b1', { completion_index: 2, phase: 'Failed', exit_code: 1, finished_at: after(6) }),
      ],
      recorded,
    );
    // The second attempt of index 1 waited five more seconds for its turn, and nothing waits after the last one.
    expect(first && laneBackOffs(first, START + 60_000)).toEqual([
      { from: START + 5000, to: START + 15_000 },
    ]);
    expect(second && laneBackOffs(second, START + 60_000)).toEqual([
      { from: START + 6000, to: START + 40_000 },
    ]);
    expect(indexBackOffs([aWait({ waiting_message: 'no pod before x: back-off after 1 failure' })])).toBe(
      null,
    );
  });

  it('are not guessed for pods without an index', () => {
    const [lane] = toLanes([FAILED]);
    expect(lane && laneBackOffs(lane, START + 60_000)).toEqual([]);
  });
});
