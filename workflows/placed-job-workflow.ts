import { proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type {
  CandidatesInput,
  ObjectRef,
  LeftMember,
  PlacementActivities,
  PlacementCarryOutInput,
} from './activities.ts';
import { LOCAL, locallyAtFirst, ORDINARY } from './activity-options.ts';
import { control, type RunInput } from './control-loop.ts';
import * as core from './placement/core.ts';
import { knownMemberFields, countingGrant, holdingGrant, nextGrant } from './placement/definitions/grants.ts';
import { requestIn } from './decision/user-requests.ts';
import { needsCandidates } from './placement/decide/decide.ts';
import { excludedNow } from './placement/decide/excluded.ts';
import { isOver } from './placement/decide/end.ts';
import type { CompactedPlacement } from './placement/observe/compact.ts';
import type { PlacementDecider, PlacementDecisionRecord } from './placement/record/decision-record.ts';
import { PLACEMENT_STATE_FORMAT } from './placement/record/state-format.ts';
import { isSpread, unaccountedGrants } from './placement/definitions/parts.ts';
import type { MemberFacts, PlacedJobFacts } from './placement/facts.ts';
import type { PlacementSettings } from './placement/settings.ts';
import type { PlacementGrant, PlacementState } from './placement/state.ts';
import { step } from './placement/step.ts';
import { requestRecord } from './request-record.ts';
import { isSafeToRepeat } from './safe-to-repeat.ts';

const local = proxyLocalActivities<PlacementActivities>(LOCAL);
const ordinary = proxyActivities<PlacementActivities>(ORDINARY);

export type PlacedJobWorkflowInput = RunInput<PlacementState, CompactedPlacement, PlacementSettings>;

/**
 * Controls one placed Job: folds signals, makes steps, and carries out decisions by activities, until the Job and its
 * members are gone, or until the Job has ended and needs no further command.
 */
export async function placedJobWorkflow(input: PlacedJobWorkflowInput): Promise<void> {
  const { job } = input;
  const decider: PlacementDecider = {
    cluster: job.cluster,
    jobUid: job.uid,
    placedJobUid: job.uid,
    subject: `${job.namespace}/${job.name}`,
    firstRunId: workflowInfo().firstExecutionRunId,
  };
  return control<PlacementState, CompactedPlacement, PlacementSettings, PlacementDecisionRecord>(input, {
    initialState: core.INITIAL_STATE,
    stateFormat: PLACEMENT_STATE_FORMAT,
    fold: core.fold,
    step: (state, now, settings) => step({ decider, state, now, settings }),
    isOver,
    recall: () =>
      locallyAtFirst(
        () => local.recallPlacedJob(job),
        () => ordinary.recallPlacedJob(job),
      ),
    reportFault: (fault, goesOn) => ordinary.reportFault({ job, fault, ...(goesOn && { goesOn }) }),
    carryOut: (decision, received) =>
      carryOut({ ...decision, job, received: received as unknown as PlacementCarryOutInput['received'] }),
    completing(state, now, settings) {
      if (state.job === null || !needsCandidates(state, now, settings)) return null;
      const { spec, preferences } = state.job;
      const excluded = [...excludedNow(state, settings, now).keys()];
      if (isSpread(state)) return candidatesFor(spreadQuestion(job, state, excluded));
      const holder = holdingGrant(state);
      const left = countingGrant(state);
      const asked: CandidatesInput = {
        job,
        facts: { spec, preferences },
        except: holder === undefined ? excluded : [...excluded, holder.cluster],
        withRoom: holder !== undefined,
        grant: nextGrant(state),
        ...(left !== undefined && left.member !== null && { continued: leftMember(left, left.member) }),
      };
      return candidatesFor(asked);
    },
    requests: {
      requestRecord(action, by, eventKey) {
        const { subject, firstRunId: _chain, ...of } = decider;
        return requestRecord({ of, subject }, { action, by }, eventKey);
      },
      foldedRequest: ({ id, digest, type, data }) => ({ id, digest, type, ...requestIn(data) }),
    },
  });
}

/**
 * The input for the candidates of a spread Job, with the members of ended grants whose failures are not known yet.
 */
function spreadQuestion(job: ObjectRef, state: PlacementState, except: string[]): CandidatesInput {
  const { spec, preferences } = state.job as PlacedJobFacts;
  const left = unaccountedGrants(state).map((grant) => leftMember(grant, grant.member));
  return {
    job,
    facts: { spec, preferences },
    except,
    grant: nextGrant(state),
    spread: { left },
  };
}

/** Reads the candidates, and returns the change of the settings that adds them. */
function candidatesFor(asked: CandidatesInput): Promise<(before: PlacementSettings) => PlacementSettings> {
  return locallyAtFirst(
    () => local.placementCandidates(asked),
    () => ordinary.placementCandidates(asked),
  ).then((candidates) => (before) => ({ ...before, candidates }));
}

/** The member of an ended grant in the form that the candidates need. */
function leftMember(grant: PlacementGrant, member: MemberFacts): LeftMember {
  const { cluster, uid, namespace, name } = member;
  const { from } = knownMemberFields(grant, member);
  return {
    grant: grant.number,
    member: { cluster, uid, namespace, name, kind: 'Job' },
    ...(grant.ended !== undefined && { known: from }),
  };
}

/**
 * Carries out a decision by a local activity when its commands are safe to repeat, and by an ordinary activity
 * otherwise.
 */
async function carryOut(input: PlacementCarryOutInput): ReturnType<PlacementActivities['carryOutPlacedJob']> {
  if (!isSafeToRepeat(input.decided.data.commands)) return ordinary.carryOutPlacedJob(input);
  return locallyAtFirst(
    () => local.carryOutPlacedJob(input),
    () => ordinary.carryOutPlacedJob(input),
  );
}
