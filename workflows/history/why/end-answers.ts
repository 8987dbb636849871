import { toEndType } from '../../batch/conditions.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { Condition } from '../../kubernetes/objects.ts';
import type { WhyAnswer } from './types.ts';

/** The status write of a decision that shows a condition of the end; `command` is its id. */
export interface EndingWrite {
  decision: { data: { now: number } };
  command: string;
  condition: Condition;
}

/** The decision that ends the Job, and the later decision that finishes it when its pods are gone (J-6.39). */
export function endAnswers(decided: EndingWrite | null, ended: EndingWrite | null): WhyAnswer[] {
  if (decided === null) return [];
  const { condition, decision } = decided;
  const verb = toEndType(condition.type) === 'Failed' ? 'failed' : 'is complete';
  const message = `${condition.reason ?? ''}: ${condition.message ?? ''}, decided at ${isoTime(decision.data.now)}`;
  return [
    { question: `why it ${verb}`, message, because: [decided.command] },
    ...(ended === null || ended.decision === decision
      ? []
      : [
          {
            question: 'why it ended only then',
            message: `${ended.condition.type} at ${isoTime(ended.decision.data.now)}`,
            because: [ended.command],
          },
        ]),
  ];
}
