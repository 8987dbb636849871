import { pino } from 'pino';
import { NewerRecordError } from '../../services/adapters/events/unreadable-record.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { reportStopped } from '../../services/adapters/metrics/stopped-partitions.ts';
import { samplesIn, findSamples } from '../support/metrics.ts';

describe('a partition that is stopped at a record of a newer version', () => {
  it('is reported in the log and, until the next assignment, in a metric', async () => {
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line) => void lines.push(line) });
    const metrics = createMetrics();
    const report = reportStopped(metrics, { reader: 'dispatcher', topic: 'ledger', log });
    const shown = async (): Promise<Record<string, number>> =>
      findSamples(samplesIn(await metrics.text()), 'jobledger_stopped_partitions');
    report.onAssigned([2, 5]);
    report.onStopped(5, new NewerRecordError('offset 8: job.lost.v1 is not known'));
    expect(await shown()).toEqual({
      '{partition="2",reader="dispatcher"}': 0,
      '{partition="5",reader="dispatcher"}': 1,
    });
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        level: 50,
        reader: 'dispatcher',
        topic: 'ledger',
        partition: 5,
        error: 'offset 8: job.lost.v1 is not known',
        msg: 'the dispatcher stops reading this partition: a newer version of Jobledger wrote the next record; start that version of the dispatcher, which continues from here',
      },
    ]);
    report.onAssigned([5]);
    expect(await shown()).toEqual({ '{partition="5",reader="dispatcher"}': 0 });
  });
});
