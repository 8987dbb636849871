import { describe, expect, it } from '@jest/globals';
import { comesBefore, inDeletionOrder } from '../../../../workflows/job/decide/pods/deletion-order.ts';
import type { PodState } from '../../../../workflows/job/state.ts';

const old = { created: 100 };
const steady: PodState = { ...old, ready: 200 };

describe('the order in which surplus pods are deleted (J-5.31)', () => {
  it.each<{ rule: string; first: PodState; second: PodState }>([
    {
      rule: 'pods without a node before those with one',
      first: { ...steady, unscheduled: true },
      second: { ...old, phase: 'Pending' },
    },
    {
      rule: 'Pending before Unknown',
      first: { ...steady, phase: 'Pending' },
      second: { ...old, phase: 'Unknown' },
    },
    { rule: 'Unknown before Running', first: { ...steady, phase: 'Unknown' }, second: old },
    {
      rule: 'an unknown phase as Pending',
      first: { ...steady, phase: 'Dreaming' },
      second: { ...old, phase: 'Unknown' },
    },
    { rule: 'not ready before ready', first: old, second: { ...steady, maxRestarts: 5 } },
    {
      rule: 'not ready before ready since an unknown time',
      first: old,
      second: { ...old, ready: 0, maxRestarts: 5 },
    },
    {
      rule: 'ready since an unknown time first',
      first: { ...old, ready: 0 },
      second: { ...old, ready: 999 },
    },
    { rule: 'younger readiness first', first: { ...old, ready: 300 }, second: { ...steady, maxRestarts: 9 } },
    {
      rule: 'more restarts first',
      first: { ...steady, maxRestarts: 2 },
      second: { created: 900, ready: 200, maxRestarts: 1 },
    },
    {
      rule: 'more restarts first, also among pods that are not ready',
      first: { ...old, maxRestarts: 2 },
      second: { created: 900, maxRestarts: 1 },
    },
    {
      rule: 'more restarts of a container before more of a sidecar',
      first: { ...steady, maxRestarts: 1 },
      second: { ...steady, maxSidecarRestarts: 7 },
    },
    {
      rule: 'more restarts of a sidecar first',
      first: { ...steady, maxSidecarRestarts: 2 },
      second: { created: 900, ready: 200, maxSidecarRestarts: 1 },
    },
    {
      rule: 'without creation time first',
      first: { ...steady, created: 0 },
      second: { ...steady, created: 900 },
    },
    { rule: 'newer before older', first: { ...steady, created: 101 }, second: steady },
  ])('is the order of Kubernetes: $rule', ({ first, second }) => {
    const pods = [
      { uid: 'b', pod: second },
      { uid: 'a', pod: first },
    ];
    expect(inDeletionOrder(pods).map(({ uid }) => uid)).toEqual(['a', 'b']);
    expect(inDeletionOrder(pods.toReversed()).map(({ uid }) => uid)).toEqual(['a', 'b']);
    const swapped = [
      { uid: 'a', pod: second },
      { uid: 'b', pod: first },
    ];
    expect(inDeletionOrder(swapped).map(({ uid }) => uid)).toEqual(['b', 'a']);
  });

  it('puts no pod before itself', () => {
    const held = { uid: 'a', pod: steady };
    expect(comesBefore(held, held)).toBe(false);
  });

  it('is stable for pods that are equal in every criterion', () => {
    const pods = ['c', 'a', 'b'].map((uid) => ({ uid, pod: steady }));
    expect(inDeletionOrder(pods).map(({ uid }) => uid)).toEqual(['a', 'b', 'c']);
  });
});
