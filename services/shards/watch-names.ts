import { compareVersions } from '../../workflows/ledger/resource-version.ts';
import { hasNamespace, shardsOverlap, type Shard } from './shards.ts';

/** The watch of a part of a cluster: `jobs` in the whole cluster, `jobs.team-a` in one namespace, `jobs.2:4` in a shard. */
export type WatchName<R extends string = string> = R | `${R}.${string}`;

/**
 * A part of a cluster: undefined for the whole cluster, a namespace, or a shard such as `2:4`, which cannot be the name
 * of a namespace.
 */
export type Part = string | undefined;

/** The part of a cluster that a shard contains. */
export function shardPart({ index, of }: Shard): Part {
  return of === 1 ? undefined : `${index}:${of}`;
}

/** The shard that a part is; null for a namespace. The whole cluster is the shard 1 of 1. */
export function shardIn(part: Part): Shard | null {
  if (part === undefined) return { index: 1, of: 1 };
  const [, index, of] = /^(\d+):(\d+)$/.exec(part) ?? [];
  return index === undefined ? null : { index: Number(index), of: Number(of) };
}

/** True when a part contains a namespace. */
export function isInPart(part: Part, namespace: string): boolean {
  const shard = shardIn(part);
  return shard === null ? part === namespace : hasNamespace(shard, namespace);
}

/** True when a namespace can be in both parts. */
export function partsOverlap(a: Part, b: Part): boolean {
  const [inA, inB] = [shardIn(a), shardIn(b)];
  if (inA !== null && inB !== null) return shardsOverlap(inA, inB);
  return b !== undefined && inB === null ? isInPart(a, b) : isInPart(b, a ?? '');
}

/** The name of a watch. The names of resources, namespaces and shards contain no dots. */
export function watchName<R extends string>(resource: R, part: Part): WatchName<R> {
  return part === undefined ? resource : `${resource}.${part}`;
}

/** The part of the cluster that a watch covers. */
export function partIn(name: string): Part {
  const dot = name.indexOf('.');
  return dot === -1 ? undefined : name.slice(dot + 1);
}

/** The namespace of a watch; undefined for a watch of the whole cluster or of a shard. */
export function namespaceIn(name: string): string | undefined {
  const part = partIn(name);
  return shardIn(part) === null ? part : undefined;
}

/** True when a watch covers the resource, in any part of the cluster. */
export function watchesResource(resource: string, name: string): boolean {
  return name === resource || name.startsWith(`${resource}.`);
}

type Positions<P> = Readonly<Partial<Record<string, P>>>;

/** A version of the cluster; `epoch` is absent before the first restore of its API server. */
interface Version {
  resourceVersion: string;
  epoch?: number | undefined;
}

/** Compares two positions, which may be missing; the result is positive when `a` is beyond `b`. */
function comparePositions(a: Version | undefined, b: Version | undefined): number {
  const order = (a?.epoch ?? 0) - (b?.epoch ?? 0);
  return order === 0 ? compareVersions(a?.resourceVersion ?? '', b?.resourceVersion ?? '') : order;
}

/** The earlier watches of a part of a cluster. */
interface EarlierWatches {
  /**
   * The watches that together reported every change in the part up to the oldest of their positions; empty when no such
   * watches exist.
   */
  covering: string[];
  /** Watches of smaller parts whose positions are beyond that oldest position. */
  further: string[];
}

/**
 * Finds the earlier watches of a part. A watch of the whole cluster reports every change up to its position. All shards
 * of one number together report every change up to their oldest position. A part continues from the newest of these
 * positions and of the position of its own watch.
 */
function findEarlierWatches<P extends Version>(
  positions: Positions<P>,
  resource: string,
  part: Part,
): EarlierWatches {
  const oldestPosition = (names: readonly string[]): P | undefined =>
    names
      .map((name) => positions[name])
      .toSorted(comparePositions)
      .at(0);
  const watched = Object.keys(positions).filter((name) => watchesResource(resource, name));
  const numbers = new Set(watched.flatMap((name) => shardIn(partIn(name))?.of ?? []));
  const ofShards = [...numbers].toSorted((a, b) => a - b).map((of) => shardsOverlapping(part, of));
  const [covering = []] = [...ofShards, [part]]
    .map((parts) => parts.map((each) => watchName(resource, each)))
    .filter((names) => names.every((name) => positions[name] !== undefined))
    .toSorted((a, b) => comparePositions(oldestPosition(b), oldestPosition(a)));
  const isFurther = (name: string): boolean =>
    comparePositions(positions[name], oldestPosition(covering)) > 0;
  const isOverlapping = (name: string): boolean =>
    !covering.includes(name) && partsOverlap(partIn(name), part);
  // A namespace is a single part; any overlapping part is larger.
  const further =
    shardIn(part) === null ? [] : watched.filter((name) => isOverlapping(name) && isFurther(name));
  return { covering, further };
}

/** Those of `of` shards that may contain namespaces of a part. */
function shardsOverlapping(part: Part, of: number): Part[] {
  return Array.from({ length: of }, (_, at) => shardPart({ index: at + 1, of })).filter((each) =>
    partsOverlap(each, part),
  );
}

/**
 * The watches with the best knowledge of a part of a cluster, by their positions. The result is empty when the part was
 * never watched.
 */
export function earlierWatches<P extends Version>(
  positions: Positions<P>,
  resource: string,
  part: Part,
): string[] {
  const { covering, further } = findEarlierWatches(positions, resource, part);
  return [...covering, ...further];
}

/**
 * The position at which a watch continues without a loss; undefined when the part was never watched. `isComplete` is
 * false if only some namespaces of the part were watched, so that the rest must be listed; the position is then the
 * oldest position.
 */
export function positionToContinue<P extends Version>(
  positions: Positions<P>,
  resource: string,
  part: Part,
): { position: P | undefined; isComplete: boolean } {
  const { covering, further } = findEarlierWatches(positions, resource, part);
  const isComplete = covering.length > 0 || further.length === 0;
  const [position] = (covering.length > 0 ? covering : further)
    .flatMap((name) => positions[name] ?? [])
    .toSorted(comparePositions);
  return { position, isComplete };
}
