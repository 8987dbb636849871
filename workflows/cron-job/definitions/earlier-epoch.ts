import type { Child } from '../state.ts';

/**
 * True when the object was not seen since the API server was restored from an older copy, which may lack the object.
 */
export function isOfEarlierEpoch({ resourceVersion }: Pick<Child, 'resourceVersion'>): boolean {
  return resourceVersion === '';
}
