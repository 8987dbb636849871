import { describe, expect, it } from '@jest/globals';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { CronDecisionContent, CronJobDecided, CronJobEvent } from '../../workflows/cron-job/events.ts';
import { decisionId } from '../../workflows/decision/decision-id.ts';
import { JOB_CORES } from '../../workflows/cores/cores.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { addEarlierCore } from '../support/core-before.ts';
import { aWorld, finish, observeJob, putJob, runUntil, time, work, type World } from '../cron-job/world.ts';
import { aRecordedJob } from './a-stream.ts';

/** A CronJob in Berlin with three starts, the first of which has ended. */
function aPlayedWorld(): World {
  const world = aWorld({ schedule: '*/10 * * * *', timeZone: 'Europe/Berlin' }, '2026-03-01T12:00:00Z');
  runUntil(world, time('2026-03-01T12:11:00Z'));
  finish(world, world.starts[0]?.name ?? '');
  runUntil(world, time('2026-03-01T12:31:00Z'));
  return world;
}

function findingTexts(stream: readonly LedgerEvent[]): string[] {
  return verifyStream(stream).findings.map(({ message }) => message);
}

/** The stream with its last decision changed, as `seal` leaves it. */
function withDecision(
  stream: readonly CronJobEvent[],
  change: (content: CronDecisionContent) => void,
  seal: (decision: CronJobDecided) => CronJobEvent,
): CronJobEvent[] {
  const last = stream.findLast((event) => event.type === 'cronjob.decided');
  if (last === undefined) throw new Error('no decision');
  const changed = structuredClone(last);
  change(changed.data);
  return stream.map((event) => (event === last ? seal(changed) : event));
}

function forged(decision: CronJobDecided): CronJobEvent {
  return withDigest({ ...decision, id: decisionId(decision.data.cronJobUid, decision.data) });
}

describe('the unchanged stream of a CronJob', () => {
  it('is verified: each decision is made again with the recorded rules of its time zone (J-9.4, J-9.33)', () => {
    const { stream } = aPlayedWorld();
    const decisions = stream.filter(({ type }) => type === 'cronjob.decided').length;
    expect(decisions).toBeGreaterThan(6);
    expect(verifyStream(stream)).toEqual({ decisions, unchecked: 0, findings: [] });
  });

  it('is verified by the newest core of CronJobs when the caller chooses a core for Jobs', () => {
    const { stream } = aPlayedWorld();
    expect(verifyStream(stream, { core: JOB_CORES.present })).toMatchObject({ unchecked: 0, findings: [] });
  });

  it('is verified when the verifier keeps only the latest decisions', () => {
    const { stream } = aPlayedWorld();
    const decisions = stream.filter(({ type }) => type === 'cronjob.decided').length;
    expect(verifyStream(stream, { dropsHistory: true })).toEqual({ decisions, unchecked: 0, findings: [] });
  });

  it('is verified when a decision folds more events than its own record can name', () => {
    const world = aWorld({ schedule: '@yearly' }, '2026-03-01T12:00:00Z');
    for (let at = 0; at < 1100; at += 1) observeJob(world, putJob(world, `other-${at}`));
    work(world);
    const parts = world.stream.filter(({ type }) => type === 'cronjob.folded');
    expect(parts).toHaveLength(2);
    expect(verifyStream(world.stream)).toMatchObject({ unchecked: 0, findings: [] });
    expect(findingTexts(world.stream.filter((event) => event !== parts[0]))[0]).toMatch(
      /^missing: decision .* names it$/,
    );
  });
});

describe('a damaged record in the stream of a CronJob', () => {
  it('is reported when the record was removed', () => {
    const { stream } = aPlayedWorld();
    const end = stream.find(
      (event) => event.type === 'job.observed' && event.data.object.status?.completionTime !== undefined,
    );
    expect(findingTexts(stream.filter((event) => event !== end))).toEqual([
      expect.stringMatching(/^missing: decision .* had folded it$/),
    ]);
  });

  it('is reported when its digest is the old digest, and when its digest was computed again', () => {
    const { stream } = aPlayedWorld();
    const last = (data: CronDecisionContent): void => void (data.now += 1);
    expect(findingTexts(withDecision(stream, last, (decision) => decision))[0]).toBe(
      'cronjob.decided was changed after it was recorded',
    );
    expect(findingTexts(withDecision(stream, last, (decision) => withDigest(decision)))[0]).toMatch(
      /^decision \d+ was changed after it was recorded: its id does not belong to its content$/,
    );
  });

  it('is reported when it is the outcome of a start', () => {
    const { stream } = aPlayedWorld();
    const changed = stream.map((event) =>
      event.type === 'outcome.recorded'
        ? withDigest<CronJobEvent>({ ...event, data: { ...event.data, attempt: 2 } })
        : event,
    );
    expect(findingTexts(changed)[0]).toMatch(/^an outcome was changed after it was recorded/);
  });
});

describe('the verification of an altered decision about a CronJob', () => {
  it('shows the first difference, the instant of the next start (J-9.45)', () => {
    const { stream } = aPlayedWorld();
    const later = (data: CronDecisionContent): void => void (data.nextDecisionAt = 7);
    const { findings, unchecked } = verifyStream(withDecision(stream, later, forged));
    expect(unchecked).toBe(0);
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^decision \d+ differs at nextDecisionAt$/),
    ]);
  });

  describe('when the decision names an unknown core', () => {
    addEarlierCore();

    it('does not make the decision again', () => {
      const { stream } = aPlayedWorld();
      const newer = (data: CronDecisionContent): void => void (data.core = '0');
      const { findings, unchecked } = verifyStream(withDecision(stream, newer, forged));
      expect(unchecked).toBe(1);
      expect(findings.map(({ type }) => type)).toEqual(['newer']);
    });
  });
});

it('one verifier verifies streams of Jobs and of CronJobs, each by a core of its kind', () => {
  for (const stream of [aRecordedJob(), aPlayedWorld().stream])
    expect(verifyStream(stream)).toMatchObject({ unchecked: 0, findings: [] });
});
