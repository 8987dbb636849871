import { formatIndexes, parseIndexes, union, type Indexes } from '../../batch/completion-indexes.ts';
import { grantedIndexes } from '../../batch/index-grant.ts';
import { isBefore } from '../../decision/folding.ts';
import type { JobObserved } from '../../job/events.ts';
import { GRANT } from '../../kubernetes/names.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';
import type { EndReason, PlacementCommand } from '../../placement/commands.ts';
import type {
  MemberObserved,
  PlacementOutcomeRecorded,
  PlacementDecided,
  PlacementEvent,
} from '../../placement/events.ts';
import { isGift } from '../../placement/definitions/grants.ts';
import { isMention } from '../../ledger-event.ts';
import type { MemberFacts, PlacedJobFacts } from '../../placement/facts.ts';
import type { SeenMember } from '../../placement/definitions/seen.ts';
import type { LeftFailures } from '../../placement/settings.ts';
import { homeNamedBy } from '../../placement/member-job.ts';
import { placedJobFacts } from '../../placement/observe/compact.ts';
import type { PlacementOutcome } from '../../placement/outcomes.ts';
import {
  completes,
  isSameInCheckedFields,
  whyCountedTwice,
  whyIncomplete,
  type FailedPods,
  type WrongStatus,
} from './home-status.ts';
import { createRestoredMembers, type RestoredMembers } from './restored-members.ts';
import {
  tenuresWith,
  tenuresWithout,
  indexesGivenBy,
  type Tenure,
} from '../../placement/definitions/tenures.ts';

/**
 * The right of a cluster to run a placed Job, as recorded. Instants are in milliseconds, by the clocks of Jobledger.
 */
export interface RecordedGrant {
  number: number;
  cluster: string;
  /** Of its member. */
  name: string;
  /** The decision that gave the grant, and the number of that decision. */
  decision: string;
  given: number;
  since: number;
  /** The first decision to create the member; null before that decision. */
  askedAt: number | null;
  /** The indexes that were recorded as completed in the cluster before this grant. */
  completedBefore: Indexes;
  end: { at: number; reason: EndReason; decided: number } | null;
  /** For a spread Job, the indexes that the member could run over time; null when the member could run all indexes. */
  tenures: readonly RecordedTenure[] | null;
}

/**
 * `since` and `at` are instants by the clocks of Jobledger; `given` and `decided` are numbers of decisions.
 * `completedBefore`: in any cluster.
 */
type RecordedTenure = Tenure<
  { since: number; given: number; completedBefore: Indexes },
  { at: number; decided: number }
>;

/**
 * A Job that a recorded outcome names as the member of a grant, or that has the mark and the name of a grant, in any
 * cluster.
 */
export interface RecordedMember {
  cluster: string;
  uid: string;
  grant: RecordedGrant;
  /** The time when the outcome or the Job was recorded; the Job existed at that time. */
  knownAt: number;
}

/** A Job that has the mark of a grant. */
interface MarkedJob {
  cluster: string;
  uid: string;
  name: string;
  mark: string;
  seenAt: number;
}

export interface GrantsOfJob {
  /** `<home>/<namespace>/<name>`. */
  job: string;
  /** The valid grants by number, followed by the grants of superseded decisions that were still carried out. */
  grants: RecordedGrant[];
  members: RecordedMember[];
  /**
   * Each change of the completions of the Job; a lower number undoes the successes of the indexes beyond it, which
   * may run again.
   */
  sizes: readonly Size[];
  /** The statuses of the placed Job that were written in its home. */
  wrong: readonly WrongStatus[];
}

/** `at` is the time when the status was recorded, in milliseconds. */
export interface Size {
  at: number;
  completions: number;
}

/** Collects the grants of all placed Jobs from their streams, and the Jobs that carry the marks of these grants. */
export interface GrantReader {
  add(event: PlacementEvent): void;
  /** A Job as observed in its own stream. */
  addJob(event: JobObserved): void;
  jobs(): GrantsOfJob[];
}

interface Progress {
  job: string;
  /**
   * The latest decisions, including superseded decisions; each decision begins with the grants that the previous
   * decision left.
   */
  recent: Decided[];
  members: Map<string, RecordedMember>;
  /** The completed indexes in the latest status of the member of each grant, and of the members that this member has replaced, by `grantKey`. */
  completed: Map<string, { uid: string; text: string; earlier: string }>;
  restored: RestoredMembers;
  /** The first observed `completions` of the Job, and each change of that number. */
  sizes: Size[];
  /** The failed pods of the member of each grant, by grant. */
  failed: Map<string, FailedPods>;
  /** True when the first decision of the home was read. */
  isWhole: boolean;
  wrong: WrongStatus[];
}

interface Decided {
  id: string;
  now: number;
  number: number;
  grants: readonly RecordedGrant[];
  /** The grant that each command is about, by the number of the command. */
  about: (number | null)[];
  /** The commands of the decision that write the status of the Job. */
  writes: StatusWrite[];
}

/** `completes` means that the status makes the Job complete, and that this completion has not been checked yet. */
interface StatusWrite {
  command: number;
  generation: number;
  to: JobStatus;
  completes: boolean;
}

/** A superseded decision lies at most this many decisions back. */
const KEPT = 8;

/** Creates a reader that collects the grants of placed Jobs from their events. */
export function createGrantReader(): GrantReader {
  const jobs = new Map<string, Progress>();
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
function foldEvent(progress: Progress, event: PlacementEvent): void {
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
function foldScaling({ sizes, completed }: Progress, { time, data: { object } }: JobObserved): void {
  const { completions } = object.spec;
  if (completions === undefined || completions === sizes.at(-1)?.completions) return;
  sizes.push({ at: Date.parse(time), completions });
  /** The indexes in a text without the indexes that the Job no longer has. */
  const withoutLostIndexes = (text: string): string => formatIndexes(parseIndexes(text, completions));
  for (const [key, { uid, text, earlier }] of completed)
    completed.set(key, { uid, text: withoutLostIndexes(text), earlier: withoutLostIndexes(earlier) });
}

/** Folds a decision: the grants that it gives, changes and ends. */
function foldDecision(progress: Progress, { id, data }: PlacementDecided): void {
  const { recent } = progress;
  if (recent.some((each) => each.id === id)) return;
  progress.restored.decided();
  if (data.predecessor === null) progress.isWhole = true;
  const before = recent.find((each) => each.id === data.predecessor) ?? standingDecision(recent);
  let grants: readonly RecordedGrant[] = data.predecessor === null ? [] : (before?.grants ?? []);
  noteSeen(progress, grants, data.settings.candidates?.seen);
  for (const command of data.commands)
    if ('grant' in command) grants = grantsAfterCommand(progress, grants, command, { id, ...data });
  noteLeft(progress, grants, data.settings.candidates?.leftBy);
  const about = data.commands.map((command) => ('grant' in command ? command.grant : null));
  const writes = data.commands.flatMap((command, at): StatusWrite[] =>
    command.kind === 'WriteStatus'
      ? [{ command: at, generation: command.generation, to: command.to, completes: completes(command) }]
      : [],
  );
  recent.push({ id, now: data.now, number: data.number, grants, about, writes });
  if (recent.length <= KEPT) return;
  const standing = standingDecision(recent);
  recent.splice(
    recent.findIndex((each) => each !== standing),
    1,
  );
}

/** Records the statuses of members that the decision read from the streams of these members. */
function noteSeen(
  progress: Progress,
  grants: readonly RecordedGrant[],
  shownBy: readonly SeenMember[] = [],
): void {
  for (const { grant: number, ...member } of shownBy) {
    const cluster = grants.find((grant) => grant.number === number)?.cluster;
    if (cluster !== undefined) noteMemberStatus(progress, { cluster, ...member });
  }
}

/**
 * Records the failures of the members of ended grants, in addition to the failures in the statuses of these members.
 */
function noteLeft(
  { failed }: Progress,
  grants: readonly RecordedGrant[],
  leftBy: Readonly<Record<number, LeftFailures>> = {},
): void {
  for (const grant of grants) {
    const left = leftBy[grant.number];
    if (left === undefined) continue;
    const { inStatus } = failed.get(grantKey(grant)) ?? { inStatus: 0 };
    failed.set(grantKey(grant), { inStatus, left: inStatus + left.uncountedPodCount });
  }
}

/** Checks a status that the server shows: the command has written it, even when the answer was lost. */
function foldShownStatus(progress: Progress, { time, data: { cluster, object } }: JobObserved): void {
  const job = placedJobFacts(cluster, object);
  /** True when a status write of a decision gave the status that the server shows. */
  const isShown = ({ generation, to }: StatusWrite): boolean =>
    generation === job.generation && isSameInCheckedFields(to, job.status);
  const of = progress.recent.find(({ writes }) => writes.some(isShown));
  const write = of?.writes.find(isShown);
  if (of !== undefined && write !== undefined)
    checkStatusWrite(progress, of, write, { job, at: Date.parse(time) });
}

/** Checks that a status that was written in the home agrees with the facts about the members. */
function checkStatusWrite(
  progress: Progress,
  { grants }: Decided,
  write: StatusWrite,
  { job, at }: { job: PlacedJobFacts; at: number },
): void {
  const incomplete = write.completes ? whyIncomplete(job) : null;
  if (incomplete !== null) progress.wrong.push({ type: 'incomplete', at, message: incomplete });
  // The completion of the Job is checked once, however many commands write it.
  if (write.completes)
    for (const each of progress.recent.flatMap(({ writes }) => writes)) each.completes = false;
  const isSpread = grants.some(({ tenures }) => tenures !== null);
  // Each later status has the same excess.
  const isKnown = progress.wrong.some(({ type }) => type === 'counted-twice');
  if (!isSpread || !progress.isWhole || isKnown) return;
  const twice = whyCountedTwice(job, [...progress.failed.values()]);
  if (twice !== null) progress.wrong.push({ type: 'counted-twice', at, message: twice });
}

type AboutGrant = Extract<PlacementCommand, { grant: number }>;

/** The grants after a command about one of these grants. */
function grantsAfterCommand(
  progress: Progress,
  grants: readonly RecordedGrant[],
  command: AboutGrant,
  { id, number, now }: { id: string; number: number; now: number },
): readonly RecordedGrant[] {
  const known = grants.find((each) => each.number === command.grant);
  if (known === undefined && !isGift(command)) return grants;
  const grant = known ?? {
    number: command.grant,
    cluster: command.cluster,
    name: command.name,
    decision: id,
    given: number,
    since: now,
    askedAt: null,
    completedBefore: completedIn(progress, grants),
    end: null,
    tenures: null,
  };
  const indexes = indexesGivenBy(command);
  const changed: RecordedGrant = {
    ...grant,
    ...(command.kind === 'CreateMember' && { askedAt: grant.askedAt ?? now }),
    ...(command.kind === 'EndGrant' && {
      end: grant.end ?? { at: now, reason: command.reason, decided: number },
    }),
    ...(indexes !== null && {
      tenures: tenuresWith(grant.tenures ?? [], grantedIndexes({ indexes }), {
        since: now,
        given: number,
        completedBefore: completedAnywhere(progress, grants),
      }),
    }),
  };
  return [...grants.filter((each) => each !== known), changed].toSorted((a, b) => a.number - b.number);
}

/** The indexes that the members of these grants had completed, according to the records. */
function completedAnywhere({ completed }: Progress, grants: readonly RecordedGrant[]): Indexes {
  return grants.reduce<Indexes>(
    (sum, grant) => union(sum, parseIndexes(completedBy(completed.get(grantKey(grant))), Infinity)),
    [],
  );
}

/**
 * The indexes that the member of the latest of these grants had completed, according to the records. A new member has
 * counted no index yet.
 */
function completedIn({ completed, sizes }: Progress, grants: readonly RecordedGrant[]): Indexes {
  const last = grants.findLast((grant) => completed.has(grantKey(grant)));
  if (last === undefined) return [];
  const text = completedBy(completed.get(grantKey(last)));
  if (text !== '') return parseIndexes(text, Infinity);
  const since = sizes.filter(({ at }) => at >= last.since).map(({ completions }) => completions);
  return parseIndexes(formatIndexes(last.completedBefore), Math.min(...since));
}

/** Folds an observed member; a Job becomes a member when it has the mark and the name of a grant. */
function foldMemberSeen(progress: Progress, { time, data: { member, mark } }: MemberObserved): void {
  const { cluster, uid, name } = member;
  const grant = progress.recent
    .flatMap(({ grants }) => grants)
    .findLast((each) => each.decision === mark && each.name === name && each.cluster === cluster);
  const key = memberKey(member);
  if (grant !== undefined && !progress.members.has(key))
    progress.members.set(key, { cluster, uid, grant, knownAt: Date.parse(time) });
  progress.restored.note(member);
  noteMemberStatus(progress, member);
}

/** Folds an outcome; only a member that an outcome names, or that has the mark of its grant, can complete indexes. */
function foldOutcome(progress: Progress, { data }: PlacementOutcomeRecorded): void {
  const { decision, command, outcome } = data;
  if (outcome.kind === 'WriteStatus' && outcome.result === 'written') {
    const of = progress.recent.find(({ id }) => id === decision);
    const write = of?.writes.find((each) => each.command === command);
    if (of !== undefined && write !== undefined) checkStatusWrite(progress, of, write, outcome);
  }
  if (outcome.kind !== 'CreateMember' && outcome.kind !== 'LookUpMember' && outcome.kind !== 'ChangeMember')
    return;
  const from = progress.recent.find(({ id }) => id === decision);
  const grant = from?.grants.find(({ number }) => number === from.about[command]);
  const member = 'member' in outcome ? outcome.member : null;
  if (member !== null) progress.restored.note(member);
  if (from !== undefined && grant !== undefined && outcome.kind === 'LookUpMember' && 'givenUp' in outcome)
    noteGivenUpIndexes(progress, from, grant, outcome);
  if (member === null) return;
  const key = memberKey(member);
  if (grant !== undefined && outcome.kind !== 'ChangeMember' && !progress.members.has(key)) {
    const { cluster, uid } = member;
    progress.members.set(key, { cluster, uid, grant, knownAt: outcome.at });
  }
  noteMemberStatus(progress, member);
}

/** Folds a list that showed whether pods of the indexes that the member has given up still exist. */
function noteGivenUpIndexes(
  { members, restored }: Progress,
  from: Decided,
  grant: RecordedGrant,
  {
    givenUp: of = '',
    member: listed,
    pods,
    at,
  }: Extract<PlacementOutcome, { kind: 'LookUpMember'; result: 'done' }> & { at: number },
): void {
  if (listed === null || pods.open > 0 || grant.tenures === null) return;
  const own = [...members.values()].filter((member) => grantKey(member.grant) === grantKey(grant));
  if (own.some((member) => restored.has(member))) return;
  const tenures = tenuresWithout(grant.tenures, parseIndexes(of, Infinity), { at, decided: from.number });
  from.grants = from.grants.map((each) => (each === grant ? { ...grant, tenures } : each));
}

/** Records the completed indexes and failed pods in a status of a member. */
function noteMemberStatus(
  { members, completed, failed }: Progress,
  facts: Pick<MemberFacts, 'cluster' | 'uid' | 'status'>,
): void {
  const member = members.get(memberKey(facts));
  if (member === undefined) return;
  const key = grantKey(member.grant);
  const before = completed.get(key);
  const earlier = before?.uid === facts.uid ? before.earlier : completedBy(before);
  completed.set(key, { uid: facts.uid, text: facts.status.completedIndexes ?? '', earlier });
  const { inStatus, left } = failed.get(key) ?? { inStatus: 0, left: 0 };
  failed.set(key, { inStatus: Math.max(inStatus, facts.status.failed ?? 0), left });
}

/** The completed indexes of a member and of the members that it has replaced, in the form of a status. */
function completedBy({ text, earlier } = { text: '', earlier: '' }): string {
  return earlier === ''
    ? text
    : formatIndexes(union(parseIndexes(text, Infinity), parseIndexes(earlier, Infinity)));
}

/**
 * The key of a grant; it contains the decision, because a decision may give several grants, and a superseded decision
 * may give a grant of the same number.
 */
function grantKey({ decision, number }: RecordedGrant): string {
  return `${decision}/${number}`;
}

function memberKey({ cluster, uid }: Pick<MemberFacts, 'cluster' | 'uid'>): string {
  return `${cluster}/${uid}`;
}

/** The decision that is valid: the latest decision by its own instant. */
function standingDecision(recent: readonly Decided[]): Decided | undefined {
  let found: Decided | undefined;
  for (const each of recent) if (found === undefined || !isBefore(each, found)) found = each;
  return found;
}

/** The grants of a Job with their members and with the Jobs that carry their marks. */
function jobGrants(
  { job, recent, members, sizes, wrong }: Progress,
  marked = new Map<string, MarkedJob>(),
): GrantsOfJob {
  const standing = standingDecision(recent)?.grants ?? [];
  const known = new Map(recent.flatMap(({ grants }) => grants).map((grant) => [grantKey(grant), grant]));
  for (const grant of standing) known.set(grantKey(grant), grant);
  const found = [...members.values()].map((member) => ({
    ...member,
    grant: known.get(grantKey(member.grant)) ?? member.grant,
  }));
  for (const [key, { cluster, uid, name, mark, seenAt }] of marked) {
    const grant = [...known.values()].find((each) => each.decision === mark && each.name === name);
    if (grant !== undefined && !members.has(key)) found.push({ cluster, uid, grant, knownAt: seenAt });
  }
  const strays = new Set(found.map(({ grant }) => grant).filter((grant) => !standing.includes(grant)));
  return { job, grants: [...standing, ...strays], members: found, sizes, wrong };
}
