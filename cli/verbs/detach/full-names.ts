export interface FullyNamed {
  namespace: string;
  name: string;
}

/** `<namespace>/<name>`. */
export function fullNameOf({ namespace, name }: FullyNamed): string {
  return `${namespace}/${name}`;
}

/** `<cluster>/<namespace>/<name>`. */
export function placeOf({ cluster, ...named }: FullyNamed & { cluster: string }): string {
  return `${cluster}/${fullNameOf(named)}`;
}

/** Sorts by namespace and name. */
export function byName(a: FullyNamed, b: FullyNamed): number {
  const [left, right] = [fullNameOf(a), fullNameOf(b)];
  return left < right ? -1 : Number(left > right);
}
