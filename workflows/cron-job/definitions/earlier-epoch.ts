import type { Child } from '../state.ts';

/** The object was not seen since the API server was restored from an older copy, which may lack it. */
export function isOfEarlierEpoch({ resourceVersion }: Pick<Child, 'resourceVersion'>): boolean {
  return resourceVersion === '';
}
