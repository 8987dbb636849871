import type { ObjectRef } from '../../../workflows/activities.ts';
import { streamId } from '../../../workflows/kinds.ts';

/**
 * The objects that events of other objects mention before the objects themselves were observed. The run of such an
 * object recalls the events that mention the object. Any user can name objects that do not exist. Each namespace has
 * room for a limited number of names, so that names from one namespace displace no name from another namespace.
 */
export interface EarlyObjects {
  add(job: ObjectRef): void;
  /** Removes the object from the set, and returns true when the set contained it. */
  take(job: ObjectRef): boolean;
  size(): number;
}

/**
 * The most mentioned objects in each namespace; beyond this number, the objects that were mentioned first are
 * forgotten.
 */
const MAX_EARLY = 500;

export function createEarlyObjects(): EarlyObjects {
  const byNamespace = new Map<string, Set<string>>();
  const namespaceKey = ({ cluster, namespace }: ObjectRef): string => `${cluster}/${namespace}`;
  return {
    add(job) {
      const ids = byNamespace.get(namespaceKey(job)) ?? new Set<string>();
      byNamespace.set(namespaceKey(job), ids.add(streamId(job)));
      const [oldest = ''] = ids;
      if (ids.size > MAX_EARLY) ids.delete(oldest);
    },
    take(job) {
      const ids = byNamespace.get(namespaceKey(job));
      const wasThere = ids?.delete(streamId(job)) === true;
      if (ids?.size === 0) byNamespace.delete(namespaceKey(job));
      return wasThere;
    },
    size: () => [...byNamespace.values()].reduce((sum, ids) => sum + ids.size, 0),
  };
}
