import { createHash } from 'node:crypto';
import * as core from '../../workflows/job/core.ts';
import type { Fact } from '../../workflows/job/facts.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { aJob, aRunningPod, type JobFields, type PodFields } from './builders.ts';

/** A Job of this many active pods. */
export function aBigState(pods: number, job: JobFields = {}): JobState {
  const running = Array.from({ length: pods }, (_none, ordinal) => aBigJobsPod(ordinal));
  const seen = aJob({ parallelism: pods, completions: pods, version: '1', ...job });
  return core.fold(core.INITIAL_STATE, [seen, ...running]);
}

/** One of them, with a UID as random as an API server's. */
export function aBigJobsPod(ordinal: number, fields: PodFields = {}): Fact {
  return aRunningPod({ ordinal, uid: numberedUid(ordinal), version: String(ordinal + 1), ...fields });
}

/** A UID as random as that of an API server. */
export function numberedUid(number: number): string {
  const digits = createHash('sha256').update(String(number)).digest('hex');
  return [8, 4, 4, 4, 12].map((length, part) => digits.slice(part * 12, part * 12 + length)).join('-');
}
