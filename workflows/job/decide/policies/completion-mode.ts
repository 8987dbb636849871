import type { JobPlan } from '../hold-back.ts';
import type { Reason } from '../../../decision/reason.ts';
import type { Situation } from '../situation.ts';

/** Ignores a Job with an unknown completion mode, and reports it with one Event (J-3.50 step 6, J-7.2). */
export function refuseUnknownMode({ state: { waiting }, job: { spec } }: Situation): JobPlan | null {
  const { completionMode = 'NonIndexed' } = spec;
  if (completionMode === 'NonIndexed' || completionMode === 'Indexed') return null;
  const why: Reason = { rule: 'J-3.50', message: `the completion mode ${completionMode} is unknown` };
  const isReported = waiting?.rule === why.rule && waiting.message === why.message;
  const message = 'Skipped Job sync because completion mode is unknown';
  const events = [{ type: 'Warning' as const, reason: 'UnknownCompletionMode', message }];
  return {
    commands: isReported ? [] : [{ kind: 'EmitEvents', events, why }],
    nextDecisionAt: null,
    waiting: why,
  };
}
