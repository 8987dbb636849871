import { outcomeId, decisionId, foldedId } from '../../job/record/decision-id.ts';
import { digestOf } from '../../job/record/digest.ts';
import type { CommandAnswered, JobDecided, JobEvent, JobFolded } from '../../job/events.ts';
import { foldedBy } from '../../job/record/replay.ts';
import { coreOf, type Core } from '../../cores/cores.ts';
import { createFacts, type Facts } from './facts.ts';
import type { Finding, Verification } from './finding.ts';
import { redecide } from './redecide.ts';
import { createStates, type States } from './states.ts';

/** Verifies the stream of one Job, event by event in ledger order. */
export interface StreamVerifier {
  add(event: JobEvent): void;
  result(): Verification;
}

/** What is verified. */
export interface StreamChecks {
  /** Whether digests of records are checked. A copy in a database may differ in characters that it cannot store. */
  seals: boolean;
  /** Decisions before this instant, in milliseconds, are folded but not made again. */
  since: number;
  /** The core that makes decisions again; null: each by the core that made it. */
  core: Core | null;
}

const ALL_CHECKS: StreamChecks = { seals: true, since: -Infinity, core: null };

interface Progress {
  checks: StreamChecks;
  facts: Facts;
  parts: JobFolded[];
  /** By id; null for a decision that is changed or depends on a changed record. */
  known: Map<string, JobDecided | null>;
  statesOf: (core: Core) => States;
  decisions: number;
  unchecked: number;
  findings: Finding[];
}

/** Checks a whole stream. */
export function verifyStream(stream: Iterable<JobEvent>, checks: Partial<StreamChecks> = {}): Verification {
  const verifier = createStreamVerifier(checks);
  for (const event of stream) verifier.add(event);
  return verifier.result();
}

export function createStreamVerifier(checks: Partial<StreamChecks> = {}): StreamVerifier {
  const facts = createFacts();
  const parts: JobFolded[] = [];
  const known = new Map<string, JobDecided | null>();
  const statesOf = createStates({
    decisions: known,
    refold: (core, decision, before) =>
      core.fold(before, [...facts.folded(core, foldedBy(decision, parts)), decision]),
  });
  const progress: Progress = {
    checks: { ...ALL_CHECKS, ...checks },
    facts,
    parts,
    known,
    statesOf,
    decisions: 0,
    unchecked: 0,
    findings: [],
  };
  return {
    add: (event) => check(progress, event),
    result: () => ({
      decisions: progress.decisions,
      unchecked: progress.unchecked,
      findings: progress.findings,
    }),
  };
}

function check(progress: Progress, event: JobEvent): void {
  const digest = progress.checks.seals ? digestOf(event.data) : event.digest;
  const isIntact = digest === event.digest;
  if (!isIntact) progress.findings.push(changedRecord(event, digest));
  if (event.type === 'job.folded' && isIntact) progress.parts.push(event);
  if (event.type === 'job.decided') checkDecision(progress, event, isIntact);
  else progress.facts.remember(event, isIntact);
  if (event.type === 'command.answered' && isIntact && progress.checks.seals) checkOutcome(progress, event);
}

/** An outcome may not have been folded yet; then only its id shows whether it was changed. */
function checkOutcome(progress: Progress, event: CommandAnswered): void {
  const { id, data } = event;
  const content = outcomeId(data.decision, data.command, data);
  if (content === id) return;
  progress.findings.push({
    type: 'broken',
    event: id,
    words: 'an outcome was changed after it was recorded: its id does not belong to its content',
    context: [`id of its content: ${content}`],
  });
}

/** A decision whose append was repeated is checked once. */
function checkDecision(progress: Progress, decision: JobDecided, isIntact: boolean): void {
  const { known, checks } = progress;
  if (known.has(decision.id)) return;
  const isWanted = decision.data.now >= checks.since;
  const isWhole = isIntact && restsOnWhole(progress, decision);
  known.set(decision.id, isWhole ? decision : null);
  if (!isWanted) return;
  progress.decisions += 1;
  const core = checks.core ?? coreOf(decision.data.core);
  if (core === undefined) progress.findings.push(newerCore(decision));
  if (isWhole && core !== undefined) makeAgain(progress, core, decision);
  else progress.unchecked += 1;
}

/** Whether the decision and everything that it depends on are unchanged. */
function restsOnWhole(progress: Progress, decision: JobDecided): boolean {
  const { checks, known, facts, parts } = progress;
  const content = checks.seals ? decisionId(decision.data) : decision.id;
  if (content !== decision.id) return refuse(progress, changedDecision(decision, content));
  const { predecessor } = decision.data;
  const before = predecessor === null ? decision : known.get(predecessor);
  if (before === undefined) return refuse(progress, lostPredecessor(decision));
  const lost = lostPart(progress, decision);
  if (lost !== null) return refuse(progress, lost);
  const { isWhole, findings } = facts.check(decision.id, foldedBy(decision, parts));
  progress.findings.push(...findings);
  return before !== null && isWhole;
}

function makeAgain({ facts, parts, statesOf, findings }: Progress, core: Core, decision: JobDecided): void {
  const named = foldedBy(decision, parts);
  const states = statesOf(core);
  const before = states.after(decision.data.predecessor);
  const again = redecide(core, decision, before, facts.folded(core, named), named);
  states.keep(decision.id, again.after);
  findings.push(...again.findings);
}

function refuse(progress: Progress, finding: Finding): false {
  progress.findings.push(finding);
  return false;
}

function newerCore({ id, data }: JobDecided): Finding {
  return {
    type: 'newer',
    event: id,
    words: `decision ${data.number} was made by core ${data.core}, which this version of Jobledger does not have: ask a newer one`,
    context: [],
  };
}

function changedRecord(event: JobEvent, digest: string): Finding {
  return {
    type: 'broken',
    event: event.id,
    words: `${event.type} was changed after it was recorded`,
    context: [
      `recorded at ${event.time} by ${event.source} for ${event.subject}`,
      `digest as recorded: ${event.digest}`,
      `digest of its content: ${digest}`,
    ],
  };
}

function changedDecision(decision: JobDecided, content: string): Finding {
  return {
    type: 'broken',
    event: decision.id,
    words: `decision ${decision.data.number} was changed after it was recorded: its id does not belong to its content`,
    context: [`id of its content: ${content}`],
  };
}

/** The first `job.folded` record of a decision that is missing or changed; null when all are intact. */
function lostPart({ parts }: Progress, { id, data }: JobDecided): Finding | null {
  const digests = new Map(parts.map((part) => [part.id, part.digest]));
  for (const [part, digest] of data.foldedBefore.entries()) {
    const event = foldedId(id, part);
    if (digests.get(event) === digest) continue;
    const state = digests.has(event) ? 'changed since' : 'missing';
    return { type: 'broken', event, words: `${state}: decision ${id} names it`, context: [] };
  }
  return null;
}

function lostPredecessor(decision: JobDecided): Finding {
  return {
    type: 'broken',
    event: decision.data.predecessor ?? '',
    words: `missing: decision ${decision.id} (number ${decision.data.number}) names it as its predecessor`,
    context: [],
  };
}
