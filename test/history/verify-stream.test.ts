import { describe, expect, it } from '@jest/globals';
import { assert, nat, property } from 'fast-check';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import { outcomeId, decisionId } from '../../workflows/decision/decision-id.ts';
import type { DecisionContent, JobDecided, JobEvent } from '../../workflows/job/events.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { withSnapshots } from '../support/snapshots.ts';
import { aRecordedJob, aRecorder } from './a-stream.ts';
import { aJob, jobObserved, podObserved, aPod } from '../projector/builders.ts';

const MANAGED = { managedBy: 'jobledger.dev/job-controller' };

/** The stream with one event replaced. */
function withChange(
  stream: readonly JobEvent[],
  type: JobEvent['type'],
  change: (event: JobEvent) => JobEvent,
  which = 0,
): JobEvent[] {
  const target = stream.filter((event) => event.type === type).at(which);
  return stream.map((event) => (event === target ? change(structuredClone(event)) : event));
}

/** An event changed by an attacker who recomputes digests. */
function resealed(change: (data: never) => void): (event: JobEvent) => JobEvent {
  return (event) => {
    change(event.data as never);
    return withDigest(event);
  };
}

/** A decision changed by an attacker who recomputes its id as well. */
function forged(change: (data: DecisionContent) => void): (event: JobEvent) => JobEvent {
  return (event) => {
    const decision = event as JobDecided;
    change(decision.data);
    return withDigest({ ...decision, id: decisionId(decision.data.jobUid, decision.data) });
  };
}

/** An event changed by an attacker who leaves the digest. */
function digestKept(change: (data: never) => void): (event: JobEvent) => JobEvent {
  return (event) => {
    change(event.data as never);
    return event;
  };
}

function findingTexts(stream: readonly JobEvent[]): string[] {
  return verifyStream(stream).findings.map(({ event, message }) => `${event}: ${message}`);
}

describe('the recorded stream of a Job', () => {
  it('is verified, including superseded decisions', () => {
    expect(verifyStream(aRecordedJob())).toEqual({ decisions: 4, unchecked: 0, findings: [] });
  });

  it('is verified although it contains records twice', () => {
    const stream = aRecordedJob();
    assert(
      property(nat(stream.length - 1), nat(), (which, places) => {
        const again = stream
          .slice(which, which + 1)
          .map((event) => ({ ...event, time: '2027-01-01T00:00:00Z' }));
        const later = which + (places % (stream.length - which + 1));
        const twice = [...stream.slice(0, later), ...again, ...stream.slice(later)];
        expect(twice).toHaveLength(stream.length + 1);
        expect(verifyStream(twice)).toEqual({ decisions: 4, unchecked: 0, findings: [] });
      }),
    );
  });

  it('is verified wherever it is truncated', () => {
    const stream = aRecordedJob();
    for (let length = 0; length <= stream.length; length += 1) {
      const start = stream.slice(0, length);
      const decisions = start.filter(({ type }) => type === 'job.decided').length;
      expect(verifyStream(start)).toEqual({ decisions, unchecked: 0, findings: [] });
    }
  });

  it('is verified when it contains more folded events than one record can name', () => {
    const recorder = aRecorder();
    recorder.append(jobObserved(1, aJob({ version: 1, spec: MANAGED })));
    for (let version = 2; version < 1300; version += 1)
      recorder.append(podObserved(2, aPod({ name: 'foreign', version })));
    recorder.decide(3);
    expect(recorder.stream.filter(({ type }) => type === 'job.folded')).toHaveLength(2);
    expect(verifyStream(recorder.stream)).toMatchObject({ decisions: 1, findings: [] });
    const cut = recorder.stream.filter((event) => event.type !== 'job.folded' || event.data.part !== 1);
    expect(findingTexts(cut)).toEqual([expect.stringMatching(/folded.1: missing: .* names it$/)]);
  });

  it('is verified when it continues from a decision that is much older', () => {
    const recorder = aRecorder();
    const states: JobState[] = [];
    for (let version = 1; version <= 30; version += 1) {
      recorder.append(
        jobObserved(version, aJob({ version, spec: MANAGED, metadata: { generation: version } })),
      );
      recorder.decide(version);
      states.push(recorder.state);
    }
    recorder.state = states[2] ?? recorder.state;
    recorder.append(jobObserved(40, aJob({ version: 40, spec: { ...MANAGED, suspend: true } })));
    recorder.decide(41);
    expect(verifyStream(recorder.stream)).toMatchObject({ decisions: 31, unchecked: 0, findings: [] });
  });
});

describe('a changed record in the stream of a Job', () => {
  it('is reported when its digest was not changed', () => {
    const stream = withChange(
      aRecordedJob(),
      'job.observed',
      digestKept((data: { object: { spec: object } }) =>
        Object.assign(data.object.spec, { backoffLimit: 7 }),
      ),
    );
    expect(findingTexts(stream)).toEqual([
      'east/jobs/job-1/5: job.observed was changed after it was recorded',
    ]);
    expect(verifyStream(stream).unchecked).toBe(4);
  });

  it('is reported when its digest was recomputed', () => {
    const stream = withChange(
      aRecordedJob(),
      'job.observed',
      resealed((data: { object: { spec: object } }) => Object.assign(data.object.spec, { backoffLimit: 7 })),
    );
    expect(findingTexts(stream)).toEqual([
      expect.stringMatching(/^east\/jobs\/job-1\/5: changed since decision .*\/1\/.* had folded it$/),
      expect.stringMatching(/^east\/jobs\/job-1\/5: changed since decision .*\/1\/.* had folded it$/),
    ]);
  });

  it('is reported when it is an outcome', () => {
    const change = resealed((data: { outcome: { pods: object[] } }) =>
      Object.assign(data.outcome.pods[0] ?? {}, { uid: 'another' }),
    );
    const found = findingTexts(withChange(aRecordedJob(), 'outcome.recorded', change));
    expect(found[0]).toMatch(/an outcome was changed/);
    expect(found[1]).toMatch(/changed since decision/);
    const wellMade = (event: JobEvent): JobEvent => {
      const changed = change(event);
      if (changed.type !== 'outcome.recorded') return changed;
      return { ...changed, id: outcomeId(changed.data.decision, changed.data.command, changed.data) };
    };
    expect(findingTexts(withChange(aRecordedJob(), 'outcome.recorded', wellMade))[0]).toMatch(
      /missing: decision/,
    );
  });

  it('is reported when it is a decision with another instant, other settings or other commands', () => {
    const changes: ((data: never) => void)[] = [
      (data: { now: number }) => (data.now += 1),
      (data: { settings: object }) => Object.assign(data.settings, { maxPodsPerSync: 499 }),
      (data: { commands: object[] }) => data.commands.pop(),
    ];
    for (const change of changes) {
      const found = findingTexts(withChange(aRecordedJob(), 'job.decided', resealed(change), 1));
      expect(found).toEqual([expect.stringContaining('decision 1 was changed after it was recorded')]);
    }
  });

  it('is reported through the next decision when a decision was changed together with its id', () => {
    const change = forged((data) => (data.now += 1));
    const found = findingTexts(withChange(aRecordedJob(), 'job.decided', change, 1));
    expect(found.some((message) => message.includes('names it as its predecessor'))).toBe(true);
  });

  it('is reported when the record was removed', () => {
    const stream = aRecordedJob();
    const pod = stream.find(({ type }) => type === 'pod.observed');
    expect(findingTexts(stream.filter((event) => event !== pod))).toEqual([
      expect.stringMatching(/^east\/pods\/uid-.*: missing: decision .* had folded it$/),
    ]);
  });
});

describe('the verification of a decision that the core would now make differently', () => {
  it('shows the first difference, and continues with the next decisions', () => {
    const otherwise = forged((data) => (data.waiting = { rule: 'J-5.40', message: 'something else' }));
    const stream = withChange(aRecordedJob(), 'job.decided', otherwise, -1);
    const { findings, unchecked } = verifyStream(stream);
    expect(unchecked).toBe(0);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.message).toMatch(/differs at waiting/);
    expect(findings[0]?.context[0]).toContain('something else');
  });
});

describe('a decision of a core that this version does not have', () => {
  it('is reported but not made again, while earlier decisions are made again', () => {
    const stream = withChange(
      aRecordedJob(),
      'job.decided',
      forged((data) => (data.core = '99')),
      -1,
    );
    const id = stream.findLast(({ type }) => type === 'job.decided')?.id;
    const { decisions, unchecked, findings } = verifyStream(stream);
    expect({ decisions, unchecked }).toEqual({ decisions: 4, unchecked: 1 });
    expect(findings).toMatchObject([
      {
        type: 'newer',
        event: id,
        message: expect.stringMatching(
          /by core 99, which this version of Jobledger does not have: ask a newer one/,
        ),
      },
    ]);
  });
});

describe('the decisions after a given instant', () => {
  const stream = withChange(
    aRecordedJob(),
    'job.decided',
    forged((data) => (data.waiting = { rule: 'J-5.40', message: 'something else' })),
    -1,
  );
  const last = stream.findLast((event) => event.type === 'job.decided')?.data.now ?? 0;

  it('are made again in the verification from the state that the earlier decisions left', () => {
    const { decisions, unchecked, findings } = verifyStream(stream, { since: last });
    expect({ decisions, unchecked }).toEqual({ decisions: 1, unchecked: 0 });
    expect(findings).toEqual([expect.objectContaining({ type: 'different' })]);
  });

  it('are verified without the earlier decisions', () => {
    expect(verifyStream(stream, { since: last + 1 })).toEqual({ decisions: 0, unchecked: 0, findings: [] });
  });

  it('cannot be verified when earlier events are missing', () => {
    const cut = stream.filter(({ type }) => type !== 'job.observed');
    const { decisions, unchecked, findings } = verifyStream(cut, { since: last });
    expect({ decisions, unchecked }).toEqual({ decisions: 1, unchecked: 1 });
    expect(findings[0]).toMatchObject({ type: 'broken', message: expect.stringContaining('missing') });
  });
});

describe('a snapshot in a stream', () => {
  const stream = withSnapshots(aRecordedJob(), 6);

  it('is verified when the fold gives the same state, wherever the snapshot is', () => {
    expect(stream.filter(({ type }) => type === 'job.snapshotted').length).toBeGreaterThan(1);
    expect(verifyStream(stream)).toEqual({ decisions: 4, unchecked: 0, findings: [] });
  });

  it('is reported when it has another state', () => {
    const changed = withChange(
      stream,
      'job.snapshotted',
      resealed((data: { state: JobState }) => (data.state.nextOrdinal += 1)),
    );
    expect(findingTexts(changed)).toEqual([
      expect.stringMatching(
        /^.*\/snapshot\/.*: the snapshot after decision \d differs from the fold at nextOrdinal$/,
      ),
    ]);
  });

  it('is reported when it follows a missing decision', () => {
    const changed = withChange(
      stream,
      'job.snapshotted',
      resealed((data: { decision: string }) => (data.decision = 'another')),
    );
    expect(findingTexts(changed)).toEqual([
      expect.stringMatching(/^another: missing: the snapshot .* names it as its decision$/),
    ]);
  });

  it('is reported when its digest is not the digest of its content', () => {
    const changed = withChange(
      stream,
      'job.snapshotted',
      digestKept((data: { number: number }) => (data.number += 1)),
    );
    expect(findingTexts(changed)).toEqual([expect.stringMatching(/job.snapshotted was changed after/)]);
  });
});
