import type { VerdictOf } from '../../decision/verdict.ts';
import type { PlacementCommand } from '../commands.ts';
import type { PlacedJobFacts } from '../facts.ts';
import type { PlacementSettings } from '../settings.ts';
import type { PlacementState } from '../state.ts';

/** Everything that a decision about a placed Job depends on. */
export interface PlacementSituation {
  state: PlacementState;
  /** The placed Job of the state. */
  job: PlacedJobFacts;
  now: number;
  settings: PlacementSettings;
}

/** What `decide` returns. */
export interface PlacementVerdict extends VerdictOf<PlacementCommand> {
  /** The use of the candidates: `missing` when they must be read first, `read` when they were used. */
  candidates?: 'missing' | 'read';
}
