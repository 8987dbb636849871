/** A namespace of a cluster; `*` means every namespace. */
export interface Place {
  readonly cluster: string;
  readonly namespace: string;
}

/** The places where a caller has its rights. Null means every place. */
export type Places = readonly Place[] | null;

export const ANY = '*';

/**
 * The namespaces of Kubernetes itself. Their Jobs may use accounts with rights in the whole cluster, so a place must
 * name these namespaces; `*` is not enough.
 */
export const SYSTEM_NAMESPACES: readonly string[] = ['kube-system', 'kube-public', 'kube-node-lease'];

/** True when a namespace is in the places. */
export function isWithin(places: Places, cluster: string, namespace: string): boolean {
  return (
    places === null ||
    places.some((place) => coversName(place.cluster, cluster) && coversName(place.namespace, namespace))
  );
}

/** True when one of the places names this namespace, not only all namespaces. */
export function isNamed(places: Places, cluster: string, namespace: string): boolean {
  return (places ?? []).some((place) => coversName(place.cluster, cluster) && place.namespace === namespace);
}

/** True when the places include any namespace of a cluster. */
export function includesCluster(places: Places, cluster: string): boolean {
  return places === null || places.some((place) => coversName(place.cluster, cluster));
}

function coversName(allowed: string, name: string): boolean {
  return allowed === ANY || allowed === name;
}
