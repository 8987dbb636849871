import type { Grouping } from '../../services/read-model/shown/job-lists.ts';

/** The Jobs that the fleet shows; an absent field matches every Job. */
export interface FleetFilters {
  cluster?: string;
  namespace?: string;
  /** States in the terms of Jobledger, such as `Pending`. */
  status?: readonly string[];
  /** Statuses in the terms of Kubernetes. */
  kubectlStatus?: readonly string[];
  /** Why Jobs failed. */
  reason?: string;
  /** Part of the name. */
  text?: string;
  /** Labels that a Job must have, `key=value`. */
  labels?: readonly string[];
  /** Name of the object that controls a Job, or its kind and name, such as `CronJob/nightly`. */
  owner?: string;
  /** `hidden` hides deleted Jobs; without the field, the fleet shows them too. */
  deleted?: 'hidden';
  /** The limits of the creation time in milliseconds since 1970, from `from` (inclusive) to `before` (exclusive). */
  from?: number;
  before?: number;
}

/** One Job, and the view that shows it. */
export interface JobAddress {
  cluster: string;
  namespace: string;
  name: string;
  uid?: string;
  /** Shows the Job as of this instant, in milliseconds since 1970. Absent: now. */
  at?: number;
  /** Shows the differences from this instant, in milliseconds since 1970. */
  compare?: number;
  /** Asks why this pod was created and how it ended. */
  pod?: string;
  /** Asks how the Job would have ended with other values in its spec, such as `backoffLimit=3`. */
  set?: readonly string[];
  /** If the field is absent, the page shows the time axis. */
  tab?: JobTab;
  /** The uid of another run of the same owner to compare with. */
  other?: string;
}

/** The parts of a Job's page. */
export const JOB_TABS = [
  'time',
  'pods',
  'why',
  'chain',
  'decisions',
  'conditions',
  'requests',
  'what-if',
  'manifest',
] as const;
export type JobTab = (typeof JOB_TABS)[number];

/** The scope of the lists in a view. */
export interface Scope {
  cluster?: string;
  namespace?: string;
}

/** One CronJob, and another schedule for a what-if. */
export interface CronJobAddress {
  cluster: string;
  namespace: string;
  name: string;
  set?: readonly string[];
}

/** The optional columns of the fleet, beside status and name, in their order. */
export const COLUMNS = ['cluster', 'progress', 'reason', 'started', 'duration', 'owner'] as const;
export type FleetColumn = (typeof COLUMNS)[number];

/** The possible lengths of the histogram if no period is chosen, in milliseconds before now. */
export const LENGTHS = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
} as const;
export type Length = keyof typeof LENGTHS;

/** The properties by which the API counts Jobs. */
export const GROUPINGS = [
  'reason',
  'status',
  'cluster',
  'namespace',
  'owner',
  'waiting',
  'failure',
  'kubectl_status',
] as const satisfies readonly Grouping[];

/** The orders of the fleet, as the API names them; a minus sign reverses an order. */
export const SORTS = ['-created', 'created', '-finished', 'finished', 'name', '-name'] as const;
export type Sort = (typeof SORTS)[number];

export const NEWEST_FIRST: Sort = '-created';

/** The display options of the fleet. */
export interface FleetAddress {
  filters: FleetFilters;
  /** If the field is absent, the newest Jobs come first. */
  sort?: Sort;
  /** Absent: a week. */
  length?: Length;
  /** Absent: all. */
  columns?: readonly FleetColumn[];
  /** Absent: not grouped. */
  group?: Grouping;
}

/** Asks how the Jobs of the filters would have ended with other values in their specs. */
export interface WhatIfAddress {
  filters: FleetFilters;
  set: readonly string[];
}

/** Everything that the page shows, so that its address can be bookmarked and shared. */
export type PageAddress =
  | ({ view: 'fleet' } & FleetAddress)
  | ({ view: 'what-if' } & WhatIfAddress)
  | { view: 'submit'; cluster?: string }
  | ({ view: 'cron-jobs' } & Scope)
  | { view: 'cron-job'; cronJob: CronJobAddress }
  | { view: 'clusters' }
  | { view: 'job'; job: JobAddress };

/** Reads the query of an address, such as `?status=Running&text=pi`. Unknown parts of the address are ignored. */
export function parsePageAddress(search: string): PageAddress {
  const query = new URLSearchParams(search);
  // The first value of a field; undefined for an absent or empty field.
  const text = (name: string): string | undefined => query.get(name) || undefined;
  // The value of a field as milliseconds since 1970; undefined for an absent or invalid instant.
  const instant = (field: string): number | undefined => {
    const at = Date.parse(text(field) ?? '');
    return Number.isNaN(at) ? undefined : at;
  };
  const view = text('view');
  const [cluster, namespace, name] = [text('cluster'), text('namespace'), text('job')];
  const set = query.getAll('set').filter(Boolean);
  if (view === 'submit') return { view, ...definedFields({ cluster }) };
  if (view === 'clusters') return { view };
  const cronJob = text('cronjob');
  if (cluster !== undefined && namespace !== undefined && cronJob !== undefined) {
    const more = definedFields({ set: set.length === 0 ? undefined : set });
    return { view: 'cron-job', cronJob: { cluster, namespace, name: cronJob, ...more } };
  }
  if (view === 'cron-jobs') return { view, ...definedFields({ cluster, namespace }) };
  if (cluster !== undefined && namespace !== undefined && name !== undefined) {
    const more = definedFields({
      uid: text('uid'),
      at: instant('at'),
      compare: instant('compare'),
      pod: text('pod'),
      set: set.length === 0 ? undefined : set,
      tab: findChoice(JOB_TABS, text('tab')),
      other: text('other'),
    });
    return { view: 'job', job: { cluster, namespace, name, ...more } };
  }
  const kubectlStatus = text('kubectl_status')?.split(',').filter(Boolean);
  const status = query.getAll('status').filter(Boolean);
  const labels = query.getAll('label').filter(isLabel);
  const filters = definedFields({
    cluster,
    namespace,
    status: status.length === 0 ? undefined : status,
    kubectlStatus,
    reason: text('reason'),
    deleted: text('deleted') === 'hidden' ? ('hidden' as const) : undefined,
    text: text('text'),
    labels: labels.length === 0 ? undefined : labels,
    owner: text('owner'),
    from: instant('from'),
    before: instant('before'),
  });
  if (view === 'what-if') return { view, filters, set };
  const length = findChoice(Object.keys(LENGTHS) as Length[], text('length'));
  const [group, sort] = [findChoice(GROUPINGS, text('group')), findChoice(SORTS, text('sort'))];
  const columns = text('columns')
    ?.split(',')
    .flatMap((each) => findChoice(COLUMNS, each) ?? []);
  return { view: 'fleet', filters, ...definedFields({ length, group, sort, columns }) };
}

/** The known value that equals a text; undefined for any other text. */
function findChoice<T extends string>(known: readonly T[], text: string | undefined): T | undefined {
  return known.find((each) => each === text);
}

/** True when a text is a label in the form of the API, `key=value`. */
export function isLabel(text: string): boolean {
  return /^[^=\s]{1,317}=[^=\s]{0,63}$/u.test(text) && !text.includes('\0');
}

/** The query of an address; the inverse of `parsePageAddress`. */
export function toSearch(address: PageAddress): string {
  const query = new URLSearchParams(addressFields(address)).toString();
  return query === '' ? '' : `?${query}`;
}

type Field = [name: string, value: string];

/** The fields of the query, with the view and its values. */
function addressFields(address: PageAddress): Field[] {
  switch (address.view) {
    case 'job':
      return fieldsOfJob(address.job);
    case 'submit':
      return [['view', 'submit'], ...optionalField('cluster', address.cluster)];
    case 'clusters':
      return [['view', 'clusters']];
    case 'cron-jobs': {
      const { cluster, namespace } = address;
      return [
        ['view', 'cron-jobs'],
        ...optionalField('cluster', cluster),
        ...optionalField('namespace', namespace),
      ];
    }
    case 'cron-job': {
      const { cluster, namespace, name, set = [] } = address.cronJob;
      return [['cluster', cluster], ['namespace', namespace], ['cronjob', name], ...fieldsOfChanges(set)];
    }
    case 'what-if':
      return [['view', 'what-if'], ...fieldsOfFilters(address.filters), ...fieldsOfChanges(address.set)];
    case 'fleet': {
      const { filters, length, group, sort, columns } = address;
      return [
        ...fieldsOfFilters(filters),
        ...optionalField('length', length),
        ...optionalField('group', group),
        ...optionalField('sort', sort),
        ...optionalField('columns', columns?.join(',')),
      ];
    }
  }
}

/** The fields of the query for the filters. */
function fieldsOfFilters(filters: FleetFilters): Field[] {
  const { status = [], kubectlStatus = [], labels = [], from, before, ...rest } = filters;
  return [
    ...Object.entries(rest),
    ...status.map((each): Field => ['status', each]),
    ...optionalField('kubectl_status', kubectlStatus.length === 0 ? undefined : kubectlStatus.join(',')),
    ...labels.map((label): Field => ['label', label]),
    ...instantField('from', from),
    ...instantField('before', before),
  ];
}

/** The fields of the query for a Job. */
function fieldsOfJob({ name, at, compare, set = [], ...rest }: JobAddress): Field[] {
  return [
    ...Object.entries(rest),
    ['job', name],
    ...instantField('at', at),
    ...instantField('compare', compare),
    ...fieldsOfChanges(set),
  ];
}

/** The fields of the query for the changes of a what-if. */
function fieldsOfChanges(set: readonly string[]): Field[] {
  return set.map((change) => ['set', change]);
}

/** The field of a value; empty without a value. */
function optionalField(field: string, value: string | undefined): Field[] {
  return value === undefined ? [] : [[field, value]];
}

/** The field of an instant; empty without an instant. */
function instantField(field: string, at: number | undefined): Field[] {
  return at === undefined ? [] : [[field, new Date(at).toISOString()]];
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The object without undefined fields. */
function definedFields<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
