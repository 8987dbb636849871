import { inTurns, createLoad, type Load } from '../kills/load.ts';

/** Each happens once in twenty rounds. */
export const FAULTS = [
  'broker killed',
  'broker frozen',
  'two of three brokers down',
  'quota of bytes in Kafka',
  'Temporal server killed',
  'Temporal server frozen',
  'both Temporal servers down',
  'quota of requests in Temporal',
  'primary killed',
  'primary frozen',
  'standby promoted',
  'lagging standby promoted',
  'standby frozen',
  'PgBouncer frozen',
  'ingester frozen',
  'dispatcher frozen',
  'worker frozen',
  'projector frozen',
  'API frozen',
  'API server of Kubernetes frozen',
] as const;
export type Fault = (typeof FAULTS)[number];

/** What happens in one round. */
export interface EngineRound extends Load {
  fault: Fault;
  /** Which of several equal parts is struck: those of the same kind are numbered from it. */
  which: number;
}

/** As in the kill suite, everything follows from the seed and the round's number. */
export function createRound(seed: number, number: number): EngineRound {
  return {
    ...createLoad(seed, number),
    fault: inTurns(FAULTS, seed, number) ?? 'broker killed',
    which: inTurns([0, 1, 2, 3, 4, 5], seed, number, -2_000_001) ?? 0,
  };
}
