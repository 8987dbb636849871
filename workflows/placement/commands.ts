import type { UnixMs } from '../job/definitions/instants.ts';
import type { ContinuedFailures, IndexGrant } from '../job/facts.ts';
import type { Reason } from '../job/reason.ts';
import type { JobStatus } from '../kubernetes/objects.ts';
import type { MemberFacts, MemberSpec } from './facts.ts';

interface CommandBase<K extends string> {
  kind: K;
  why: Reason;
}

/** A command about a member names its cluster, its grant, and its name. */
interface AboutMember {
  cluster: string;
  grant: number;
  name: string;
}

/** The version of a member that a command was decided on. */
export type MemberVersion = Pick<MemberFacts, 'resourceVersion' | 'generation' | 'epoch'>;

/** Fields of a member's spec with their new values; null removes one. */
export type MemberChange = {
  [Field in keyof MemberSpec]?: MemberSpec[Field] | null;
};

/** The counters with which a member begins that continues the work of an earlier one (J-16.10). */
export type Counters = Pick<JobStatus, 'succeeded' | 'failed' | 'completedIndexes' | 'failedIndexes'>;

/** What a member continues: the counters of the one before it, and the failures that count for its back-off and limits (J-16.23). */
export interface Continued extends Counters {
  failures?: ContinuedFailures;
}

/**
 * Why a member is stopped although the Job goes on. `returned`: it runs in a cluster that was given up. `unguarded`: its guard is
 * gone. `again`: a late request has created it after another client had deleted the first one of its grant.
 */
export type StopReason = 'drain' | 'spill' | 'lost' | 'returned' | 'end' | 'unguarded' | 'again';

/**
 * Why nothing of a grant can run any more. `refused`: no member was created. `stopped`: the member is suspended, its controller
 * says so, and a list then showed no open pod. `gone`: neither a member nor an open pod exists. `guarded`: the guard was not renewed
 * for so long that the cluster's own controllers and the kubelet have ended every pod (MoveWhenStopped). `ended`: the member has an end
 * that is not the end of the Job, because the Job asks for more since. `lost`: a person has recorded that it is lost. `time`: the Job accepts that it may run twice (MoveAfter).
 */
export type EndReason = 'refused' | 'stopped' | 'gone' | 'guarded' | 'ended' | 'lost' | 'time';

/** A Kubernetes Event on the placed Job. */
export interface PlacementEventText {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

/**
 * A command about a placed Job. Sent in order to each cluster, and to the home; what follows one at home that fails is skipped there. Clusters
 * do not wait for each other.
 */
export type PlacementCommand =
  /** Puts our finalizer on the placed Job (J-16.3), or removes it. */
  | (CommandBase<'AddFinalizer'> & { resourceVersion: string })
  | (CommandBase<'RemoveFinalizer'> & { resourceVersion: string })
  /**
   * Creates a member from the live placed Job. `mark`: of the grant, when an earlier decision gave it. `guard`: its owner. With `continues` it
   * begins suspended, with these counters, because an earlier member has done them. `from`: of the member, when it exists and lacks them.
   */
  | (CommandBase<'CreateMember'> &
      AboutMember & {
        spec: MemberSpec;
        continues?: Continued;
        from?: MemberVersion;
        mark?: string;
        guard?: { name: string; uid: string };
        /** The first indexes of a member of a spread Job. */
        indexes?: string;
      })
  /**
   * Creates the guard of a grant, or extends its deadline to `leaseSeconds` from now (J-16.16). Without `uid` it may not exist yet.
   * `continues`: of the member, in the decision that gives the grant.
   */
  | (CommandBase<'RenewGuard'> &
      AboutMember & {
        leaseSeconds: number;
        uid?: string;
        mark?: string;
        continues?: Continued;
        /** Of the grant, in the decision that gives it. */
        part?: { indexes: string; parallelism: number };
      })
  /** Deletes a guard, and leaves the member. `member`: its UID, when it exists. */
  | (CommandBase<'ReleaseGuard'> & AboutMember & { uid: string; member?: string })
  /**
   * Changes fields of a member's spec; only of the Job with this UID, and, unless it is to stop, only while its spec is as in the version
   * `from`: a change that arrives late changes nothing. `stop`: the grant is to end, and why. `indexes`: what it may run from now on.
   */
  | (CommandBase<'ChangeMember'> &
      AboutMember & {
        uid: string;
        from: MemberVersion;
        spec: MemberChange;
        /** New values of annotations that follow the Job's; null removes one. */
        annotations?: Record<string, string | null>;
        stop?: StopReason;
        indexes?: IndexGrant;
        /** All that the member of a spread Job continues, when that has changed. */
        failures?: ContinuedFailures;
      })
  /** Deletes a member, its pods first. */
  | (CommandBase<'DeleteMember'> & AboutMember & { uid: string })
  /**
   * Reads a member and its pods. Without `uid` it is not known whether it was created; `mark` then identifies it. `givenUp`: only pods of
   * these indexes, which the member has given up. `gone`: UID of a Job with its name that was deleted; only pods of that are looked for.
   */
  | (CommandBase<'LookUpMember'> &
      AboutMember & {
        uid?: string;
        from?: MemberVersion;
        mark?: string;
        givenUp?: string;
        gone?: string;
      })
  /** How many pods of a spread Job may run at once in each cluster; nothing is sent (J-17.2). */
  | (CommandBase<'ShareOut'> & { shares: Record<string, number> })
  /** Ends a grant, so that another cluster may get the Job; nothing is sent (J-16.10). */
  | (CommandBase<'EndGrant'> & AboutMember & { reason: EndReason })
  /** Replaces the status fields that a Job controller owns, which were `from` at `resourceVersion`; decided on the spec of `generation`. */
  | (CommandBase<'WriteStatus'> & {
      resourceVersion: string;
      generation: number;
      from: JobStatus;
      to: JobStatus;
    })
  /** Kubernetes Events, in order. Best effort: errors are ignored. */
  | (CommandBase<'EmitEvents'> & { events: PlacementEventText[] })
  /** Patches `spec.suspend` of the placed Job as a user requested. */
  | (CommandBase<'SetSuspend'> & { suspend: boolean; request: string })
  /** Deletes the placed Job after its TTL; `expiredAt`: milliseconds since 1970. */
  | (CommandBase<'DeleteJob'> & { expiredAt: UnixMs });

export type PlacementCommandOf<K extends PlacementCommand['kind']> = Extract<PlacementCommand, { kind: K }>;

/** The commands that are sent to a member's cluster. */
export type MemberCommand = PlacementCommandOf<
  'CreateMember' | 'RenewGuard' | 'ReleaseGuard' | 'ChangeMember' | 'DeleteMember' | 'LookUpMember'
>;
