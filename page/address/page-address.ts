/** Which Jobs the fleet shows; an absent field matches all. */
export interface FleetFilters {
  cluster?: string;
  namespace?: string;
  /** Status words. */
  status?: readonly string[];
  /** Part of the name. */
  text?: string;
  /** Labels that a Job must have, `key=value`. */
  labels?: readonly string[];
  /** Created from this instant and before that one, in milliseconds since 1970. */
  from?: number;
  before?: number;
}

/** One Job, and what is looked at of it. */
export interface JobAddress {
  cluster: string;
  namespace: string;
  name: string;
  uid?: string;
  /** Shows the Job as of this instant, in milliseconds since 1970. Absent: now. */
  at?: number;
  /** Shows what was different at this instant, in milliseconds since 1970. */
  compare?: number;
  /** Asks why this pod was created and how it ended. */
  pod?: string;
  /** Asks how the Job would have ended with other values in its spec, such as `backoffLimit=3`. */
  set?: readonly string[];
}

/** Everything that the page shows, so that its address can be kept and sent on. */
export type PageAddress = { view: 'fleet'; filters: FleetFilters } | { view: 'job'; job: JobAddress };

/** Reads the query of an address, such as `?status=Running&text=pi`. What it does not know is ignored. */
export function addressIn(search: string): PageAddress {
  const query = new URLSearchParams(search);
  const text = (name: string): string | undefined => query.get(name) || undefined;
  const instant = (field: string): number | undefined => {
    const at = Date.parse(text(field) ?? '');
    return Number.isNaN(at) ? undefined : at;
  };
  const [cluster, namespace, name] = [text('cluster'), text('namespace'), text('job')];
  if (cluster !== undefined && namespace !== undefined && name !== undefined) {
    const set = query.getAll('set').filter(Boolean);
    const more = present({
      uid: text('uid'),
      at: instant('at'),
      compare: instant('compare'),
      pod: text('pod'),
      set: set.length === 0 ? undefined : set,
    });
    return { view: 'job', job: { cluster, namespace, name, ...more } };
  }
  const status = text('status')?.split(',').filter(Boolean);
  const labels = query.getAll('label').filter(isLabel);
  const filters = {
    cluster,
    namespace,
    status,
    text: text('text'),
    labels: labels.length === 0 ? undefined : labels,
    from: instant('from'),
    before: instant('before'),
  };
  return { view: 'fleet', filters: present(filters) };
}

/** Whether a text is a label as the API takes it: `key=value`. */
export function isLabel(text: string): boolean {
  return /^[^=\s]{1,317}=[^=\s]{0,63}$/u.test(text) && !text.includes('\0');
}

/** The query of the address: the reverse of `addressIn`. */
export function searchOf(address: PageAddress): string {
  const query = new URLSearchParams(fieldsOf(address)).toString();
  return query === '' ? '' : `?${query}`;
}

type Field = [name: string, value: string];

function fieldsOf(address: PageAddress): Field[] {
  if (address.view === 'fleet') {
    const { status = [], labels = [], from, before, ...rest } = address.filters;
    const words: Field[] = status.length === 0 ? [] : [['status', status.join(',')]];
    return [
      ...Object.entries(rest),
      ...words,
      ...labels.map((label): Field => ['label', label]),
      ...instantField('from', from),
      ...instantField('before', before),
    ];
  }
  const { name, at, compare, set = [], ...rest } = address.job;
  const changes = set.map((change): Field => ['set', change]);
  return [
    ...Object.entries(rest),
    ['job', name],
    ...instantField('at', at),
    ...instantField('compare', compare),
    ...changes,
  ];
}

function instantField(field: string, at: number | undefined): Field[] {
  return at === undefined ? [] : [[field, new Date(at).toISOString()]];
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that are undefined. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
