import type { FaultPoint } from '../../services/adapters/process/fault-points.ts';
import { seededRandom } from '../support/random.ts';
import { REQUEST_FAULTS, type RequestFaults } from './faulty-requests.ts';
import type { WatchFault } from './faulty-watches.ts';
import { jobStories, type JobStory } from './job-stories.ts';

export const PARTS = [
  'ingester',
  'dispatcher',
  'worker',
  'projector',
  'temporal',
  'kafka',
  'postgres',
  'local-kube-apiserver',
] as const;
export type Part = (typeof PARTS)[number];

/** What happens in one round. */
export interface Round {
  number: number;
  /** The part that is struck. */
  part: Part;
  /** It is killed with SIGKILL, or stopped with SIGSTOP and continued after a while. */
  strike: 'kill' | 'stop';
  /** Milliseconds from the creation of the round's Jobs to that. */
  moment: number;
  /** From that moment on the part dies where it reaches this point; absent: it dies at that moment. */
  fault?: FaultPoint;
  stories: readonly JobStory[];
  watchFaults: readonly WatchFault[];
  requestFaults: RequestFaults;
}

const LONGEST_MOMENT_MS = 1500;
const STORIES = 3;
/** The events of a round's Jobs are about this many. */
const EVENTS = 50;
const LONGEST_DELAY_MS = 1500;
/** The worst points of some parts, taken in turn: one for each time that the part is killed. */
const FAULTS: Partial<Record<Part, readonly (FaultPoint | undefined)[]>> = {
  worker: ['after-api-call', 'after-release', 'after-decision', undefined],
  dispatcher: [undefined, 'after-signal'],
  ingester: [undefined, 'after-append'],
};

/** In each third turn the parts are stopped. */
const STOPS_EVERY = 3;
const PERCENTS = [1, 5, 10] as const;

/** All that is random in a round follows from the seed and its number, so a run can be continued at any round. */
export function roundOf(seed: number, number: number): Round {
  const random = randomOf(seed, number);
  const turn = Math.floor(number / PARTS.length);
  // Each part is struck once in a turn.
  const part = shuffled(PARTS, randomOf(seed, -1 - turn))[number % PARTS.length] ?? 'worker';
  const strike = turn % STOPS_EVERY === STOPS_EVERY - 1 ? 'stop' : 'kill';
  const kills = turn - Math.floor((turn + 1) / STOPS_EVERY);
  const faults = strike === 'kill' ? (FAULTS[part] ?? []) : [];
  const fault = faults[kills % faults.length];
  return {
    number,
    part,
    strike,
    moment: Math.floor(random() * LONGEST_MOMENT_MS),
    ...(fault !== undefined && { fault }),
    stories: shuffled(jobStories, random).slice(0, STORIES),
    watchFaults: watchFaultsOf(random),
    requestFaults: requestFaultsOf(seed, number),
  };
}

/** Each fault at each rate once in eighteen rounds. */
function requestFaultsOf(seed: number, number: number): RequestFaults {
  const kinds = REQUEST_FAULTS.flatMap((fault) => PERCENTS.map((percent) => ({ fault, percent })));
  const turn = Math.floor(number / kinds.length);
  const order = shuffled(kinds, randomOf(seed, -1_000_001 - turn));
  const { fault, percent } = order[number % kinds.length] ?? { fault: '429', percent: 1 };
  return { fault, percent, seed: seed * 1_000_003 + number };
}

/** One or two events are lost, one or two repeated, one is delayed, and in every other round a stream is cut. */
function watchFaultsOf(random: () => number): WatchFault[] {
  const at = (): number => Math.floor(random() * EVENTS);
  const oneOrTwo = (): undefined[] => Array.from({ length: random() < 0.5 ? 1 : 2 });
  return [
    ...oneOrTwo().map(() => ({ kind: 'lose', at: at() }) as const),
    ...oneOrTwo().map(() => ({ kind: 'repeat', at: at() }) as const),
    { kind: 'delay', at: at(), ms: Math.ceil(random() * LONGEST_DELAY_MS) },
    ...(random() < 0.5 ? [{ kind: 'cut', at: at() } as const] : []),
  ];
}

function randomOf(seed: number, stream: number): () => number {
  return seededRandom(seed * 1_000_003 + stream);
}

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items.reduce<T[]>((done, item, index) => {
    const at = Math.floor(random() * (index + 1));
    return [...done.slice(0, at), item, ...done.slice(at)];
  }, []);
}
