import { gzipSync } from 'node:zlib';
import type { JobState } from '../../workflows/job/state.ts';

/** The size of a Job's state, in bytes. */
export interface StateSizes {
  pods: number;
  plain: number;
  gzipped: number;
  /** Of the pods alone. */
  perPod: number;
}

export function measureState(state: JobState): StateSizes {
  const text = JSON.stringify(state);
  const pods = Object.keys(state.pods).length;
  return {
    pods,
    plain: text.length,
    gzipped: gzipSync(text).length,
    perPod: Math.round(JSON.stringify(state.pods).length / Math.max(1, pods)),
  };
}
