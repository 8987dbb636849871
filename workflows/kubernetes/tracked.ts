import { OWN_FINALIZER, RESERVED_FINALIZER, type Claim } from './names.ts';
import type { ObjectMeta } from './objects.ts';

/** True when a pod has a tracking finalizer of either name (J-4.34). */
export function isTracked({ finalizers = [] }: ObjectMeta): boolean {
  return finalizers.includes(OWN_FINALIZER) || finalizers.includes(RESERVED_FINALIZER);
}

/** True when only Jobledger removes the finalizer of a pod that no Job controls (J-4.32, J-15.2). */
export function isOursToFree(claim: Claim, { finalizers = [] }: ObjectMeta): boolean {
  return finalizers.includes(OWN_FINALIZER) || (claim === 'all' && finalizers.includes(RESERVED_FINALIZER));
}
