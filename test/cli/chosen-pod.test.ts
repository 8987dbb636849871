import { describe, expect, it } from '@jest/globals';
import { chosenPod } from '../../cli/verbs/logs/chosen-pod.ts';
import { requireIndex, sinceOfKubectl } from '../../cli/verbs/logs/logs.ts';
import type { PodThere } from '../../cli/sources/pods-of-job.ts';

const AT = '2026-11-21T03:12:00Z';

function aPod(name: string, fields: Partial<PodThere> = {}): PodThere {
  const pod = {
    name,
    uid: `uid-${name}`,
    cluster: 'east',
    phase: 'Running',
    completion_index: null,
    restarts: 0,
    started_at: AT,
    deleted_at: null,
    counted_as: null,
    end_message: null,
    reason: null,
  };
  return { ...pod, ...fields } as PodThere;
}

const chosen = (pods: PodThere[], options: { index?: number; previous?: boolean } = {}) =>
  chosenPod(pods, { previous: false, ...options }, 'east/default/pi');

describe('the pod whose logs the verb logs prints', () => {
  const failed = aPod('pi-a', { phase: 'Failed' });
  const indexed = [aPod('i0', { completion_index: 0 }), aPod('i1', { completion_index: 1, phase: 'Failed' })];

  it('is the latest attempt, or the latest attempt of a given index', () => {
    expect(chosen([failed, aPod('pi-b')])).toEqual({
      name: 'pi-b',
      uid: 'uid-pi-b',
      cluster: 'east',
      isRestarted: false,
    });
    expect(chosen(indexed, { index: 0 })).toEqual({
      name: 'i0',
      uid: 'uid-i0',
      cluster: 'east',
      isRestarted: false,
    });
  });

  it('has its logs read in the cluster where it ran', () => {
    const moved = [aPod('pi-a', { cluster: 'west' }), aPod('pi-m2-b', { cluster: 'north' })];
    expect(chosen(moved)).toMatchObject({ name: 'pi-m2-b', cluster: 'north' });
  });

  it('is the latest failed attempt with the option --previous', () => {
    expect(chosen([failed, aPod('pi-b')], { previous: true })).toEqual({
      name: 'pi-a',
      uid: 'uid-pi-a',
      cluster: 'east',
      isRestarted: false,
    });
    const stopped = aPod('pi-c', { phase: 'Succeeded', counted_as: 'failed' });
    expect(chosen([failed, stopped], { previous: true })).toMatchObject({ name: 'pi-c' });
  });

  it('is never a pod that was deleted while it ran when the user gives the option --previous', () => {
    const stopped = { phase: 'Failed', deleted_at: AT, end_message: 'deleted by Jobledger: the Job fails' };
    expect(chosen([failed, aPod('pi-b', stopped)], { previous: true })).toMatchObject({ name: 'pi-a' });
  });

  it('is, with the option --previous and no failed attempt, the pod whose container restarted', () => {
    expect(chosen([aPod('pi-a', { restarts: 2 })], { previous: true })).toEqual({
      name: 'pi-a',
      uid: 'uid-pi-a',
      cluster: 'east',
      isRestarted: true,
    });
  });

  it.each<[string, PodThere[], object, string]>([
    ['no pod', [], {}, 'east/default/pi has had no pod yet: "jobledger why" shows the reason'],
    ['no pod of the index', indexed, { index: 7 }, 'east/default/pi, index 7, has had no pod yet'],
    ['no failure', [aPod('pi-a')], { previous: true }, 'no attempt of east/default/pi has failed'],
    [
      'a deleted pod',
      [aPod('pi-a', { deleted_at: AT })],
      {},
      `pod pi-a was deleted at ${AT}, and its logs with it: look for them in the log store of your cluster, if there is one`,
    ],
    [
      'a pod that waits',
      [aPod('pi-a', { phase: 'Pending', started_at: null, reason: 'Unschedulable' })],
      {},
      'pod pi-a has not started (Unschedulable): it has no logs yet',
    ],
  ])('is not chosen in the case of %s, and the error gives the reason', (_what, pods, options, message) => {
    expect(() => chosen(pods, options)).toThrow(message);
  });
});

describe('an option with an index of a Job', () => {
  const five = { completion_mode: 'Indexed', completions: 5 };

  it('is refused when the Job does not have the index, and the error names the indexes of the Job', () => {
    expect(() => requireIndex(five, [], 9)).toThrow(
      '--index 9: the Job has no index 9: its indexes go from 0 to 4',
    );
    expect(() => requireIndex({ completion_mode: 'NonIndexed', completions: 5 }, [], 0)).toThrow(
      '--index 0: the Job has no indexes: its completionMode is not Indexed',
    );
  });

  it('is accepted when the index had pods or may get pods', () => {
    expect(() => {
      requireIndex(five, [aPod('pi-9', { completion_index: 9 })], 9);
      requireIndex(five, [], 4);
      requireIndex({ completion_mode: null, completions: null }, [], 9);
      requireIndex(five, [], undefined);
    }).not.toThrow();
  });
});

describe('the option --since of logs', () => {
  it.each([
    ['90s', '--since=90000ms'],
    ['1h30m', '--since=5400000ms'],
    ['1.5h', '--since=5400000ms'],
    ['2d', '--since=172800000ms'],
    ['2026-11-21T03:12:00+01:00', '--since-time=2026-11-21T02:12:00.000Z'],
  ])('is translated for kubectl: %s becomes the option %s', (text, option) => {
    expect(sinceOfKubectl(text)).toBe(option);
  });
});
