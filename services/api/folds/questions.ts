import type { Point } from '../../../workflows/history/replay/point.ts';
import type { PlacedJobReplay, Replay } from '../../../workflows/history/replay/replay-to.ts';
import type { ReplayStep, StepRange } from '../../../workflows/history/replay/replay-steps.ts';
import type { Refused } from '../../../workflows/history/refused.ts';
import type { PolicyChange, WhatIf } from '../../../workflows/history/what-if/types.ts';
import type {
  PlacementChange,
  WhatIfPlacements,
} from '../../../workflows/history/what-if-placements/types.ts';
import type { StartChange, WhatIfStarts } from '../../../workflows/history/what-if-starts/types.ts';
import type { Question, Why } from '../../../workflows/history/why/types.ts';
import type { PostgresConfig } from '../../adapters/config.ts';
import type { LifeOfJob } from '../../read-model/streams/stream.ts';

/** Identifies the Job or CronJob whose stream is folded. */
export interface StreamKey {
  cluster: string;
  uid: string;
}

/**
 * Questions about streams, with their answers. The questions and answers are plain values, because they pass between
 * processes.
 */
interface Folded {
  replay: { asked: { job: StreamKey; point: Point }; answer: Replay | PlacedJobReplay | Refused };
  steps: { asked: { job: StreamKey; point: Point; range: StepRange }; answer: ReplayStep[] | Refused };
  /** `members` are the members of a placed Job whose streams may be read. */
  why: {
    asked: { job: StreamKey & LifeOfJob; question: Question; members: readonly StreamKey[] };
    answer: Why | Refused;
  };
  /** The answers are in the order of the Jobs. */
  'what-if': {
    asked: { jobs: readonly StreamKey[]; change: PolicyChange };
    answer: (WhatIf | Refused)[];
  };
  'what-if-placements': {
    asked: { job: StreamKey; change: PlacementChange };
    answer: WhatIfPlacements | Refused;
  };
  'what-if-starts': { asked: { cronJob: StreamKey; change: StartChange }; answer: WhatIfStarts | Refused };
}

export type FoldKind = keyof Folded;
export type FoldQuestion<K extends FoldKind = FoldKind> = {
  [Each in K]: { kind: Each } & Folded[Each]['asked'];
}[K];
export type FoldAnswer<K extends FoldKind> = Folded[K]['answer'];

/** The input of a process that folds. */
export interface FoldSettings {
  postgres: PostgresConfig;
  statementTimeoutMs: number;
}

/** The first message to a process that folds; each further message is a question. */
export interface StartMessage {
  /** The process that sends the message. */
  parent: number;
  settings: FoldSettings;
}

/** The reply of a process to a question, with its CPU time. */
export type FoldReply<Answer> = { cpuMs: number } & (
  | { answer: Answer }
  | { unavailable: string }
  | { refusedStatement: string }
  | { failed: string }
);
