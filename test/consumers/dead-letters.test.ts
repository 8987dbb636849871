import { describe, expect, it } from '@jest/globals';
import { encodeEvent } from '../../services/adapters/events/event-codec.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import {
  deadLetterCounter,
  createSetAside,
  showLastOccurrence,
  type DeadLetter,
} from '../../services/consumers/dead-letters.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import { samplesIn } from '../support/metrics.ts';

const TOPICS = { ledger: 'ledger', deadLetters: 'ledger.dead-letters' };

function letter(offset: number, value: string, key = 'east/u1'): DeadLetter {
  return {
    record: { partition: 3, offset: BigInt(offset), key, value: Buffer.from(value) },
    reason: 'a bug',
  };
}

/** Sets these batches of letters aside: returns the messages that are written, and the letters that are opened. */
async function setAside(
  ...batches: DeadLetter[][]
): Promise<{ written: [offset: string, value: string | null][]; opened: string[] }> {
  const written: [string, string | null][] = [];
  const opened: string[] = [];
  const write = (_topic: string, messages: readonly object[]): Promise<void> => {
    for (const { value, headers } of messages as (Pick<LedgerRecord, 'value'> & {
      headers: { offset: string };
    })[])
      written.push([headers.offset, value?.toString() ?? null]);
    return Promise.resolve();
  };
  const keep = createSetAside({ write }, TOPICS, {
    by: 'dispatcher',
    onOpened: ({ record }) => opened.push(record.offset.toString()),
  });
  for (const batch of batches) await keep(batch);
  return { written, opened };
}

describe('records of one object that a reader cannot use', () => {
  it('become one dead letter with the first record, and for each later record a dead letter with only its position', async () => {
    expect(
      await setAside([letter(1, 'a'), letter(2, 'b')], [letter(3, 'c'), letter(4, 'd', 'east/u2')]),
    ).toEqual({
      written: [
        ['1', 'a'],
        ['2', null],
        ['3', null],
        ['4', 'd'],
      ],
      opened: ['1', '4'],
    });
  });

  it('become a new dead letter when the first record is retried and is still unusable', async () => {
    const { written, opened } = await setAside([letter(1, 'a'), letter(2, 'b')], [letter(9, 'a')]);
    expect(written.at(-1)).toEqual(['9', 'a']);
    expect(opened).toEqual(['1', '9']);
  });
});

describe('the metrics of dead letters', () => {
  const observed = (namespace: string): DeadLetter => {
    const event = { ...jobObserved(1, aJob({ version: 1 })), subject: `${namespace}/pi` };
    return letter(1, encodeEvent(event).value);
  };

  it('count every dead letter, and show the time of the last one', async () => {
    const before = Date.now() / 1000;
    const metrics = createMetrics();
    const count = deadLetterCounter(metrics);
    expect(samplesIn(await metrics.text()).get('jobledger_last_dead_letter_timestamp_seconds')).toBe(0);
    for (const each of [observed('a'), observed('b'), letter(1, '{')]) count(each);
    const shown = samplesIn(await metrics.text());
    expect(shown.get('jobledger_dead_letters_total')).toBe(3);
    expect(shown.get('jobledger_last_dead_letter_timestamp_seconds')).toBeGreaterThanOrEqual(before);
  });

  it('show the time of a further dead letter of the same namespace only after a day, and of another namespace at once', async () => {
    const metrics = createMetrics();
    let now = 1_000_000;
    const happened = showLastOccurrence(metrics, { name: 'last_seconds', help: 'When.' }, () => now);
    const shownAfter = async (namespace: string, at: number): Promise<number | undefined> => {
      now = at;
      happened(namespace);
      return samplesIn(await metrics.text()).get('last_seconds');
    };
    const hour = 3_600_000;
    expect(await shownAfter('east/a', hour)).toBe(3600);
    expect(await shownAfter('east/a', 2 * hour)).toBe(3600);
    expect(await shownAfter('east/b', 3 * hour)).toBe(3 * 3600);
    expect(await shownAfter('east/a', 24 * hour)).toBe(3 * 3600);
    expect(await shownAfter('east/a', 25 * hour)).toBe(25 * 3600);
    expect(await shownAfter('east/a', 26 * hour)).toBe(25 * 3600);
  });
});
