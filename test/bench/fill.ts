import { parseArgs } from 'node:util';
import { readConfig, kafkaEnvironment, postgresEnvironment } from '../../services/adapters/config.ts';
import { InputError } from '../../services/adapters/errors.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { fillKafka, fillPostgres } from './ledger/fill.ts';
import { generateLedger } from './ledger/generate.ts';

/**
 * `npm run fill -- postgres|kafka [--events N] [--days N] [--seed N]`: writes a generated ledger into the tables of
 * DATABASE_URL with the projector's own code, or into the topic of KAFKA_BROKERS. `jobledger admin servers` prints both.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: 'string', default: '1000000' },
    days: { type: 'string', default: '35' },
    seed: { type: 'string', default: '1' },
  },
});
const ledger = await generateLedger({
  events: Number(values.events),
  days: Number(values.days),
  seed: Number(values.seed),
});
const log = createLog('fill');
const begin = performance.now();
const report = (events: number): void => {
  const seconds = (performance.now() - begin) / 1000;
  process.stdout.write(
    `${events} events in ${seconds.toFixed(1)} s: ${(events / seconds).toFixed(0)} a second\n`,
  );
};
if (positionals[0] === 'postgres')
  await fillPostgres(readConfig(postgresEnvironment), ledger, { log, report });
else if (positionals[0] === 'kafka') await fillKafka(readConfig(kafkaEnvironment), ledger, { log, report });
else throw new InputError('say where to: postgres or kafka');
