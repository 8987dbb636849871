import { UnavailableError } from '../../services/adapters/errors.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { NO_PROGRESS, type Progress } from '../../services/worker/activities/attempt/progress.ts';
import { carryOutPlacedJob } from '../../services/worker/activities/carry-out-kinds.ts';
import * as jobCore from '../../workflows/job/core.ts';
import type { Unstamped } from '../../workflows/ledger/recorded-event.ts';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import type { JobState } from '../../workflows/job/state.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import * as core from '../../workflows/placement/core.ts';
import { needsCandidates } from '../../workflows/placement/decide/decide.ts';
import { countingGrant, nextGrant } from '../../workflows/placement/definitions/grants.ts';
import { isSpread as runsInSeveral, unaccountedGrants } from '../../workflows/placement/definitions/parts.ts';
import { seenMember, type SeenMember } from '../../workflows/placement/definitions/seen.ts';
import { indexesGivenBy } from '../../workflows/placement/definitions/tenures.ts';
import type { PlacementOutcomeRecorded } from '../../workflows/placement/events.ts';
import type { PlacementFact } from '../../workflows/placement/facts.ts';
import { markOf, memberFacts, placedJobFacts } from '../../workflows/placement/observe/compact.ts';
import type { PlacementDecisionRecord } from '../../workflows/placement/record/decision-record.ts';
import type { MemberFacts } from '../../workflows/placement/facts.ts';
import type { PlacementOutcome } from '../../workflows/placement/outcomes.ts';
import type { ClusterAvailability, PlacementSettings } from '../../workflows/placement/settings.ts';
import type { PlacementState } from '../../workflows/placement/state.ts';
import { step } from '../../workflows/placement/step.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { aServer, refusal, type Change, type Copy, type Server } from './a-server.ts';
import { aWatch, type Watch } from './a-watch.ts';
import { indexesIn } from './indexes.ts';
import { aDraw, isMet, planted, type Draw, type Life, type Plant } from './life.ts';
import { forge, isForged } from './forged.ts';
import { aCluster, type Cluster, type MemberRun } from './member-cluster.ts';
import { repeatLaw, requireLaterStep } from './repeats.ts';

const START = Date.parse('2026-11-01T00:00:00Z');
/** The time with troubles, and the time that the life may last, in milliseconds. */
const [TROUBLE_MS, LONGEST_MS] = [240_000, 1_200_000];
const TICK_MS = 500;
/** Facts are at most this late, in milliseconds. */
const LATE_MS = 400;
/** A cluster that does not answer for this long is silent, in milliseconds. */
const SILENT_MS = 10_000;
/** A request may arrive so much later than it was sent, in milliseconds: less than the core allows for. */
const ARRIVES_MS = 12_000;
/** Within this time a member is stopped after its grant has ended and its cluster answers, in milliseconds. */
const STOPPED_MS = { withTroubles: 75_000, without: 5000 };
/** Within this time it is known that a member is there, in milliseconds. */
const SEEN_MS = 5000;
/** The longest that a request waits for its turn, in ticks: the worker gives up after 3 s. */
const LONGEST_TURN = 5;
/** The seeds for draws about lanes, lists, answers, and the ends of containers are so far from the other seeds. */
const [LANES, LISTS, ANSWERS, ENDS, COPIES] = [
  1_000_000_007, 2_000_000_011, 3_000_000_019, 4_000_000_007, 5_000_000_029,
];
/** A restore is noticed so late at most, and workers are shown the epoch so much later, in milliseconds. */
const [NOTICED_MS, SHOWN_MS] = [20_000, 5000];
/** `terminationGracePeriodSeconds` of the pods: containers that end slowly take most of it. */
const GRACE_SECONDS = { slow: 20, fast: 1 };
/** Within this time an index that another member has finished is taken back, in milliseconds. */
const TAKEN_BACK_MS = 5000;
/** A watch is broken off for so long at most, in milliseconds. */
const BROKEN_MS = 5000;
const HOME = { cluster: 'east', namespace: 'team', name: 'pi', uid: 'home-uid', kind: 'PlacedJob' } as const;
const ALL = ['east', 'west', 'north', 'south'] as const;

interface Troubles {
  refusals: boolean;
  lostAnswers: boolean;
  homeIsAway: boolean;
  longSilences: boolean;
  scale: boolean;
  deletedMembers: boolean;
  lostClusters: boolean;
  restores: boolean;
  resumedByHand: boolean;
  deletion: boolean;
  /** Requests take their time, each cluster its own: outcomes of one decision come apart, with facts between them. */
  apart: boolean;
  /** Attempts break off, and are repeated from the outcomes that they had reported. */
  brokenAttempts: boolean;
  /** Watches break off, and a list shows what has changed meanwhile; the names of members are taken for a while. */
  lists: boolean;
  /** An answer shows the controller of a member a version that no watch shows; then the member is deleted or resumed, or its cluster restored. */
  unseen: boolean;
  /** Containers that are asked to end take long. */
  slow: boolean;
  /** API servers, also the home's, are restored from copies that are seconds old, and that is noticed a while later. */
  copies: boolean;
}

type Given = Partial<Pick<Troubles, 'apart' | 'lists' | 'unseen' | 'slow' | 'copies'>>;

function drawTroubles(
  {
    draw,
    lanes,
    lists,
    answers,
    ends,
    copies,
  }: Record<'draw' | 'lanes' | 'lists' | 'answers' | 'ends' | 'copies', Draw>,
  given: Given,
): Troubles {
  const drawn = {
    apart: lanes.chance(0.5),
    lists: lists.chance(0.5),
    unseen: answers.chance(0.5),
    slow: ends.chance(0.5),
    copies: copies.chance(0.5),
  };
  const { apart, lists: hasLists, unseen, slow, copies: hasCopies } = { ...drawn, ...given };
  return {
    refusals: draw.chance(0.4),
    lostAnswers: draw.chance(0.4),
    homeIsAway: draw.chance(0.3),
    longSilences: draw.chance(0.3),
    scale: draw.chance(0.25),
    deletedMembers: draw.chance(0.25),
    lostClusters: draw.chance(0.2),
    restores: draw.chance(0.2),
    resumedByHand: draw.chance(0.2),
    deletion: draw.chance(0.15),
    apart,
    brokenAttempts: apart && lanes.chance(0.5),
    lists: hasLists,
    unseen,
    slow,
    copies: hasCopies,
  };
}

/**
 * A random life of a placed Job, in one cluster at a time or spread over several: the core and the worker's activities as shipped, over
 * API servers, controllers of members, guards, kubelets and a garbage collector that are played here, without the builders that other
 * tests use. `plant`: a fault that the life is to find; `apart`, `lists`, `unseen` and `slow`: these troubles, whatever the seed draws. Everything is well again after a while: then the Job must end, and nothing may run any more.
 */
export async function placedLife(
  seed: number,
  { plant, ...given }: { plant?: Plant<PlacementOutcome> } & Given = {},
): Promise<Life> {
  const draw = aDraw(seed);
  const lanes = aDraw(seed + LANES);
  const lists = aDraw(seed + LISTS);
  const answers = aDraw(seed + ANSWERS);
  const ends = aDraw(seed + ENDS);
  const copies = aDraw(seed + COPIES);
  const troubles = drawTroubles({ draw, lanes, lists, answers, ends, copies }, given);
  const graceSeconds = troubles.slow ? GRACE_SECONDS.slow : GRACE_SECONDS.fast;
  const endsAfter = (most: number): number =>
    troubles.slow ? ends.next() * (graceSeconds - 1) * 1000 : draw.next() * most;
  const policy = draw.pick(['Wait', 'Wait', 'MoveAfter=20s', 'MoveWhenStopped=20s']);
  const isSpread = draw.chance(0.5);
  const names = draw.pick([
    ['west', 'north', 'south'],
    ['east', 'west', 'north'],
  ] as const);
  let now = START;
  const log: string[] = [];
  const reportLine = (text: string): void => void log.push(`${((now - START) / 1000).toFixed(1)} ${text}`);
  reportLine(
    `${isSpread ? 'spread' : 'in one cluster'}, ${policy}, ${names.join(' ')}, ${JSON.stringify(troubles)}`,
  );
  const problems = new Set<string>();
  const runs: MemberRun[] = [];
  const clusters = new Map<string, Cluster>(
    ALL.map((name) => [
      name,
      aCluster(
        aServer(name, () => now),
        {
          draw,
          endsAfter,
          runs,
          now: () => now,
          home: HOME.cluster,
          report: reportLine,
          // The controller of a member in a cluster that does not answer has no answer either.
          answered: (job) => void (!away.has(name) && answerTo(job)),
        },
      ),
    ]),
  );
  const getCluster = (name: string): Cluster => clusters.get(name) as Cluster;
  const home = getCluster(HOME.cluster).server;
  const homeJob = (): Job | undefined => home.jobs.get(HOME.name);
  const away = new Map<string, number>();
  const silentSince = new Map<string, number>();
  const output = new Map<string, ClusterAvailability>();
  const epochs = new Map<string, number>();
  /** The epochs as workers are shown them, each from its time on. */
  const shownFrom = new Map<string, { at: number; epoch: number }[]>();
  const shownEpoch = (cluster: string): number =>
    (shownFrom.get(cluster) ?? []).findLast(({ at }) => at <= now)?.epoch ?? 0;
  const isCalm = (): boolean => now >= START + TROUBLE_MS;

  let facts = 0;
  /** `isUndone`: the answer was read before a restore, which may have undone the state that it shows. */
  let queue: { at: number; cluster: string; fact: PlacementFact; job: Job; isUndone?: true }[] = [];
  const report = (cluster: string, job: Job, fact: object): void => {
    facts += 1;
    const whole = { id: `fact-${facts}`, digest: '', ...fact } as PlacementFact;
    queue.push({ at: now + draw.below(LATE_MS), cluster, fact: whole, job });
  };
  /** The facts that the workflow of each member knows from its watch and from the answers to its own requests, by UID. */
  const streams = new Map<string, JobState>();
  const toStream = (job: Job, epoch: number): void => {
    const { uid } = job.metadata;
    const inEpoch = epoch > 0 ? { epoch } : {};
    const fact = { id: '', digest: '', ...inEpoch, type: 'job.observed' as const, job: jobFacts(job) };
    streams.set(uid, jobCore.fold(streams.get(uid) ?? jobCore.INITIAL_STATE, [fact]));
  };
  /** An answer is of the epoch in which its request was decided. */
  const answerTo = (job: Job): void => {
    const known = streams.get(job.metadata.uid);
    if (known !== undefined) toStream(structuredClone(job), known.epoch);
  };
  const observe = (server: Server, change: Change): void => {
    const { cluster } = server;
    const job = structuredClone(change.object);
    const { uid, name, annotations = {} } = job.metadata;
    const epoch = epochs.get(cluster) ?? 0;
    const inEpoch = epoch > 0 ? { epoch } : {};
    if (uid === HOME.uid)
      report(
        cluster,
        job,
        change.type === 'changed'
          ? { type: 'job.observed', ...inEpoch, job: placedJobFacts(cluster, job) }
          : { type: 'job.deleted', ...inEpoch, resourceVersion: change.resourceVersion },
      );
    else if (annotations['jobledger.dev/placed-for'] !== undefined)
      report(
        cluster,
        job,
        change.type === 'changed'
          ? { type: 'member.observed', member: memberFacts(cluster, job, epoch), ...markOf(job) }
          : {
              type: 'member.deleted',
              cluster,
              uid,
              name,
              ...inEpoch,
              resourceVersion: change.resourceVersion,
            },
      );
  };
  /** Requests that arrive although their sender has given up. */
  let late: { at: number; sentAt: number; server: Server; request: ApiRequest }[] = [];
  const arrivesLate = (server: Server, { method, path, body }: ApiRequest): void =>
    void late.push({
      at: now + draw.below(ARRIVES_MS),
      sentAt: now,
      server,
      request: structuredClone({ method, path, body }),
    });
  const watches = new Map<string, Watch>();
  /** The time when the broken watch of a cluster is to list, by cluster. */
  const listsAt = new Map<string, number>();
  const breakOff = (cluster: string, ms: number, from = lists): void => {
    if (watches.get(cluster)?.isBroken() === true) return;
    reportLine(`the watch of ${cluster} breaks off`);
    watches.get(cluster)?.breakOff();
    listsAt.set(cluster, now + from.below(ms));
  };
  const listAgain = (): void => {
    for (const [cluster, at] of listsAt) {
      if (!isCalm() && (at > now || away.has(cluster))) continue;
      reportLine(`the watch of ${cluster} lists`);
      listsAt.delete(cluster);
      if (!noticedAt.has(cluster)) watches.get(cluster)?.list();
    }
  };
  const forgeAt = (cluster: string): void =>
    forge(getCluster(cluster).server, HOME, { number: nextGrant(state), at: now });
  /** Another client takes the names of members, and gives them back; watches break off, and list. */
  const troubleLists = (): void => {
    for (const { server } of clusters.values())
      for (const job of server.jobs.values())
        if (isForged(job) && (isCalm() || lists.chance(0.03))) server.remove(job);
    if (isCalm()) return;
    if (lists.chance(0.01)) breakOff(lists.pick(names), BROKEN_MS);
    if (lists.chance(0.05)) forgeAt(lists.pick(names));
  };
  /** Whoever has taken the name gives it back just before this request, which a list shows. */
  const giveBack = (server: Server, { method, body }: ApiRequest): void => {
    const job = method === 'POST' ? server.jobs.get((body as Job).metadata.name) : undefined;
    if (job === undefined || !isForged(job) || lists.chance(0.05)) return;
    breakOff(server.cluster, TICK_MS);
    reportLine(`the forged ${server.cluster}/${job.metadata.name} is deleted`);
    server.remove(job);
    losesAnswer = lists.chance(0.8);
  };
  let losesAnswer = false;
  /** Requests that are on their way. */
  let turns: { server: Server; request: ApiRequest; ticks: number; arrive: () => void }[] = [];
  /** The times when the requests that waited for their turn were sent. */
  const turnsSince = new WeakMap<ApiRequest, number>();
  for (const { server } of clusters.values()) {
    watches.set(
      server.cluster,
      aWatch(server, (change) => observe(server, change)),
    );
    server.turn = (request) =>
      !troubles.apart || isCalm()
        ? Promise.resolve()
        : new Promise((arrive) => {
            turnsSince.set(request, now);
            turns.push({ server, request, ticks: 0, arrive });
          });
    server.before = (request) => {
      const { method, path } = request;
      if (away.has(server.cluster)) throw new UnavailableError(`${server.cluster} is away`);
      if (isCalm()) return;
      if (troubles.lostAnswers && draw.chance(method === 'POST' ? 0.2 : 0.04)) {
        if (method !== 'GET' && server !== home && draw.chance(0.5)) arrivesLate(server, request);
        throw new UnavailableError('the request was lost, or is late');
      }
      if (troubles.refusals && server !== home && method === 'POST' && draw.chance(0.3))
        throw refusal(403, 'Forbidden', 'a policy', path);
      giveBack(server, request);
    };
    server.after = (request) => {
      const { method, path } = request;
      const sent = turnsSince.get(request);
      const created = method === 'POST' ? server.jobs.get((request.body as Job).metadata.name) : undefined;
      if (created !== undefined && sent !== undefined) sentAt.set(created.metadata.uid, sent);
      if (losesAnswer) {
        losesAnswer = false;
        throw new UnavailableError('the answer was lost');
      }
      if (isCalm() || method === 'GET' || server === home) return;
      if (troubles.lostAnswers && draw.chance(0.08)) throw new UnavailableError('the answer was lost');
      if (troubles.refusals && draw.chance(0.05)) throw refusal(500, 'InternalError', 'a webhook', path);
    };
  }
  home.jobs.set(HOME.name, aPlacedJob(draw, { policy, isSpread, graceSeconds }));
  home.touch(homeJob() as Job);

  let state: PlacementState = core.INITIAL_STATE;
  let nextDecisionAt: number | null = null;
  let availability: Record<string, ClusterAvailability> = {};
  let hasNews = false;
  let decisions = 0;
  /** The last decision while it is carried out: `running` is its attempt, `done` once that has ended. */
  let open: {
    decision: PlacementDecisionRecord;
    progress: Progress<Unstamped<PlacementOutcomeRecorded>>;
    attempt: number;
    running?: { done?: Unstamped<PlacementOutcomeRecorded>[]; error?: unknown };
  } | null = null;
  const law = repeatLaw();
  const decide = (): PlacementDecisionRecord | null => {
    let settings: PlacementSettings = Object.keys(availability).length > 0 ? { clusters: availability } : {};
    if (state.job !== null && needsCandidates(state, now, settings))
      settings = {
        ...settings,
        candidates: { readAt: now, clusters: candidates(), leftBy: leftBy(), seen: seenMembers() },
      };
    const decider = {
      cluster: HOME.cluster,
      jobUid: HOME.uid,
      placedJobUid: HOME.uid,
      subject: 'team/pi',
      firstRunId: 'chain',
    };
    const taken = step({ decider, state, now, settings });
    state = taken.state;
    ({ nextDecisionAt } = taken);
    requireLaterStep(taken, now);
    return taken.decision;
  };
  const candidates = () =>
    names.map((cluster) => ({
      cluster,
      room: 2 + draw.below(6),
      price: 1,
      ...((availability[cluster] !== undefined || away.has(cluster)) && { refused: 'it does not answer' }),
    }));
  /** The answer of the worker, from the streams of the members whose work is continued. */
  const seenMembers = (): SeenMember[] => {
    const last = countingGrant(state);
    const left = runsInSeveral(state) ? unaccountedGrants(state) : last === undefined ? [] : [last];
    return left.flatMap(({ number, member, ended }) => {
      const stream = streams.get(member?.uid ?? '');
      const known = ended === undefined ? null : member;
      return stream === undefined || known === null ? [] : (seenMember(stream, number, known) ?? []);
    });
  };
  const leftBy = () =>
    Object.fromEntries(
      state.grants
        .filter(
          ({ part, ended, member, left }) =>
            part !== undefined && ended !== undefined && member !== null && left === undefined,
        )
        .map(({ number }) => [number, { failures: {}, uncountedPodCount: 0 }]),
    );
  /** The decisions that gave an index to a member, by cluster, name of the member, and index. */
  const givenAt = new Map<string, number[]>();
  const noteGiven = (command: PlacementCommand): void => {
    const text = indexesGivenBy(command);
    if (text === null || !('name' in command)) return;
    for (const index of indexesIn(text)) {
      const key = `${command.cluster}/${command.name}/${index}`;
      givenAt.set(key, [...(givenAt.get(key) ?? []), now]);
    }
  };
  const begin = (opened: NonNullable<typeof open>): void => {
    const { decision, progress, attempt } = opened;
    const running: NonNullable<typeof opened.running> = {};
    opened.running = running;
    void carryOutPlacedJob(
      {
        client: home.client,
        memberClient: (cluster) => clusters.get(cluster)?.server.client ?? null,
        requireKnownCluster: () => Promise.resolve(),
        getEpoch: (cluster) => shownEpoch(cluster),
        countRules: () => true,
        noticedChains: new Set(),
        reportOlder: () => undefined,
        appender: { append: () => Promise.resolve() },
        log: silentLog(),
        now: () => now,
      },
      { ...decision, job: HOME, received: [] },
      {
        number: attempt,
        signal: new AbortController().signal,
        before: progress,
        // Reports of an attempt that was broken off arrive nowhere.
        report: (each) => void (opened.running === running && (opened.progress = each)),
      },
    ).then(
      (done) => void (running.done = done),
      (error: unknown) => void (running.error = error),
    );
  };
  /** `completions` in the last decision. */
  let decidedOn: number | undefined;
  /** The indexes whose success the home was shown, and that no older copy has undone, with the time, by UID of the member. */
  const successesShown = new Map<string, Map<number, number>>();
  const noteSuccesses = ({ uid, status }: Pick<MemberFacts, 'uid' | 'status'>): void => {
    const known = successesShown.get(uid) ?? new Map<number, number>();
    successesShown.set(uid, known);
    for (const index of indexesIn(status.completedIndexes)) if (!known.has(index)) known.set(index, now);
  };
  /** An answer may have been read before its cluster was restored from a copy that lacks some of the successes. */
  const noteAnswered = ({ cluster, uid, status }: MemberFacts): void => {
    const there = [...getCluster(cluster).server.jobs.values()].find(({ metadata }) => metadata.uid === uid);
    const copied = new Set(indexesIn(there?.status?.completedIndexes));
    const isUndone = (index: number): boolean => there !== undefined && !copied.has(index);
    const left = indexesIn(status.completedIndexes).filter((index) => !isUndone(index));
    noteSuccesses({ uid, status: { completedIndexes: left.join(',') } });
  };
  /** Goes on with the last decision; false while it has no outcome. */
  const carryOut = async (): Promise<boolean> => {
    if (open === null) return true;
    if (open.running === undefined) begin(open);
    // Everything that waits for no turn.
    await new Promise((resume) => void setImmediate(resume));
    const { done, error } = open.running ?? {};
    if (error !== undefined && !(error instanceof UnavailableError)) throw error;
    if (error !== undefined) again(open);
    if (done === undefined) return false;
    open = null;
    const outcomes = planted(plant, done);
    for (const fact of outcomes)
      if (
        fact.type === 'outcome.recorded' &&
        'member' in fact.data.outcome &&
        fact.data.outcome.member !== null
      )
        noteAnswered(fact.data.outcome.member);
    state = core.fold(state, outcomes);
    return true;
  };
  const again = (opened: NonNullable<typeof open>): void => {
    delete opened.running;
    opened.attempt += 1;
  };
  /** Requests arrive, in each cluster the earliest first; or the attempt breaks off, and what it has sent may arrive late. */
  const takeTurns = (): void => {
    for (const turn of turns) turn.ticks += 1;
    if (open?.running !== undefined && turns.length > 0 && troubles.brokenAttempts && lanes.chance(0.05)) {
      reportLine('the attempt breaks off');
      for (const { server, request } of turns)
        if (request.method !== 'GET' && server !== home && lanes.chance(0.5)) arrivesLate(server, request);
      turns = [];
      return again(open);
    }
    const isFast = new Map<string, boolean>(ALL.map((name) => [name, lanes.chance(0.5)]));
    const due = turns.filter(
      ({ server, ticks }) => isCalm() || isFast.get(server.cluster) === true || ticks >= LONGEST_TURN,
    );
    turns = turns.filter((each) => !due.includes(each));
    for (const { arrive: arrives } of due) arrives();
  };
  const work = async (): Promise<void> => {
    if (!(await carryOut())) return;
    for (let decision = decide(); decision !== null; decision = decide()) {
      decisions += 1;
      const { decided } = decision;
      for (const seen of decided.data.settings.candidates?.seen ?? []) noteSuccesses(seen);
      reportLine(decided.data.commands.map(inShort).join(' | ') || `waits: ${decided.data.waiting?.message}`);
      decided.data.commands.forEach(noteGiven);
      decidedOn = state.job?.spec.completions;
      law(decided, hasNews);
      hasNews = false;
      open = { decision, progress: NO_PROGRESS, attempt: 1 };
      if (!(await carryOut())) return;
      if (troubles.unseen && !isCalm()) decided.data.commands.forEach(betweenGrants);
    }
  };

  const edit = (change: (job: Job) => void): void => {
    const job = homeJob();
    if (job === undefined) return;
    change(job);
    job.metadata.generation = (job.metadata.generation ?? 1) + 1;
    home.touch(job);
  };
  let copy: { cluster: string; of: Copy; resume: () => void } | null = null;
  /** The Jobs that are there again. */
  const restore = (isLate = false): Job[] => {
    if (copy === null) return [];
    const { cluster, of, resume } = copy;
    const { server } = getCluster(cluster);
    reportLine(`${cluster} is restored`);
    const before = [...server.jobs.values()];
    server.restore(of);
    resume();
    // Facts that were read before are recorded before the new epoch begins.
    queue = queue.map((each) => (each.cluster === cluster ? { ...each, at: now, isUndone: true } : each));
    // Work that ended after the copy was made is done again.
    const there = new Set([...server.jobs.values()].map(({ metadata }) => metadata.uid));
    for (const { metadata } of before) {
      if (there.has(metadata.uid)) continue;
      successesShown.delete(metadata.uid);
      goneAt.set(metadata.uid, now);
    }
    for (const { metadata, status } of server.jobs.values()) {
      const shown = successesShown.get(metadata.uid);
      const inCopy = new Set(indexesIn(status?.completedIndexes));
      for (const index of shown?.keys() ?? []) if (!inCopy.has(index)) shown?.delete(index);
    }
    // The objects that the copy of the cluster shows count from now on.
    if (cluster === HOME.cluster) reached = { succeeded: 0, failed: 0 };
    listsAt.delete(cluster);
    watches.get(cluster)?.breakOff();
    if (!isLate) notice(cluster);
    else noticedAt.set(cluster, Math.min(noticedAt.get(cluster) ?? Infinity, now + copies.below(NOTICED_MS)));
    return [...server.jobs.values()];
  };
  /** The epoch of the home that a fact of its Job has shown. */
  let recordedEpoch = 0;
  /** The time when the ingester of a restored cluster notices the restore, by cluster. */
  const noticedAt = new Map<string, number>();
  const notice = (cluster: string, shownMs = 0): void => {
    noticedAt.delete(cluster);
    const epoch = (epochs.get(cluster) ?? 0) + 1;
    epochs.set(cluster, epoch);
    shownFrom.set(cluster, [...(shownFrom.get(cluster) ?? []), { at: now + shownMs, epoch }]);
    reportLine(`the restore of ${cluster} is noticed`);
    watches.get(cluster)?.list();
  };
  const troubleCopies = (): void => {
    for (const [cluster, at] of noticedAt)
      if (isCalm() || (at <= now && !away.has(cluster)))
        notice(cluster, isCalm() ? 0 : copies.below(SHOWN_MS));
    if (isCalm()) return;
    if (copies.chance(0.03)) makeCopy(copies.pick([...names, HOME.cluster]));
    if (copies.chance(0.01) && copy !== null && !away.has(copy.cluster)) restore(true);
  };
  /** The fewest `completions` that the Job has had: when it grows again, the indexes beyond them run again. */
  let fewest = Infinity;
  const trouble = (): void => {
    const cluster = draw.pick(troubles.homeIsAway ? [...names, HOME.cluster] : names);
    const move = draw.pick([
      'cut',
      'cut',
      ...(troubles.longSilences && draw.chance(0.8) ? [] : (['heal', 'heal'] as const)),
      'drain',
      'undrain',
      'suspend',
      'resume',
      'parallelism',
      ...(troubles.scale ? (['scale'] as const) : []),
      ...(troubles.deletedMembers ? (['delete a member'] as const) : []),
      ...(troubles.lostClusters ? (['lost', 'found'] as const) : []),
      ...(troubles.restores ? (['copy', 'restore'] as const) : []),
      ...(troubles.resumedByHand ? (['resume a member'] as const) : []),
      ...(troubles.deletion && now > START + TROUBLE_MS / 2 ? (['delete'] as const) : []),
    ]);
    reportLine(`${move} ${cluster}`);
    const word = output.get(cluster) ?? {};
    const by = { by: 'anna', at: now };
    if (move === 'cut' && away.size === 0) away.set(cluster, now);
    if (move === 'heal') away.clear();
    if (move === 'drain') output.set(cluster, { ...word, cordoned: { ...by, drain: true } });
    if (move === 'undrain')
      for (const [name, { cordoned: _cordoned, ...rest }] of output) output.set(name, rest);
    if (move === 'lost' && away.has(cluster)) output.set(cluster, { ...word, lost: by });
    if (move === 'found') for (const [name, { lost: _lost, ...rest }] of output) output.set(name, rest);
    if (move === 'suspend') edit(({ spec }) => void (spec.suspend = true));
    if (move === 'resume') edit(({ spec }) => void delete spec.suspend);
    if (move === 'parallelism') edit(({ spec }) => void (spec.parallelism = draw.below(7)));
    if (move === 'scale') {
      const size = 3 + draw.below(6);
      fewest = Math.min(fewest, size);
      edit(({ spec }) => void (spec.parallelism = spec.completions = size));
    }
    if (move === 'delete')
      edit(({ metadata }) => {
        metadata.deletionTimestamp ??= new Date(now).toISOString();
        metadata.deletionGracePeriodSeconds = 0;
      });
    const members = membersIn(cluster);
    const member = members[draw.below(members.length)];
    if (member !== undefined && !away.has(cluster)) {
      if (move === 'delete a member') deleteMember(cluster, member);
      if (move === 'resume a member') resumeMember(cluster, member);
    }
    if (move === 'copy' && cluster !== HOME.cluster) makeCopy(cluster);
    if (move === 'restore') restore();
  };
  const makeCopy = (cluster: string): void =>
    void (copy = { cluster, of: getCluster(cluster).server.copy(), resume: getCluster(cluster).copy() });
  const membersIn = (cluster: string): Job[] =>
    [...getCluster(cluster).server.jobs.values()].filter(
      (job) => job.metadata.annotations?.['jobledger.dev/placed-for'] !== undefined && !isForged(job),
    );
  const deleteMember = (cluster: string, member: Job): void => {
    goneAt.set(member.metadata.uid, now);
    getCluster(cluster).server.remove(member);
  };
  const resumeMember = (cluster: string, member: Job): void => {
    if (member.spec.suspend !== true) return;
    getCluster(cluster).resumedByHand(member);
    member.spec.suspend = false;
    member.metadata.generation = (member.metadata.generation ?? 1) + 1;
    getCluster(cluster).server.touch(member);
  };
  const calmDown = (): void => {
    reportLine('everything is well again');
    away.clear();
    output.clear();
    const job = homeJob();
    if (job === undefined || hasEnded(job)) return;
    edit(({ spec }) => {
      delete spec.suspend;
      if (spec.parallelism === 0) spec.parallelism = 2;
    });
  };

  /** A grant has ended, and before the next one is given something happens that no watch shows in time. */
  const betweenGrants = (command: PlacementCommand): void => {
    if (command.kind !== 'EndGrant' || away.has(command.cluster) || answers.chance(0.5)) return;
    const { cluster, name } = command;
    if (copy?.cluster === cluster && answers.chance(0.5)) return podsFirst(cluster, restore());
    const member = getCluster(cluster).server.jobs.get(name);
    if (member === undefined || isForged(member)) return;
    breakOff(cluster, BROKEN_MS, answers);
    resumeMember(cluster, member);
    getCluster(cluster).tick();
  };
  /** The workflows of the members there learn of the epoch from their pods. */
  const podsFirst = (cluster: string, restored: readonly Job[]): void => {
    const [epoch, resourceVersion] = [epochs.get(cluster) ?? 0, '1'];
    for (const { metadata } of restored) {
      const { uid } = metadata;
      const stream = streams.get(uid);
      const fact = { id: '', digest: '', epoch, type: 'pod.deleted' as const, name: '', resourceVersion };
      if (stream !== undefined) streams.set(uid, jobCore.fold(stream, [{ ...fact, uid: 'a pod' }]));
    }
  };
  /** Another client changes a cluster before its watch lists again. */
  let hidden: { at: number; cluster: string; move: 'delete' | 'resume' | 'restore' } | null = null;
  const troubleUnseen = (): void => {
    if (isCalm()) return;
    const cluster = answers.pick(names);
    if (answers.chance(0.02) && cluster !== HOME.cluster) makeCopy(cluster);
    if (hidden === null && answers.chance(0.02)) {
      const move = answers.pick(['delete', 'delete', 'resume', 'resume', 'restore'] as const);
      if (move === 'restore' && cluster === HOME.cluster) return;
      breakOff(cluster, BROKEN_MS, answers);
      hidden = { at: now + answers.below(BROKEN_MS), cluster, move };
      if (move === 'restore') makeCopy(cluster);
      return;
    }
    if (hidden === null || hidden.at > now || away.has(hidden.cluster)) return;
    const { cluster: where, move } = hidden;
    hidden = null;
    reportLine(`unseen: ${move} ${where}`);
    const members = membersIn(where);
    const member = members[answers.below(members.length)];
    if (move === 'restore' && copy?.cluster === where) restore();
    if (member === undefined) return;
    if (move === 'delete') deleteMember(where, member);
    if (move === 'resume') resumeMember(where, member);
  };

  /** The time when another client deleted a member, or an older copy lacked it, by UID. */
  const goneAt = new Map<string, number>();
  /** The time when a fact or an answer has shown that a member is gone, by UID. */
  const goneSince = new Map<string, number>();
  const noteGone = (uid: string): void => void (goneSince.has(uid) || goneSince.set(uid, now));
  /** The time when a creation that arrived late, or waited for its turn, was sent, by UID of the member. */
  const sentAt = new Map<string, number>();
  const arrive = (): void => {
    const due = late.filter(({ at, server }) => at <= now && !away.has(server.cluster));
    // A request that a cluster does not take in time never arrives.
    late = late.filter(({ at }) => at > now);
    for (const { server, request, sentAt: sent } of due) {
      reportLine(`late: ${request.method} ${server.cluster} ${request.path}`);
      const before = new Set([...server.jobs.values()].map(({ metadata }) => metadata.uid));
      server.arrives(request);
      for (const { metadata } of server.jobs.values())
        if (!before.has(metadata.uid)) sentAt.set(metadata.uid, sent);
    }
  };
  /** Since when a member that must not run is open while its cluster answers. */
  const openSince = new Map<string, number>();
  const isTroubled =
    troubles.lostAnswers ||
    troubles.refusals ||
    troubles.apart ||
    troubles.lists ||
    troubles.unseen ||
    troubles.copies;
  const stoppedMs = isTroubled ? STOPPED_MS.withTroubles : STOPPED_MS.without;
  const checkEnded = (): void => {
    for (const { ended, member, cluster } of state.grants) {
      if (ended === undefined || member === null) continue;
      const { server } = getCluster(cluster);
      const found = [...server.jobs.values()].find(({ metadata }) => metadata.uid === member.uid);
      const isOpen = found !== undefined && found.spec.suspend !== true && !hasEnded(found);
      if (!isOpen || away.has(cluster) || output.get(cluster)?.lost !== undefined)
        openSince.delete(member.uid);
      else if (!openSince.has(member.uid)) openSince.set(member.uid, now);
      else if (now - (openSince.get(member.uid) ?? now) > stoppedMs)
        problems.add(`${cluster}/${member.name} is open although its grant has ended (${ended.reason})`);
    }
  };
  /** Since when a member that counts as gone is there, while its cluster answers and is watched. */
  const thereSince = new Map<string, number>();
  const checkGone = (): void => {
    for (const { gone, member, cluster } of state.grants) {
      if (member === null) continue;
      const { server } = getCluster(cluster);
      const isThere = [...server.jobs.values()].some(({ metadata }) => metadata.uid === member.uid);
      const isKnown = !away.has(cluster) && watches.get(cluster)?.isBroken() !== true;
      if (gone !== true || !isThere || !isKnown) thereSince.delete(member.uid);
      else if (!thereSince.has(member.uid)) thereSince.set(member.uid, now);
      else if (now - (thereSince.get(member.uid) ?? now) > SEEN_MS)
        problems.add(`${cluster}/${member.name} counts as gone although it is there`);
    }
  };
  /** `completions` when the status showed that they are reached: the Job ends with these (J-3.52). */
  let reachedVersion: number | undefined;
  let reached = { succeeded: 0, failed: 0 };
  /** While a restore of the home is not recorded yet, the core goes by the spec that it knew: a restored Job may have its generation again. */
  const believed = (): number | undefined =>
    noticedAt.has(HOME.cluster) || (epochs.get(HOME.cluster) ?? 0) > recordedEpoch ? decidedOn : undefined;
  const check = (): void => {
    checkEnded();
    checkGone();
    const shown = homeJob();
    if (shown === undefined || !isMet(shown)) reachedVersion = undefined;
    else reachedVersion ??= Math.min(shown.spec.completions ?? 0, believed() ?? Infinity);
    const { succeeded = 0, failed = 0 } = homeJob()?.status ?? reached;
    if (!troubles.scale && succeeded < reached.succeeded)
      problems.add(`succeeded fell from ${reached.succeeded} to ${succeeded}`);
    if (failed < reached.failed) problems.add(`failed fell from ${reached.failed} to ${failed}`);
    reached = { succeeded, failed };
  };

  if (troubles.lists) for (const name of names) if (lists.chance(0.8)) forgeAt(name);
  let wasCalm = false;
  try {
    for (; now < START + LONGEST_MS; now += TICK_MS) {
      if (isCalm() && !wasCalm) calmDown();
      wasCalm = isCalm();
      const job = homeJob();
      if (!isCalm() && job !== undefined && !hasEnded(job) && draw.chance(0.05)) trouble();
      for (const name of ALL) {
        const since = away.get(name);
        if (since === undefined) silentSince.delete(name);
        else if (now - since >= SILENT_MS) silentSince.set(name, since);
      }
      const before = JSON.stringify(availability);
      availability = availabilityNow(output, silentSince);
      const isSaid = JSON.stringify(availability) !== before;
      arrive();
      listAgain();
      if (troubles.lists) troubleLists();
      if (troubles.unseen) troubleUnseen();
      if (troubles.copies) troubleCopies();
      for (const { tick } of clusters.values()) tick();
      const due = queue
        .filter(({ at, cluster }) => at <= now && !away.has(cluster))
        .toSorted((a, b) => a.at - b.at);
      queue = queue.filter((each) => !due.includes(each));
      for (const { fact, job: of, isUndone } of due) {
        if (fact.type === 'member.deleted') noteGone(fact.uid);
        if (fact.type === 'job.observed') recordedEpoch = Math.max(recordedEpoch, fact.epoch ?? 0);
        if (fact.type !== 'member.observed') continue;
        if (isUndone !== true) noteSuccesses(fact.member);
        toStream(of, fact.member.epoch ?? 0);
      }
      state = core.fold(
        state,
        due.map(({ fact }) => fact),
      );
      takeTurns();
      hasNews ||= due.length > 0 || isSaid;
      if (due.length > 0 || isSaid || open !== null || (nextDecisionAt !== null && nextDecisionAt <= now))
        await work();
      check();
      const isOver = homeJob() === undefined || hasEnded(homeJob() as Job);
      // Questions that a lost cluster has not answered are asked again within a minute.
      const isLeft =
        homeJob() === undefined && [...clusters.values()].some(({ server }) => server.jobs.size > 0);
      if (isCalm() && isOver && !isLeft && late.length === 0 && runs.every(({ until }) => until !== null))
        break;
    }
  } catch (error) {
    problems.add(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { problems: [...problems], log, decisions };
  }
  for (const problem of [...ofRuns(), ...ofTheEnd()]) problems.add(problem);
  return { problems: [...problems], log, decisions };

  /** Overlaps and repeats that neither a policy, a person's word nor the hand of another client accounts for. */
  function ofRuns(): string[] {
    const preconditionsByMember = new Map(
      state.grants.map(({ cluster, name, ended }) => [`${cluster}/${name}`, ended?.reason]),
    );
    const isExcused = ({ cluster, member, isByHand }: MemberRun, bases: readonly string[]): boolean =>
      isByHand || bases.includes(preconditionsByMember.get(`${cluster}/${member}`) ?? '');
    return runs.flatMap((later, at) =>
      runs.slice(0, at).flatMap((earlier) => {
        if (earlier.index !== later.index || earlier.uid === later.uid) return [];
        if (isOfEarlierRequest(earlier, later)) return [];
        const pair = `${runText(earlier)} and ${runText(later)}`;
        if (earlier.from < (later.until ?? now) && later.from < (earlier.until ?? now))
          return [earlier, later].some((run) => isExcused(run, ['time', 'lost'])) ? [] : [`overlap: ${pair}`];
        const isRepeat = earlier.ok && earlier.until !== null && earlier.until < later.from;
        // A member that was given up may go on until it is stopped; a member that goes before it has shown a success takes it along.
        const isKnown =
          isExcused(earlier, ['time', 'lost', 'guarded']) ||
          isShownLate(earlier, later) ||
          isExcused(later, ['time', 'lost']) ||
          later.index >= fewest;
        return isRepeat && !isKnown ? [`repeated: ${pair}`] : [];
      }),
    );
  }

  /** The success was shown after the index had been given to the other member, and too short a while before that began it to be taken back. */
  function isShownLate(earlier: MemberRun, later: MemberRun): boolean {
    const shownAt = successesShown.get(earlier.uid)?.get(earlier.index) ?? Infinity;
    const key = `${later.cluster}/${later.member}/${later.index}`;
    const gift = (givenAt.get(key) ?? []).findLast((at) => at <= later.from) ?? Infinity;
    return shownAt > later.from || (shownAt > gift && shownAt > later.from - TAKEN_BACK_MS);
  }

  /**
   * Another client has deleted a member, or its cluster was restored from a copy without it, and a request for it that had no answer creates it
   * again: it was sent before a fact has shown that the first is gone. The API server knows nothing of the first, and the core nothing of the
   * second.
   */
  function isOfEarlierRequest(earlier: MemberRun, later: MemberRun): boolean {
    const isOfOneName = earlier.cluster === later.cluster && earlier.member === later.member;
    if (!isOfOneName || !goneAt.has(earlier.uid)) return false;
    const sent = sentAt.get(later.uid) ?? later.from - TICK_MS;
    return sent <= (goneSince.get(earlier.uid) ?? Infinity);
  }

  function ofTheEnd(): string[] {
    const found: string[] = [];
    const running = runs.filter(({ until }) => until === null);
    if (running.length > 0) found.push(`still runs after the end: ${running.map(runText).join('; ')}`);
    const job = homeJob();
    if (job === undefined) {
      const left = [...clusters.values()].flatMap(({ server }) => [...server.jobs.keys()]);
      if (left.length > 0) found.push(`members are left after the deletion: ${left.join(', ')}`);
      return found;
    }
    if (!hasEnded(job))
      found.push(
        `does not end: waits ${JSON.stringify(state.waiting)}, ${JSON.stringify(job.status)}, ${JSON.stringify(state.grants)}`,
      );
    if (job.status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True') !== true)
      return found;
    const done = new Set(runs.filter(({ ok }) => ok).map(({ index }) => index));
    for (let index = 0; index < (reachedVersion ?? job.spec.completions ?? 0); index += 1)
      if (!done.has(index)) found.push(`Complete without a success of index ${index}`);
    const completed = indexesIn(job.status.completedIndexes);
    if (completed.some((index) => !done.has(index))) found.push('an index is completed without a success');
    return found;
  }

  function runText({ index, cluster, member, from, until }: MemberRun): string {
    const end = until === null ? '' : String((until - START) / 1000);
    return `index ${index} in ${cluster}/${member} ${(from - START) / 1000}..${end}`;
  }
}

function availabilityNow(
  output: ReadonlyMap<string, ClusterAvailability>,
  silent: ReadonlyMap<string, number>,
): Record<string, ClusterAvailability> {
  return Object.fromEntries(
    ALL.map((name) => {
      const silentSince = silent.get(name);
      return [name, { ...output.get(name), ...(silentSince !== undefined && { silentSince }) }] as const;
    }).filter(([, word]) => Object.keys(word).length > 0),
  );
}

function hasEnded({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: is }) => is === 'True' && ['Complete', 'Failed'].includes(type),
  );
}

function inShort(command: PlacementCommand): string {
  const about = 'name' in command ? ` ${command.cluster}/${command.name}` : '';
  const reason = command.kind === 'EndGrant' ? ` (${command.reason})` : '';
  const spec =
    'spec' in command && Object.keys(command.spec).length > 0 ? ` ${JSON.stringify(command.spec)}` : '';
  const indexes = 'indexes' in command ? ` ${JSON.stringify(command.indexes)}` : '';
  return `${command.kind}${about}${reason}${spec}${indexes}`;
}

function aPlacedJob(
  draw: Draw,
  { policy, isSpread, graceSeconds }: { policy: string; isSpread: boolean; graceSeconds: number },
): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: HOME.name,
      namespace: HOME.namespace,
      uid: HOME.uid,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: new Date(START).toISOString(),
      annotations: {
        'jobledger.dev/if-cluster-is-lost': policy,
        'jobledger.dev/spill-after': '3000s',
        ...(isSpread && { 'jobledger.dev/spread': draw.pick(['even', 'room', 'price']) }),
      },
    },
    spec: {
      managedBy: 'jobledger.dev/placement',
      completionMode: 'Indexed',
      completions: draw.pick([6, 6, 20]),
      parallelism: 1 + draw.below(6),
      backoffLimit: draw.chance(0.3) ? 1 : 1000,
      template: {
        spec: {
          restartPolicy: 'Never',
          activeDeadlineSeconds: 15,
          terminationGracePeriodSeconds: graceSeconds,
          containers: [{ name: 'c' }],
        },
      },
    },
    status: {},
  };
}
