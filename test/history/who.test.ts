import { describe, expect, it } from '@jest/globals';
import { auditedIn } from '../../workflows/history/why/audited.ts';
import { isRefused } from '../../workflows/history/refused.ts';
import type { Why } from '../../workflows/history/why/types.ts';
import { why } from '../../workflows/history/why/why.ts';
import type { ApiRequestAudited, JobEvent, JobObserved } from '../../workflows/job/events.ts';
import { podName } from '../../workflows/job/definitions/pod-names.ts';
import { JOB_NAME, JOB_UID } from '../support/builders.ts';
import { anAuditedRequest } from './an-audited-request.ts';
import { aRecording, type Recording } from './a-recording.ts';

const FIRST = podName({ uid: JOB_UID, name: JOB_NAME }, 0);

function answerFor(events: readonly JobEvent[], pod?: string): Why {
  const answer = why(events, pod === undefined ? { about: 'job' } : { about: 'pod', pod });
  if (isRefused(answer)) throw new Error(answer.message);
  return answer;
}

function whoIn({ answers }: Why): Record<string, string> {
  return Object.fromEntries(
    answers
      .filter(({ question }) => question.startsWith('who '))
      .map(({ question, message }) => [question, message]),
  );
}

function goneIn({ answers }: Why): string | undefined {
  return answers.find(({ question }) => question === 'why it is gone')?.message;
}

/** Adds a request at the time of the last event, with the version that this shows. */
function requested(recording: Recording, members: Partial<ApiRequestAudited['data']>): void {
  const last = recording.events.findLast(
    ({ type }) => type.endsWith('.observed') || type.endsWith('.deleted'),
  );
  if (last === undefined) throw new Error('nothing was observed');
  const id = `a${recording.events.length}`;
  recording.events.push(anAuditedRequest(last, { receivedAt: last.time, auditId: id, ...members }));
}

function shownVersion(recording: Recording): string {
  const seen = recording.events.findLast((event): event is JobObserved => event.type === 'job.observed');
  return seen?.data.object.metadata.resourceVersion ?? '';
}

/** Created by ann, and suspended. */
function suspended(): Recording {
  const recording = aRecording();
  recording.job(0, { completions: 1 });
  requested(recording, { verb: 'create', by: 'ann', resourceVersion: shownVersion(recording) });
  recording.decides(0);
  recording.job(5, { suspend: true });
  return recording;
}

describe('the answer of the verb why about a Job of a cluster whose audit log Jobledger reads', () => {
  it('has the instant at which the API server received each request, although the record came later', () => {
    const recording = suspended();
    const receivedAt = '2026-03-01T12:00:04.500000Z';
    requested(recording, {
      by: 'bob',
      fields: ['spec.suspend'],
      resourceVersion: shownVersion(recording),
      receivedAt,
    });
    const events = recording.events.map((event) =>
      event.type === 'api-request.audited' && event.data.by === 'bob'
        ? { ...event, time: '2026-03-01T12:00:06.000Z' }
        : event,
    );
    const { causes } = answerFor(events);
    const request = causes.find(({ message }) => message.includes('bob'));
    expect(request?.at).toBe('2026-03-01T12:00:04.500Z');
  });

  it('names the users who created and suspended the Job as causes of the observations', () => {
    const recording = suspended();
    requested(recording, { by: 'bob', fields: ['spec.suspend'], resourceVersion: shownVersion(recording) });
    recording.decides(5);
    const answer = answerFor(recording.events);
    expect(whoIn(answer)).toEqual({ 'who created it': 'ann', 'who suspended it': 'bob' });
    expect(answer.causes.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['created by ann', 'patched by bob: spec.suspend']),
    );
  });

  it('reports that the user who suspended the Job is not recorded when the audit record was lost', () => {
    const recording = suspended();
    recording.decides(5);
    expect(whoIn(answerFor(recording.events))['who suspended it']).toBe('not recorded');
  });

  it('does not name the sender of a repeated change as its author when the first record was lost', () => {
    const recording = suspended();
    const version = shownVersion(recording);
    recording.decides(5);
    recording.job(7);
    requested(recording, { by: 'mallory', fields: ['spec.suspend'], resourceVersion: version });
    expect(whoIn(answerFor(recording.events))['who suspended it']).toBe('not recorded');
  });

  it('names the user of the first request when the responses of several requests have the same version', () => {
    const recording = suspended();
    const [resourceVersion, at] = [shownVersion(recording), recording.events.at(-1)?.time ?? ''];
    const earlier = new Date(Date.parse(at) - 20).toISOString();
    requested(recording, { by: 'mallory', resourceVersion });
    requested(recording, { by: 'bob', resourceVersion, receivedAt: earlier });
    expect(whoIn(answerFor(recording.events))['who suspended it']).toBe('bob');
  });

  it('names no user for a Job that a restore has lost, or has brought back', () => {
    const lost = suspended();
    lost.jobGone(9, 1);
    expect(whoIn(answerFor(lost.events))['who deleted it']).toBeUndefined();
    expect(goneIn(answerFor(lost.events))).toBe(
      'the API server was restored from an older copy, which lacks it',
    );
    const again = suspended();
    again.jobGone(9);
    requested(again, { verb: 'delete', by: 'carol' });
    again.job(20, {}, 1);
    expect(whoIn(answerFor(again.events))['who deleted it']).toBeUndefined();
    expect(goneIn(answerFor(again.events))).toBeUndefined();
  });

  it('names the user who deleted the Job, at once or while the Job waits for its finalizers', () => {
    const recording = suspended();
    recording.jobGone(9);
    requested(recording, { verb: 'delete', by: 'carol' });
    expect(whoIn(answerFor(recording.events))['who deleted it']).toBe('carol');
  });

  it('names no user for a suspension by Jobledger itself, because the cause of that suspension is a user request', () => {
    const recording = aRecording();
    recording.job(0, { completions: 1 });
    requested(recording, { verb: 'create', by: 'ann', resourceVersion: shownVersion(recording) });
    recording.decides(0);
    recording.asks(4, 'suspend');
    recording.decides(4);
    expect(whoIn(answerFor(recording.events))).toEqual({ 'who created it': 'ann' });
  });
});

describe('the answer of the verb why about a Job of a cluster without an audit log', () => {
  it('names no user', () => {
    expect(whoIn(answerFor(suspended().events.filter(({ type }) => type !== 'api-request.audited')))).toEqual(
      {},
    );
  });
});

describe('the answer of the verb why about a pod that a user deleted', () => {
  it('names the request as a cause of the end of the pod', () => {
    const recording = aRecording();
    recording.job(0, { completions: 1 });
    recording.decides(0);
    recording.pod(1, { ordinal: 0, created: 0 });
    recording.podGone(9, FIRST);
    const gone = recording.events.find((event) => event.type === 'pod.deleted');
    requested(recording, {
      resource: 'pods',
      uid: gone?.data.podUid ?? '',
      name: FIRST,
      verb: 'deletecollection',
      by: 'carol',
    });
    const { causes } = answerFor(recording.events, FIRST);
    expect(causes.map(({ about, message }) => `${about}: ${message}`)).toContain(
      `pod ${FIRST}: deleted, with all others that were selected, by carol`,
    );
  });
});

describe('the requests of a Job that was patched 20,000 times', () => {
  it('are found within a second', () => {
    const recording = aRecording();
    recording.job(0, { completions: 1 });
    const seen = recording.events.find((event): event is JobObserved => event.type === 'job.observed');
    if (seen === undefined) throw new Error('nothing was observed');
    const events = Array.from({ length: 20_000 }, (_, at): JobEvent[] => {
      const resourceVersion = `v${at}`;
      const metadata = { ...seen.data.object.metadata, resourceVersion };
      const object = { ...seen.data.object, metadata };
      const { id, ...request } = anAuditedRequest(seen, { receivedAt: seen.time, resourceVersion });
      return [
        { ...request, id: `${id}${at}` },
        { ...seen, data: { ...seen.data, object } },
      ];
    }).flat();
    const begun = performance.now();
    const of = auditedIn(events);
    expect(events.slice(0, 400).flatMap(of)).toHaveLength(200);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});
