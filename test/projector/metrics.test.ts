import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { batchCounter, deliveryCounter } from '../../services/projector/metrics.ts';
import { readRecords } from '../../services/projector/read-records.ts';
import { samplesIn, findSamples } from '../support/metrics.ts';
import { toRecords } from './real-postgres.ts';
import { aStory } from './story.ts';

const RECORDS = toRecords(aStory());

async function shownAfter(...portions: (typeof RECORDS)[]): Promise<Map<string, number>> {
  const metrics = createMetrics();
  const count = batchCounter(metrics);
  for (const records of portions)
    count({ partition: 0, first: 0n, next: BigInt(records.length), ...readRecords(records) }, 0.25);
  return samplesIn(await metrics.text());
}

describe('the metrics of a projector', () => {
  it('count the batches, with their records and their seconds', async () => {
    const shown = await shownAfter(RECORDS.slice(0, 4), RECORDS.slice(4));
    expect(shown.get('jobledger_projection_batch_records_sum')).toBe(RECORDS.length);
    expect(shown.get('jobledger_projection_batch_records_count')).toBe(2);
    expect(shown.get('jobledger_projection_batch_seconds_sum')).toBe(0.5);
  });

  it('count the read events by type', async () => {
    const read = findSamples(await shownAfter(RECORDS), 'jobledger_events_read_total{');
    expect(read['type="job.decided"}']).toBe(aStory().filter(({ type }) => type === 'job.decided').length);
    expect(Object.values(read).reduce((sum, count) => sum + count, 0)).toBe(RECORDS.length);
  });

  it('count deliveries and failures for each sink, also a sink without any', async () => {
    const metrics = createMetrics();
    const countSends = deliveryCounter(metrics);
    const { onDelivered, onFailed } = countSends('payments');
    countSends('search');
    for (const count of [onDelivered, onDelivered, onFailed]) count();
    const shown = samplesIn(await metrics.text());
    expect(findSamples(shown, 'jobledger_sink_deliveries_total{')).toEqual({
      'sink="payments"}': 2,
      'sink="search"}': 0,
    });
    expect(findSamples(shown, 'jobledger_sink_failures_total{')).toEqual({
      'sink="payments"}': 1,
      'sink="search"}': 0,
    });
  });
});
