import type { Compacted } from '../../job/compact.ts';
import { decide } from '../../job/decide.ts';
import { CORE_VERSION } from '../../job/decision-id.ts';
import type { Folded, JobDecided } from '../../job/events.ts';
import { fold } from '../../job/evolve.ts';
import type { JobState } from '../../job/state.ts';
import { firstDifference, type Difference } from './difference.ts';
import type { Finding } from './finding.ts';

/** Makes a decision again from what it says it knew, and compares. */
export function redecide(
  decision: JobDecided,
  before: JobState,
  facts: readonly Compacted[],
  named: readonly Folded[],
): { after: JobState; findings: Finding[] } {
  const { number, now, settings, commands, lookAgainAt, waiting } = decision.data;
  const state = fold(before, facts);
  const verdict = decide(state, now, settings);
  const recorded = { number, folded: named, commands, lookAgainAt, waiting };
  const again = { number: (before.last?.number ?? 0) + 1, folded: state.folded, ...verdict };
  const difference = firstDifference(recorded, again);
  return {
    after: fold(state, [decision]),
    findings: difference === null ? [] : [decidedOtherwise(decision, difference)],
  };
}

function decidedOtherwise(decision: JobDecided, { path, recorded, again }: Difference): Finding {
  const { number, now, core, commands, waiting } = decision.data;
  const wishes = commands.map(({ kind, why }) => `${kind}: ${why.words} [${why.rule}]`);
  return {
    kind: 'otherwise',
    event: decision.id,
    words: `decision ${number} comes out otherwise at ${path}`,
    context: [
      `recorded: ${recorded}`,
      `now:      ${again}`,
      `decided at ${new Date(now).toISOString()} by core ${core}, made again by core ${CORE_VERSION}`,
      `recorded commands: ${wishes.length === 0 ? 'none' : wishes.join('; ')}`,
      `recorded waiting: ${waiting === null ? 'for nothing' : `${waiting.words} [${waiting.rule}]`}`,
    ],
  };
}
