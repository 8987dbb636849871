import {
  intersection,
  formatIndexes,
  countIndexes,
  union,
  type Indexes,
} from '../../batch/completion-indexes.ts';
import { grantedIndexes } from '../../batch/index-grant.ts';
import type { PlacementCommand } from '../commands.ts';
import { isGift } from '../definitions/grants.ts';
import { indexesGivenBy } from '../definitions/tenures.ts';
import type { PlacementState } from '../state.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/** The content of an open grant: some indexes, or the whole Job. */
type Held = Indexes | 'all';

/** After each command, at most one open grant covers the Job, or each of its indexes. */
export function indexInTwoGrants(
  { grants }: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  const held = new Map<number, Held>();
  for (const { number, part, ended } of grants)
    if (ended === undefined) held.set(number, part === undefined ? 'all' : grantedIndexes(part));
  const known = new Set(grants.map(({ number }) => number));
  const messages = commands.flatMap((command) => {
    if (command.kind === 'EndGrant') held.delete(command.grant);
    if (!('grant' in command)) return [];
    const isNew = isGift(command) && !known.has(command.grant) && !held.has(command.grant);
    const text = indexesGivenBy(command);
    const before = held.get(command.grant);
    if (!isNew && (before === undefined || (text === null && !isResumed(command)))) return [];
    const given: Held = text === null ? (before ?? 'all') : grantedIndexes({ indexes: text });
    const found = [...held].flatMap(([number, other]) => {
      if (number === command.grant) return [];
      const both = overlapText(given, other);
      return both === null
        ? []
        : [
            `grant ${command.grant} in the cluster ${command.cluster} would hold ${both}, which grant ${number} holds`,
          ];
    });
    held.set(command.grant, contentAfter(given, held.get(command.grant)));
    return found;
  });
  return toFindings('index-in-two-grants', messages);
}

/** True for a command after which the member may run the content of its grant. */
function isResumed(command: PlacementCommand): boolean {
  return command.kind === 'ChangeMember' && command.spec.suspend === false;
}

/** The common content of two grants as text; null when they have none. */
function overlapText(a: Held, b: Held): string | null {
  if (a === 'all' || b === 'all') return 'the Job';
  const both = intersection(a, b);
  return countIndexes(both) === 0 ? null : `the indexes ${formatIndexes(both)}`;
}

/**
 * The content of a grant after a command about it; indexes that are taken back belong to the grant until its member
 * has given them up.
 */
function contentAfter(given: Held, before: Held | undefined): Held {
  return given === 'all' || before === undefined || before === 'all' ? given : union(before, given);
}
