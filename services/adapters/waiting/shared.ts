/** Caches a result for `lastsMs` milliseconds, for all callers. */
export function cacheFor<T>(load: () => Promise<T>, lastsMs: number): () => Promise<T> {
  let cached: { result: Promise<T>; at: number } | undefined;
  return () => {
    if (cached !== undefined && Date.now() - cached.at < lastsMs) return cached.result;
    const loaded = { result: load(), at: Date.now() };
    cached = loaded;
    // Only callers that are already waiting share a failure: the next attempt may succeed.
    loaded.result.catch(() => {
      if (cached === loaded) cached = undefined;
    });
    return loaded.result;
  };
}
