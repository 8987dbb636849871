import { describe, expect, it } from '@jest/globals';
import { podFinishTime } from '../../../workflows/job/observe/finish-time.ts';
import type { ContainerStatus, Pod } from '../../../workflows/kubernetes/objects.ts';
import { at, podObject, START } from '../../support/builders.ts';

type Statuses = Pick<
  NonNullable<Pod['status']>,
  'containerStatuses' | 'initContainerStatuses' | 'conditions'
>;

function finishSeconds(status: Statuses, metadata: Partial<Pod['metadata']> = {}): number {
  const pod = podObject({ created: 1 });
  const init = [{ name: 'sidecar', restartPolicy: 'Always' }, { name: 'setup' }];
  const seen = {
    ...pod,
    metadata: { ...pod.metadata, ...metadata },
    spec: { ...pod.spec, initContainers: init },
    status: { phase: 'Failed', ...status },
  };
  return (podFinishTime(seen) - START) / 1000;
}

function ended(name: string, seconds: number): ContainerStatus {
  return { name, state: { terminated: { exitCode: 1, finishedAt: at(seconds) } } };
}

const runs = (name: string): ContainerStatus => ({ name, state: {} });
const unready = [{ type: 'Ready', status: 'False', lastTransitionTime: at(40) }];
const deletion = { deletionTimestamp: at(60), deletionGracePeriodSeconds: 30 };

describe('the finish time of a pod (J-5.41)', () => {
  it('is the creation time of a pod without status', () => {
    const { status: _none, ...pod } = podObject({ created: 1 });
    expect(podFinishTime(pod)).toBe(START + 1000);
  });

  it.each<{ case: string; status: Statuses; metadata?: Partial<Pod['metadata']>; seconds: number }>([
    {
      case: '(a) the latest end of its containers',
      status: { containerStatuses: [ended('a', 5), ended('b', 9)] },
      seconds: 9,
    },
    {
      case: '(a) a sidecar counts',
      status: { containerStatuses: [ended('a', 5)], initContainerStatuses: [ended('sidecar', 11)] },
      seconds: 11,
    },
    {
      case: '(a) an ordinary init container does not',
      status: { containerStatuses: [ended('a', 5)], initContainerStatuses: [ended('setup', 11)] },
      seconds: 5,
    },
    {
      case: '(a) only sidecars have ended',
      status: { containerStatuses: [runs('a')], initContainerStatuses: [ended('sidecar', 12)] },
      seconds: 12,
    },
    {
      case: '(a) no container statuses, a sidecar',
      status: { initContainerStatuses: [ended('sidecar', 13)] },
      seconds: 13,
    },
    {
      case: '(a) not while one of its containers runs',
      status: { containerStatuses: [ended('a', 5), runs('b')] },
      seconds: 1,
    },
    {
      case: '(a) not while one of its sidecars runs, even if no other container has a status',
      status: { containerStatuses: [], initContainerStatuses: [runs('sidecar')] },
      seconds: 1,
    },
    {
      case: '(b) the Ready condition, when False',
      status: {
        conditions: [
          { type: 'Initialized', status: 'False', lastTransitionTime: at(20) },
          { type: 'Ready', status: 'True', lastTransitionTime: at(30) },
          ...unready,
        ],
      },
      seconds: 40,
    },
    {
      case: '(b) since when it is not ready, while a sidecar still runs',
      status: {
        containerStatuses: [ended('a', 5)],
        initContainerStatuses: [runs('sidecar')],
        conditions: unready,
      },
      seconds: 40,
    },
    { case: '(b) before (c)', status: { conditions: unready }, metadata: deletion, seconds: 40 },
    {
      case: '(b) not without a time',
      status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: null }] },
      metadata: deletion,
      seconds: 30,
    },
    {
      case: '(b) not with an invalid time',
      status: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '' }] },
      seconds: 1,
    },
    {
      case: '(c) its deletion, without a grace period',
      status: {},
      metadata: { deletionTimestamp: at(60) },
      seconds: 60,
    },
    {
      case: '(c) the request of its deletion',
      status: { containerStatuses: [runs('a')] },
      metadata: deletion,
      seconds: 30,
    },
    { case: '(d) otherwise its creation', status: {}, seconds: 1 },
    {
      case: '(d) an end without a time does not count',
      status: {
        containerStatuses: [{ name: 'a', state: { terminated: { exitCode: 1, finishedAt: null } } }],
      },
      seconds: 1,
    },
  ])('is the first known time in the order of upstream: $case', ({ status, metadata, seconds }) => {
    expect(finishSeconds(status, metadata)).toBe(seconds);
  });
});
