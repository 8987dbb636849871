import type { ObjectMeta, OwnerReference } from './objects.ts';

/** The owner that controls an object; the API server allows at most one. */
export function findController({ ownerReferences }: ObjectMeta): OwnerReference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true);
}

/**
 * The Job that the controller reference names, in whatever namespace; Jobs of other API groups are ignored (J-3.46).
 */
export function namedJob(metadata: ObjectMeta): OwnerReference | undefined {
  const owner = findController(metadata);
  return owner?.kind === 'Job' && owner.apiVersion.startsWith('batch/') ? owner : undefined;
}
