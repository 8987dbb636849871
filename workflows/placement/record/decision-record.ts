import {
  decisionRecords,
  isNewsBy,
  type DeciderOf,
  type DecisionRecordOf,
} from '../../decision/decision-records.ts';
import type { VerdictOf } from '../../decision/verdict.ts';
import type { PlacementCommand } from '../commands.ts';
import type { OfPlacedJob, PlacementDecided, PlacementFolded } from '../events.ts';
import type { PlacementSettings } from '../settings.ts';
import type { PlacementState } from '../state.ts';

/** The version of the core of placed Jobs; each decision records it, as decisions about Jobs do. */
export const CORE_VERSION = '1';

export type PlacementDecider = DeciderOf<OfPlacedJob>;
export type PlacementDecisionRecord = DecisionRecordOf<PlacementFolded, PlacementDecided>;

type Verdict = VerdictOf<PlacementCommand>;

/** True when a verdict is recorded (`isNewsBy`). */
export function isNews(state: PlacementState, verdict: Verdict): boolean {
  return isNewsBy(CORE_VERSION, state, verdict);
}

/** The ledger records of a decision; they are appended before the first command is sent. */
export function decisionRecord(
  decider: PlacementDecider,
  state: PlacementState,
  verdict: Verdict,
  now: number,
  settings: PlacementSettings,
): PlacementDecisionRecord {
  const origin = { type: 'placement' as const, uid: decider.placedJobUid, core: CORE_VERSION };
  return decisionRecords(origin, decider, state, verdict, { now, settings });
}
