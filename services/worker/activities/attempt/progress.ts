import { firstWithin } from '../../../adapters/first-within.ts';
import type { PartialProgress } from '../../command/command-table.ts';

/** The progress in carrying out a decision. `Outcome` is the record of an outcome. */
export interface Progress<Outcome> {
  /** True when the decision is in the ledger. */
  isRecorded: boolean;
  /** The known outcomes by command, in order; the first `appended` of them are in the ledger. */
  answered: Outcome[];
  appended: number;
  /** The completed parts of the next command; absent when no part is known. */
  parts?: unknown[];
}

export const NO_PROGRESS: Progress<never> = { isRecorded: false, answered: [], appended: 0 };

/** An attempt: its number, its abort signal, and the known progress of earlier attempts. */
export interface Attempt<Outcome> {
  number: number;
  signal: AbortSignal;
  before: Progress<Outcome>;
  /** Reports the progress to the next attempt. */
  report(progress: Progress<Outcome>): void;
  /**
   * True when the attempt has run so long that a command for many pods ends with the completed pods. The default limit
   * is 5 s.
   */
  isLate?(): boolean;
}

/**
 * The largest report, in characters of JSON. Temporal accepts 2 MiB after compression. If a report leaves out outcomes,
 * the next attempt sends the commands of these outcomes again, which is harmless.
 */
const MAX_REPORTED = 4 * 1024 * 1024;
/**
 * The interval of reports about parts of a command, in milliseconds, because the encoding of each report takes time.
 */
const REPORT_MS = 500;

/** The progress of this attempt, which continues from the previous attempt and is reported to the next one. */
export interface ProgressOfAttempt<Answered> {
  /** The outcomes of the completed commands, by command. */
  answered: readonly Answered[];
  /** The progress of the command that is being carried out. */
  parts: PartialProgress;
  add(outcome: Answered): void;
  /**
   * The outcomes that are not in the ledger yet, up to the first command without an outcome; `recorded` marks them as
   * recorded.
   */
  unrecorded(): Answered[];
  recorded(): void;
  report(): void;
}

/** Creates the progress of an attempt whose decision is recorded, from the progress of the previous attempt. */
export function createAttemptProgress<Answered extends { data: { command: number } }>({
  before,
  report,
}: Attempt<Answered>): ProgressOfAttempt<Answered> {
  let { appended, parts: kept = [] as readonly unknown[] } = before;
  let reportedAt = -Infinity;
  /** The number of outcomes before the first command without an outcome. */
  const countComplete = (): number => {
    const gap = progress.answered.findIndex(({ data }, at) => data.command !== at);
    return gap === -1 ? progress.answered.length : gap;
  };
  const reportNow = (): void => {
    reportedAt = performance.now();
    const { reported, left } = takeFitting(progress.answered, MAX_REPORTED);
    const isAll = reported.length === progress.answered.length;
    const ofNext = isAll && kept.length > 0 && left > 0 ? takeFitting(kept, left).reported : [];
    report({
      isRecorded: true,
      answered: reported,
      appended: Math.min(appended, reported.length),
      ...(ofNext.length > 0 && { parts: ofNext }),
    });
  };
  const keep: PartialProgress['keep'] = (done) => {
    kept = done;
    if (performance.now() - reportedAt > REPORT_MS) reportNow();
  };
  const progress: ProgressOfAttempt<Answered> = {
    answered: before.answered,
    parts: { before: kept, keep },
    report: reportNow,
    add(outcome) {
      progress.answered = [...progress.answered, outcome].toSorted((a, b) => a.data.command - b.data.command);
      kept = [];
      progress.parts = { before: kept, keep };
      reportNow();
    },
    unrecorded: () => progress.answered.slice(appended, countComplete()),
    recorded() {
      appended = countComplete();
      reportNow();
    },
  };
  return progress;
}

/**
 * The first items whose JSON fits into `max` characters, at least one item, and the number of characters that are left.
 */
function takeFitting<T>(items: readonly T[], max: number): { reported: T[]; left: number } {
  let left = max;
  const jsonSize = (item: T): number => {
    const size = JSON.stringify(item).length;
    left -= size;
    return size;
  };
  return { reported: firstWithin(items, jsonSize, max), left };
}
