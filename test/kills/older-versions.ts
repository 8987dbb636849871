/** A member of the API server that lags behind: it answers every other check of a collection's version with an older one. */
export interface OlderVersions {
  /** The version that a list of the collection shows instead, from its own text. */
  of(collection: string, list: string): string;
  /** The number of older versions. */
  readonly count: number;
}

/** The lists are of the version alone, so their objects do not matter. */
export function createOlderVersions(): OlderVersions {
  const lagging = new Map<string, boolean>();
  let count = 0;
  return {
    of(collection, text) {
      const isOlder = lagging.get(collection) !== true;
      lagging.set(collection, isOlder);
      if (!isOlder) return text;
      count += 1;
      const list = JSON.parse(text) as { metadata: object };
      return JSON.stringify({ ...list, metadata: { ...list.metadata, resourceVersion: '1' } });
    },
    get count() {
      return count;
    },
  };
}
