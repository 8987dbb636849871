/** Combines the calls of one turn of the event loop into one request. */
export function batchCalls<K, V>(
  request: (keys: ReadonlySet<K>) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  let next: { keys: Set<K>; response: Promise<ReadonlyMap<K, V>> } | null = null;
  const openBatch = (): NonNullable<typeof next> => {
    const keys = new Set<K>();
    const response = Promise.resolve().then(() => {
      next = null;
      return request(keys);
    });
    return { keys, response };
  };
  return async (key) => {
    const shared = (next ??= openBatch());
    shared.keys.add(key);
    return (await shared.response).get(key);
  };
}
