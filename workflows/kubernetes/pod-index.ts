import { COMPLETION_INDEX } from './names.ts';
import type { Pod } from './objects.ts';

/** The completion index of a pod; null without an index. */
export function indexOfPod({ metadata }: Pick<Pod, 'metadata'>): number | null {
  const index = metadata.annotations?.[COMPLETION_INDEX];
  return index === undefined ? null : Number(index);
}
