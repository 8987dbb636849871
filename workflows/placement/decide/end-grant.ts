import { nothing } from '../../decision/verdict.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { EndReason, PlacementCommand } from '../commands.ts';
import { knownMemberFields, memberFields } from '../definitions/grants.ts';
import { retryKey } from '../definitions/retry-key.ts';
import { silenceReason } from '../definitions/silence.ts';
import type { PlacementGrant } from '../state.ts';
import { podsEndedAt } from './guard.ts';
import { combineVerdicts, report, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** Ends a grant, for this reason (J-16.10). */
export function endGrant(
  at: PlacementSituation,
  grant: PlacementGrant,
  reason: EndReason,
  message: string,
): PlacementVerdict {
  const rule = RULES[reason];
  return planCommands(at, {
    kind: 'EndGrant',
    ...memberFields(grant),
    reason,
    why: { rule, message },
  });
}

const RULES = {
  refused: 'J-16.6',
  stopped: 'J-16.10',
  gone: 'J-16.19',
  ended: 'J-16.7',
  lost: 'J-16.14',
  guarded: 'J-16.16',
  time: 'J-16.15',
} as const;

/**
 * Ends the grant of a cluster whose pods cannot be observed, because a person declared the cluster lost, or because
 * of the policy of the Job (J-16.14, J-16.15).
 */
export function endLostGrant(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict | null {
  const word = at.settings.clusters?.[grant.cluster];
  if (word?.lost !== undefined)
    return endGrant(
      at,
      grant,
      'lost',
      `the cluster ${grant.cluster} is lost: declared by ${word.lost.by} at ${isoTime(word.lost.at)}`,
    );
  const loss = lossAt(at, grant);
  if (loss === null || loss > at.now) return null;
  const silent = silenceReason(at.settings, grant.cluster) ?? '';
  if (at.job.preferences.ifLost.kind === 'MoveWhenStopped')
    return endGrant(at, grant, 'guarded', `${silent}, and its guard has ended every pod`);
  const asked = askOnceMore(at, grant);
  if (asked !== null) return asked;
  const message = `${silent}; the Job starts elsewhere and may run twice, as its annotation accepts`;
  return combineVerdicts(endGrant(at, grant, 'time', message), report(at, 'Warning', 'MayRunTwice', message));
}

/** The time for which an answer of a cluster that is recorded as silent counts, in milliseconds. */
const ANSWERED_MS = 15_000;

/**
 * Asks the cluster again, because its silence may have been recorded before an outage of Jobledger in which no
 * process asked the cluster; the cluster loses the Job because of time only when it was recently asked. A refusal
 * shows as little about the member as the absence of an answer. The value is null when the cluster was asked and did
 * not answer (J-16.15).
 */
function askOnceMore(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict | null {
  const about = grant.member === null ? { mark: grant.mark } : knownMemberFields(grant, grant.member);
  const message = `does the cluster ${grant.cluster} still not answer?`;
  const ask: PlacementCommand = {
    kind: 'LookUpMember',
    ...memberFields(grant),
    ...about,
    why: { rule: 'J-16.15', message },
  };
  const { until = -Infinity } = at.state.retries[retryKey(ask)] ?? {};
  // The wait for an answer is longer than the first delays.
  if (until + ANSWERED_MS > at.now) return null;
  const answered = Math.max(grant.pods?.at ?? -Infinity, grant.absentAt ?? -Infinity) + ANSWERED_MS;
  if (answered <= at.now) return planCommands(at, ask);
  const waiting = { rule: 'J-16.13', message: `the cluster ${grant.cluster} answers again` } as const;
  return { ...nothing, nextDecisionAt: answered, waiting };
}

/**
 * The instant at which the policy of the Job takes the Job from a cluster that does not answer; null when the policy
 * leaves the Job in the cluster.
 */
export function lossAt(at: PlacementSituation, grant: PlacementGrant): number | null {
  const since = at.settings.clusters?.[grant.cluster]?.silentSince;
  const { ifLost } = at.job.preferences;
  if (since === undefined || ifLost.kind === 'Wait') return null;
  return ifLost.kind === 'MoveAfter' ? since + ifLost.afterMs : podsEndedAt(at, grant);
}
