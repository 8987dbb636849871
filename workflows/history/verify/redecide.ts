import type { BrokenInvariant } from '../../decision/invariants/broken.ts';
import type { AnyCompacted, AnyCore, AnyDecided, AnyState } from '../../kind.ts';
import type { Folded } from '../../decision/stream.ts';
import { jsonChanges, type JsonChange } from '../json-changes.ts';
import type { Finding } from './finding.ts';

/**
 * Makes a decision again from the facts that it names, with the given core, and compares the result with the record.
 */
export function redecide(
  core: AnyCore,
  decision: AnyDecided,
  before: AnyState,
  facts: readonly AnyCompacted[],
  named: readonly Folded[],
): { after: AnyState; findings: Finding[] } {
  const { number, now, settings, commands, nextDecisionAt, waiting, broken } = contentWithBroken(decision);
  const state = core.fold(before, facts);
  const verdict = core.decide(state, now, settings);
  const recorded = { number, folded: named, commands, nextDecisionAt, waiting, broken };
  const again = {
    number: (before.last?.number ?? 0) + 1,
    folded: state.folded,
    commands: verdict.commands,
    nextDecisionAt: verdict.nextDecisionAt,
    waiting: verdict.waiting,
    broken: verdict.broken ?? [],
  };
  const [difference] = jsonChanges(recorded, again, { listsAsOne: false });
  return {
    after: core.fold(state, [decision]),
    findings: [
      ...(difference === undefined ? [] : [differentDecisionFinding(core, decision, difference)]),
      ...broken.map(({ invariant, message }) => brokenInvariantFinding(decision, invariant, message)),
    ],
  };
}

/** The content of the decision with the broken invariants; decisions about CronJobs have no such field. */
function contentWithBroken({ data }: AnyDecided): AnyDecided['data'] & { broken: BrokenInvariant[] } {
  return { ...data, broken: 'broken' in data ? (data.broken ?? []) : [] };
}

/**
 * The creations of the decision were withheld, or a person approved them; the decision shows a bug of the core that
 * made it.
 */
function brokenInvariantFinding({ id, data }: AnyDecided, invariant: string, message: string): Finding {
  return {
    type: 'wrong',
    event: id,
    message: `decision ${data.number} breaks "${invariant}": ${message}`,
    context: [],
  };
}

/** The finding for a decision that its core makes differently. */
function differentDecisionFinding(
  { CORE_VERSION }: AnyCore,
  decision: AnyDecided,
  { path, from, to }: JsonChange,
): Finding {
  const { number, now, core, commands, waiting } = decision.data;
  const recorded = commands.map(({ kind, why }) => `${kind}: ${why.message} [${why.rule}]`);
  return {
    type: 'different',
    event: decision.id,
    message: `decision ${number} differs at ${pathText(path)}`,
    context: [
      `recorded: ${valueText(from)}`,
      `now:      ${valueText(to)}`,
      `decided at ${new Date(now).toISOString()} by core ${core}, made again by core ${CORE_VERSION}`,
      `recorded commands: ${recorded.length === 0 ? 'none' : recorded.join('; ')}`,
      `recorded waiting: ${waiting === null ? 'for nothing' : `${waiting.message} [${waiting.rule}]`}`,
    ],
  };
}

/** A path as text, such as `commands[0].pods[1].name`. */
function pathText(path: JsonChange['path']): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('');
}

/** A value as text for a finding. */
function valueText(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
