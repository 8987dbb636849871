import { COMPLETION_INDEX } from '../kubernetes/names.ts';
import type { Pod } from '../kubernetes/objects.ts';

/** The completion index of a pod; null when it has none. */
export function indexOfPod({ metadata }: Pick<Pod, 'metadata'>): number | null {
  const index = metadata.annotations?.[COMPLETION_INDEX];
  return index === undefined ? null : Number(index);
}
