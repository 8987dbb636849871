/** A promise that is resolved from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

export function deferred<T>(): Deferred<T> {
  const resolver: { resolve?: (value: T) => void } = {};
  const promise = new Promise<T>((resolve) => {
    resolver.resolve = resolve;
  });
  return { promise, resolve: (value) => resolver.resolve?.(value) };
}
