/** A promise that somebody else keeps. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

export function deferred<T>(): Deferred<T> {
  const keep: { resolve?: (value: T) => void } = {};
  const promise = new Promise<T>((resolve) => {
    keep.resolve = resolve;
  });
  return { promise, resolve: (value) => keep.resolve?.(value) };
}
