import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  createCodec,
  decodeEvent,
  storedEvent,
  encodeEvent,
  readEvent,
  withDigest,
} from '../../services/adapters/events/event-codec.ts';
import { NewerRecordError, UnreadableRecordError } from '../../services/adapters/events/unreadable-record.ts';
import { EVENT_TYPES } from '../../services/adapters/events/event-types.ts';
import {
  GATES,
  levelOfType,
  SUPPORTED_LEVELS,
  type Gate,
} from '../../services/adapters/events/feature-levels.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import type { ChildDeleted, ChildObserved } from '../../workflows/cron-job/events.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { isOfKind } from '../../workflows/ledger-event.ts';
import { aStory } from '../projector/story.ts';

/** A type as a later version of Jobledger may have it: from level 2 on the place is a field of its own. */
const later = createCodec({
  'job.moved': [
    { level: 1, data: z.object({ cluster: z.string(), jobUid: z.string(), to: z.string() }) },
    {
      level: 2,
      data: z.object({ cluster: z.string(), jobUid: z.string(), to: z.object({ node: z.string() }) }),
      upcast: (data) => ({ ...(data as object), to: { node: (data as { to: string }).to } }),
    },
  ],
});

function moved(to: unknown): JobEvent {
  const data = { cluster: 'east', jobUid: 'job-1', to };
  const time = '2026-03-31T23:59:00.000Z';
  const digest = computeDigest(data);
  const event = { id: 'm', type: 'job.moved', source: 'east', subject: 'default/pi', time, digest, data };
  return event as unknown as JobEvent;
}

function typeIn(text: string): string {
  return (JSON.parse(text) as { type: string }).type;
}

describe('an event whose type has a second version', () => {
  it('is written in the first version of its type until the feature level allows the second version', () => {
    expect([1, 2, 3].map((level) => later.versionToWrite('job.moved', level))).toEqual([1, 2, 2]);
    expect(typeIn(later.encode(moved('node-1'), 1).value)).toBe('dev.jobledger.job.moved.v1');
    expect(typeIn(later.encode(moved({ node: 'node-1' }), 2).value)).toBe('dev.jobledger.job.moved.v2');
  });

  it('is read in both versions at any feature level, in the newest form and with its recorded id and digest', () => {
    const [first, second] = [moved('node-1'), moved({ node: 'node-1' })];
    expect(first.digest).not.toBe(second.digest);
    const old = later.decode(later.encode(first, 1).value);
    expect(old).toEqual({
      event: { ...second, id: 'm', digest: first.digest, recorded: first.data },
      dataText: JSON.stringify(first.data),
      version: 1,
      level: 1,
    });
    expect(computeDigest(old.event.recorded)).toBe(first.digest);
    expect(later.decode(later.encode(second, 2).value)).toEqual({
      event: second,
      dataText: JSON.stringify(second.data),
      version: 2,
      level: 2,
    });
  });

  it('is read from a row of the tables in the same way as from the ledger', () => {
    const [first, second] = [moved('node-1'), moved({ node: 'node-1' })];
    expect(later.stored({ ...first, type_version: 1 })).toEqual({
      ...second,
      digest: first.digest,
      recorded: first.data,
    });
    expect(later.stored({ ...second, type_version: 2 })).toEqual(second);
  });

  it('is refused as too new, in a row of the tables, by a reader that knows only the first version of its type', () => {
    const second = moved({ node: 'node-1' });
    expect(() => storedEvent({ ...second, type_version: 2 })).toThrow(
      new NewerRecordError(
        'dev.jobledger.job.moved.v2 is unknown to this version of Jobledger: start a newer one',
      ),
    );
    expect(() => later.stored({ ...second, type_version: 3 })).toThrow(
      new NewerRecordError(
        'dev.jobledger.job.moved.v3 is newer than this version of Jobledger, which reads job.moved up to version 2: start a newer one',
      ),
    );
  });

  it('counts as broken when it lacks fields that its own version requires', () => {
    const { value } = later.encode(moved('node-1'), 2);
    expect(() => later.decode(value)).toThrow(UnreadableRecordError);
  });

  it('is refused as too new when its version is above the highest version that the reader knows, which is 1 or 2', () => {
    const { value } = later.encode(moved({ node: 'node-1' }), 2);
    expect(() => decodeEvent(value)).toThrow(
      new NewerRecordError(
        'dev.jobledger.job.moved.v2 is unknown to this version of Jobledger: start a newer one',
      ),
    );
    expect(() => later.decode(value.replace('.v2', '.v3'))).toThrow(
      new NewerRecordError(
        'dev.jobledger.job.moved.v3 is newer than this version of Jobledger, which reads job.moved up to version 2: start a newer one',
      ),
    );
  });
});

describe('the table of feature gates', () => {
  const gates: Record<string, Gate> = {
    notes: { from: 2, kind: 'event', turnsOn: 'notes', reason: 'unknown at level 1', types: ['cluster.gap'] },
    waits: { from: 3, kind: 'command', turnsOn: 'waits', reason: 'unknown at level 2' },
  };

  it('gives each event type its feature level, and level 1 to a type without a gate', () => {
    expect(levelOfType('cluster.gap', gates)).toBe(2);
    expect(levelOfType('job.observed', gates)).toBe(1);
  });

  it('has a gate for each level of this version above the lowest, and for no other level', () => {
    const { min, max } = SUPPORTED_LEVELS;
    const all: readonly Gate[] = Object.values(GATES);
    const levels = [...new Set(all.map(({ from }) => from))].toSorted((a, b) => a - b);
    expect(levels).toEqual(Array.from({ length: max - min }, (_none, at) => min + 1 + at));
  });
});

describe('the set of event types of this version', () => {
  it('has only types whose events are read back as written, at every feature level', () => {
    for (const event of aStory()) {
      expect(decodeEvent(encodeEvent(event).value)).toEqual(event);
      expect(decodeEvent(encodeEvent(event, 1).value)).toEqual(event);
    }
  });

  it('contains thirty-four types, each in its first version', () => {
    expect(EVENT_TYPES).toHaveLength(34);
    const types = new Set(aStory().map((event) => typeIn(encodeEvent(event).value)));
    expect([...types].every((type) => type.endsWith('.v1'))).toBe(true);
  });
});

describe('an event in the stream of a CronJob', () => {
  const of = { cluster: 'east', cronJobUid: 'c0ffee' };
  const metadata = { name: 'tick-1', namespace: 'default', uid: 'j1', resourceVersion: '7' };
  const envelope = { source: 'east', subject: 'default/tick', time: '2026-11-23T08:00:00.000Z' };
  const child = withDigest<ChildObserved>({
    ...envelope,
    id: 'east/job/j1/7/c0ffee',
    type: 'job.observed',
    data: {
      ...of,
      object: { metadata: { ...metadata, creationTimestamp: '2026-11-23T08:00:00Z' }, spec: {} },
    },
  });
  const deleted = withDigest<ChildDeleted>({
    ...envelope,
    id: 'east/job/j1/8/deleted/c0ffee',
    type: 'job.deleted',
    data: { ...of, childUid: 'j1', childName: 'tick-1', resourceVersion: '8', seen: true },
  });

  it('has the key of the CronJob, also when the event is about a Job', () => {
    expect(encodeEvent(child, 3).key).toBe('east/c0ffee');
    expect(decodeEvent(encodeEvent(child, 3).value)).toEqual(child);
    expect(decodeEvent(encodeEvent(deleted, 3).value)).toEqual(deleted);
    expect(isOfKind('CronJob', child)).toBe(true);
  });

  it('counts as broken when it lacks a field that its stream requires', () => {
    const { childUid: _childUid, ...data } = deleted.data;
    const { value } = encodeEvent({ ...deleted, data } as ChildDeleted, 3);
    expect(() => decodeEvent(value)).toThrow(/job\.deleted with unusable data: childUid: /);
    const ofNobody = encodeEvent({ ...child, data: { ...child.data, cronJobUid: undefined } } as never, 3);
    expect(() => decodeEvent(ofNobody.value)).toThrow(/job\.observed with unusable data: jobUid: /);
  });
});

describe('the decoder of ledger records', () => {
  const at = (value: string | null): Parameters<typeof readEvent>[0] => ({
    partition: 3,
    offset: 8n,
    value: value === null ? null : Buffer.from(value),
  });
  const [event] = aStory();
  if (event === undefined) throw new Error('the story has events');
  const { value } = encodeEvent(event);

  it('returns the event of a record', () => {
    expect(readEvent(at(value))).toEqual(event);
  });

  it.each([null, '{', '{}'])('returns null for a record with the unreadable value %j', (broken) => {
    expect(readEvent(at(broken))).toBeNull();
  });

  it('stops its reader with the position of the record when a newer version wrote the record', () => {
    const newer = value.replace(/\.v1"/, '.v9"');
    expect(() => readEvent(at(newer))).toThrow(NewerRecordError);
    expect(() => readEvent(at(newer))).toThrow(/^partition 3, offset 8 of the ledger: .*is newer than/);
  });
});
