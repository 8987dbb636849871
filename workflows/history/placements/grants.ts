import { formatIndexes, parseIndexes } from '../../batch/completion-indexes.ts';
import type { JobObserved } from '../../job/events.ts';
import { GRANT } from '../../kubernetes/names.ts';
import type { PlacementEvent } from '../../placement/events.ts';
import { isMention } from '../../ledger-event.ts';
import { homeNamedBy } from '../../placement/member-job.ts';
import { createRestoredMembers } from './restored-members.ts';
import {
  type GrantsOfJob,
  type GrantProgress,
  memberKey,
  effectiveDecision,
  grantKey,
} from './recorded-grants.ts';
import { foldDecision } from './fold-decision.ts';
import { foldOutcome, foldMemberSeen } from './fold-members.ts';
import { foldShownStatus } from './status-writes.ts';

/** A Job that has the mark of a grant. */
interface MarkedJob {
  cluster: string;
  uid: string;
  name: string;
  mark: string;
  seenAt: number;
}

/** Collects the grants of all placed Jobs from their streams, and the Jobs that carry the marks of these grants. */
export interface GrantReader {
  add(event: PlacementEvent): void;
  /** A Job as observed in its own stream. */
  addJob(event: JobObserved): void;
  jobs(): GrantsOfJob[];
}

/** Creates a reader that collects the grants of placed Jobs from their events. */
export function createGrantReader(): GrantReader {
  const jobs = new Map<string, GrantProgress>();
  /** The Jobs with marks, by home, and within a home by cluster and UID. */
  const marked = new Map<string, Map<string, MarkedJob>>();
  return {
    add(event) {
      const { cluster, jobUid } = event.data;
      const key = `${cluster}/${jobUid}`;
      const known = jobs.get(key);
      // A Job may name a home that does not exist.
      if (known === undefined && isMention(event)) return;
      const progress = known ?? {
        job: `${cluster}/${event.subject}`,
        recent: [],
        members: new Map(),
        completed: new Map(),
        restored: createRestoredMembers(),
        sizes: [],
        failed: new Map(),
        isWhole: false,
        wrong: [],
      };
      if (known === undefined) jobs.set(key, progress);
      foldEvent(progress, event);
    },
    addJob({ time, data: { cluster, jobUid: uid, object } }) {
      const { name, namespace, annotations } = object.metadata;
      const home = homeNamedBy(object.metadata);
      const mark = annotations?.[GRANT];
      if (home?.namespace !== namespace || mark === undefined) return;
      const ofHome = marked.get(memberKey(home)) ?? new Map<string, MarkedJob>();
      marked.set(memberKey(home), ofHome);
      const key = memberKey({ cluster, uid });
      if (!ofHome.has(key)) ofHome.set(key, { cluster, uid, name, mark, seenAt: Date.parse(time) });
    },
    jobs: () => [...jobs].map(([key, progress]) => jobGrants(progress, marked.get(key))),
  };
}

/** Folds an event of a placed Job into what is known about its grants. */
function foldEvent(progress: GrantProgress, event: PlacementEvent): void {
  switch (event.type) {
    case 'placement.decided':
      return foldDecision(progress, event);
    case 'outcome.recorded':
      return foldOutcome(progress, event);
    case 'member.observed':
      return foldMemberSeen(progress, event);
    case 'job.observed':
      foldScaling(progress, event);
      return foldShownStatus(progress, event);
    case 'member.deleted':
      return progress.restored.note(event.data.member);
    case 'job.deleted':
    case 'request.received':
    case 'placement.folded':
    case 'placement.snapshotted':
      return;
  }
}

/** Records a new number of completions of the Job, and drops the completed indexes that the Job no longer has. */
function foldScaling({ sizes, completed }: GrantProgress, { time, data: { object } }: JobObserved): void {
  const { completions } = object.spec;
  if (completions === undefined || completions === sizes.at(-1)?.completions) return;
  sizes.push({ at: Date.parse(time), completions });
  /** The indexes in a text without the indexes that the Job no longer has. */
  const withoutLostIndexes = (text: string): string => formatIndexes(parseIndexes(text, completions));
  for (const [key, { uid, text, earlier }] of completed)
    completed.set(key, { uid, text: withoutLostIndexes(text), earlier: withoutLostIndexes(earlier) });
}

/** The grants of a Job with their members and with the Jobs that carry their marks. */
function jobGrants(
  { job, recent, members, sizes, wrong }: GrantProgress,
  marked = new Map<string, MarkedJob>(),
): GrantsOfJob {
  const effective = effectiveDecision(recent)?.grants ?? [];
  const known = new Map(recent.flatMap(({ grants }) => grants).map((grant) => [grantKey(grant), grant]));
  for (const grant of effective) known.set(grantKey(grant), grant);
  const found = [...members.values()].map((member) => ({
    ...member,
    grant: known.get(grantKey(member.grant)) ?? member.grant,
  }));
  for (const [key, { cluster, uid, name, mark, seenAt }] of marked) {
    const grant = [...known.values()].find((each) => each.decision === mark && each.name === name);
    if (grant !== undefined && !members.has(key)) found.push({ cluster, uid, grant, knownAt: seenAt });
  }
  const strays = new Set(found.map(({ grant }) => grant).filter((grant) => !effective.includes(grant)));
  return { job, grants: [...effective, ...strays], members: found, sizes, wrong };
}
