import { compareVersions } from '../../../workflows/job/definitions/resource-version.ts';
import type { ApiList, ApiObject } from '../../adapters/kubernetes/watch.ts';
import { createPacker } from '../live-set/packed.ts';

/** How a list differs from the live set. */
export interface Differences<T> {
  /** The version of the collection that was listed. */
  resourceVersion: string;
  /** The version of its first page: an older one when the list went on at a newer version. */
  firstVersion: string;
  /** The items that the live set does not have in this version, by ascending version. */
  newer(): Iterable<T>;
  /** UIDs of the live set that are not in the list. What entered the live set while it was read is not among them. */
  missing: ReadonlySet<string>;
}

/** What the live set has of an object. */
type Known = ReadonlyMap<string, { namespace: string; resourceVersion: string }>;

/**
 * Compares a list with the live set, page by page. A Job's pods must be recorded by ascending version, but pages come in
 * the order of names, so everything that differs is held until the last page: compressed, because at the first list that
 * is every pod of a Job. `namespace`: that was listed; undefined: all were. `mayConcern`: false for items that are never recorded.
 */
export async function differencesOf<T extends ApiObject>(
  pages: AsyncIterable<ApiList<T>>,
  known: Known,
  { namespace, mayConcern }: { namespace: string | undefined; mayConcern: (item: T) => boolean },
): Promise<Differences<T>> {
  const missing = new Set(uidsIn(known, namespace));
  const held: { version: string; unpack: () => T }[] = [];
  let [resourceVersion, firstVersion] = ['', ''];
  for await (const { metadata, items } of pages) {
    resourceVersion = metadata.resourceVersion;
    if (firstVersion === '') firstVersion = resourceVersion;
    const pack = createPacker<T>();
    for (const item of items) {
      missing.delete(item.metadata.uid);
      if (isNewer(known, item) && mayConcern(item))
        held.push({ version: item.metadata.resourceVersion, unpack: pack(item) });
    }
  }
  return {
    resourceVersion,
    firstVersion,
    missing,
    *newer() {
      for (const { unpack } of held.toSorted((a, b) => compareVersions(a.version, b.version))) {
        const item = unpack();
        // Since its page was read, the watch may have reported it.
        if (isNewer(known, item)) yield item;
      }
    },
  };
}

function* uidsIn(known: Known, namespace: string | undefined): Generator<string> {
  for (const [uid, entry] of known) if (namespace === undefined || entry.namespace === namespace) yield uid;
}

function isNewer(known: Known, { metadata }: ApiObject): boolean {
  const before = known.get(metadata.uid);
  return before === undefined || compareVersions(before.resourceVersion, metadata.resourceVersion) < 0;
}
