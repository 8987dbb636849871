import { failedAttempts, podHours } from '../../services/read-model/shown/pod-outcome.ts';
import { duration } from '../words/instants.ts';
import type { JobLife } from './job-life.ts';

/** The run time of pods as text: `24 s`, or `3.20 h` from one hour on. */
export function podTime(pods: JobLife['pods']): string {
  const hours = podHours(pods, Date.now());
  return hours < 1 ? duration(Math.floor(hours * 3600) * 1000) : `${hours.toFixed(2)} h`;
}

/** The run time of failed attempts, such as `12 s in failed attempts`; empty if no attempt failed. */
export function failedTimeText(pods: JobLife['pods']): string {
  const failed = failedAttempts(pods);
  return failed.length === 0 ? '' : `${podTime(failed)} in failed attempts`;
}
