import { coresOfKind, coreVersions } from '../../cores/cores-of-kind.ts';
import type { AnyCompacted, AnyCore } from '../../kind.ts';
import type { LedgerEvent } from '../../ledger-event.ts';
import { isSameJson } from '../../ledger/digest.ts';
import type { Folded } from '../../decision/stream.ts';
import type { Finding } from './finding.ts';

/** The foldable events of a stream, by id and digest: an id may occur more than once. */
export interface Facts {
  remember(event: LedgerEvent, isIntact: boolean): void;
  forget(named: readonly Folded[]): void;
  /** Checks that the facts of a decision are unchanged, and returns new findings. */
  check(decision: string, named: readonly Folded[]): { isWhole: boolean; findings: Finding[] };
  /** The facts that a decision folded, compacted by a core. */
  folded(core: AnyCore, named: readonly Folded[]): AnyCompacted[];
}

/** An event compacted by each core, in the order of the cores; a single value when all cores give the same result. */
type Known = readonly (AnyCompacted | null)[] | 'changed';

/** The remembered facts: by id, then by digest. */
export type KnownFacts = Map<string, Map<string, Known>>;

/** Creates a memory of the facts of a stream; `byId` has the facts that an earlier instance remembered. */
export function createFacts(byId: KnownFacts = new Map()): Facts {
  /** The remembered fact with this id and digest. */
  const findKnown = ({ id, digest }: Folded): Known | undefined => byId.get(id)?.get(digest);
  return {
    remember(event, isIntact) {
      const variants = byId.get(event.id) ?? new Map<string, Known>();
      if (!variants.has(event.digest))
        variants.set(event.digest, isIntact ? compactedByEach(event) : 'changed');
      byId.set(event.id, variants);
    },
    forget(named) {
      for (const { id } of named) byId.delete(id);
    },
    check(decision, named) {
      const findings = named
        .filter((each) => findKnown(each) === undefined)
        .map((each) => lostFactFinding(decision, each, [...(byId.get(each.id)?.keys() ?? [])]));
      return { isWhole: named.every((each) => Array.isArray(findKnown(each))), findings };
    },
    folded: (core, named) =>
      named.flatMap((each) => {
        const known = findKnown(each);
        if (known === undefined || known === 'changed') return [];
        return known[known.length === 1 ? 0 : coreIndex(core)] ?? [];
      }),
  };
}

/**
 * The position of a core in the list of cores, found by its version, because a given core may be absent from the
 * list.
 */
function coreIndex(core: AnyCore): number {
  return coreVersions(core).all.findIndex(({ CORE_VERSION }) => CORE_VERSION === core.CORE_VERSION);
}

/** An event compacted by each core; cores with the same result share one value. */
function compactedByEach(event: LedgerEvent): Known {
  const each: (AnyCompacted | null)[] = [];
  for (const core of coresOfKind(event).all) {
    const [before, now] = [each.at(-1), core.compact(event)];
    each.push(before !== undefined && isSameJson(before, now) ? before : now);
  }
  return each.every((other) => other === each[0]) ? each.slice(0, 1) : each;
}

/** The finding for a fact that a decision folded and that is missing or changed. */
function lostFactFinding(decision: string, { id, digest }: Folded, digests: readonly string[]): Finding {
  if (digests.length === 0) {
    return {
      type: 'broken',
      event: id,
      message: `missing: decision ${decision} had folded it`,
      context: [`digest then: ${digest}`],
    };
  }
  return {
    type: 'broken',
    event: id,
    message: `changed since decision ${decision} had folded it`,
    context: [`digest then: ${digest}`, `digest now: ${digests.join(', ')}`],
  };
}
