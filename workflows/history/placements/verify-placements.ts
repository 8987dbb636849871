import { isoTime } from '../../ledger/instants.ts';
import type { JobEvent } from '../../job/events.ts';
import { byKind, isOfKind, type LedgerEvent } from '../../ledger-event.ts';
import { checkRun, type Suspicion } from './check-run.ts';
import { clockAhead, CUT_MS } from './clock.ts';
import { createGrantReader } from './grants.ts';
import { type GrantsOfJob, type RecordedMember } from './recorded-grants.ts';
import { findingAtHome } from './home-status.ts';
import { followPods, type PodRun } from './pod-runs.ts';
import { findGrantsAtOnce } from './two-grants.ts';
import type { PlacementFinding, PlacementProof } from './types.ts';

/**
 * Proves from a ledger that placed Jobs ran in one cluster at a time. The streams of homes and members have no common
 * order, so the ledger is read up to three times. `grants` reads the streams of the homes, and the marks of grants on
 * Jobs. `pods` reads the streams of the members and of the Jobs with marks. `elsewhere` reads again the streams of Jobs
 * of which a pod may have run without a right to run (a suspicion), for the pods that ran in other clusters at the
 * same time. The memory contains the grants,
 * the open pods, and the suspicions.
 */
export interface PlacementVerifier {
  grants: Pick<Pass, 'add'>;
  pods: Pass;
  elsewhere: Pass;
  /** The extent of the read records. */
  result(): PlacementProof;
}

interface Pass {
  /** Reads an event, and ignores events of streams that the pass does not need. */
  add(event: LedgerEvent): void;
  /** The streams that the pass needs, as `<cluster>/<uid>`. Call this function once, after the previous pass. */
  streams(): ReadonlySet<string>;
}

interface Member extends RecordedMember {
  of: GrantsOfJob;
  /** The time by the clock of the member's cluster; null until the member is observed. */
  createdAt: number | null;
  /** True when the stream of the member has an event in the read records. */
  isRead: boolean;
}

interface Suspect extends Suspicion {
  member: Member;
  run: PodRun;
}

type Rival = Pick<Suspect, 'member' | 'run'>;

/** Creates a verifier that finds work of placed Jobs in clusters that had no right to it. */
export function createPlacementVerifier(): PlacementVerifier {
  const homes = createGrantReader();
  const members = new Map<string, Member>();
  const suspects = new Map<string, Suspect>();
  const rivals = new Map<GrantsOfJob, Map<string, Rival>>();
  const clocks = new Map<string, number>();

  const pods = createMemberReader(members, (member, run) => {
    const { of, grant, cluster } = member;
    noteClock(clocks, member);
    const next = of.grants.find(({ number }) => number > grant.number);
    for (const suspicion of checkRun({ cluster, grant, next, sizes: of.sizes, run })) {
      const key = `${suspicion.type}/${run.uid}`;
      if (!suspects.has(key)) suspects.set(key, { ...suspicion, member, run });
    }
  });
  const elsewhere = createMemberReader(members, (member, run) => {
    const found = rivals.get(member.of);
    if (found?.has(run.uid) === false) found.set(run.uid, { member, run });
  });
  return {
    grants: {
      add(event) {
        byKind(event, {
          PlacedJob: homes.add,
          Job: (ofJob) => (ofJob.type === 'job.observed' ? homes.addJob(ofJob) : undefined),
          CronJob: () => undefined,
        });
      },
    },
    pods: {
      add: pods.add,
      streams() {
        for (const of of homes.jobs())
          for (const member of of.members)
            members.set(`${member.cluster}/${member.uid}`, { ...member, of, createdAt: null, isRead: false });
        return new Set(members.keys());
      },
    },
    elsewhere: {
      add: elsewhere.add,
      streams() {
        pods.end();
        for (const { member } of suspects.values()) rivals.set(member.of, new Map());
        return new Set([...members].filter(([, { of }]) => rivals.has(of)).map(([key]) => key));
      },
    },
    result() {
      elsewhere.end();
      const jobs = homes.jobs();
      const found = [...suspects.values()].flatMap((suspect) => {
        const finding = toFinding(suspect, [...(rivals.get(suspect.member.of)?.values() ?? [])]);
        return finding === null ? [] : [{ level: suspect.level, finding }];
      });
      /** The findings of one level, ordered by Job and time. */
      const findingsOfLevel = (level: Suspicion['level']): PlacementFinding[] =>
        found
          .filter((each) => each.level === level)
          .map(({ finding }) => finding)
          .toSorted((a, b) => (a.job === b.job ? compareTexts(a.from, b.from) : compareTexts(a.job, b.job)));
      return {
        jobs: jobs.length,
        grants: jobs.reduce((sum, { grants }) => sum + grants.length, 0),
        findings: [
          ...jobs.flatMap(findGrantsAtOnce),
          ...jobs.flatMap(({ job, wrong }) => wrong.map((each) => findingAtHome(job, each))),
          ...findingsOfLevel('certain'),
        ],
        mayHaveRunTwice: findingsOfLevel('accepted'),
        withinTolerance: findingsOfLevel('short'),
        unseen: findingsOfLevel('unseen'),
        missing: [...members.values()].filter(({ isRead }) => !isRead).map(missingMember),
        clocks: [...clocks]
          .map(([cluster, ahead]) => ({ cluster, seconds: Math.round(ahead / 100) / 10 }))
          .toSorted((a, b) => compareTexts(a.cluster, b.cluster)),
      };
    },
  };
}

/** The entry of a proof for a member whose records are missing. */
function missingMember({ of, cluster, grant }: Member): PlacementProof['missing'][number] {
  return { job: of.job, cluster, member: grant.name };
}

/** Reads the pods of members, and converts their times to the clocks of Jobledger. */
function createMemberReader(
  members: ReadonlyMap<string, Member>,
  report: (member: Member, run: PodRun) => void,
): { add(event: LedgerEvent): void; end(): void } {
  const open = new Map<Member, ReturnType<typeof followPods>>();
  /** The latest epoch of each cluster, and the time of the first record of the epoch. */
  const restored = new Map<string, { epoch: number; at: number }>();
  /** Records the latest epoch of a cluster and the time of the first record of this epoch. */
  const noteEpoch = ({ time, data }: LedgerEvent): void => {
    const { cluster, epoch = 0 }: { cluster: string; epoch?: number } = 'member' in data ? data.member : data;
    if (epoch > (restored.get(cluster)?.epoch ?? 0)) restored.set(cluster, { epoch, at: Date.parse(time) });
  };
  /** Reads an event in the stream of a member. */
  const read = (member: Member, event: JobEvent): void => {
    member.isRead = true;
    if (event.type === 'job.observed')
      member.createdAt = Date.parse(event.data.object.metadata.creationTimestamp);
    const pods =
      open.get(member) ??
      followPods(
        (run) => report(member, withCorrectedClock(run, member)),
        () => restored.get(member.cluster)?.at ?? 0,
      );
    open.set(member, pods);
    pods.add(event);
    if (pods.isEmpty()) open.delete(member);
  };
  return {
    add(event) {
      noteEpoch(event);
      if (!isOfKind('Job', event) || !('jobUid' in event.data)) return;
      const member = members.get(`${event.data.cluster}/${event.data.jobUid}`);
      if (member !== undefined) read(member, event);
    },
    end() {
      for (const pods of open.values()) pods.end();
      open.clear();
    },
  };
}

/** The run, with its times corrected by the clock of its cluster. */
function withCorrectedClock(run: PodRun, member: Member): PodRun {
  const ahead = clockAhead(member, member.createdAt);
  const endedAt = run.endedAt === null ? null : run.endedAt - ahead;
  return { ...run, startedAt: run.startedAt - ahead, endedAt };
}

/** Records the greatest known difference between the clock of a member's cluster and the clock of Jobledger. */
function noteClock(clocks: Map<string, number>, member: Member): void {
  const ahead = clockAhead(member, member.createdAt);
  if (Math.abs(ahead) > Math.abs(clocks.get(member.cluster) ?? 0)) clocks.set(member.cluster, ahead);
}

/** The finding; null for a suspicion that the pods of the other clusters do not confirm. */
function toFinding(suspect: Suspect, ofJob: readonly Rival[]): PlacementFinding | null {
  const { type, level, member, run, from, until, message } = suspect;
  const others = ofJob.filter((each) => each.member.uid !== member.uid && each.run.index === run.index);
  /** The finding that names the pods of the given members. */
  const findingWith = (named: readonly Rival[], what: Pick<PlacementFinding, 'type' | 'message'>) => ({
    ...what,
    job: member.of.job,
    index: run.index,
    clusters: [...new Set([member, ...named.map((each) => each.member)].map(({ cluster }) => cluster))],
    from: isoTime(from),
    until: until === null ? null : isoTime(until),
    pods: [run, ...named.map((each) => each.run)].map(({ name }) => name),
  });
  if (type === 'uncounted') {
    const again = others.filter((each) => each.member.grant.number > member.grant.number);
    const [first] = again;
    if (first === undefined) return null;
    const repeat = `${message}, and ran again in ${first.member.cluster} as the pod ${first.run.name}`;
    return findingWith(again, { type: 'repeated', message: repeat });
  }
  const overlapping = others.filter(({ run: { startedAt, endedAt, overBy } }) => {
    const end = endedAt ?? overBy ?? Infinity;
    return startedAt < (until ?? Infinity) && end + CUT_MS > from;
  });
  if (level === 'accepted' && overlapping.length === 0) return null;
  return findingWith(type === 'repeated' ? [] : overlapping, { type, message });
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Proves for a whole ledger, in ledger order by stream, that placed Jobs ran in one cluster at a time. */
export function verifyPlacements(ledger: readonly LedgerEvent[]): PlacementProof {
  const verifier = createPlacementVerifier();
  for (const event of ledger) verifier.grants.add(event);
  for (const pass of [verifier.pods, verifier.elsewhere])
    if (pass.streams().size > 0) for (const event of ledger) pass.add(event);
  return verifier.result();
}
