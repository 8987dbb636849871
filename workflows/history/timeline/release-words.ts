import type { JobReleased } from '../../job/events.ts';

/** The effect of a release on a Job, in words. */
export function releaseWords({ by, pods, running, uncounted, open }: JobReleased['data']): string {
  const parts = [
    ...(pods === 0 ? [] : [`the tracking finalizer of ${count(pods)} is removed`]),
    ...(running === 0 ? [] : [`${running} of them still running, to be counted by nobody`]),
    ...(uncounted === 0 ? [] : [`${count(uncounted)} ended and not counted`]),
    ...(open ? ['nobody controls the Job from now on'] : []),
  ];
  return [`the cluster is released by ${by}`, ...parts].join('; ');
}

function count(pods: number): string {
  return pods === 1 ? '1 pod' : `${pods} pods`;
}
