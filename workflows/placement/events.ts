import type { DeletedContent, ObservedContent, RecordedEvent } from '../ledger/recorded-event.ts';
import type { SnapshotContent } from '../decision/snapshot-content.ts';
import type { DecisionContentOf, FoldedContent, OutcomeContent } from '../decision/stream.ts';
import type { Job } from '../kubernetes/objects.ts';
import type { PlacementCommand } from './commands.ts';
import type { MemberFacts } from './facts.ts';
import type { ReceivedRequest } from '../decision/user-requests.ts';
import type { PlacementOutcome } from './outcomes.ts';
import type { PlacementSettings } from './settings.ts';
import type { PlacementState } from './state.ts';

/**
 * The fields of every event of a placed Job; they contain the UID of the Job twice, because a placed Job is also a
 * Job. `cluster` is the home of the Job, even in events about a member in another cluster.
 */
export interface OfPlacedJob {
  cluster: string;
  jobUid: string;
  placedJobUid: string;
}

/** The placed Job itself. */
export type PlacedJobObserved = RecordedEvent<
  'job.observed',
  OfPlacedJob & ObservedContent<Job> & { withoutTemplate?: true }
>;

export type PlacedJobDeleted = RecordedEvent<'job.deleted', OfPlacedJob & DeletedContent<Job>>;

/**
 * A Job that names the placed Job as its home; `mark` is the mark of a grant that the Job has. The Job is a member
 * when its mark is the mark of the grant with its name, or when a recorded outcome names the Job.
 */
export type MemberObserved = RecordedEvent<
  'member.observed',
  OfPlacedJob & { member: MemberFacts; mark?: string }
>;

/** `member` contains the cluster and the UID of the member, and the version of its deletion. */
export type MemberDeleted = RecordedEvent<
  'member.deleted',
  OfPlacedJob & {
    member: Pick<MemberFacts, 'cluster' | 'uid' | 'name' | 'resourceVersion' | 'epoch'>;
  }
>;

/** A user's request, with the same fields as a request for an ordinary Job. */
export type PlacementRequested = RecordedEvent<'request.received', OfPlacedJob & ReceivedRequest>;

/**
 * A decision about a placed Job; `DecisionContentOf` describes the fields. `settings` contains the candidates
 * from which a cluster was chosen.
 */
export type PlacementDecisionContent = OfPlacedJob & DecisionContentOf<PlacementCommand, PlacementSettings>;

export type PlacementDecided = RecordedEvent<'placement.decided', PlacementDecisionContent>;

export type PlacementFolded = RecordedEvent<'placement.folded', OfPlacedJob & FoldedContent>;

export type PlacementOutcomeRecorded = RecordedEvent<
  'outcome.recorded',
  OfPlacedJob & OutcomeContent<PlacementOutcome>
>;

export type PlacementSnapshotted = RecordedEvent<
  'placement.snapshotted',
  OfPlacedJob & SnapshotContent<PlacementState>
>;

export type PlacementEvent =
  | PlacedJobObserved
  | PlacedJobDeleted
  | MemberObserved
  | MemberDeleted
  | PlacementRequested
  | PlacementDecided
  | PlacementFolded
  | PlacementOutcomeRecorded
  | PlacementSnapshotted;
