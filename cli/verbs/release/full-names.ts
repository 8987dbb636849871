export interface Named {
  namespace: string;
  name: string;
}

/** `<namespace>/<name>`. */
export function fullNameOf({ namespace, name }: Named): string {
  return `${namespace}/${name}`;
}

/** `<cluster>/<namespace>/<name>`. */
export function placeOf({ cluster, ...named }: Named & { cluster: string }): string {
  return `${cluster}/${fullNameOf(named)}`;
}

/** Sorts by namespace and name. */
export function byName(a: Named, b: Named): number {
  const [left, right] = [fullNameOf(a), fullNameOf(b)];
  return left < right ? -1 : Number(left > right);
}
