import { describe, expect, it } from '@jest/globals';
import type { JobThen } from '../../page/api/rows.ts';
import { podDifferences, statusDifferences } from '../../page/job/time/differences.ts';
import type { Lane } from '../../page/job/pods/lanes.ts';

const STATUS = {
  kubectl_status: 'Running',
  suspend: false,
  parallelism: 2,
  completions: null,
  active: 2,
  ready: 0,
  terminating: 0,
  succeeded: 0,
  failed: 0,
  completed_indexes: null,
  failed_indexes: '',
  started_at: null,
} as JobThen;

describe('the displayed differences of a Job between two instants', () => {
  it('are the changed fields of its status, as text', () => {
    expect(
      statusDifferences(STATUS, {
        ...STATUS,
        kubectl_status: 'Complete',
        active: 0,
        completed_indexes: '0-3',
        suspend: true,
      }),
    ).toEqual([
      { what: 'kubectl status', first: 'Running', second: 'Complete' },
      { what: 'suspend', first: 'false', second: 'true' },
      { what: 'active', first: '2', second: '0' },
      { what: 'completed indexes', first: 'none', second: '0-3' },
    ]);
  });

  it('do not include a field that is empty at one instant and absent at the other', () => {
    expect(statusDifferences(STATUS, { ...STATUS, failed_indexes: null })).toEqual([]);
  });
});

describe('the displayed differences of pods between two instants', () => {
  const lane = (name: string, from: number, end: number | null): Lane => ({
    key: name,
    index: null,
    label: name,
    pods: [
      {
        uid: name,
        name,
        segments: [{ kind: 'running', from, to: end }],
        outcome: end === null ? 'open' : 'failed',
        end: end === null ? null : { at: end, message: 'exit code 1', code: '1', isFailure: true },
      },
    ],
  });

  it('are the pods whose state has changed, and the pods that were created in between', () => {
    expect(podDifferences([lane('a', 0, 50), lane('b', 70, null), lane('c', 0, null)], 10, 100)).toEqual([
      { what: 'a', first: 'running', second: 'exit code 1' },
      { what: 'b', first: 'not created', second: 'running' },
    ]);
  });
});
