import type { JobEvent } from '../../job/events.ts';
import { canonicalJson } from '../../ledger/digest.ts';
import { isoTime } from '../../ledger/instants.ts';
import { effectiveDecisions } from '../../decision/folding.ts';
import { isOfKind } from '../../ledger-event.ts';
import { refusal, type Refused } from '../refused.ts';
import { findBreak } from '../verify/break-in.ts';
import { runCounterfactual, recordedEndIn, type CounterfactualOutcome } from './counterfactual-run.ts';
import { lifetimesIn, sumPodHours, savedHours } from './pod-hours.ts';
import { unfitFor } from './unfit.ts';
import { upToWrittenEnd } from './written-end.ts';
import type { JobEnd, PolicyChange, WhatIf } from './types.ts';

/**
 * Runs the recorded facts through the core under another policy, and finds how and when the Job would have ended, and
 * the pod-hours that the policy would have saved. The recorded facts apply as long as the policy needs the same pods.
 * After a pod that only the policy creates, or does not delete, everything is unknown (docs/decisions/0025).
 */
export function whatIf(events: readonly JobEvent[], change: PolicyChange): WhatIf | Refused {
  const recorded = events.filter((event) => 'jobUid' in event.data);
  if (recorded.some((event) => isOfKind('PlacedJob', event)))
    return refusal(
      'unknown',
      'it is a placed Job, and its member ended by the policy: ask about the member, or where the Job would have gone',
    );
  const broken = findBreak(recorded);
  if (broken !== null) return broken;
  const stream = upToWrittenEnd(recorded);
  const effective = effectiveDecisions(stream);
  const [first] = effective;
  if (first === undefined)
    return refusal('unknown', 'nothing was decided about the Job: it is not controlled by Jobledger');
  const unfit = unfitFor(stream, change);
  if (unfit !== null) return refusal('invalid', unfit);
  const run = runCounterfactual(stream, change);
  const lifetimes = lifetimesIn(stream);
  const actual = recordedEndIn(effective);
  const comparison = compareEnds(run, actual);
  return {
    job: `${first.data.cluster}/${first.subject}`,
    uid: first.data.jobUid,
    core: run.core,
    comparison,
    message: resultText(run, actual, comparison),
    actual,
    counterfactual: run.unknown === null ? run.end : null,
    unknownSince: run.unknown === null ? null : isoTime(run.unknown.since),
    podHours: {
      actual: sumPodHours(lifetimes),
      saved:
        run.unknown === null
          ? savedHours(lifetimes, run.absentPods, comparison === 'different' ? endInstant(run.end) : null)
          : null,
    },
  };
}

/** The comparison of the end of the run with the recorded end. */
function compareEnds({ end, unknown }: CounterfactualOutcome, actual: JobEnd | null): WhatIf['comparison'] {
  if (unknown !== null) return 'unknown';
  if (end === null || actual === null) return end === actual ? 'same' : 'different';
  return canonicalJson(end) === canonicalJson(actual) ? 'same' : 'different';
}

/** The instant of the end in milliseconds; null without an end. */
function endInstant(end: JobEnd | null): number | null {
  return end === null ? null : Date.parse(end.at);
}

/** The result of a what-if as text. */
function resultText(
  { end, unknown }: CounterfactualOutcome,
  actual: JobEnd | null,
  comparison: WhatIf['comparison'],
): string {
  if (unknown !== null) return `unknown from ${isoTime(unknown.since)} on: ${unknown.message}`;
  if (comparison === 'same')
    return actual === null ? 'as it was: not ended' : `as it was: ${endText(actual)}`;
  return `${end === null ? 'not ended by the end of the record' : endText(end)}, instead of ${actual === null ? 'going on' : endText(actual)}`;
}

/** The end of a Job as text. */
function endText({ type, reason, at }: JobEnd): string {
  return `${type} (${reason}) at ${at}`;
}
