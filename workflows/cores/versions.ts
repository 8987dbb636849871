/** All versions of one core: the oldest first, the present one last. */
export interface Versions<Core extends Version> {
  readonly all: readonly Core[];
  readonly present: Core;
  /** The core that made a decision (`data.core`); undefined when a newer version of Jobledger made it. */
  ofVersion(version: string | undefined): Core | undefined;
  /** The core that made the last of these decisions; it computes the states of their stream. */
  ofLast(effective: readonly { data: { core: string } }[]): Core;
}

interface Version {
  CORE_VERSION: string;
  compact(event: never): unknown;
}

/** All versions of one core; `earlier` are the earlier cores, the oldest first. */
export function versions<Core extends Version>(earlier: readonly Core[], present: Core): Versions<Core> {
  const all = [...earlier.map(withLaterTypes), present];
  /** The core of this version; undefined for a newer version. */
  const ofVersion = (version: string | undefined): Core | undefined =>
    all.find(({ CORE_VERSION }) => CORE_VERSION === version);
  return {
    all,
    present,
    ofVersion,
    ofLast: (effective) => ofVersion(effective.at(-1)?.data.core) ?? present,
  };
}

/** Makes an earlier core ignore later types of events, which it does not know and which do not change its state. */
function withLaterTypes<Core extends Version>(core: Core): Core {
  return { ...core, compact: (event: never) => core.compact(event) ?? null };
}
