export interface FullyNamed {
  namespace: string;
  name: string;
}

/** `<namespace>/<name>`. */
export function fullName({ namespace, name }: FullyNamed): string {
  return `${namespace}/${name}`;
}

/** `<cluster>/<namespace>/<name>`. */
export function fullPlace({ cluster, ...named }: FullyNamed & { cluster: string }): string {
  return `${cluster}/${fullName(named)}`;
}

/** Compares two objects by namespace and name. */
export function byName(a: FullyNamed, b: FullyNamed): number {
  const [left, right] = [fullName(a), fullName(b)];
  return left < right ? -1 : Number(left > right);
}
