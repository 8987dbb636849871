import { describe, expect, it } from '@jest/globals';
import { createStreams } from '../../cli/ledger/streams.ts';
import { reportText, verifiedStreams, type Verified } from '../../cli/verbs/verify/report.ts';
import { createStreamVerifier } from '../../workflows/history/verify/verify-stream.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aWorld, runUntil, time } from '../cron-job/world.ts';
import { aRecordedJob } from '../history/a-stream.ts';
import { aJob, clusterGap, jobObserved } from '../projector/builders.ts';

/** A Job of the same name in another cluster, or later. */
function another(cluster: string, jobUid: string, creationTimestamp: string): JobEvent {
  const event = jobObserved(1, aJob({ version: 1, metadata: { uid: jobUid, creationTimestamp } }));
  return { ...event, id: jobUid, data: { ...event.data, cluster, jobUid } } as JobEvent;
}

function readStreams(events: readonly LedgerEvent[], ...names: string[]) {
  const streams = createStreams(names.length === 0 ? null : names.map((name) => ({ name })), () =>
    createStreamVerifier(),
  );
  for (const event of events) streams.add(event);
  return streams;
}

function verified(streams: Parameters<typeof verifiedStreams>[0], unreadable: number): Verified {
  return {
    decisions: verifiedStreams(streams, unreadable),
    placements: null,
    checkpoint: null,
    records: 10,
    seconds: 2,
  };
}

describe('the selection of streams of a ledger', () => {
  it('contains all streams by default, also the streams of clusters', () => {
    const streams = readStreams([...aRecordedJob(), clusterGap(1, 2)]).chosen();
    expect(reportText(verified(streams, 0))).toBe(
      '4 decisions of 1 Job repeated: no difference\n10 records read, in 2.0 s: 5 a second',
    );
    expect(streams).toHaveLength(2);
  });

  it('contains the stream of the newest Job with a given name', () => {
    const events = [
      another('east', 'new', '2026-05-02T00:00:00Z'),
      another('east', 'old', '2026-05-01T00:00:00Z'),
    ];
    expect(
      readStreams(events, 'pi')
        .chosen()
        .map(({ uid }) => uid),
    ).toEqual(['new']);
  });

  it('fails for a name that exists in two clusters', () => {
    const streams = readStreams([another('east', 'a', ''), another('west', 'b', '')], 'pi');
    expect(() => streams.chosen()).toThrow('choose one:\n  east/default/pi\n  west/default/pi');
  });

  it('fails for an unknown name', () => {
    expect(() => readStreams([], 'pi').chosen()).toThrow('the ledger has no Job named "pi"');
  });
});

describe('the stream of a CronJob among streams of Jobs', () => {
  function aCronJobNamedLikeTheJob(): LedgerEvent[] {
    const world = aWorld({}, '2026-03-01T12:00:00Z');
    runUntil(world, time('2026-03-01T12:01:10Z'));
    return world.stream.map((event) => ({ ...event, subject: 'default/pi' }));
  }

  it('is verified and counted like a stream of a Job', () => {
    const streams = readStreams([...aRecordedJob(), ...aCronJobNamedLikeTheJob()]).chosen();
    expect(streams.map(({ kind, name }) => [kind, name])).toEqual([
      ['job', 'pi'],
      ['cronjob', 'pi'],
    ]);
    expect(reportText(verified(streams, 0))).toContain(
      '7 decisions of 1 Job and 1 CronJob repeated: no difference',
    );
  });

  it('is selected by its kind and name, and the Job of the same name by its name', () => {
    const events = [...aCronJobNamedLikeTheJob(), ...aRecordedJob()];
    const wanted = createStreams([{ name: 'pi', kind: 'cronjob' }], () => createStreamVerifier());
    for (const event of events) wanted.add(event);
    expect(wanted.chosen()).toMatchObject([{ kind: 'cronjob', createdAt: '2026-03-01T12:00:00Z' }]);
    const child = events.find(({ type, data }) => type === 'job.observed' && 'cronJobUid' in data);
    for (const event of [child ?? []].flat()) wanted.add(event);
    expect(wanted.chosen()).toMatchObject([{ createdAt: '2026-03-01T12:00:00Z' }]);
    expect(readStreams(events, 'pi').chosen()).toMatchObject([{ kind: 'job' }]);
    const unknown = createStreams([{ name: 'tock', kind: 'cronjob' }], () => createStreamVerifier());
    expect(() => unknown.chosen()).toThrow('the ledger has no CronJob named "tock"');
  });
});

describe('the report of a verification', () => {
  it('names the changed record, and counts the decisions that depend on it', () => {
    const events = aRecordedJob().map((event) =>
      event.type === 'job.observed'
        ? { ...event, data: { ...event.data, jobUid: 'job-1', extra: 1 } }
        : event,
    );
    const text = reportText(verified(readStreams(events).chosen(), 2));
    expect(text).toMatch(
      /^east\/default\/pi: east\/jobs\/job-1\/5\n {2}job.observed was changed after it was recorded\n/,
    );
    expect(text).toMatch(
      /\n0 decisions of 1 Job repeated: 1 finding\n4 decisions not checked, because .*\n2 records .* skipped\n/,
    );
  });
});

describe('events without the name of their Job', () => {
  it('belong to the stream of the Job', () => {
    const events = aRecordedJob().map((event, index) =>
      event.type === 'pod.observed' || index === 0 ? { ...event, subject: 'default/' } : event,
    );
    const [stream, ...others] = readStreams(events, 'pi').chosen();
    expect(others).toEqual([]);
    expect(stream?.reader.result()).toEqual({ decisions: 4, unchecked: 0, findings: [] });
    expect(() => readStreams(events, 'other').chosen()).toThrow('the ledger has no Job named "other"');
  });
});
