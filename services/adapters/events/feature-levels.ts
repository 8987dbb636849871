/** The range of feature levels that a version supports. docs/operations.md lists what each level enables. */
export interface Levels {
  /** The lowest level at which this version works. */
  min: number;
  /** The highest level; this version cannot read formats above it. */
  max: number;
}

/**
 * The levels of this version. To add one, describe it in docs/operations.md and raise `max`; raise `min` a few versions later.
 */
export const SUPPORTED_LEVELS: Levels = { min: 1, max: 12 };

/** The feature level from which on Jobs get gangs: the commands are new in decisions. */
export const GANG_SCHEDULING_FROM_LEVEL = 4;

/**
 * The feature level from which on the outcomes `stale` and `unknown`, epochs of a cluster, and `watch.passed` are written.
 */
export const ANSWERS_FROM_LEVEL = 5;

/** The feature level from which on `jobledger release` works: its events are new. */
export const RELEASES_FROM_LEVEL = 6;

/** The feature level from which on Jobs get PodGroups by the API of Kubernetes 1.37. */
export const POD_GROUPS_FROM_LEVEL = 8;

/** The feature level from which on record batches are compressed with zstd: earlier versions cannot decode them. */
export const ZSTD_FROM_LEVEL = 9;

/** The feature level from which on several ingesters may share a cluster: earlier versions do not know their positions. */
export const SHARDS_FROM_LEVEL = 10;

/** The feature level from which on Jobs are placed: their streams have events and decisions of their own. */
export const PLACEMENT_FROM_LEVEL = 11;

/** The feature level from which on a placed Job may run in several clusters: the commands are new in decisions. */
export const SPREAD_FROM_LEVEL = 12;

/** The feature level from which on the scope `operate` of a token does not include `submit`. */
export const OWN_SUBMIT_FROM_LEVEL = 5;
