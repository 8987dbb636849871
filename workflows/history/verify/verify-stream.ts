import { coreThatMade, coresOfKind } from '../../cores/cores-of-kind.ts';
import type { AnyCore, AnyDecided, AnySnapshotted, AnyState } from '../../kind.ts';
import { byKind, isOfKind, streamUid, type LedgerEvent } from '../../ledger-event.ts';
import { outcomeId, decisionId } from '../../decision/decision-id.ts';
import { computeDigest } from '../../ledger/digest.ts';
import { foldedBy } from '../../decision/folding.ts';
import { isDecision, isFoldedPart } from '../../decision/stream.ts';
import { isSnapshot } from '../../record/recalled.ts';
import { createFacts, type Facts } from './facts.ts';
import { checkSnapshot } from './check-snapshot.ts';
import { redecide } from './redecide.ts';
import { followRuns } from './runs.ts';
import { createStates, type States } from './states.ts';
import { forgetOldRecords, dropHistory, emptyMemory, type StreamMemory } from './stream-memory.ts';
import { type Verification, type Finding } from './finding.ts';
import {
  uncheckableFinding,
  changedRecordFinding,
  newerCoreFinding,
  changedDecisionFinding,
  lostPredecessorFinding,
  lostPartFinding,
} from './broken-records.ts';

/** Verifies the stream of one Job or CronJob, event by event in ledger order. */
export interface StreamVerifier {
  /**
   * `isProved` is true when the record is known to be unchanged: the verifier folds the event, but does not check it
   * or make it again.
   */
  add(event: LedgerEvent, isProved?: boolean): void;
  result(): Verification;
  /** The memory from which another verifier can continue. */
  memory(): StreamMemory;
  /** The same memory; with `dropsHistory`, the parts that later decisions rarely need are left out. */
  condensed(): StreamMemory;
}

/** What is verified. */
export interface StreamChecks {
  /**
   * True when the digests of records are checked. A copy in a database may differ from the record in characters that
   * the database cannot store.
   */
  seals: boolean;
  /** Decisions before this instant, in milliseconds, are folded but not made again. */
  since: number;
  /**
   * The core that makes decisions about Jobs again (the newest core makes decisions about CronJobs); null when each
   * decision is made by its own core.
   */
  core: AnyCore | null;
  /**
   * True when only the latest decisions are kept, with their states and facts, and unfolded facts. If a record refers
   * to a dropped record, the result is incomplete, and the caller must verify the stream again and keep everything.
   */
  dropsHistory: boolean;
}

const ALL_CHECKS: StreamChecks = { seals: true, since: -Infinity, core: null, dropsHistory: false };

interface Progress {
  checks: StreamChecks;
  facts: Facts;
  getStates: (core: AnyCore) => States<AnyState>;
  memory: StreamMemory;
}

/** Checks a whole stream. */
export function verifyStream(
  stream: Iterable<LedgerEvent>,
  checks: Partial<StreamChecks> = {},
): Verification {
  const verifier = createStreamVerifier(checks);
  for (const event of stream) verifier.add(event);
  return verifier.result();
}

/** Creates a verifier of one stream; `memory` is the memory of the verifier that has read the stream so far. */
export function createStreamVerifier(
  checks: Partial<StreamChecks> = {},
  memory: StreamMemory = emptyMemory(),
): StreamVerifier {
  const facts = createFacts(memory.facts);
  const getStates = createStates(
    {
      decisions: memory.known,
      refold: (core: AnyCore, decision: AnyDecided, before: AnyState) =>
        core.fold(before, [...facts.folded(core, foldedBy(decision, memory.parts)), decision]),
    },
    undefined,
    memory.states,
  );
  const progress: Progress = { checks: { ...ALL_CHECKS, ...checks }, facts, getStates, memory };
  return {
    add(event, isProved = false) {
      if (!memory.isIncomplete) checkSafely(progress, event, isProved);
    },
    result: () => ({
      decisions: memory.decisions,
      unchecked: memory.unchecked,
      findings: memory.findings,
    }),
    memory: () => memory,
    condensed() {
      forgetOldRecords(memory, facts);
      return memory;
    },
  };
}

/** Checks an event; an error ends only the verification of this stream, not a pass over all streams. */
function checkSafely(progress: Progress, event: LedgerEvent, isProved: boolean): void {
  const { memory } = progress;
  try {
    checkEvent(progress, event, isProved);
  } catch (error) {
    memory.findings.push(uncheckableFinding(event, error));
    if (!isDecision(event)) return;
    // The decisions after a superseded decision depend on the state that it left.
    memory.known.set(event.id, null);
    memory.unchecked += 1;
  }
}

/** Checks an event by its type: its digest, and the content that other events prove. */
function checkEvent(progress: Progress, event: LedgerEvent, isProved: boolean): void {
  const { checks, memory, facts } = progress;
  const isSealed = checks.seals && !isProved;
  const digest = isSealed ? computeDigest(event.recorded ?? event.data) : event.digest;
  const isIntact = digest === event.digest;
  if (!isIntact) memory.findings.push(changedRecordFinding(event, digest));
  if (isFoldedPart(event) && isIntact) memory.parts.push(event);
  if (isSnapshot(event) && isIntact) compareSnapshot(progress, event);
  if (isDecision(event)) checkDecision(progress, event, { isIntact, isProved });
  else if (!isSnapshot(event)) facts.remember(event, isIntact);
  if (event.type === 'outcome.recorded' && isIntact && isSealed) checkOutcome(memory, event);
  const findings = isIntact
    ? byKind<Finding[]>(event, {
        PlacedJob: () => [],
        Job: (ofJob) => followRuns(memory.runs, ofJob),
        CronJob: () => [],
      })
    : [];
  // Jobledger promises nothing about Jobs of other controllers.
  if (memory.known.size > 0) memory.findings.push(...findings);
}

/** Checks that an outcome was not changed; when the outcome is not folded yet, only its id can show a change. */
function checkOutcome(memory: StreamMemory, event: Extract<LedgerEvent, { type: 'outcome.recorded' }>): void {
  const { id, data } = event;
  const content = outcomeId(data.decision, data.command, data);
  if (content === id) return;
  memory.findings.push({
    type: 'broken',
    event: id,
    message: 'an outcome was changed after it was recorded: its id does not belong to its content',
    context: [`id of its content: ${content}`],
  });
}

/** Checks a snapshot, and adds the findings to the memory. */
function compareSnapshot(progress: Progress, snapshot: AnySnapshotted): void {
  const { memory } = progress;
  const findings = checkSnapshot(progress, snapshot);
  if (findings === null) memory.isIncomplete = true;
  else memory.findings.push(...findings);
}

/** Checks a decision once, even if its append was repeated. */
function checkDecision(
  progress: Progress,
  decision: AnyDecided,
  { isIntact, isProved }: { isIntact: boolean; isProved: boolean },
): void {
  const { memory, checks } = progress;
  if (memory.known.has(decision.id)) return;
  const isWanted = decision.data.now >= checks.since && !isProved;
  const isSealed = checks.seals && !isProved;
  const { isWhole, findings } = isIntact ? checkPreconditions(progress, decision, isSealed) : BROKEN;
  if (dependsOnDropped(progress, decision, findings)) return void (memory.isIncomplete = true);
  memory.findings.push(...findings);
  memory.known.set(decision.id, isWhole ? decision : null);
  if (isWanted) checkAgain(progress, decision, isWhole);
  if (checks.dropsHistory && isWhole) foldAndDrop(progress, decision);
}

/** Makes a decision again by its core, unless its facts are changed or missing or its core is unknown. */
function checkAgain(progress: Progress, decision: AnyDecided, isWhole: boolean): void {
  const { memory, checks } = progress;
  memory.decisions += 1;
  const core = coreFor(checks, decision);
  if (core === undefined) memory.findings.push(newerCoreFinding(decision));
  if (isWhole && core !== undefined) makeAgain(progress, core, decision);
  else memory.unchecked += 1;
}

const BROKEN: Preconditions = { isWhole: false, findings: [] };

/** The facts that a decision depends on: whether all facts are unchanged, and which facts are changed. */
interface Preconditions {
  isWhole: boolean;
  findings: Finding[];
}

/** Checks that a decision, its predecessor and the facts that it names are unchanged. */
function checkPreconditions(
  { memory, facts }: Progress,
  decision: AnyDecided,
  isSealed: boolean,
): Preconditions {
  const content = isSealed ? decisionId(streamUid(decision) ?? '', decision.data) : decision.id;
  if (content !== decision.id) return brokenPreconditions(changedDecisionFinding(decision, content));
  const { predecessor } = decision.data;
  const before = predecessor === null ? decision : memory.known.get(predecessor);
  if (before === undefined) return brokenPreconditions(lostPredecessorFinding(decision));
  const lost = lostPartFinding(memory, decision);
  if (lost !== null) return brokenPreconditions(lost);
  const { isWhole, findings } = facts.check(decision.id, foldedBy(decision, memory.parts));
  return { isWhole: before !== null && isWhole, findings };
}

/** The preconditions of a decision that this finding breaks. */
function brokenPreconditions(finding: Finding): Preconditions {
  return { isWhole: false, findings: [finding] };
}

/** True when a decision was dropped, or may depend on dropped records. */
function dependsOnDropped(
  { memory, checks, getStates }: Progress,
  decision: AnyDecided,
  findings: readonly Finding[],
): boolean {
  const { data } = decision;
  if (memory.dropped === 0) return false;
  if (findings.length > 0 || data.number <= memory.dropped || data.predecessor === null) return true;
  return (
    memory.known.get(data.predecessor) !== null &&
    !coresAfter(checks, decision).every((core) => getStates(core).has(data.predecessor ?? ''))
  );
}

/** Makes a decision again, and adds the findings and the state after the decision to the memory. */
function makeAgain({ facts, memory, getStates }: Progress, core: AnyCore, decision: AnyDecided): void {
  const named = foldedBy(decision, memory.parts);
  const states = getStates(core);
  const before = states.after(decision.data.predecessor);
  const again = redecide(core, decision, before, facts.folded(core, named), named);
  states.keep(decision.id, again.after);
  memory.findings.push(...again.findings);
}

/**
 * Folds a decision that is not made again, and keeps the states, so that later decisions do not need the dropped
 * decisions.
 */
function foldAndDrop({ checks, facts, memory, getStates }: Progress, decision: AnyDecided): void {
  for (const core of coresAfter(checks, decision)) getStates(core).after(decision.id);
  dropHistory(memory, facts);
}

/** The core that makes a decision again; undefined when only a newer version has this core. */
function coreFor({ core }: StreamChecks, decision: AnyDecided): AnyCore | undefined {
  if (core === null) return coreThatMade(decision);
  return isOfKind('Job', decision) ? core : coresOfKind(decision).present;
}

/** The cores that may make the decisions after this decision: the core of this decision and newer cores. */
function coresAfter(checks: StreamChecks, decision: AnyDecided): readonly AnyCore[] {
  const core = coreFor(checks, decision);
  if (checks.core !== null && core !== undefined) return [core];
  const cores = coresOfKind(decision).all;
  return core === undefined ? cores : cores.slice(cores.indexOf(core));
}
