import { createRecording, type DeciderOf, type DecisionRecordOf } from '../../decision/decision-records.ts';
import type { PlacementCommand } from '../commands.ts';
import type { OfPlacedJob, PlacementDecided, PlacementFolded } from '../events.ts';
import type { PlacementSettings } from '../settings.ts';

/** The version of the core of placed Jobs; each decision records it, as decisions about Jobs do. */
export const CORE_VERSION = '1';

export type PlacementDecider = DeciderOf<OfPlacedJob>;
export type PlacementDecisionRecord = DecisionRecordOf<PlacementFolded, PlacementDecided>;

export const { isNews, decisionRecord } = createRecording<
  OfPlacedJob,
  'placement',
  PlacementCommand,
  PlacementSettings
>(CORE_VERSION, 'placement', ({ placedJobUid }) => placedJobUid);
