import type { ClusterAvailability } from '../settings.ts';

/** The reason why no Job is placed in a cluster with this availability; null when the cluster may be chosen (J-16.4). */
export function refusalReason({ lost, cordoned, silentSince }: ClusterAvailability): string | null {
  if (lost !== undefined) return `declared lost by ${lost.by}`;
  if (cordoned !== undefined) return `${cordoned.drain === true ? 'drained' : 'cordoned'} by ${cordoned.by}`;
  return silentSince === undefined ? null : 'it does not answer';
}
