import { compareVersions } from '../../workflows/job/definitions/resource-version.ts';

/** A watch of a cluster: `jobs` in the whole cluster, `jobs.team-a` in one namespace. */
export type WatchName<R extends string = string> = R | `${R}.${string}`;

/** `namespace` undefined: the whole cluster. The names of resources and of namespaces have no dots. */
export function watchName<R extends string>(resource: R, namespace: string | undefined): WatchName<R> {
  return namespace === undefined ? resource : `${resource}.${namespace}`;
}

/** Undefined for a watch of the whole cluster. */
export function namespaceIn(name: string): string | undefined {
  const dot = name.indexOf('.');
  return dot === -1 ? undefined : name.slice(dot + 1);
}

/** Whether a watch is of the resource, in any namespace. */
export function isWatchOf(resource: string, name: string): boolean {
  return name === resource || name.startsWith(`${resource}.`);
}

type Positions<P> = Readonly<Partial<Record<string, P>>>;

/** A version of the cluster; `epoch` absent: before its API server was restored for the first time. */
interface Version {
  resourceVersion: string;
  epoch?: number | undefined;
}

/** Positive when `a` is beyond `b`, which may be missing. */
function comparePositions(a: Version | undefined, b: Version | undefined): number {
  const order = (a?.epoch ?? 0) - (b?.epoch ?? 0);
  return order === 0 ? compareVersions(a?.resourceVersion ?? '', b?.resourceVersion ?? '') : order;
}

/**
 * The watches with the best knowledge of a namespace (undefined: the whole cluster), by their positions. A watch of the
 * whole cluster reports every change up to its position, so a namespace continues from the newer of the two. The whole
 * cluster continues from its own watch; watches of namespaces that are beyond it have covered a part. Empty: never watched.
 */
export function watchesBefore<P extends Version>(
  positions: Positions<P>,
  resource: string,
  namespace: string | undefined,
): string[] {
  const whole = positions[resource];
  const isBeyond = (name: string): boolean => comparePositions(positions[name], whole) > 0;
  const own = watchName(resource, namespace);
  const isNewer = own === resource || isBeyond(own) || whole === undefined;
  const covering = [isNewer ? own : resource].filter((name) => positions[name] !== undefined);
  if (namespace !== undefined) return covering;
  const parts = Object.keys(positions).filter(
    (name) => name !== resource && isWatchOf(resource, name) && isBeyond(name),
  );
  return [...covering, ...parts];
}

/**
 * The position at which a watch continues without a loss; undefined: it was never watched. `isComplete`: false if only namespaces
 * of the cluster were watched, so that the rest must be listed; then this is their oldest position.
 */
export function continueFrom<P extends Version>(
  positions: Positions<P>,
  resource: string,
  namespace: string | undefined,
): { position: P | undefined; isComplete: boolean } {
  const names = watchesBefore(positions, resource, namespace);
  const own = positions[resource];
  if (namespace === undefined && own !== undefined) return { position: own, isComplete: true };
  const found = names.flatMap((name) => positions[name] ?? []).toSorted(comparePositions);
  return { position: found[0], isComplete: namespace !== undefined || found.length === 0 };
}
