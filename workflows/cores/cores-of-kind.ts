import type { AnyCore, AnyDecided, KindName } from '../kind.ts';
import { kindOfEvent } from '../kinds.ts';
import { isOfKind, type LedgerEvent } from '../ledger-event.ts';
import { effectiveDecisions } from '../decision/folding.ts';
import { CRON_JOB_CORES, JOB_CORES, PLACEMENT_CORES } from './cores.ts';
import type { Versions } from './versions.ts';

const CORES: Readonly<Record<KindName, Versions<AnyCore>>> = {
  PlacedJob: PLACEMENT_CORES,
  Job: JOB_CORES,
  CronJob: CRON_JOB_CORES,
};

/** The cores of the kind whose stream has the event. */
export function coresOfKind(event: LedgerEvent): Versions<AnyCore> {
  return CORES[kindOfEvent(event)?.name ?? 'Job'];
}

/** All versions of this core. */
export function coreVersions(core: AnyCore): Versions<AnyCore> {
  return Object.values(CORES).find(({ all }) => all.includes(core)) ?? JOB_CORES;
}

/** The core that made a decision; undefined when a newer version of Jobledger made it. */
export function coreThatMade(decision: AnyDecided): AnyCore | undefined {
  return coresOfKind(decision).ofVersion(decision.data.core);
}

/**
 * The core that made the last decision of a stream, or of the first part of a stream; the present core of the kind
 * when the stream has no decision.
 */
export function coreOfStream(part: readonly LedgerEvent[], stream = part): AnyCore {
  const last = effectiveDecisions(part).at(-1);
  const known = last === undefined ? undefined : coreThatMade(last);
  return known ?? CORES[kindOfStream(stream)].present;
}

/**
 * The kind of the object of a stream; the stream of a placed Job also contains events that every Job has, such as its
 * submission.
 */
function kindOfStream(stream: readonly LedgerEvent[]): KindName {
  const kinds: readonly KindName[] = ['PlacedJob', 'CronJob'];
  return kinds.find((kind) => stream.some((event) => isOfKind(kind, event))) ?? 'Job';
}
