import { describe, expect, it } from '@jest/globals';
import { approvalEvent, approvedText, findWithheld } from '../../cli/verbs/approve/approval.ts';
import { InputError } from '../../services/adapters/errors.ts';
import { decodeEvent, encodeEvent, eventKey } from '../../services/adapters/events/event-codec.ts';
import { kindOfEvent } from '../../workflows/kinds.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aRecordedJob } from '../history/a-stream.ts';
import {
  aWithheldCronJob,
  aWithheldJob,
  aWithheldPlacedJob,
  BROKEN,
  withWithheld,
} from '../support/withheld-streams.ts';

function found(events: readonly LedgerEvent[]): ReturnType<typeof findWithheld> {
  return findWithheld('east/default/pi', { deletedAt: null, events }, events.at(-1)?.id);
}

function refusal(
  events: readonly LedgerEvent[],
  {
    deletedAt = null,
    seen = events.at(-1)?.id,
  }: { deletedAt?: string | null; seen?: string | undefined } = {},
): string {
  try {
    findWithheld('east/default/pi', { deletedAt, events }, seen);
  } catch (error) {
    // Exit status 2.
    return error instanceof InputError ? error.message : 'another error';
  }
  return 'none';
}

describe('the approval of a withheld decision (J-18.2)', () => {
  it.each([
    ['Job', aWithheldJob()],
    ['CronJob', aWithheldCronJob()],
    ['PlacedJob', aWithheldPlacedJob()],
  ])(
    'is recorded in the stream of the object, which is a %s, with the person and the approved decision',
    (kind, events) => {
      const withheld = found(events);
      const approval = approvalEvent(withheld, 'ann');
      expect(kindOfEvent(approval)?.name).toBe(kind);
      expect(eventKey(approval)).toBe(eventKey(withheld.decided));
      expect(approval.subject).toBe(withheld.decided.subject);
      const read = decodeEvent(encodeEvent(approval).value);
      expect(read).toEqual(approval);
      expect(kindOfEvent(read)?.core.compact(read)).toEqual({
        id: approval.id,
        digest: approval.digest,
        type: 'request.received',
        action: 'approve',
        by: 'ann',
        decisionNumber: (withheld.decided.data as { number: number }).number,
        broken: BROKEN,
      });
    },
  );

  it('prints the approved decision', () => {
    const events = aWithheldJob();
    const text = approvedText('east/default/pi', found(events), { by: 'ann', argument: 'pi' });
    expect(text).toBe(
      'east/default/pi: decision 2 approved by ann, although 2 pods would be created; "jobledger history pi" shows the next decisions',
    );
  });

  it('is refused when the last valid decision is not withheld', () => {
    expect(refusal(aRecordedJob())).toBe(
      'cannot approve a decision about east/default/pi: decision 3, the last one, is not withheld',
    );
    // A run that started again has made another decision instead of the withheld one.
    const events = aWithheldJob();
    const withheld = events.at(-1);
    if (withheld === undefined) throw new Error('there is a decision');
    const data = { ...withheld.data, now: Number.MAX_SAFE_INTEGER, waiting: null, broken: undefined };
    const instead = { ...withheld, id: 'instead', data } as unknown as LedgerEvent;
    expect(refusal([instead, ...events])).toContain('decision 2, the last one, is not withheld');
  });

  it('applies to the decision that the person has seen, while no later decision breaks another invariant', () => {
    const first = aWithheldJob();
    const events = withWithheld(first);
    const seen = first.at(-1)?.id;
    const stream = { deletedAt: null, events };
    expect(findWithheld('pi', stream, seen).decided.id).toBe(seen);
    expect(findWithheld('pi', stream, events.at(-1)?.id).decided.id).toBe(events.at(-1)?.id);
    const [effective, last] = [events.at(-2), events.at(-1)] as [LedgerEvent, LedgerEvent];
    const right = {
      ...effective,
      data: { ...effective.data, waiting: null, broken: undefined },
    } as unknown as LedgerEvent;
    const between = [
      ...events.slice(0, -2),
      { ...effective, id: 'seen', data: { ...effective.data, now: 0 } } as LedgerEvent,
    ];
    expect(refusal([...between, right, last], { seen: 'seen' })).toContain(
      'seen is not the withheld decision: decision 3, ',
    );
  });

  it('is refused for a decision that the person has not seen, and for a missing id', () => {
    const events = aWithheldJob();
    const { id } = events.at(-1) as LedgerEvent;
    // Of a Job of the same name, which was deleted.
    const elsewhere = id.replace('job-1', 'job-0');
    const withheld = `${id}, is withheld, because 2 pods would be created`;
    expect(refusal(events, { seen: elsewhere })).toBe(
      `cannot approve a decision about east/default/pi: ${elsewhere} is not the withheld decision: decision 2, ${withheld}`,
    );
    const stream = { deletedAt: null, events };
    expect(() => findWithheld('east/default/pi', stream, undefined)).toThrow(
      `cannot approve a decision about east/default/pi: name the decision with --decision: decision 2, ${withheld}`,
    );
  });

  it('is refused for a decision that was carried out because a person approved it', () => {
    const events = aWithheldJob();
    const carriedOut = events.at(-1) as LedgerEvent;
    const approved = { ...carriedOut, data: { ...carriedOut.data, waiting: null } } as LedgerEvent;
    expect(refusal([...events.slice(0, -1), approved])).toContain('is not withheld');
  });

  it('is refused for a deleted object, and for an object without decisions', () => {
    expect(refusal(aWithheldJob(), { deletedAt: '2026-03-01T12:00:00Z' })).toBe(
      'cannot approve a decision about east/default/pi: the object was deleted at 2026-03-01T12:00:00Z',
    );
    expect(refusal([])).toBe(
      'cannot approve a decision about east/default/pi: no decision about the object is recorded',
    );
  });
});

describe('the record of an approval', () => {
  const { decided, broken } = found(aWithheldCronJob());
  const approval = approvalEvent({ decided, broken }, 'ann');
  const withData = (data: object): string => encodeEvent({ ...approval, data } as LedgerEvent).value;

  it('must name the approved decision', () => {
    const { broken: _broken, ...data } = approval.data as unknown as { broken: unknown };
    expect(() => decodeEvent(withData(data))).toThrow(/request\.received with unusable data: broken: /);
  });

  it('about a CronJob is refused when its action is suspend, which only a Job can have', () => {
    expect(() => decodeEvent(withData({ ...approval.data, action: 'suspend' }))).toThrow(
      /request\.received with unusable data: action: /,
    );
  });
});
