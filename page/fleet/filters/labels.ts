import type { ListedJob } from '../../api/rows.ts';

/** Labels that Kubernetes itself gives to every Job or pod, and that users do not search for. */
const OF_KUBERNETES = /^(batch\.kubernetes\.io\/|controller-uid$|job-name$)/;

/** The labels of Jobs as `key=value`, the most frequent first. */
export function frequentLabels(jobs: readonly ListedJob[]): string[] {
  const counts = new Map<string, number>();
  for (const { labels } of jobs)
    for (const [key, value] of Object.entries(labels)) {
      if (OF_KUBERNETES.test(key)) continue;
      const label = `${key}=${value}`;
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([label]) => label);
}
