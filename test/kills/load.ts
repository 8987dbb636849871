import { seededRandom } from '../support/random.ts';
import { REQUEST_FAULTS, type RequestFaults } from './faulty-requests.ts';
import type { WatchFault } from './faulty-watches.ts';
import { jobStories, type JobStory } from './job-stories.ts';

/** The parts of a round that do not depend on the struck services: its Jobs, and the faults between us and the API server. */
export interface Load {
  number: number;
  /** Milliseconds from the creation of the round's Jobs to the strike. */
  moment: number;
  stories: readonly JobStory[];
  watchFaults: readonly WatchFault[];
  requestFaults: RequestFaults;
}

const LONGEST_MOMENT_MS = 1500;
const STORIES = 3;
/** The events of a round's Jobs are about this many. */
const EVENTS = 50;
const LONGEST_DELAY_MS = 1500;
const PERCENTS = [1, 5, 10] as const;

/** All random choices of a round follow from the seed and the number of the round, so a run can be continued at any round. */
export function createLoad(seed: number, number: number): Load {
  const random = streamRandom(seed, number);
  return {
    number,
    moment: Math.floor(random() * LONGEST_MOMENT_MS),
    stories: shuffled(jobStories, random).slice(0, STORIES),
    watchFaults: chooseWatchFaults(random),
    requestFaults: chooseRequestFaults(seed, number),
  };
}

/** Each of the items once in as many rounds as there are items, in an order that changes with each turn. */
export function inTurns<T>(items: readonly T[], seed: number, number: number, stream = -1): T | undefined {
  const turn = Math.floor(number / items.length);
  return shuffled(items, streamRandom(seed, stream - turn))[number % items.length];
}

/** Each fault at each rate once in eighteen rounds. */
function chooseRequestFaults(seed: number, number: number): RequestFaults {
  const kinds = REQUEST_FAULTS.flatMap((fault) => PERCENTS.map((percent) => ({ fault, percent })));
  const { fault, percent } = inTurns(kinds, seed, number, -1_000_001) ?? { fault: '429', percent: 1 };
  return { fault, percent, seed: seed * 1_000_003 + number };
}

/** One or two events are lost, one or two repeated, one is delayed, and in every other round a stream is cut. */
function chooseWatchFaults(random: () => number): WatchFault[] {
  const at = (): number => Math.floor(random() * EVENTS);
  const oneOrTwo = (): undefined[] => Array.from({ length: random() < 0.5 ? 1 : 2 });
  return [
    ...oneOrTwo().map(() => ({ kind: 'lose', at: at() }) as const),
    ...oneOrTwo().map(() => ({ kind: 'repeat', at: at() }) as const),
    { kind: 'delay', at: at(), ms: Math.ceil(random() * LONGEST_DELAY_MS) },
    ...(random() < 0.5 ? [{ kind: 'cut', at: at() } as const] : []),
  ];
}

function streamRandom(seed: number, stream: number): () => number {
  return seededRandom(seed * 1_000_003 + stream);
}

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items.reduce<T[]>((done, item, index) => {
    const at = Math.floor(random() * (index + 1));
    return [...done.slice(0, at), item, ...done.slice(at)];
  }, []);
}
