/** Feature levels that a version can work at. What each switches on: docs/operations.md. */
export interface Levels {
  /** It cannot work below this one. */
  min: number;
  /** It understands nothing of what is written above this one. */
  max: number;
}

/** Those of this version. A new one begins with a line in docs/operations.md and `max` raised; `min` follows versions later. */
export const SUPPORTED_LEVELS: Levels = { min: 1, max: 1 };
