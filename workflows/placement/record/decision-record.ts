import { decisionRecords, isNewsBy } from '../../decision/decision-records.ts';
import type { VerdictOf } from '../../decision/verdict.ts';
import type { Unstamped } from '../../ledger/recorded-event.ts';
import type { PlacementCommand } from '../commands.ts';
import type { OfPlacedJob, PlacementDecided, PlacementFolded } from '../events.ts';
import type { PlacementSettings } from '../settings.ts';
import type { PlacementState } from '../state.ts';

/** The version of the core of placed Jobs; each decision records it, as decisions about Jobs do. */
export const CORE_VERSION = '1';

/** The part of a decision that is the same for the whole workflow run chain. */
export interface PlacementDecider extends OfPlacedJob {
  /** The placed Job, as `<namespace>/<name>`. */
  subject: string;
  firstRunId: string;
}

export interface PlacementDecisionRecord {
  folded: Unstamped<PlacementFolded>[];
  decided: Unstamped<PlacementDecided>;
}

type Verdict = VerdictOf<PlacementCommand>;

/** True when a verdict is recorded (`isNewsBy`). */
export function isNews(state: PlacementState, verdict: Verdict): boolean {
  return isNewsBy(CORE_VERSION, state, verdict);
}

/** The ledger records of a decision; they are appended before the first command is sent. */
export function decisionRecord(
  { cluster, jobUid, placedJobUid, subject, firstRunId }: PlacementDecider,
  state: PlacementState,
  verdict: Verdict,
  now: number,
  settings: PlacementSettings,
): PlacementDecisionRecord {
  const of = { cluster, jobUid, placedJobUid };
  const origin = {
    type: 'placement' as const,
    of,
    uid: placedJobUid,
    subject,
    firstRunId,
    core: CORE_VERSION,
  };
  return decisionRecords(origin, state, verdict, { now, settings });
}
