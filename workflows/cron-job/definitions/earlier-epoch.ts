import type { Child } from '../state.ts';

/** It was not seen since the API server was restored from an older copy, which may lack it. */
export function isOfEarlierEpoch({ resourceVersion }: Pick<Child, 'resourceVersion'>): boolean {
  return resourceVersion === '';
}
