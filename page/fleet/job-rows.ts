import type { FleetFilters } from '../address/page-address.ts';
import type { ListedJob } from '../api/rows.ts';

/** Pages of Jobs, newest first, as the API gave them. */
export interface JobPages {
  pages: { items: ListedJob[]; next: string | null }[];
  pageParams: unknown[];
}

/** Identifies a Job among all clusters. */
export function jobKey({ cluster, uid }: { cluster: string; uid: string }): string {
  return `${cluster}/${uid}`;
}

/** Whether the filters show the Job, as the API decides it. */
export function isShown(filters: FleetFilters, job: ListedJob): boolean {
  const { cluster = job.cluster, namespace = job.namespace, status = [job.status], text = '' } = filters;
  const { labels = [], from = -Infinity, before = Infinity } = filters;
  return (
    job.deleted_at === null &&
    job.cluster === cluster &&
    job.namespace === namespace &&
    status.includes(job.status) &&
    job.name.toLowerCase().includes(text.toLowerCase()) &&
    labels.every((label) => hasLabel(job, label)) &&
    createdAt(job) >= from &&
    createdAt(job) < before
  );
}

function hasLabel({ labels }: ListedJob, label: string): boolean {
  const [key = '', value] = label.split('=');
  return Object.hasOwn(labels, key) && labels[key] === value;
}

/**
 * The pages with Jobs as they are now: each in its place, new ones in the order of their creation, without those in
 * `gone` and those that the filters no longer show. Jobs older than the last loaded page are left to its `next`.
 */
export function withFreshJobs(
  loaded: JobPages,
  filters: FleetFilters,
  fresh: readonly ListedJob[],
  gone: ReadonlySet<string> = new Set(),
): JobPages {
  const latest = new Map(fresh.map((job) => [jobKey(job), job]));
  const known = new Set<string>();
  const pages = loaded.pages.map((page) => ({
    ...page,
    items: page.items.flatMap((job) => {
      const key = jobKey(job);
      known.add(key);
      const now = latest.get(key) ?? job;
      return gone.has(key) || !isShown(filters, now) ? [] : [now];
    }),
  }));
  const added = fresh.filter((job) => !known.has(jobKey(job)) && isShown(filters, job));
  return { ...loaded, pages: added.reduce(withJob, pages) };
}

function withJob(pages: JobPages['pages'], job: ListedJob): JobPages['pages'] {
  const isLast = (at: number): boolean => at === pages.length - 1;
  const place = pages.findIndex(
    ({ items, next }, at) =>
      items.some((other) => createdAt(other) <= createdAt(job)) || (isLast(at) && next === null),
  );
  return pages.map((page, at) =>
    at === place
      ? { ...page, items: [...page.items, job].sort((a, b) => createdAt(b) - createdAt(a)) }
      : page,
  );
}

function createdAt({ created_at: created, first_seen_at: seen }: ListedJob): number {
  return Date.parse(created ?? seen);
}
