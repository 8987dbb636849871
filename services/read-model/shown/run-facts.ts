import { shownContainers, type RecordedManifest } from './containers.ts';
import { failedAttempts, podHours, type EndedPod, type RunPod } from './pod-outcome.ts';

/** The default of `spec.backoffLimit` when each index has its own limit. */
export const UNLIMITED = 2_147_483_647;

interface Run {
  job: {
    reason: string | null;
    completions: number | null;
    succeeded: number;
    backoff_limit: number | null;
  };
  pods: readonly (EndedPod & RunPod & { node: string | null })[];
}

/** The facts by which two runs are compared, as text. `now` is in milliseconds since 1970. */
export function runFacts(
  { job, pods }: Run,
  manifest: RecordedManifest | null | undefined,
  now: number,
): { what: string; value: string }[] {
  const nodes = new Set(pods.flatMap(({ node }) => node ?? []));
  const containers = shownContainers(manifest);
  return [
    { what: 'reason', value: job.reason ?? '' },
    {
      what: 'succeeded',
      value: job.completions === null ? String(job.succeeded) : `${job.succeeded}/${job.completions}`,
    },
    { what: 'pods', value: String(pods.length) },
    { what: 'failed attempts', value: String(failedAttempts(pods).length) },
    { what: 'pod hours', value: podHours(pods, now).toFixed(3) },
    { what: 'nodes', value: String(nodes.size) },
    { what: 'image', value: containers.map(({ image }) => image).join(', ') },
    { what: 'resources', value: containers.map(({ resources }) => resources).join('; ') },
    {
      what: 'retries allowed',
      value: job.backoff_limit === UNLIMITED ? '' : String(job.backoff_limit ?? ''),
    },
  ];
}
