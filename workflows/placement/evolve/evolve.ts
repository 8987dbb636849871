import { approvalAfter, breakingAfter } from '../../decision/invariants/approval.ts';
import { foldRequest } from '../../decision/user-requests.ts';
import type { PlacementDecisionContent } from '../events.ts';
import type { CompactedPlacement } from '../observe/compact.ts';
import type { PlacementState } from '../state.ts';
import { foldGrants } from './grants.ts';
import { foldMember, foldMemberGone, foldSeen } from './members.ts';
import { foldOutcome } from './outcomes.ts';
import { beginEpoch, foldGone, foldPlacedJob } from './placed-job.ts';

/**
 * Folds events in order. Returns a new state, and does not change the given state. The function never throws an
 * error, and a repeat changes nothing.
 */
export function fold(state: PlacementState, events: readonly CompactedPlacement[]): PlacementState {
  const draft: PlacementState = {
    ...state,
    grants: state.grants.map((grant) => ({ ...grant })),
    setbacks: { ...state.setbacks },
    retries: { ...state.retries },
    folded: [...state.folded],
  };
  for (const event of events) {
    if (event.type === 'placement.decided') foldDecision(draft, event.id, event.data);
    else if (foldContent(draft, event)) draft.folded.push({ id: event.id, digest: event.digest });
  }
  return draft;
}

/**
 * Folds the content of a fact, a request or an outcome; returns false for a repeat, and for an event that concerns no
 * member.
 */
function foldContent(
  draft: PlacementState,
  event: Exclude<CompactedPlacement, { type: 'placement.decided' }>,
): boolean {
  switch (event.type) {
    case 'outcome.recorded':
      foldOutcome(draft, event.data);
      return true;
    case 'job.observed':
    case 'job.deleted': {
      const { epoch = 0 } = event;
      // An object that was read before the API server was restored has versions that cannot be compared with the present versions.
      if (epoch < draft.epoch) return false;
      if (epoch > draft.epoch) beginEpoch(draft, epoch);
      return event.type === 'job.observed'
        ? foldPlacedJob(draft, event.job)
        : foldGone(draft, event.resourceVersion);
    }
    case 'member.observed':
      return foldMember(draft, event);
    case 'member.deleted':
      return foldMemberGone(draft, event);
    case 'request.received':
      return foldRequest(draft, event);
  }
}

/** Folds the content of a decision: its commands become the pending commands, and its changes of grants apply. */
function foldDecision(draft: PlacementState, id: string, content: PlacementDecisionContent): void {
  draft.last = {
    number: content.number,
    id,
    core: content.core,
    now: content.now,
  };
  draft.waiting = content.waiting;
  draft.approval = approvalAfter(draft.approval, content);
  draft.breaking = breakingAfter(draft.breaking, content);
  draft.pending = content.commands;
  draft.decidedIn = draft.epoch;
  draft.folded = [];
  for (const grant of draft.grants) if (grant.restoredAt === null) grant.restoredAt = content.now;
  const { candidates } = content.settings;
  foldSeen(draft, candidates?.seen);
  for (const [number, left] of Object.entries(candidates?.leftBy ?? {})) {
    const grant = draft.grants.find((each) => each.number === Number(number));
    if (grant !== undefined) grant.left = { ...left, failed: grant.member?.status.failed ?? 0 };
  }
  for (const command of content.commands) {
    foldGrants(draft, command, { id, now: content.now });
    if (command.kind === 'EmitEvents')
      draft.reported = [...draft.reported, ...command.events.map(({ message }) => message)].slice(
        -REPORTS_KEPT,
      );
    if (command.kind === 'ShareOut') draft.shares = { at: content.now, pods: command.shares };
    if (command.kind === 'WriteStatus') draft.startedAt = command.to.startTime ?? draft.startedAt;
  }
}

/** The number of messages of Events that are remembered. */
const REPORTS_KEPT = 20;
