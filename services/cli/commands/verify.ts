import type { Command } from 'commander';
import { kafkaEnvironment, readConfig } from '../../adapters/config.ts';
import { InputError } from '../../adapters/errors.ts';
import { decodeEvent, UnreadableRecordError } from '../../adapters/event-codec.ts';
import { connectKafka, type KafkaConnection } from '../../adapters/kafka/connection.ts';
import { scan } from '../../adapters/kafka/scan.ts';
import { createLog } from '../../adapters/log.ts';
import { resolveAddresses } from '../addresses.ts';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../job-argument.ts';
import { stateDirOption, type StateDirOption } from '../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../output.ts';
import { reportOf, reportText } from '../verify/report.ts';
import { createStreams, type Streams } from '../verify/streams.ts';

interface VerifyOptions extends JobOptions, StateDirOption, OutputOption {
  readonly all: boolean;
}

export function registerVerify(program: Command): void {
  const command = program
    .command('verify')
    .description('make every recorded decision again, from the ledger alone, and compare it bit for bit')
    .argument('[jobs...]', JOB_ARGUMENT)
    .option('--all', 'every Job in the ledger', false);
  stateDirOption(outputOption(jobOptions(command), 'print what was found as JSON')).action(verify);
}

async function verify(names: readonly string[], options: VerifyOptions): Promise<void> {
  if (options.all === names.length > 0) throw new InputError('name the Jobs to verify, or say --all');
  const wanted = options.all ? null : names.map((name) => wantedJob(name, options));
  const streams = createStreams(wanted);
  const unreadable = await readLedger(kafkaOf(options), streams);
  const report = reportOf(streams.chosen(), unreadable);
  if (options.output === 'json') writeJson(report);
  else write(reportText(report));
  if (report.findings.length > 0) process.exitCode = 1;
}

function kafkaOf(options: StateDirOption): KafkaConnection {
  const { kafkaBrokers } = resolveAddresses(options);
  const log = createLog('cli');
  log.level = 'silent';
  return connectKafka(readConfig(kafkaEnvironment, { ...process.env, KAFKA_BROKERS: kafkaBrokers }), log);
}

/** Number of records that cannot be read. */
async function readLedger(connection: KafkaConnection, streams: Streams): Promise<number> {
  let unreadable = 0;
  await scan(connection, connection.topics.ledger, ({ value }) => {
    try {
      streams.add(decodeEvent(value));
    } catch (error) {
      if (!(error instanceof UnreadableRecordError)) throw error;
      unreadable += 1;
    }
  });
  return unreadable;
}
