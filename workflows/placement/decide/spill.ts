import { nothing } from '../../decision/verdict.ts';
import { trueCondition } from '../../batch/conditions.ts';
import { parseInstant } from '../../ledger/instants.ts';
import { knownMemberFields } from '../definitions/grants.ts';
import type { PlacementGrant } from '../state.ts';
import { choose } from './choose.ts';
import { excludedNow } from './excluded.ts';
import { combineVerdicts, planCommands } from './plans.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** The time after which Jobledger looks for another cluster again while no cluster has room, in milliseconds. */
const LOOK_AGAIN_MS = 15_000;

/** Moves pods that have found no node for `spill-after` to a cluster that has room (J-16.11). */
export function spill(at: PlacementSituation, grant: PlacementGrant): PlacementVerdict {
  const { job, now, settings } = at;
  const { member, cluster } = grant;
  if (member === null || job.spec.suspend === true || member.spec.suspend === true) return nothing;
  const { ready = 0, succeeded = 0, failed = 0 } = member.status;
  const { succeeded: before = 0, failed: failedBefore = 0 } = grant.continues ?? {};
  if (ready > 0 || succeeded > before || failed > failedBefore) return nothing;
  // The controller of the member has not begun its work yet, or not begun it again.
  if (trueCondition(member.status, 'Suspended') !== undefined) return nothing;
  const began = Math.max(grant.since, parseInstant(member.status.startTime) ?? 0);
  // Pods from an earlier list belong to an earlier start.
  const pods = grant.pods !== undefined && grant.pods.at >= began ? grant.pods : undefined;
  // A member without any pod means that the cluster admits no pod.
  const since = pods?.open === 0 ? began : (pods?.unscheduledSince ?? null);
  const due = (since ?? began) + job.preferences.spillAfterMs;
  if (due > now) return { ...nothing, nextDecisionAt: Math.max(due, now + 1000) };
  const about = knownMemberFields(grant, member);
  const listedAt = pods?.at ?? -Infinity;
  if (now - listedAt >= LOOK_AGAIN_MS)
    return planCommands(at, {
      kind: 'LookUpMember',
      ...about,
      why: { rule: 'J-16.11', message: 'no pod is ready: do they have nodes?' },
    });
  if (since === null) return { ...nothing, nextDecisionAt: listedAt + job.preferences.spillAfterMs };
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
