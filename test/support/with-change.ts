import type { MemberChange } from '../../workflows/placement/commands.ts';

/** The spec with its changed fields, and without those that a null removes. */
export function withChange<S extends object>(spec: S, change: MemberChange): S {
  return Object.fromEntries(
    Object.entries({ ...spec, ...change }).filter(([, value]) => value !== null),
  ) as S;
}
