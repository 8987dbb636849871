/** Whoever asks in the same turn shares one question. */
export function together<K, V>(
  ask: (keys: ReadonlySet<K>) => Promise<ReadonlyMap<K, V>>,
): (key: K) => Promise<V | undefined> {
  let next: { keys: Set<K>; answer: Promise<ReadonlyMap<K, V>> } | null = null;
  const begin = (): NonNullable<typeof next> => {
    const keys = new Set<K>();
    const answer = Promise.resolve().then(() => {
      next = null;
      return ask(keys);
    });
    return { keys, answer };
  };
  return async (key) => {
    const shared = (next ??= begin());
    shared.keys.add(key);
    return (await shared.answer).get(key);
  };
}
