import { createHash } from 'node:crypto';
import { encodeEvent } from '../../../services/adapters/events/event-codec.ts';
import { canonicalJson } from '../../../workflows/ledger/digest.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { podName } from '../../../workflows/job/definitions/pod-names.ts';
import { CLUSTER, JOB_NAME, JOB_UID, START } from '../../support/builders.ts';
import { BASE_VERSION, CHAIN, TEAM } from './marks.ts';

/** What differs between two Jobs of one story. */
export interface Identity {
  cluster: string;
  namespace: string;
  name: string;
  uid: string;
  team: string;
  /** When it is created, in milliseconds; whole seconds, like the API's instants. */
  start: number;
  /** The first resourceVersion. */
  version: number;
}

/** A text with holes: `literals` has one more part than `holes`. */
interface Holed {
  literals: string[];
  /** Indexes of values. */
  holes: number[];
}

interface EventTemplate {
  /** Milliseconds after the start. */
  at: number;
  data: Holed;
  /** Everything before `data`. */
  envelope: Holed;
  /** Which value is its digest. */
  digest: number;
}

/** The ledger of one played Job, as a template for others. */
export interface Template {
  events: EventTemplate[];
  /** How to fill each hole; null for digests, which follow from the events one after the other. */
  values: (((identity: Identity) => string) | null)[];
}

type Fill = Template['values'][number];

const POD_UID = /^uid-(\d+)$/;
const WORDS = [
  JOB_UID,
  CHAIN.slice(0, 8),
  String.raw`\buid-\d+\b`,
  String.raw`\b2026-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z`,
  String.raw`\b177\d{10}\b`,
  String.raw`\b7\d{8}\b`,
  String.raw`\b[0-9a-f]{16}\b`,
  String.raw`\b${CLUSTER}\b`,
  String.raw`\b${TEAM}\b`,
  String.raw`"namespace":"default"`,
  String.raw`\bdefault/`,
  String.raw`\b${JOB_NAME}\b`,
];

/** Replaces the values of holes. Digests are computed again, as their content differs. */
export function createTemplate(events: readonly JobEvent[]): Template {
  const pods = numberPods(events);
  const message = new RegExp([...pods.keys(), ...WORDS].join('|'), 'g');
  const uids = [...new Set(JSON.stringify(events).match(/\buid-\d+\b/g) ?? [])].toSorted();
  const digests = new Set(events.map(({ digest }) => digest));
  const values: Fill[] = [];
  const known = new Map<string, number>();
  const valueIndex = (word: string): number => {
    const at = known.get(word) ?? values.push(createFill(word, pods, uids, digests)) - 1;
    known.set(word, at);
    return at;
  };
  const holed = (text: string): Holed => ({
    literals: text.split(message),
    holes: (text.match(message) ?? []).map(valueIndex),
  });
  const templates = events.map((event): EventTemplate => {
    const { value } = encodeEvent({ ...event, data: {} } as JobEvent);
    const at = Date.parse(event.time) - START;
    const envelope = holed(value.slice(0, -'{}}'.length));
    return { at, data: holed(canonicalJson(event.data)), envelope, digest: valueIndex(event.digest) };
  });
  return { events: templates, values };
}

interface PodPlace {
  ordinal: number;
  index: number | undefined;
}

/** Names of pods follow from the Job's uid. */
function numberPods(events: readonly JobEvent[]): Map<string, PodPlace> {
  const pods = new Map<string, PodPlace>();
  for (const { type, data } of events) {
    if (type !== 'job.decided') continue;
    for (const command of data.commands)
      if (command.kind === 'CreatePods')
        for (const { name, ordinal, index } of command.pods) pods.set(name, { ordinal, index });
  }
  return pods;
}

function createFill(
  word: string,
  pods: ReadonlyMap<string, PodPlace>,
  uids: readonly string[],
  digests: ReadonlySet<string>,
): Fill {
  const pod = pods.get(word);
  if (pod !== undefined) return (identity) => podName(identity, pod.ordinal, pod.index);
  if (digests.has(word)) return null;
  // In the order of the played ones: the core may have sorted by it.
  if (POD_UID.test(word)) return ({ uid }) => podUid(uid, uids.indexOf(word));
  if (word.startsWith('2026-')) return instantFill(Date.parse(word) - START, word.length);
  if (/^177\d{10}$/.test(word)) return ({ start }) => String(start + Number(word) - START);
  if (/^7\d{8}$/.test(word)) return ({ version }) => String(version + Number(word) - BASE_VERSION);
  return named(word);
}

/** RFC 3339 in its original length: the API writes seconds, we write milliseconds. */
function instantFill(after: number, length: number): Fill {
  const isShort = length === '2026-03-01T12:00:00Z'.length;
  return ({ start }) => {
    const text = new Date(start + after).toISOString();
    return isShort ? `${text.slice(0, length - 1)}Z` : text;
  };
}

function podUid(jobUid: string, place: number): string {
  return `${jobUid.slice(0, 24)}${place.toString(16).padStart(4, '0')}${jobUid.slice(28)}`;
}

function named(word: string): Fill {
  const fills: Record<string, (identity: Identity) => string> = {
    [JOB_UID]: ({ uid }) => uid,
    [CHAIN.slice(0, 8)]: ({ uid }) => uid.slice(0, 8).split('').toReversed().join(''),
    [CLUSTER]: ({ cluster }) => cluster,
    [TEAM]: ({ team }) => team,
    '"namespace":"default"': ({ namespace }) => `"namespace":"${namespace}"`,
    'default/': ({ namespace }) => `${namespace}/`,
    [JOB_NAME]: ({ name }) => name,
  };
  const fill = fills[word];
  if (fill === undefined) throw new Error(`"${word}" in a played story stands for nothing`);
  return fill;
}

/** The records of one Job in order: the value of each, in the order of the template's events. */
export function* render({ events, values }: Template, identity: Identity): Generator<string> {
  const filled = values.map((fill) => fill?.(identity) ?? '');
  for (const { data, envelope, digest } of events) {
    const content = filledIn(data, filled);
    filled[digest] = createHash('sha256').update(content).digest('hex').slice(0, 16);
    yield `${filledIn(envelope, filled)}${content}}`;
  }
}

function filledIn({ literals, holes }: Holed, values: readonly string[]): string {
  let text = literals[0] ?? '';
  for (const [at, hole] of holes.entries()) text += (values[hole] ?? '') + (literals[at + 1] ?? '');
  return text;
}
