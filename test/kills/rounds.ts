import type { FaultPoint } from '../../services/adapters/process/fault-points.ts';
import { inTurns, createLoad, type Load } from './load.ts';

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

/** The events of one round. */
export interface Round extends Load {
  /** The part that is struck. */
  part: Part;
  /** The part is killed with SIGKILL, or stopped with SIGSTOP and continued after a while. */
  strike: 'kill' | 'stop';
  /** From its moment on the part dies where it reaches this point; absent: the part dies at that moment. */
  fault?: FaultPoint;
}

/** The worst points of some parts, taken in turn: one for each time that the part is killed. */
const FAULTS: Partial<Record<Part, readonly (FaultPoint | undefined)[]>> = {
  worker: ['after-api-call', 'after-release', 'after-decision', undefined],
  dispatcher: [undefined, 'after-signal'],
  ingester: [undefined, 'after-append'],
};

/** In each third turn the parts are stopped. */
const STOPS_EVERY = 3;

/** All random choices of a round follow from the seed and the number of the round, so a run can be continued at any round. */
export function createRound(seed: number, number: number): Round {
  const turn = Math.floor(number / PARTS.length);
  // Each part is struck once in a turn.
  const part = inTurns(PARTS, seed, number) ?? 'worker';
  const strike = turn % STOPS_EVERY === STOPS_EVERY - 1 ? 'stop' : 'kill';
  const kills = turn - Math.floor((turn + 1) / STOPS_EVERY);
  const faults = strike === 'kill' ? (FAULTS[part] ?? []) : [];
  const fault = faults[kills % faults.length];
  return { ...createLoad(seed, number), part, strike, ...(fault !== undefined && { fault }) };
}
