import type { Decision } from '../../decision/stream.ts';
import { refusal, type Refused } from '../refused.ts';
import { commandCauseId, waitingCauseId } from './cause-id.ts';
import type { PartialAnswer } from './types.ts';

/** The reason for each command of a decision, and its reason to wait. */
export function aboutDecision(
  { effective }: { effective: readonly Decision[] },
  number: number,
): PartialAnswer | Refused {
  const decision = effective.find(({ data }) => data.number === number);
  if (decision === undefined)
    return refusal(
      'unknown',
      `the Job has no decision ${number}: its decisions go from 1 to ${effective.length}`,
    );
  const { commands, waiting } = decision.data;
  return {
    about: `decision ${number}`,
    answers: [
      ...commands.map(({ kind, why }, at) => ({
        question: `why ${kind}`,
        message: why.message,
        because: [commandCauseId(decision.id, at)],
      })),
      ...(waiting === null
        ? []
        : [{ question: 'why it waits', message: waiting.message, because: [waitingCauseId(decision.id)] }]),
    ],
    concerns: () => false,
  };
}
