import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import type { EncodedEvent } from '../../services/adapters/events/event-codec.ts';
import { readEnds } from '../../services/adapters/kafka/scan.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { startLedger, type ALedger } from '../support/a-ledger.ts';
import { eventually } from '../support/eventually.ts';
import { samplesAt, findSamples } from '../support/metrics.ts';
import { listDifferences, jobledger, rebuildTables } from '../support/rebuild.ts';
import { topicBeside } from '../support/shared-servers/own-topics.ts';

let records: EncodedEvent[];
let first: EncodedEvent;
/** The newer record is the first record with a type of a newer version. */
let newer: EncodedEvent;
const WORDS = 'dev.jobledger.job.moved.v1 is unknown to this version of Jobledger: start a newer one';

let ledger: ALedger;
/** The projector has its metrics at this address. */
let metrics: string;
/** The newer record has this position. */
let place: { partition: number; offset: bigint };

beforeAll(async () => {
  records = [...(await generateLedger({ events: 400, days: 2, variants: 1 }))];
  [first] = records as [EncodedEvent];
  const value = first.value.replace(
    /"type":"dev\.jobledger\.[a-z.]+\.v1"/,
    '"type":"dev.jobledger.job.moved.v1"',
  );
  newer = { key: first.key, value };
  ledger = await startLedger();
  const port = await reservePorts(join(ledger.stateDir, 'ports.json'), ['projector-metrics']);
  metrics = `${LOOPBACK}:${port('projector-metrics')}`;
  await ledger.append(records);
  await ledger.start('projector', { JOBLEDGER_METRICS_ADDRESS: metrics });
  await ledger.applied();
  const before = await endsInKafka();
  await ledger.append([newer]);
  const ends = await endsInKafka();
  const [partition] = [...ends.keys()].filter((each) => ends.get(each) !== before.get(each)) as [number];
  place = { partition, offset: before.get(partition) ?? 0n };
  // All records are appended once more: repeats only move the positions.
  await ledger.append(records);
}, 120_000);

afterAll(() => ledger?.stop(), 60_000);

function endsInKafka(): Promise<Map<number, bigint>> {
  return readEnds(ledger.kafka, ledger.kafka.topics.ledger);
}

describe('a record of a newer version', () => {
  it('stops its partition in the projector and sets a metric, while other partitions continue and no record becomes a dead letter', async () => {
    const ends = await endsInKafka();
    await eventually('the other partitions are applied', 60, async () => {
      const at = await ledger.positions();
      const isDone = [...ends].every(
        ([partition, end]) => at.get(partition) === (partition === place.partition ? place.offset : end),
      );
      return isDone ? true : undefined;
    });
    await eventually('the metric shows it', 30, async () => {
      const stopped = findSamples(await samplesAt(metrics), 'jobledger_stopped_partitions{');
      const reported = Object.entries(stopped).filter(([, value]) => value === 1);
      return reported.length === 1 && reported[0]?.[0].includes(`partition="${place.partition}"`)
        ? true
        : undefined;
    });
    const { rows } = await ledger.client.query('select from jobledger.dead_letters');
    expect(rows).toEqual([]);
  }, 120_000);

  it('makes verify fail, which names the record and prints no result', async () => {
    const { exitCode, stdout, stderr } = await jobledger(ledger.environment, 'admin', 'verify', '--all');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe(
      `jobledger: partition ${place.partition}, offset ${place.offset} of the ledger: ${WORDS}\n`,
    );
  }, 60_000);

  it('does not prevent a rebuild from the earlier records, unless the tables already contain the newer record', async () => {
    const before = await rebuildTables(ledger.environment, '--check');
    expect({ exitCode: before.exitCode, differences: listDifferences(before) }).toEqual({
      exitCode: 0,
      differences: [],
    });
    await ledger.services.stop();
    // A projector of the newer version leaves such a position.
    const move = 'update jobledger.positions set next_offset = next_offset + $1 where partition = $2';
    await ledger.client.query(move, [1, place.partition]);
    const { exitCode, stderr } = await jobledger(ledger.environment, 'admin', 'rebuild');
    await ledger.client.query(move, [-1, place.partition]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`partition ${place.partition}, offset ${place.offset} of the ledger: ${WORDS}`);
  }, 60_000);

  it('makes an import fail before it appends an event, if the record is in the file or in the ledger', async () => {
    const file = join(ledger.stateDir, 'export.ndjson');
    const topic = topicBeside(ledger.environment, 'elsewhere.ledger');
    const elsewhere = { ...ledger.environment, JOBLEDGER_LEDGER_TOPIC: topic };
    writeFileSync(file, `${first.value}\n${newer.value}\n`);
    const refused = await jobledger(elsewhere, 'admin', 'import', file);
    expect(refused).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `jobledger: nothing was imported:\n  line 2: ${WORDS}\n`,
    });
    await expect(readEnds(ledger.kafka, topic)).rejects.toThrow('Kafka has no topic');

    const ends = await endsInKafka();
    writeFileSync(file, `${first.value}\n`);
    const ended = await jobledger(ledger.environment, 'admin', 'import', file);
    expect({ exitCode: ended.exitCode, stdout: ended.stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain(WORDS);
    expect(await endsInKafka()).toEqual(ends);
  }, 60_000);
});
