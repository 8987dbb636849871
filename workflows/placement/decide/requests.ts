import { nothing } from '../../decision/verdict.ts';
import { isFinished } from '../../batch/conditions.ts';
import type { Reason } from '../../decision/reason.ts';
import { combineVerdicts, report, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** Carries out the oldest request of a user as a PATCH of `spec.suspend`; a request that changes nothing is only reported. */
export function answerRequest(at: PlacementSituation): PlacementVerdict | null {
  const [request] = at.state.requests;
  if (request === undefined) return null;
  const suspend = request.action === 'suspend';
  const why: Reason = {
    rule: suspend ? 'J-6.41' : 'J-6.42',
    message: `${request.action} asked for by ${request.by}`,
  };
  // After the end of the Job, the API server accepts the request, and nothing depends on it.
  const verdict = planCommands(at, {
    kind: 'SetSuspend',
    suspend,
    request: request.id,
    why,
  });
  return isFinished(at.job.status) ? { ...verdict, waiting: null } : verdict;
}

/** Reports that a Job asks for several clusters although its pods are bound to one cluster (J-17.1). */
export function reportNotSpread(at: PlacementSituation): PlacementVerdict {
  const { preferences, indivisible } = at.job;
  if (preferences.spread === undefined || indivisible === undefined) return nothing;
  return report(at, 'Warning', 'NotSpread', `the Job runs in one cluster at a time: ${indivisible}`);
}

/**
 * Refuses to place a Job whose pods the author's own labels select: such pods lack the labels by which the pods of a
 * member are listed, so no list would prove that no pod is left (J-16.10).
 */
export function selectorTrouble(at: PlacementSituation): PlacementVerdict | null {
  if (at.job.spec.manualSelector !== true) return null;
  const message =
    'a Job with manualSelector is not placed: no list could prove that none of its pods is left';
  return combineVerdicts(
    { ...nothing, waiting: { rule: 'J-16.10', message } },
    report(at, 'Warning', 'ManualSelector', message),
  );
}

/**
 * Reports a Job with an invalid annotation, which is not placed, because its author wanted something other than the
 * default (J-16.2).
 */
export function reportInvalid(at: PlacementSituation): PlacementVerdict {
  const { invalid = [] } = at.job.preferences;
  const message = invalid.join('; ');
  return combineVerdicts(
    { ...nothing, waiting: { rule: 'J-16.2', message } },
    ...invalid.map((each) => report(at, 'Warning', 'InvalidAnnotation', each)),
  );
}
