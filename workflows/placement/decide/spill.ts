import { nothing } from '../../decision/verdict.ts';
import { trueCondition } from '../../batch/conditions.ts';
import { parseInstant } from '../../ledger/instants.ts';
import { knownMemberFields } from '../definitions/grants.ts';
import type { PlacementGrant } from '../state.ts';
import { choose } from './choose.ts';
import { excludedNow } from './excluded.ts';
import { combineVerdicts, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/**
 * The age from which a list of the pods, or a search for a cluster with room, is repeated, in milliseconds.
 */
const LOOK_AGAIN_MS = 15_000;

/** The shortest wait for the time of `spill-after`, in milliseconds, so that clocks of two clusters cause no haste. */
const SOONEST_MS = 1000;

/**
 * Moves a member whose pods have found no node for `spill-after` to a cluster that has room (J-16.11): the member is
 * suspended, and another cluster gets the Job when its grant has ended. The cheap questions come first: whether the
 * member may still move, whether it is time, and whether the list of its pods is recent; lists of pods and candidates
 * cost requests.
 */
export function spill(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const { job, now, settings } = at;
  const { member, cluster } = grant;
  if (member === null || job.spec.suspend === true || member.spec.suspend === true) return nothing;
  const { ready = 0, succeeded = 0, failed = 0 } = member.status;
  const { succeeded: before = 0, failed: failedBefore = 0 } = grant.continues ?? {};
  // A pod that is ready, or has ended since the grant was given, shows that the cluster has nodes for the Job.
  if (ready > 0 || succeeded > before || failed > failedBefore) return nothing;
  // The controller of the member has not begun its work yet, or not begun it again.
  if (trueCondition(member.status, 'Suspended') !== undefined) return nothing;
  const began = Math.max(grant.since, parseInstant(member.status.startTime) ?? 0);
  // An earlier list shows pods of an earlier run of the member.
  const pods = grant.pods !== undefined && grant.pods.at >= began ? grant.pods : undefined;
  // A member without any pod means that the cluster admits no pod.
  const since = pods?.open === 0 ? began : (pods?.unscheduledSince ?? null);
  const due = (since ?? began) + job.preferences.spillAfterMs;
  if (due > now) return { ...nothing, nextDecisionAt: Math.max(due, now + SOONEST_MS) };
  const about = knownMemberFields(grant, member);
  const listedAt = pods?.at ?? -Infinity;
  if (now - listedAt >= LOOK_AGAIN_MS)
    return planCommands(at, {
      kind: 'LookUpMember',
      ...about,
      why: { rule: 'J-16.11', message: 'no pod is ready: do they have nodes?' },
    });
  // The pods have nodes, and are listed again later.
  if (since === null)
    return { ...nothing, nextDecisionAt: listedAt + Math.max(job.preferences.spillAfterMs, LOOK_AGAIN_MS) };
  if (settings.candidates === undefined) return { ...nothing, candidates: 'missing' };
  const excluded = new Map([
    ...excludedNow(at.state, settings, now),
    [cluster, 'its pods find no node there'] as const,
  ]);
  const { chosen } = choose(job, settings.candidates.clusters, {
    excluded,
    withRoom: true,
  });
  const message = `the pods have found no node in the cluster ${cluster} for ${job.preferences.spillAfterMs / 1000} s`;
  if (chosen === null)
    return {
      ...nothing,
      candidates: 'read',
      nextDecisionAt: now + LOOK_AGAIN_MS,
      waiting: {
        rule: 'J-16.11',
        message: `${message}, and no other cluster has room`,
      },
    };
  return combineVerdicts(
    { ...nothing, candidates: 'read' },
    planCommands(at, {
      kind: 'ChangeMember',
      ...about,
      spec: { suspend: true },
      stop: 'spill',
      why: { rule: 'J-16.11', message: `${message}; ${chosen.cluster} has room` },
    }),
  );
}
