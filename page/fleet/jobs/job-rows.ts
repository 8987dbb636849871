import type { FleetFilters, Sort } from '../../address/page-address.ts';
import type { ListedJob } from '../../api/rows.ts';

/** The pages of Jobs that the API has returned, all in the same order. */
export interface JobPages {
  pages: { items: ListedJob[]; next: string | null }[];
  pageParams: unknown[];
}

/** A key that identifies a Job among all clusters. */
export function jobKey({ cluster, uid }: { cluster: string; uid: string }): string {
  return `${cluster}/${uid}`;
}

/** True when the filters select the Job, by the rules of the API. */
export function isShown(filters: FleetFilters, job: ListedJob): boolean {
  const {
    cluster = job.cluster,
    namespace = job.namespace,
    kubectlStatus = [job.kubectl_status],
    text = '',
  } = filters;
  const { status = [job.status], reason, labels = [], owner, from = -Infinity, before = Infinity } = filters;
  return (
    (filters.deleted === undefined || job.deleted_at === null) &&
    job.cluster === cluster &&
    job.namespace === namespace &&
    status.includes(job.status) &&
    kubectlStatus.includes(job.kubectl_status) &&
    (reason === undefined || withoutCounts(job.reason) === reason) &&
    job.name.toLowerCase().includes(text.toLowerCase()) &&
    labels.every((label) => hasLabel(job, label)) &&
    (owner === undefined || isOwnedBy(job, owner)) &&
    createdAt(job) >= from &&
    createdAt(job) < before
  );
}

/** The reason without numbers of pods, as in the groups of the API. */
function withoutCounts(reason: string | null): string | undefined {
  return reason?.replaceAll(/ ×\d+/g, '');
}

/** True when a Job has a label, given as `key=value`. */
function hasLabel({ labels }: ListedJob, label: string): boolean {
  const [key = '', value] = label.split('=');
  return Object.hasOwn(labels, key) && labels[key] === value;
}

/** True when the owner of a Job has this name, or this kind and name. */
function isOwnedBy({ owner_kind: kind, owner_name: name }: ListedJob, owner: string): boolean {
  return owner === name || owner === `${kind}/${name}`;
}

/**
 * The pages with the new rows in their places, without the Jobs in `gone` and without Jobs that the filters do not select. A Job that belongs after
 * the last loaded page is omitted, because `next` of this page leads to it.
 */
export function withFreshJobs(
  loaded: JobPages,
  { filters, sort }: { filters: FleetFilters; sort: Sort },
  fresh: readonly ListedJob[],
  gone: ReadonlySet<string> = new Set(),
): JobPages {
  const compare = comparisonBy(sort);
  const latest = new Map(fresh.map((job) => [jobKey(job), job]));
  const inPlace = new Set<string>();
  const pages = loaded.pages.map((page) => ({
    ...page,
    items: page.items.flatMap((job) => {
      const key = jobKey(job);
      const now = latest.get(key) ?? job;
      if (gone.has(key) || !isShown(filters, now) || compare(now, job) !== 0) return [];
      inPlace.add(key);
      return [now];
    }),
  }));
  const others = fresh.filter((job) => !inPlace.has(jobKey(job)) && isShown(filters, job));
  return { ...loaded, pages: others.reduce((before, job) => withJob(before, job, compare), pages) };
}

type Comparison = (a: ListedJob, b: ListedJob) => number;

/** The pages with a Job inserted in its place. */
function withJob(pages: JobPages['pages'], job: ListedJob, compare: Comparison): JobPages['pages'] {
  // True for the place of the last loaded page.
  const isLast = (at: number): boolean => at === pages.length - 1;
  const place = pages.findIndex(
    ({ items, next }, at) => items.some((other) => compare(job, other) <= 0) || (isLast(at) && next === null),
  );
  return pages.map((page, at) =>
    at === place ? { ...page, items: [...page.items, job].sort(compare) } : page,
  );
}

/** Compares two Jobs in the order of the API. */
function comparisonBy(sort: Sort): Comparison {
  const reverse = sort.startsWith('-') ? -1 : 1;
  const values = valuesBy(sort);
  return (a, b) => {
    const [ofA, ofB] = [values(a), values(b)];
    const place = ofA.findIndex((value, at) => value !== ofB[at]);
    return place < 0 ? 0 : reverse * ((ofA[place] ?? 0) < (ofB[place] ?? 0) ? -1 : 1);
  };
}

/** The values by which an order compares Jobs: its own value, then the cluster and the uid. */
function valuesBy(sort: Sort): (job: ListedJob) => (number | string)[] {
  const first: (job: ListedJob) => number | string = {
    created: createdAt,
    finished: ({ finished_at: at }: ListedJob) => (at === null ? Infinity : Date.parse(at)),
    name: ({ name }: ListedJob) => name,
  }[sort.replace('-', '') as 'created' | 'finished' | 'name'];
  return (job) => [first(job), job.cluster, job.uid];
}

/** The creation time of a Job, or the time of its first observation, in milliseconds since 1970. */
function createdAt({ created_at: created, first_seen_at: seen }: ListedJob): number {
  return Date.parse(created ?? seen);
}
