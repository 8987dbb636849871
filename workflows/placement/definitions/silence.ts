import { isoTime } from '../../ledger/instants.ts';
import type { PlacementSettings } from '../settings.ts';

/** The text about a cluster that does not answer, with the instant; null while the cluster answers (J-16.13). */
export function silenceReason({ clusters }: PlacementSettings, cluster: string): string | null {
  const since = clusters?.[cluster]?.silentSince;
  return since === undefined ? null : `the cluster ${cluster} has not answered since ${isoTime(since)}`;
}
