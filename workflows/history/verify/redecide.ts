import type { Core } from '../../cores/cores.ts';
import type { Compacted } from '../../job/observe/compact.ts';
import type { Folded, JobDecided } from '../../job/events.ts';
import type { JobState } from '../../job/state.ts';
import { firstDifference, type DecisionDifference } from './difference.ts';
import type { Finding } from './finding.ts';

/** Makes a decision again from the facts that it names, with the given core, and compares. */
export function redecide(
  core: Core,
  decision: JobDecided,
  before: JobState,
  facts: readonly Compacted[],
  named: readonly Folded[],
): { after: JobState; findings: Finding[] } {
  const { number, now, settings, commands, lookAgainAt, waiting } = decision.data;
  const state = core.fold(before, facts);
  const verdict = core.decide(state, now, settings);
  const recorded = { number, folded: named, commands, lookAgainAt, waiting };
  const again = { number: (before.last?.number ?? 0) + 1, folded: state.folded, ...verdict };
  const difference = firstDifference(recorded, again);
  return {
    after: core.fold(state, [decision]),
    findings: difference === null ? [] : [decidedOtherwise(core, decision, difference)],
  };
}

function decidedOtherwise(
  { CORE_VERSION }: Core,
  decision: JobDecided,
  { path, recorded, again }: DecisionDifference,
): Finding {
  const { number, now, core, commands, waiting } = decision.data;
  const wishes = commands.map(({ kind, why }) => `${kind}: ${why.words} [${why.rule}]`);
  return {
    type: 'different',
    event: decision.id,
    words: `decision ${number} differs at ${path}`,
    context: [
      `recorded: ${recorded}`,
      `now:      ${again}`,
      `decided at ${new Date(now).toISOString()} by core ${core}, made again by core ${CORE_VERSION}`,
      `recorded commands: ${wishes.length === 0 ? 'none' : wishes.join('; ')}`,
      `recorded waiting: ${waiting === null ? 'for nothing' : `${waiting.words} [${waiting.rule}]`}`,
    ],
  };
}
