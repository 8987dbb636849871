import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  CRON_JOBS_FROM_LEVEL,
  EVENT_TABLE,
  EVENT_TYPES,
} from '../../services/adapters/events/event-types.ts';
import {
  ANSWERS_FROM_LEVEL,
  GANG_SCHEDULING_FROM_LEVEL,
  PLACEMENT_FROM_LEVEL,
} from '../../services/adapters/events/feature-levels.ts';
import { CRON_JOB_CORES, JOB_CORES, type Core } from '../../workflows/cores/cores.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import { foldSteps } from '../../workflows/job/record/folding.ts';
import type { JobDecided, JobEvent } from '../../workflows/job/events.ts';
import { stepsOf } from '../../workflows/job/record/replay.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import { featuresOf } from '../baseline/features.ts';
import { cronStreamsOf, placedStreamsOf, streamsOf } from '../baseline/read-baseline.ts';
import { LANDED_VERSIONS } from '../support/landed-versions.ts';

/** While a baseline is recorded, nothing restores an API server, no answer of a start is lost, and nobody leaves a cluster. */
const NEVER_RECORDED = new Set(['cluster.restored', 'watch.passed', 'cluster.released', 'job.released']);

/** Those of placed Jobs are in a file of their own. */
const isOfPlacement = (type: string): boolean => /^(placement|member)\./.test(type);

const WITH_PLACED_JOBS = LANDED_VERSIONS.filter(({ featureLevel }) => featureLevel >= PLACEMENT_FROM_LEVEL);
const WITH_CRON_JOBS = LANDED_VERSIONS.filter(({ featureLevel }) => featureLevel >= CRON_JOBS_FROM_LEVEL);

describe.each(LANDED_VERSIONS)(
  'the ledger written by version $commit',
  ({ commit, core: coreVersion, featureLevel }) => {
    const streams = [...streamsOf(commit).values()];
    const decisions = streams.flat().filter((event) => event.type === 'job.decided');
    const core = JOB_CORES.of(coreVersion) ?? JOB_CORES.present;
    const features = new Set(streams.flatMap((stream) => [...featuresOf(stream)]));
    const having = (prefix: string): string[] => [
      ...new Set(
        [...features].filter((each) => each.startsWith(prefix)).map((each) => each.split(' ')[1] ?? ''),
      ),
    ];

    const hasGangs = featureLevel >= GANG_SCHEDULING_FROM_LEVEL;
    const hasCronJobs = featureLevel >= CRON_JOBS_FROM_LEVEL;
    const cronStreams = hasCronJobs ? [...cronStreamsOf(commit).values()] : [];
    const cronTypes = cronStreams.flat().map(({ type }) => type);

    it('contains every type of event of its feature level', () => {
      const types = EVENT_TYPES.filter(
        (type) =>
          (EVENT_TABLE[type]?.[0]?.level ?? 1) <= featureLevel &&
          !NEVER_RECORDED.has(type) &&
          !isOfPlacement(type),
      );
      expect([...new Set([...having('event '), ...cronTypes])].toSorted()).toEqual(types.toSorted());
    });

    it('contains every kind of command, each with its outcome', () => {
      const kinds = [
        'AdoptPods',
        'CreatePods',
        'DeleteJob',
        'DeletePods',
        'DisownPods',
        'EmitEvents',
        ...(hasGangs ? ['EnsureGang'] : []),
        'LookUpJob',
        'LookUpOrphans',
        'LookUpPods',
        'RefuseRequest',
        'ReleasePods',
        'SetSuspend',
        'WriteStatus',
      ];
      expect(having('command ').toSorted()).toEqual(kinds);
      const others = featureLevel >= ANSWERS_FROM_LEVEL ? ['skipped', 'stale'] : ['skipped'];
      expect(having('outcome ').toSorted()).toEqual([...kinds, ...others]);
    });

    it('contains every result of an outcome', () => {
      expect([...features].filter((each) => /^outcome \w+ (?!pod)/.test(each)).toSorted()).toEqual([
        'outcome DeleteJob done',
        'outcome DeleteJob failed',
        'outcome DeleteJob gone',
        'outcome DeleteJob kept',
        ...(hasGangs ? ['outcome EnsureGang done', 'outcome EnsureGang failed'] : []),
        // From then on it is stale when the Job is gone.
        ...(hasGangs && featureLevel < ANSWERS_FROM_LEVEL ? ['outcome EnsureGang gone'] : []),
        'outcome LookUpOrphans done',
        'outcome LookUpOrphans failed',
        'outcome SetSuspend done',
        'outcome SetSuspend failed',
        'outcome SetSuspend gone',
        'outcome WriteStatus conflict',
        'outcome WriteStatus failed',
        'outcome WriteStatus gone',
        'outcome WriteStatus written',
      ]);
    });

    it('contains every rule by which its core decides', () => {
      const text = readFileSync(`cores/core-${coreVersion}.js`, 'utf8');
      const rules = new Set(text.match(/J-\d+\.\d+/g));
      const shown = new Set([...features].flatMap((each) => each.match(/J-\d+\.\d+/) ?? []));
      expect([...rules].filter((rule) => !shown.has(rule))).toStrictEqual([]);
      expect(rules.size).toBeGreaterThan(25);
    });

    it('verifies: its core makes every decision again as recorded', () => {
      const results = streams.map((stream) => verifyStream(stream));
      expect(results.flatMap(({ findings }) => findings)).toStrictEqual([]);
      expect(results.reduce((sum, each) => sum + each.decisions, 0)).toBe(decisions.length);
      expect(results.reduce((sum, each) => sum + each.unchecked, 0)).toBe(0);
      expect(decisions.length).toBeGreaterThan(150);
    });

    it('is reproduced byte for byte: each decision that counts gets its recorded id', () => {
      const again = streams.flatMap((stream) => madeAgain(core, stream));
      expect(again.filter(({ id, recorded }) => id !== recorded)).toStrictEqual([]);
      expect(again.length).toBeGreaterThan(150);
    });
  },
);

describe.each(WITH_CRON_JOBS)('the CronJobs in the ledger written by version $commit', ({ commit }) => {
  const streams = [...cronStreamsOf(commit).values()];
  const decisions = streams.flat().filter((event) => event.type === 'cronjob.decided');

  it('show every kind of command, and every rule by which their core decides', () => {
    const commands = decisions.flatMap(({ data }) => data.commands);
    expect([...new Set(commands.map(({ kind }) => kind))].toSorted()).toEqual([
      'CreateJob',
      'DeleteJobs',
      'EmitEvents',
      'LookUpCronJob',
      'LookUpJobs',
      'ReplaceJobs',
      'WriteStatus',
    ]);
    expect(new Set(commands.map(({ why }) => why.rule)).size).toBeGreaterThan(5);
  });

  it('verify: their core makes every decision again as recorded, to the same byte', () => {
    const results = streams.map((stream) => verifyStream(stream));
    expect(results.flatMap(({ findings }) => findings)).toStrictEqual([]);
    expect(results.reduce((sum, each) => sum + each.decisions, 0)).toBe(decisions.length);
    expect(decisions.length).toBeGreaterThan(20);
    const again = streams.flatMap((stream) => cronMadeAgain(stream));
    expect(again.filter(({ id, recorded }) => id !== recorded)).toStrictEqual([]);
    expect(again.length).toBeGreaterThan(20);
  });
});

describe.each(WITH_PLACED_JOBS)('the placed Jobs in the ledger written by version $commit', ({ commit }) => {
  const streams = [...placedStreamsOf(commit).values()];
  const decisions = streams.flat().filter((event) => event.type === 'placement.decided');

  it('show how a Job is placed, follows, moves and ends', () => {
    const commands = decisions.flatMap(({ data }) => data.commands.map(({ kind }) => kind));
    const withGuards = commands.includes('RenewGuard') ? ['ReleaseGuard', 'RenewGuard'] : [];
    expect([...new Set(commands)].toSorted()).toEqual(
      [
        'ChangeMember',
        'CreateMember',
        'DeleteMember',
        'EmitEvents',
        'EndGrant',
        'HoldJob',
        'LookUpMember',
        'ReleaseJob',
        'WriteStatus',
        ...withGuards,
      ].toSorted(),
    );
  });

  it('verify: their core makes every decision again as recorded', () => {
    const results = streams.map((stream) => verifyStream(stream));
    expect(results.flatMap(({ findings }) => findings)).toStrictEqual([]);
    expect(results.reduce((sum, each) => sum + each.decisions, 0)).toBe(decisions.length);
    expect(results.reduce((sum, each) => sum + each.unchecked, 0)).toBe(0);
    expect(decisions.length).toBeGreaterThan(20);
  });
});

function cronMadeAgain(stream: readonly CronJobEvent[]): { id: string; recorded: string }[] {
  const core = CRON_JOB_CORES.ofLast(stream.filter((event) => event.type === 'cronjob.decided'));
  return [...foldSteps(stream, core)].map(({ decision, before, events }) => {
    const { cluster, cronJobUid, chain, now, settings } = decision.data;
    const state = core.fold(
      before,
      events.flatMap((event) => core.compact(event) ?? []),
    );
    const decider = { cluster, cronJobUid, subject: decision.subject, chain };
    const { decided } = core.decisionRecord(decider, state, core.decide(state, now, settings), now, settings);
    return { id: decided.id, recorded: decision.id };
  });
}

describe('a verification with a core that would decide differently', () => {
  const streams = [...streamsOf('169324a').values()];
  const core1 = JOB_CORES.of('1') ?? JOB_CORES.present;

  it('shows the one decision that differs', () => {
    const decisions = streams.flat().filter((event) => event.type === 'job.decided');
    const [first] = decisions.filter((event) => waitsBy(event, 'J-5.44'));
    const changed: Core = {
      ...core1,
      decide(state, now, settings) {
        const verdict = core1.decide(state, now, settings);
        return now === first?.data.now && verdict.waiting !== null
          ? { ...verdict, lookAgainAt: (verdict.lookAgainAt ?? 0) + 1 }
          : verdict;
      },
    };
    const findings = streams.flatMap((stream) => verifyStream(stream, { core: changed }).findings);
    expect(findings.map(({ type, event }) => ({ type, event }))).toStrictEqual([
      { type: 'different', event: first?.id },
    ]);
    expect(findings[0]?.words).toMatch(/^decision \d+ differs at lookAgainAt$/);
  });
});

function waitsBy({ data }: JobDecided, rule: string): boolean {
  return data.waiting?.rule === rule && data.lookAgainAt !== null;
}

function madeAgain(core: Core, stream: readonly JobEvent[]): { id: string; recorded: string }[] {
  return [...stepsOf(stream, core)].map(({ decision, before, events }) => {
    const { cluster, jobUid, chain, now, settings } = decision.data;
    const state = core.fold(
      before,
      events.flatMap((event) => core.compact(event) ?? []),
    );
    const decider = { cluster, jobUid, chain, subject: decision.subject };
    const { decided } = core.decisionRecord(decider, state, core.decide(state, now, settings), now, settings);
    return { id: decided.id, recorded: decision.id };
  });
}

describe('a decision of a core that this version does not have', () => {
  const streams = [...streamsOf('169324a').values()];
  const [stream = []] = streams.filter((each) => each.some(({ type }) => type === 'job.decided'));
  const last = stream.findLastIndex(({ type }) => type === 'job.decided');
  const newer = stream.map((event, at) => (at === last ? byCore(event, '99') : event));

  it('is not made again but named; earlier decisions are made again', () => {
    const { decisions: met, unchecked, findings } = verifyStream(newer, { seals: false });
    const id = stream[last]?.id;
    expect({ unchecked, findings: findings.map(({ type, event }) => ({ type, event })) }).toEqual({
      unchecked: 1,
      findings: [{ type: 'newer', event: id }],
    });
    expect(findings[0]?.words).toMatch(
      /by core 99, which this version of Jobledger does not have: ask a newer one/,
    );
    expect(met).toBeGreaterThan(1);
  });
});

function byCore(event: JobEvent, core: string): JobEvent {
  return event.type === 'job.decided' ? { ...event, data: { ...event.data, core } } : event;
}
