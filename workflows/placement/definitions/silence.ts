import { isoTime } from '../../job/definitions/instants.ts';
import type { PlacementSettings } from '../settings.ts';

/** That a cluster does not answer, and since when, as text; null while it answers (J-16.13). */
export function silenceReason({ clusters }: PlacementSettings, cluster: string): string | null {
  const since = clusters?.[cluster]?.silentSince;
  return since === undefined ? null : `the cluster ${cluster} has not answered since ${isoTime(since)}`;
}
