import type { RecordedManifest } from '../../../services/read-model/shown/containers.ts';
import type { RequestEvent } from '../../api/rows.ts';
import { failedAttempts, podHours } from '../../../services/read-model/shown/pod-outcome.ts';
import { duration } from '../../components/instants.ts';
import type { JobLife } from '../life/job-life.ts';

const SUBMITTER = 'jobledger.dev/submitted-by';

/** The user who submitted the Job through Jobledger; null when no user is recorded. */
export function findSubmitter(
  requests: readonly RequestEvent[],
  manifest: RecordedManifest | null | undefined,
): string | null {
  const submission = requests.find(({ data }) => data.action === undefined);
  return submission?.data.by ?? manifest?.metadata?.annotations?.[SUBMITTER] ?? null;
}

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
