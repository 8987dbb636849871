import type { UnixMs } from '../ledger/instants.ts';
import type { ContinuedFailures } from '../batch/facts.ts';
import type { IndexGrant } from '../batch/index-grant.ts';
import type { Reason } from '../decision/reason.ts';
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

/** The version of a member on which a command was decided. */
export type MemberVersion = Pick<MemberFacts, 'resourceVersion' | 'generation' | 'epoch'>;

/** Fields of a member's spec with their new values; null removes a field. */
export type MemberChange = {
  [Field in keyof MemberSpec]?: MemberSpec[Field] | null;
};

/** The counters with which a member begins when it continues the work of an earlier member (J-16.10). */
export type Counters = Pick<JobStatus, 'succeeded' | 'failed' | 'completedIndexes' | 'failedIndexes'>;

/** The counters of the previous member that a member continues, and the failures that count for its back-off and limits (J-16.23). */
export interface Continued extends Counters {
  failures?: ContinuedFailures;
}

/**
 * The reason why a member is stopped although the Job continues. `returned` means that the member runs in a cluster
 * that had lost the Job. `unguarded` means that the guard of the member is gone. `again` means that a late request
 * has created the member after another client had deleted the first member of its grant.
 */
export type StopReason = 'drain' | 'spill' | 'lost' | 'returned' | 'end' | 'unguarded' | 'again';

/**
 * The reason why no pod of a grant can run any more. `refused` means that no member was created. `stopped` means that
 * the member is suspended, that its controller reports the suspension, and that a list then showed no open pod.
 * `gone` means that neither a member nor an open pod exists. `guarded` means that the guard was not renewed for so
 * long that the cluster's own controllers and the kubelet have ended every pod (MoveWhenStopped). `ended` means that
 * the member has an end that is not the end of the Job, because the spec of the Job has since asked for more. `lost`
 * means that a person has recorded that the cluster is lost. `time` means that the Job accepts the risk of running
 * twice (MoveAfter).
 */
export type EndReason = 'refused' | 'stopped' | 'gone' | 'guarded' | 'ended' | 'lost' | 'time';

/** A Kubernetes Event on the placed Job. */
export interface PlacementEventText {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

/**
 * A command about a placed Job. Commands are sent in order to each cluster, and to the home; after a failed command at home, the later commands at
 * home are skipped. Clusters do not wait for each other.
 */
export type PlacementCommand =
  /** Puts the finalizer of Jobledger on the placed Job (J-16.3), or removes it. */
  | (CommandBase<'AddFinalizer'> & { resourceVersion: string })
  | (CommandBase<'RemoveFinalizer'> & { resourceVersion: string })
  /**
   * Creates a member from the live placed Job. `mark` is the mark of the grant when an earlier decision gave the
   * grant. `guard` is the owner of the member. With `continues`, the member begins suspended, with these counters,
   * because an earlier member has done that work. `from` is the version of a member that exists and lacks the
   * counters.
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
   * Creates the guard of a grant, or extends its deadline to `leaseSeconds` from now (J-16.16). When `uid` is absent,
   * the guard may not exist yet. `continues` has the counters of the member, in the decision that gives the grant.
   */
  | (CommandBase<'RenewGuard'> &
      AboutMember & {
        leaseSeconds: number;
        uid?: string;
        mark?: string;
        continues?: Continued;
        /** The indexes of the grant, in the decision that gives the grant. */
        part?: { indexes: string; parallelism: number };
      })
  /** Deletes a guard, and keeps the member. `member` is the UID of the member, if the member exists. */
  | (CommandBase<'ReleaseGuard'> & AboutMember & { uid: string; member?: string })
  /**
   * Changes fields of a member's spec, and only of the Job with this UID. Unless the member must stop, the spec must
   * still be as in the version `from`, so that a late change has no effect. `stop` is the reason why the grant must
   * end. `indexes` are the indexes that the member may run after the change.
   */
  | (CommandBase<'ChangeMember'> &
      AboutMember & {
        uid: string;
        from: MemberVersion;
        spec: MemberChange;
        /**
         * The new values of annotations that follow the annotations of the placed Job; null removes an annotation.
         */
        annotations?: Record<string, string | null>;
        stop?: StopReason;
        indexes?: IndexGrant;
        /** All failures that the member of a spread Job continues, when they have changed. */
        failures?: ContinuedFailures;
      })
  /** Deletes a member, and its pods first. */
  | (CommandBase<'DeleteMember'> & AboutMember & { uid: string })
  /**
   * Reads a member and its pods. When `uid` is absent, it is not known whether the member was created; `mark` then
   * identifies the member. `givenUp` limits the list to pods of these indexes, which the member has given up. `gone`
   * is the UID of a deleted Job with the name of the member, and limits the list to pods of that Job.
   */
  | (CommandBase<'LookUpMember'> &
      AboutMember & {
        uid?: string;
        from?: MemberVersion;
        mark?: string;
        givenUp?: string;
        gone?: string;
      })
  /**
   * Records how many pods of a spread Job may run at once in each cluster; this command sends no request (J-17.2).
   */
  | (CommandBase<'ShareOut'> & { shares: Record<string, number> })
  /** Ends a grant, so that another cluster may get the Job; this command sends no request (J-16.10). */
  | (CommandBase<'EndGrant'> & AboutMember & { reason: EndReason })
  /**
   * Replaces the status fields that a Job controller owns; `from` was the status at `resourceVersion`, which is a
   * version of `epoch`, and the command was decided on the spec of `generation`.
   */
  | (CommandBase<'WriteStatus'> & {
      resourceVersion: string;
      epoch?: number;
      generation: number;
      from: JobStatus;
      to: JobStatus;
    })
  /** Creates Kubernetes Events, in order. Errors are ignored. */
  | (CommandBase<'EmitEvents'> & { events: PlacementEventText[] })
  /** Patches `spec.suspend` of the placed Job as a user requested. */
  | (CommandBase<'SetSuspend'> & { suspend: boolean; request: string })
  /** Deletes the placed Job after its TTL; `expiredAt` is in milliseconds since 1970. */
  | (CommandBase<'DeleteJob'> & { expiredAt: UnixMs });

export type PlacementCommandOf<K extends PlacementCommand['kind']> = Extract<PlacementCommand, { kind: K }>;

/** The commands that are sent to a member's cluster. */
export type MemberCommand = PlacementCommandOf<
  'CreateMember' | 'RenewGuard' | 'ReleaseGuard' | 'ChangeMember' | 'DeleteMember' | 'LookUpMember'
>;
