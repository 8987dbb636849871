import type { RecordedManifest } from '../api/rows.ts';
import { duration } from '../words/instants.ts';
import { outcomeOf } from './lanes.ts';
import { containersOf } from './manifest-facts.ts';
import type { JobLife } from './job-life.ts';

const HOUR_MS = 3_600_000;

/** What two runs are compared by, in words. */
export function runFacts(
  { job, pods }: Pick<JobLife, 'job' | 'pods'>,
  manifest: RecordedManifest | null | undefined,
): { what: string; value: string }[] {
  const failed = pods.filter((pod) => pod.finished_at !== null && outcomeOf(pod) === 'failed');
  const nodes = new Set(pods.flatMap(({ node }) => node ?? []));
  const containers = containersOf(manifest);
  return [
    { what: 'reason', value: job.reason ?? '' },
    {
      what: 'succeeded',
      value: job.completions === null ? String(job.succeeded) : `${job.succeeded}/${job.completions}`,
    },
    { what: 'pods', value: String(pods.length) },
    { what: 'failed attempts', value: String(failed.length) },
    { what: 'pod hours', value: podHours(pods).toFixed(3) },
    { what: 'nodes', value: String(nodes.size) },
    { what: 'image', value: containers.map(({ image }) => image).join(', ') },
    { what: 'resources', value: containers.map(({ resources }) => resources).join('; ') },
    { what: 'retries allowed', value: String(job.backoff_limit ?? '') },
  ];
}

/** How long pods ran, in hours; one that runs counts until now. */
export function podHours(pods: JobLife['pods'], now = Date.now()): number {
  const ran = pods.map(({ started_at: started, finished_at: finished }) =>
    started === null ? 0 : (finished === null ? now : Date.parse(finished)) - Date.parse(started),
  );
  return ran.reduce((sum, each) => sum + Math.max(0, each), 0) / HOUR_MS;
}

/** How long pods ran, in words: `24 s`, or `3.20 h` from an hour on. */
export function podTime(pods: JobLife['pods']): string {
  const hours = podHours(pods);
  return hours < 1 ? duration(Math.floor(hours * 3600) * 1000) : `${hours.toFixed(2)} h`;
}

/** What failed attempts cost, such as `12 s in failed attempts`; empty without any. */
export function lostWords(pods: JobLife['pods']): string {
  const failed = pods.filter((pod) => pod.finished_at !== null && outcomeOf(pod) === 'failed');
  return failed.length === 0 ? '' : `${podTime(failed)} in failed attempts`;
}
