import type { PlacementDecided, PlacementEvent, PlacementSnapshotted } from './events.ts';
import type { PlacementFact } from './facts.ts';
import type { CompactedPlacement } from './observe/compact.ts';
import type { PlacementSettings } from './settings.ts';
import type { PlacementState } from './state.ts';

/** The types of placed Jobs, for the list of kinds. */
export interface PlacementTypes {
  event: PlacementEvent;
  decided: PlacementDecided;
  snapshotted: PlacementSnapshotted;
  fact: PlacementFact;
  compacted: CompactedPlacement;
  state: PlacementState;
  settings: PlacementSettings;
  prefix: 'placement';
  uidField: 'placedJobUid';
  resource: 'jobs';
}
