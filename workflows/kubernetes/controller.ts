import type { ObjectMeta, OwnerReference } from './objects.ts';

/** The owner that controls an object; the API server lets there be one at most. */
export function controllerOf({ ownerReferences }: ObjectMeta): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true);
}
