import { podOutcome } from '../../../services/read-model/shown/pod-outcome.ts';
import type { JobDetails, ListedPod } from '../../api/rows.ts';
import type { LifePod } from '../life/job-life.ts';

/** The largest number of pods whose logs are offered. */
const MOST = 20;

/** The pods in the order of the logs dialog: failed pods before other pods, and the latest pod first in each group. */
export function podsWithLogs(pods: readonly LifePod[]): LifePod[] {
  // The place of a pod's group: failed pods come first.
  const rank = (pod: ListedPod): number => (pod.finished_at !== null && podOutcome(pod) === 'failed' ? 0 : 1);
  // The end of a pod, or its creation, in milliseconds since 1970.
  const at = ({ finished_at: finished, created_at: created }: ListedPod): number =>
    Date.parse(finished ?? created ?? '') || 0;
  return pods.toSorted((a, b) => rank(a) - rank(b) || at(b) - at(a)).slice(0, MOST);
}

/**
 * The kubectl command that prints the log of a pod, with the context of its cluster for a spread Job. For a restarted pod that has not ended, it
 * prints the log of the previous run.
 */
export function kubectlLogs({ namespace }: Pick<JobDetails, 'namespace'>, pod: LifePod): string {
  const previous = pod.restarts > 0 && pod.finished_at === null ? ' --previous' : '';
  const context = pod.member === undefined ? '' : ` --context ${pod.member.cluster}`;
  return `kubectl logs${context} --namespace ${namespace} ${pod.name}${previous}`;
}

/**
 * The link of a template such as `https://logs.example/?pod={pod}&from={from}`; null if the result is not a web address.
 */
export function logLink(
  template: string,
  job: Pick<JobDetails, 'cluster' | 'namespace' | 'name'>,
  pod: LifePod,
): string | null {
  const { cluster, namespace, name } = { ...job, ...pod.member };
  const values: Record<string, string> = {
    cluster,
    namespace,
    job: name,
    pod: pod.name,
    from: pod.created_at ?? '',
    to: pod.finished_at ?? pod.deleted_at ?? '',
    from_ms: milliseconds(pod.created_at),
    to_ms: milliseconds(pod.finished_at ?? pod.deleted_at),
  };
  const filled = template.replaceAll(/\{(\w+)\}/g, (whole, field: string) =>
    Object.hasOwn(values, field) ? encodeURIComponent(values[field] ?? '') : whole,
  );
  return /^https?:\/\//i.test(filled) && URL.canParse(filled) ? filled : null;
}

/** An instant in milliseconds since 1970 as text; empty for null. */
function milliseconds(instant: string | null): string {
  return instant === null ? '' : String(Date.parse(instant));
}
