import type { Fact, PodFacts } from '../../workflows/job/facts.ts';
import {
  openMailbox,
  addFact,
  recordOwnWrite,
  type Mailbox,
} from '../../services/dispatcher/mailboxes/mailbox.ts';

const ref = { cluster: 'east', uid: 'job-1', namespace: 'default', name: 'pi', kind: 'Job' as const };
const job = (resourceVersion: string, more: { generation?: number; active?: number } = {}): Fact => ({
  id: `job/${resourceVersion}`,
  digest: '',
  type: 'job.observed',
  job: {
    uid: 'job-1',
    namespace: 'default',
    name: 'pi',
    resourceVersion,
    generation: more.generation ?? 1,
    deleting: false,
    spec: { selector: {} },
    restartPolicy: 'Never',
    status: more.active === undefined ? {} : { active: more.active },
  },
});
const pod = (resourceVersion: string, more: Partial<PodFacts> = {}): Fact => ({
  id: `pod/${resourceVersion}`,
  digest: '',
  type: 'pod.observed',
  pod: {
    uid: 'pod-1',
    namespace: 'default',
    name: 'pi-x',
    resourceVersion,
    phase: 'Pending',
    createdAt: 0,
    tracked: true,
    controller: 'job-1',
    ...more,
  },
});

function after(...facts: [Fact, number][]): Mailbox {
  const mailbox = openMailbox(ref, { needsRecall: false, mayStart: true });
  facts.forEach(([fact, now], at) => addFact(mailbox, { fact, offset: BigInt(at), length: 100 }, now));
  return mailbox;
}

describe('a mailbox of the dispatcher', () => {
  it('is due at once after a new Job or a changed spec', () => {
    expect(after([job('1'), 1000]).dueAt).toBe(1000);
    const known = after([job('1'), 1000]);
    known.dueAt = null;
    addFact(known, { fact: job('2', { generation: 2 }), offset: 1n, length: 100 }, 5000);
    expect(known.dueAt).toBe(5000);
  });

  it('is not due after the appearance of a created pod, whose fact is sent with the next fact', () => {
    const mailbox = after([pod('2'), 1000]);
    expect(mailbox.dueAt).toBeNull();
    expect(mailbox.pending).toHaveLength(1);
  });

  it('is due at once after the first ended pod, and one second after its last signal for further ended pods', () => {
    const mailbox = after([pod('2'), 1000], [pod('3', { phase: 'Succeeded' }), 1200]);
    expect(mailbox.dueAt).toBe(1200);
    mailbox.lastSentAt = 1200;
    mailbox.dueAt = null;
    addFact(
      mailbox,
      { fact: { ...pod('4', { phase: 'Failed' }), id: 'other/4' }, offset: 2n, length: 100 },
      1300,
    );
    expect(mailbox.dueAt).toBe(2200);
  });

  it('is due one second after a pod has become ready, so that the end of a short-lived pod is sent with that fact (J-3.2)', () => {
    const mailbox = after([pod('2'), 1000], [pod('3', { phase: 'Running', ready: true }), 1200]);
    expect(mailbox.dueAt).toBe(2200);
    addFact(mailbox, { fact: pod('4', { phase: 'Running' }), offset: 2n, length: 100 }, 1900);
    expect(mailbox.dueAt).toBe(2200);
    addFact(mailbox, { fact: pod('5', { phase: 'Succeeded' }), offset: 3n, length: 100 }, 2000);
    expect(mailbox.dueAt).toBe(2000);
  });

  it('is due at once after a fact about a pod that the Job may have to adopt, release or replace', () => {
    const orphan = pod('3', { labels: { app: 'pi' } });
    const released = pod('3');
    if (orphan.type === 'pod.observed') delete orphan.pod.controller;
    if (released.type === 'pod.observed') delete released.pod.tracked;
    for (const fact of [orphan, released, pod('3', { deleting: true })])
      expect(after([pod('2'), 0], [fact, 1200]).dueAt).toBe(1200);
  });

  it('is due one second after a status of another client, and never after a status that Jobledger wrote', () => {
    const mailbox = after([job('1'), 0]);
    mailbox.pending = [];
    mailbox.dueAt = null;
    addFact(mailbox, { fact: job('2', { active: 1 }), offset: 1n, length: 100 }, 4000);
    expect(mailbox.dueAt).toBe(5000);
    recordOwnWrite(mailbox, '2', 4100);
    expect(mailbox.dueAt).toBeNull();
    recordOwnWrite(mailbox, '3', 6000);
    addFact(mailbox, { fact: job('3', { active: 2 }), offset: 2n, length: 100 }, 6000);
    expect(mailbox.dueAt).toBeNull();
  });

  it('is due for changes of pods no sooner than one second after the last status write of Jobledger, so that each write can be observed (J-3.2)', () => {
    const mailbox = after([pod('2'), 1000]);
    recordOwnWrite(mailbox, '7', 3000);
    addFact(mailbox, { fact: pod('3', { phase: 'Failed' }), offset: 1n, length: 100 }, 3400);
    expect(mailbox.dueAt).toBe(4000);
    recordOwnWrite(mailbox, '8', 3600);
    expect(mailbox.dueAt).toBe(4600);
  });

  it('is due at once after a changed spec, even if Jobledger has just written a status', () => {
    const mailbox = after([job('1'), 0]);
    mailbox.pending = [];
    addFact(mailbox, { fact: job('2', { generation: 2 }), offset: 1n, length: 100 }, 5000);
    recordOwnWrite(mailbox, '9', 5010);
    expect(mailbox.dueAt).toBe(5000);
  });
});

describe('after the restore of an API server from an older copy', () => {
  const inEpoch = (fact: Fact, epoch: number): Fact => ({ ...fact, epoch });

  it('the first fact of the new epoch is sent, although it has the version of the last write of Jobledger', () => {
    const mailbox = after([job('7'), 1000]);
    mailbox.dueAt = null;
    recordOwnWrite(mailbox, '8', 2000);
    addFact(mailbox, { fact: inEpoch(job('8', { active: 2 }), 1), offset: 1n, length: 100 }, 5000);
    expect(mailbox.dueAt).toBe(5000);
  });

  it('the urgency of a fact of the new epoch does not depend on facts of the old epoch', () => {
    const mailbox = after([job('7', { active: 1 }), 1000]);
    mailbox.dueAt = null;
    addFact(mailbox, { fact: inEpoch(job('5', { active: 1 }), 1), offset: 1n, length: 100 }, 5000);
    expect(mailbox.dueAt).toBe(5000);
  });
});

describe('the memory of a mailbox for sent facts', () => {
  const long = (version: number, length: number): Fact => {
    const fact = job(String(version));
    if (fact.type !== 'job.observed') throw new Error('no Job');
    const conditions = [{ type: 'Suspended', status: 'False', message: 'x'.repeat(length) }];
    return { ...fact, job: { ...fact.job, status: { conditions } } };
  };
  const kept = (length: number): { id: string }[] => {
    const mailbox = after([long(1, length), 1000]);
    mailbox.pending = [];
    mailbox.dueAt = null;
    for (let version = 2; version < 302; version += 1)
      addFact(mailbox, { fact: long(version, length), offset: BigInt(version), length }, 1000);
    expect(mailbox.dueAt).toBeNull();
    return mailbox.pending.map(({ fact }) => fact);
  };

  it('contains the last 200 facts while these are short', () => {
    expect(kept(10).map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, at) => `job/${at + 102}`));
  });

  it('stays bounded, however long the object is, and always contains the last fact', () => {
    const [medium, large] = [kept(50_000), kept(2_000_000)];
    expect(JSON.stringify(medium).length).toBeLessThan(1024 * 1024);
    expect(medium.at(-1)?.id).toBe('job/301');
    expect(large.map(({ id }) => id)).toEqual(['job/301']);
  });
});
