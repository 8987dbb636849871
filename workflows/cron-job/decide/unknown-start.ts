import { nothing, sendOnly } from '../../decision/verdict.ts';
import { unknownStart } from '../definitions/unknown-start.ts';
import type { CronPlan } from './hold-back.ts';
import type { CronSituation, CronVerdict } from './situation.ts';

/**
 * Waits while it is unknown whether the last start created its Job, because a further start could be a second one or
 * run beside the first (J-9.36); null when nothing is unknown.
 */
export function waitForUnknown({ state }: CronSituation): CronVerdict | null {
  const unknown = unknownStart(state);
  if (unknown === null) return null;
  const { name, scheduledAt, after } = unknown;
  const version = after === null ? 'the present version' : `version ${after}`;
  return {
    commands: [],
    nextDecisionAt: state.retries.AwaitWatch?.until ?? null,
    waiting: {
      rule: 'J-9.38',
      message: `whether the start of ${scheduledAt} has created the Job ${name} is not known: a request got no answer; waits for the watch of Jobs to pass ${version}`,
    },
  };
}

/** Asks for the version that the watch of Jobs has reached. */
export function awaitWatch({ state }: CronSituation): CronPlan {
  const unknown = unknownStart(state);
  if (unknown === null) return nothing;
  const why = { rule: 'J-9.38', message: `whether the Job ${unknown.name} was created` } as const;
  const epoch = state.epoch > 0 && { epoch: state.epoch };
  return sendOnly({ kind: 'AwaitWatch', resource: 'jobs', resourceVersion: unknown.after, ...epoch, why });
}
