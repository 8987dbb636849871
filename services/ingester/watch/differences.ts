import { inflateRawSync } from 'node:zlib';
import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import type { ApiList, ApiObject } from '../../adapters/kubernetes/watch.ts';
import { deflateExactly } from '../../adapters/deflated.ts';
import { parseExact, stringifyExact } from '../../adapters/exact-json.ts';
import type { ObjectVersion } from '../live-set/live-set.ts';
import type { KnownVersion } from '../epochs/version-check.ts';

/** The differences between a list and the live set. */
export interface Differences<T> {
  /** The version of the listed collection. */
  resourceVersion: string;
  /** The version of the first page of the list, which is older if the list continued at a newer version. */
  firstVersion: string;
  /** The items whose listed version the live set lacks, by ascending version. */
  newer(): Iterable<T>;
  /** The recorded version of an object that the list shows in an older version; null without such an object. */
  older: ObjectVersion | null;
  /**
   * The UIDs of the live set that are missing in the list, without the objects that entered the live set during the
   * list.
   */
  missing: ReadonlySet<string>;
}

/** The live set's entries of objects, by UID. */
export type RecordedVersions = ReadonlyMap<string, Omit<ObjectVersion, 'uid'>>;

/**
 * Compares a list with the live set, page by page. The pods of a Job must be recorded by ascending version, but pages
 * come in the order of names, so all differences stay in memory until the last page. The differences are compressed,
 * because a first list contains every pod of a Job. `namespace` is the listed namespace; undefined for all namespaces.
 * `mayConcern` is false for items that are never recorded.
 */
export async function findDifferences<T extends ApiObject>(
  pages: AsyncIterable<ApiList<T>>,
  known: RecordedVersions,
  { namespace, mayConcern }: { namespace: string | undefined; mayConcern: (item: T) => boolean },
): Promise<Differences<T>> {
  const missing = new Set(uidsInNamespace(known, namespace));
  const held: { version: string; unpack: () => T }[] = [];
  let [resourceVersion, firstVersion] = ['', ''];
  let older: ObjectVersion | null = null;
  for await (const { metadata, items } of pages) {
    resourceVersion = metadata.resourceVersion;
    if (firstVersion === '') firstVersion = resourceVersion;
    const pack = createPacker<T>();
    for (const item of items) {
      const { uid } = item.metadata;
      missing.delete(uid);
      const before = known.get(uid);
      if (before !== undefined && compareVersions(before.resourceVersion, item.metadata.resourceVersion) > 0)
        older ??= { ...before, uid };
      if (isNewerThanKnown(known, item) && mayConcern(item))
        held.push({ version: item.metadata.resourceVersion, unpack: pack(item) });
    }
  }
  return {
    resourceVersion,
    firstVersion,
    older,
    missing,
    *newer() {
      for (const { unpack } of held.toSorted((a, b) => compareVersions(a.version, b.version))) {
        const item = unpack();
        // The watch may have reported the item after its page was read.
        if (isNewerThanKnown(known, item)) yield item;
      }
    },
  };
}

/**
 * The objects with the latest recorded versions, the latest first. If a restore from an older copy has lost any
 * version, it has lost these versions.
 */
export function findLatestVersions(
  known: RecordedVersions,
  namespace: string | undefined,
  count: number,
): ObjectVersion[] {
  const latest: ObjectVersion[] = [];
  for (const uid of uidsInNamespace(known, namespace)) {
    const entry = known.get(uid);
    if (entry === undefined) continue;
    const at = latest.findIndex((each) => compareVersions(entry.resourceVersion, each.resourceVersion) > 0);
    if (at === -1 && latest.length >= count) continue;
    latest.splice(at === -1 ? latest.length : at, 0, { ...entry, uid });
    latest.length = Math.min(latest.length, count);
  }
  return latest;
}

/** The objects that are compared before a watch opens: the last deleted object and the last recorded objects. */
export function objectsToCompare(
  deleted: ObjectVersion | undefined,
  latest: readonly ObjectVersion[],
): KnownVersion[] {
  return [...(deleted === undefined ? [] : [{ ...deleted, isDeleted: true as const }]), ...latest];
}

function* uidsInNamespace(known: RecordedVersions, namespace: string | undefined): Generator<string> {
  for (const [uid, entry] of known) if (namespace === undefined || entry.namespace === namespace) yield uid;
}

function isNewerThanKnown(known: RecordedVersions, { metadata }: ApiObject): boolean {
  const before = known.get(metadata.uid);
  return before === undefined || compareVersions(before.resourceVersion, metadata.resourceVersion) < 0;
}

/**
 * Returns a function that compresses an object and returns a second function, which restores the object. The first
 * object is the dictionary of the other objects, because neighbouring pods in a list mostly belong to one Job and
 * differ little.
 */
function createPacker<T>(): (object: T) => () => T {
  let first: Buffer | undefined;
  return (object) => {
    const text = Buffer.from(stringifyExact(object));
    first ??= text;
    const options = { dictionary: first, level: 1 };
    const packed = deflateExactly(text, options);
    return () => parseExact(inflateRawSync(packed, options).toString()) as T;
  };
}
