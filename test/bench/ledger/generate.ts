import { encodeEvent, withDigest, type EncodedEvent } from '../../../services/adapters/events/event-codec.ts';
import type { ClusterConnected, ClusterGap } from '../../../workflows/ledger/cluster-events.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { seededRandom } from '../../support/random.ts';
import { play } from './play.ts';
import { STORIES, SUSPENDED_STORIES, type Story } from './stories.ts';
import { render, createTemplate, type Identity, type Template } from './template.ts';

export interface LedgerOptions {
  events: number;
  /** The end of the ledger, in milliseconds. Default: now. */
  until?: number;
  /** How many days it covers. */
  days?: number;
  /** The same seed and end give the same ledger. */
  seed?: number;
  /** How often each kind of Job is played, with different durations and exit codes. */
  variants?: number;
  /** How many Jobs there are besides that somebody suspended or created suspended, and nobody resumes. Default: none. */
  suspended?: number;
}

/** A source of records, each at its time. */
interface Source {
  key: string;
  /** Milliseconds since 1970, ascending. */
  times: number[];
  values: Iterator<string>;
}

const CLUSTERS = ['east', 'west', 'north'];
const NAMESPACES = ['payments', 'media', 'search', 'data', 'ops'];
const TEAMS = ['checkout', 'media', 'search', 'data-platform', 'sre', 'growth'];
const MINUTE = 60_000;
const SLICE = 10 * MINUTE;
const DAY = 24 * 60 * MINUTE;

/**
 * The ledger of a busy platform, in order of time: Jobs of many kinds in three clusters, a third of them in the small
 * hours, with gaps. Its decisions are the core's own, so they re-execute.
 */
export async function generateLedger(options: LedgerOptions): Promise<Iterable<EncodedEvent>> {
  const { events, until = Date.now(), days = 35, seed = 1, variants = 8, suspended = 0 } = options;
  const chance = seededRandom(seed);
  const end = Math.floor(until / 1000) * 1000;
  const window = { from: end - days * DAY, until: end, chance };
  const sources = await readSources(events, variants, window);
  const waiting = await suspendedSources(suspended, { ...window, chance: seededRandom(seed + 1) });
  const total = waiting.reduce((sum, { times }) => sum + times.length, events);
  return first(total, inOrder(inOrderOfStart([...sources, ...waiting])));
}

function* first<T>(count: number, values: Iterable<T>): Generator<T> {
  let left = count;
  for (const value of values) {
    if (left === 0) return;
    left -= 1;
    yield value;
  }
}

interface Window {
  from: number;
  until: number;
  chance: () => number;
}

async function readSources(events: number, variants: number, window: Window): Promise<Source[]> {
  const { chance } = window;
  const played: { story: Story; templates: Template[] }[] = [];
  for (const story of STORIES) {
    const templates: Template[] = [];
    for (let variant = 0; variant < variants; variant += 1)
      templates.push(createTemplate(await play(story, chance)));
    played.push({ story, templates });
  }
  const sources = CLUSTERS.map((cluster) => clusterSource(cluster, window));
  let total = sources.reduce((sum, { times }) => sum + times.length, 0);
  // A few more than requested: the newest Jobs are still running at the end.
  for (let number = 0; total < events * 1.02 + 100; number += 1) {
    const { story, templates } = drawn(played, chance);
    const template = templates[Math.floor(chance() * variants)];
    if (template === undefined) continue;
    sources.push(jobSource(template, chooseIdentity(story, number, window)));
    total += template.events.length;
  }
  return sources;
}

/** Jobs that stay suspended, with random numbers of their own: the other Jobs are the same without them. */
async function suspendedSources(count: number, window: Window): Promise<Source[]> {
  const sources: Source[] = [];
  for (let number = 0; number < count; number += 1) {
    const story = SUSPENDED_STORIES[number % SUSPENDED_STORIES.length];
    if (story === undefined) continue;
    const template = createTemplate(await play(story, window.chance));
    sources.push(jobSource(template, chooseIdentity(story, number, window)));
  }
  return sources;
}

function inOrderOfStart(sources: readonly Source[]): Source[] {
  return sources.toSorted((a, b) => (a.times[0] ?? 0) - (b.times[0] ?? 0));
}

function drawn<T extends { story: Story }>(played: readonly T[], chance: () => number): T {
  const total = played.reduce((sum, { story }) => sum + story.weight, 0);
  let rest = chance() * total;
  for (const each of played) {
    rest -= each.story.weight;
    if (rest < 0) return each;
  }
  throw new Error('no story was drawn');
}

function chooseIdentity({ name }: Story, number: number, { from, until, chance }: Window): Identity {
  const day = from + Math.floor((chance() * (until - from)) / DAY) * DAY;
  const hours = chance() < 0.33 ? 1 + 4 * chance() : 24 * chance();
  const midnight = Math.floor(day / DAY) * DAY;
  const start = Math.min(Math.max(midnight + hours * 60 * MINUTE, from), until);
  const place = Math.floor(chance() * NAMESPACES.length);
  return {
    cluster: CLUSTERS[Math.floor(chance() ** 2 * CLUSTERS.length)] ?? 'east',
    namespace: NAMESPACES[place] ?? 'default',
    name: `${name}-${number.toString(36)}`,
    uid: uuid(chance),
    team: TEAMS[Math.floor(chance() * TEAMS.length)] ?? 'sre',
    start: Math.floor(start / 1000) * 1000,
    version: 1000 + Math.floor((start - from) / 10),
  };
}

function uuid(chance: () => number): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(chance() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function jobSource(template: Template, identity: Identity): Source {
  const times = template.events.map(({ at }) => identity.start + at);
  return { key: `${identity.cluster}/${identity.uid}`, times, values: render(template, identity) };
}

/** When the cluster was connected, and a gap every few days. */
function clusterSource(cluster: string, { from, until, chance }: Window): Source {
  const connected = withDigest<ClusterConnected>({
    id: `${cluster}/connected/${from}`,
    ...eventHead(cluster, from),
    type: 'cluster.connected',
    data: { cluster, uid: uuid(chance), version: 'v1.36.3' },
  });
  const events: JobEvent[] = [connected];
  for (let at = from + 2 * DAY * chance(); at < until; at += DAY * (1 + 4 * chance())) {
    const since = new Date(at - MINUTE * (1 + 5 * chance())).toISOString();
    const [low, high] = [String(Math.floor(at / 10)), String(Math.floor(at / 10) + 900)];
    events.push(
      withDigest<ClusterGap>({
        id: `${cluster}/gap/pods/${low}/${high}`,
        ...eventHead(cluster, at),
        type: 'cluster.gap',
        data: {
          cluster,
          resource: 'pods',
          from: low,
          to: high,
          since,
          until: new Date(at).toISOString(),
          reason: 'the API server no longer had what happened since',
        },
      }),
    );
  }
  const values = events.map((event) => encodeEvent(event).value);
  return { key: cluster, times: events.map(({ time }) => Date.parse(time)), values: values.values() };
}

function eventHead(cluster: string, at: number): Pick<JobEvent, 'source' | 'subject' | 'time'> {
  return { source: cluster, subject: cluster, time: new Date(at).toISOString() };
}

/** By slices of time, so that only the sources of one slice are in memory. */
function* inOrder(sources: readonly Source[]): Generator<EncodedEvent> {
  let waiting = 0;
  let active: { source: Source; at: number }[] = [];
  for (let slice = sources[0]?.times[0] ?? 0; waiting < sources.length || active.length > 0;) {
    const end = slice + SLICE;
    for (
      let next = sources[waiting];
      next !== undefined && (next.times[0] ?? 0) < end;
      next = sources[waiting]
    ) {
      active.push({ source: next, at: 0 });
      waiting += 1;
    }
    const records = active.flatMap((each) => [...takeUntil(each, end)]);
    records.sort((a, b) => a.time - b.time);
    for (const { record } of records) yield record;
    active = active.filter(({ source, at }) => at < source.times.length);
    slice = active.length > 0 ? end : Math.max(end, sources[waiting]?.times[0] ?? end);
  }
}

function* takeUntil(
  active: { source: Source; at: number },
  end: number,
): Generator<{ time: number; record: EncodedEvent }> {
  const { key, times, values } = active.source;
  for (let time = times[active.at]; time !== undefined && time < end; time = times[active.at]) {
    active.at += 1;
    yield { time, record: { key, value: String(values.next().value) } };
  }
}
