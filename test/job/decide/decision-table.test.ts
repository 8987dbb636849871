import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../../workflows/job/outcomes.ts';
import { formatIndexes, toIndexes } from '../../../workflows/batch/completion-indexes.ts';
import { isOwnCondition } from '../../../workflows/batch/conditions.ts';
import type { OutcomeRecorded, JobDecided } from '../../../workflows/job/events.ts';
import type { PodState } from '../../../workflows/job/state.ts';
import type { JobStatus } from '../../../workflows/kubernetes/objects.ts';
import { at, podObject, START, type PodFields } from '../../support/builders.ts';
import {
  createModelCluster,
  deliverAll,
  refuseSomeRequests,
  runWorkflowTask,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { removeJob, setJob, setPod } from '../../support/model-cluster-api.ts';
import {
  INDEXED,
  LIFE,
  LIMITS,
  NOT_APPLICABLE,
  PER_INDEX,
  PLAIN,
  POLICIES,
  SUCCESS,
  TERMINATING,
  type Row,
} from './decision-table.ts';

const ROWS = [
  ...PLAIN,
  ...LIMITS,
  ...TERMINATING,
  ...INDEXED,
  ...PER_INDEX,
  ...POLICIES,
  ...SUCCESS,
  ...LIFE,
];

const KINDS: Record<string, PodFields> = {
  R: { phase: 'Running' },
  r: { phase: 'Running', readySince: -60 },
  P: { phase: 'Pending', unscheduled: true },
  S: { phase: 'Succeeded' },
  F: { phase: 'Failed' },
  T: { phase: 'Running', deleted: -3600 },
};

function parsePods(message: string): PodFields[] {
  return message.split(' ').flatMap((word) => {
    const [, number, isOne, kind = '', failures, mark] = /^(\d+)(:?)(\w)(?:\/(\d))?(°?)$/.exec(word) ?? [];
    const pod: PodFields = {
      ...KINDS[kind],
      ...(isOne === ':' && { index: Number(number) }),
      ...(failures !== undefined && { failureCount: Number(failures) }),
      ...(mark === '°' && { untracked: true }),
    };
    return Array.from({ length: isOne === ':' ? 1 : Number(number ?? 0) }, () => pod);
  });
}

/** The status before the sync; null for a new Job. */
function storedIn({ stored }: Row): JobStatus | null {
  return stored === undefined ? { startTime: at(-3600), ready: 0, terminating: 0 } : stored;
}

/** The cluster in the situation of a row: everything delivered, nothing decided. */
async function situation(row: Row): Promise<ModelCluster> {
  const stored = storedIn(row);
  const job = { ...row.job, ...(stored !== null && { status: stored }) };
  const cluster = createModelCluster(job, () => 'Succeeded');
  for (const pod of row.before ?? []) setPod(cluster.api, podObject(pod));
  if (row.before !== undefined) {
    deliverAll(cluster);
    await runWorkflowTask(cluster);
  }
  for (const pod of [...parsePods(row.pods ?? ''), ...(row.with ?? [])]) setPod(cluster.api, podObject(pod));
  if (row.jobDeleted === true) removeJob(cluster.api);
  deliverAll(cluster);
  if (row.conflict === true) labelled(cluster);
  refuseSomeRequests(cluster, row.refused ?? []);
  cluster.api.statusWrites = [];
  return cluster;
}

/** A version of the Job that is not delivered. */
function labelled({ api }: ModelCluster): void {
  if (api.job !== null)
    setJob(api, { ...api.job, metadata: { ...api.job.metadata, labels: { seen: 'yes' } } });
}

interface Done {
  decisions: JobDecided[];
  answers: Outcome[];
}

/** What one sync, or only its first decision, decided, and the outcomes. */
async function sync(cluster: ModelCluster, { first }: Row): Promise<Done> {
  const before = cluster.ledger.events.length;
  await runWorkflowTask(cluster);
  const events = cluster.ledger.events.slice(before);
  const all = events.filter((event) => event.type === 'job.decided');
  const decisions = first === true ? all.slice(0, 1) : all;
  const ids = decisions.map(({ id }) => id);
  const answers = events
    .filter((event): event is OutcomeRecorded => event.type === 'outcome.recorded')
    .filter(({ data }) => ids.includes(data.decision))
    .map(({ data }) => data.outcome);
  return { decisions, answers };
}

/** What took effect, in order, in the notation of the table. */
function doneBy({ answers }: Done): string {
  const done = { 'disown ': 0, 'adopt ': 0, '+': 0, '-': 0, '×': 0, '~': 0 };
  for (const outcome of answers) {
    const mark = outcomeMark(outcome);
    if (mark === null || !('pods' in outcome)) continue;
    done[mark] += outcome.pods.filter(
      (pod) => 'result' in pod && ['done', 'created'].includes(pod.result),
    ).length;
  }
  return Object.entries(done)
    .filter(([, count]) => count > 0)
    .map(([mark, count]) => `${mark}${count}`)
    .join(' ');
}

function outcomeMark(outcome: Outcome): 'disown ' | 'adopt ' | '+' | '-' | '×' | '~' | null {
  if (outcome.kind === 'CreatePods') return '+';
  if (outcome.kind === 'DeletePods') return outcome.untrack ? '-' : '×';
  if (outcome.kind === 'ReleasePods') return '~';
  if (outcome.kind === 'AdoptPods') return 'adopt ';
  return outcome.kind === 'DisownPods' ? 'disown ' : null;
}

function countsText({
  active = 0,
  ready = 0,
  terminating = 0,
  succeeded = 0,
  failed = 0,
}: JobStatus): string {
  return countsIn(`a${active} r${ready} t${terminating} s${succeeded} f${failed}`);
}

function countsIn(message: string): string {
  const counts = new Map(
    [...message.matchAll(/([arstf])(\d+)/g)].map(([, letter, count]) => [letter, count]),
  );
  return ['a', 'r', 't', 's', 'f'].map((letter) => `${letter}${counts.get(letter) ?? 0}`).join(' ');
}

function conditionTexts({ conditions = [] }: JobStatus): string[] {
  return conditions
    .filter(isOwnCondition)
    .map(
      ({ type, status, reason, message }) =>
        `${type}${status === 'True' ? '' : `=${status}`}(${reason}): ${message}`,
    );
}

/** As stored, unless the row says otherwise. */
function startTimeIn(row: Row): string | undefined {
  if (row.startTime === undefined) return storedIn(row)?.startTime;
  return row.startTime === 'now' ? at(0) : undefined;
}

/** How many status writes reached the server. */
function countPuts({ answers }: Done): number {
  return answers.filter((outcome) => outcome.kind === 'WriteStatus' && outcome.result === 'written').length;
}

/** W2: a pod loses its finalizer before a write counts it, unless it still runs and fails with the Job. */
function isReleasedFirst(
  { data: { commands } }: JobDecided,
  failsWithJob: (uid: string) => boolean,
): boolean {
  const write = commands.findIndex(({ kind }) => kind === 'WriteStatus');
  const command = commands[write];
  if (command?.kind !== 'WriteStatus') return true;
  const released = commands
    .slice(0, write)
    .flatMap((each) => (each.kind === 'ReleasePods' ? each.pods.map(({ uid }) => uid) : []));
  return [...command.counted.succeeded, ...command.counted.failed].every(
    (uid) => released.includes(uid) || failsWithJob(uid),
  );
}

/** Indexes of created pods. */
function createdBy({ decisions }: Done): string {
  const pods = decisions.flatMap(({ data }) =>
    data.commands.flatMap((each) => (each.kind === 'CreatePods' ? each.pods : [])),
  );
  return formatIndexes(toIndexes(pods.flatMap(({ index }) => index ?? [])));
}

describe.each(ROWS)('the decision in the situation $id, $name ($rules),', (row) => {
  const { conditions = [], events, lookAgain, puts = 1 } = row;
  let cluster: ModelCluster;
  let known: Map<string, PodState>;
  let done: Done;
  let status: JobStatus;

  // Made again for each test, so that coverage of the core can be attributed to tests.
  beforeEach(async () => {
    cluster = await situation(row);
    known = new Map(Object.entries(cluster.workflow.state.pods));
    done = await sync(cluster, row);
    status = (row.first === true ? cluster.api.statusWrites[0] : cluster.api.job?.status) ?? {};
  });

  it(`changes these pods: ${row.commands === '' ? 'nothing' : row.commands}`, () => {
    expect(doneBy(done)).toBe(row.commands);
    expect(createdBy(done)).toBe(row.creates ?? '');
  });

  it(`writes the status ${countsIn(row.status)} ${conditions.join(' ')}`, () => {
    expect(countsText(status)).toBe(countsIn(row.status));
    expect(conditionTexts(status)).toEqual(conditions.map((each) => `${each}: ${row.message}`));
    expect(status.completedIndexes ?? '').toBe(row.completed ?? '');
    expect(status.failedIndexes).toBe(row.failed);
    expect(status.startTime).toBe(startTimeIn(row));
    const isComplete = conditions.some((each) => each.startsWith('Complete('));
    expect(status.completionTime).toBe(isComplete ? at(0) : undefined);
  });

  it(`sends ${puts} PUT requests after the removal of finalizers`, () => {
    expect(countPuts(done)).toBe(puts);
    const isLive = (uid: string): boolean => {
      const phase = cluster.workflow.state.pods[uid]?.phase ?? known.get(uid)?.phase ?? 'Running';
      return phase === 'Running' || phase === 'Pending';
    };
    expect(done.decisions.every((decision) => isReleasedFirst(decision, isLive))).toBe(true);
  });

  it(`sends ${events.length === 0 ? 'no Events' : events.join(', ')}`, () => {
    expect(done.decisions.flatMap(eventReasons)).toEqual(events);
  });

  it(`checks again ${lookAgain === null ? 'only after a new fact' : `after ${lookAgain} s`}`, () => {
    const decided = row.first === true ? done.decisions[0]?.data : cluster.workflow;
    expect(decided?.nextDecisionAt).toBe(lookAgain === null ? null : START + lookAgain * 1000);
  });
});

function eventReasons({ data }: JobDecided): string[] {
  return data.commands.flatMap((each) =>
    each.kind === 'EmitEvents'
      ? each.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)
      : [],
  );
}

describe('the decision table', () => {
  it('has every row of section 13, or gives a reason for its absence', () => {
    const covered = new Set([...ROWS.map(({ id }) => id), ...Object.keys(NOT_APPLICABLE)]);
    const sections: [number, number][] = [
      [1, 25],
      [30, 48],
      [50, 75],
      [80, 101],
      [110, 116],
      [120, 134],
    ];
    const all = sections.flatMap(([from, to]) =>
      Array.from({ length: to - from + 1 }, (_none, place) => `D-${from + place}`),
    );
    expect(all.filter((id) => !covered.has(id))).toEqual([]);
  });

  it('covers every reason of the conditions that Jobledger sets (J-1.24)', () => {
    const reasons = ROWS.flatMap(({ conditions = [] }) =>
      conditions.map((each) => /\((.*)\)/.exec(each)?.[1]),
    );
    expect(reasons).toEqual(
      expect.arrayContaining([
        'PodFailurePolicy',
        'BackoffLimitExceeded',
        'DeadlineExceeded',
        'MaxFailedIndexesExceeded',
        'FailedIndexes',
        'SuccessPolicy',
        'CompletionsReached',
        'JobSuspended',
        'JobResumed',
      ]),
    );
  });

  afterAll(() => {
    const left = Object.keys(NOT_APPLICABLE).length;
    process.stdout.write(
      `decision table: ${new Set(ROWS.map(({ id }) => id)).size} rows, ${left} do not apply\n`,
    );
  });
});
