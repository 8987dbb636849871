import { nothing } from '../../decision/verdict.ts';
import { isFinished } from '../../batch/conditions.ts';
import { hasFinished, holdingGrant, countingGrant } from '../definitions/grants.ts';
import { withFreshCandidates, type PlacementSettings } from '../settings.ts';
import type { PlacementState } from '../state.ts';
import { afterTheEnd, decideDeletion } from './end.ts';
import { releaseGuards, renewGuards } from './guard.ts';
import { follow } from './follow.ts';
import { endOfJob } from './member-end.ts';
import { giveToCluster, withFinalizer } from './give.ts';
import { answerRequest, reportInvalid, reportNotSpread } from './requests.ts';
import { stopReturned } from './returned.ts';
import { combineVerdicts } from './plans.ts';
import { isSpread } from '../definitions/parts.ts';
import { spreadOut } from './spread/spread.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';
import { writeStatus } from './status.ts';

/**
 * Decides the commands for a placed Job now, and the time of the next decision. The result depends only on state,
 * time and settings. At most one cluster may have the Job: another cluster gets the Job only when the previous grant
 * has ended (J-16.10).
 */
export function decide(state: PlacementState, now: number, settings: PlacementSettings): PlacementVerdict {
  const { job } = state;
  if (job === null) return nothing;
  const at: PlacementSituation = {
    state,
    job,
    now,
    settings: withFreshCandidates(settings, now),
  };
  if (state.gone || job.deleting) return decideDeletion(at);
  const request = answerRequest(at);
  if (request === null) return decideWithoutRequest(at);
  // The home may not answer while the clusters of the members answer.
  return combineVerdicts(request, request.commands.length > 0 ? renewGuards(at) : decideWithoutRequest(at));
}

/** Decides about a placed Job when no request of a user must be carried out now. */
function decideWithoutRequest(at: PlacementSituation): PlacementVerdict {
  const { state, job } = at;
  if (isFinished(job.status)) return afterTheEnd(at);
  if (isSpread(state)) return spreadOut(at);
  const counting = countingGrant(state);
  const holder = holdingGrant(state);
  // While it is not known whether another cluster has created its member, that cluster keeps the Job.
  const isLatest = holder === undefined || holder === counting;
  if (counting !== undefined && hasFinished(counting) && isLatest && endOfJob(at, counting) !== undefined)
    return combineVerdicts(writeStatus(at), stopReturned(at), releaseGuards(at));
  const placing =
    holder !== undefined
      ? withFinalizer(at, follow(at, holder))
      : job.preferences.invalid === undefined
        ? withFinalizer(at, giveToCluster(at))
        : reportInvalid(at);
  return combineVerdicts(
    placing,
    reportNotSpread(at),
    stopReturned(at),
    releaseGuards(at),
    writeStatus(at, placing),
  );
}

/** True when candidates must be read before `decide` can choose a cluster. */
export function needsCandidates(state: PlacementState, now: number, settings: PlacementSettings): boolean {
  return decide(state, now, settings).candidates === 'missing';
}
