import { compact, type Compacted } from '../../job/compact.ts';
import type { Folded, JobEvent } from '../../job/events.ts';
import type { Finding } from './finding.ts';

/** What can be folded, as the stream holds it, by id and digest: an id may come again. */
export interface Facts {
  remember(event: JobEvent, isIntact: boolean): void;
  /** What a decision says it had folded. Null when something of it is not as it was; findings say what is new of that. */
  folded(decision: string, named: readonly Folded[]): { facts: Compacted[] | null; findings: Finding[] };
}

export function createFacts(): Facts {
  const byId = new Map<string, Map<string, Compacted | 'changed' | null>>();
  return {
    remember(event, isIntact) {
      const variants = byId.get(event.id) ?? new Map<string, Compacted | 'changed' | null>();
      if (!variants.has(event.digest)) variants.set(event.digest, isIntact ? compact(event) : 'changed');
      byId.set(event.id, variants);
    },
    folded(decision, named) {
      const found = named.map(({ id, digest }) => ({ id, digest, fact: byId.get(id)?.get(digest) }));
      const findings = found
        .filter(({ fact }) => fact === undefined)
        .map(({ id, digest }) => lost(decision, { id, digest }, [...(byId.get(id)?.keys() ?? [])]));
      const facts = found.flatMap(({ fact }) => (fact === undefined || fact === 'changed' ? [] : [fact]));
      const whole = facts.length === named.length;
      return { facts: whole ? facts.filter((fact) => fact !== null) : null, findings };
    },
  };
}

function lost(decision: string, { id, digest }: Folded, digests: readonly string[]): Finding {
  if (digests.length === 0) {
    return {
      kind: 'broken',
      event: id,
      words: `missing: decision ${decision} had folded it`,
      context: [`digest then: ${digest}`],
    };
  }
  return {
    kind: 'broken',
    event: id,
    words: `changed since decision ${decision} had folded it`,
    context: [`digest then: ${digest}`, `digest now: ${digests.join(', ')}`],
  };
}
