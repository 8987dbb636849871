import { Option, type Command } from 'commander';
import { CURRENT } from '../../../../workflows/cores/cores.ts';
import { createStreamVerifier } from '../../../../workflows/history/verify/verify-stream.ts';
import { InputError } from '../../../adapters/errors.ts';
import { instantArgument } from '../../instant-option.ts';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { kafkaOf, readLedger } from '../../ledger/read-ledger.ts';
import { createStreams } from '../../ledger/streams.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, writeJson, type OutputOption } from '../../output.ts';
import { reportOf, reportText } from './report.ts';

interface VerifyOptions extends JobOptions, StateDirOption, OutputOption {
  readonly all: boolean;
  readonly since?: number;
  readonly core?: 'current';
}

export function registerVerify(program: Command): void {
  const command = program
    .command('verify')
    .description('repeat every recorded decision from the ledger alone, and compare the results bit for bit')
    .argument('[jobs...]', JOB_ARGUMENT)
    .option('--all', 'every Job in the ledger', false)
    .option(
      '--since <time>',
      'only decisions at or after this instant, for example 2026-11-21T03:12:00Z; earlier events are still folded',
      instantArgument('--since'),
    )
    .addOption(
      new Option(
        '--core <core>',
        'repeat them with the current core instead of the one that made each, to see what it would decide differently',
      ).choices(['current']),
    );
  stateDirOption(outputOption(jobOptions(command), 'print the result as JSON')).action(verify);
}

async function verify(names: readonly string[], options: VerifyOptions): Promise<void> {
  if (options.all === names.length > 0) throw new InputError('name the Jobs to verify, or give --all');
  const wanted = options.all ? null : names.map((name) => wantedJob(name, options));
  const checks = {
    ...(options.since !== undefined && { since: options.since }),
    ...(options.core === 'current' && { core: CURRENT }),
  };
  const streams = createStreams(wanted, () => createStreamVerifier(checks));
  const unreadable = await readLedger(kafkaOf(options), streams.add);
  const report = reportOf(streams.chosen(), unreadable);
  if (options.output === 'json') writeJson(report);
  else write(reportText(report));
  if (report.findings.length > 0) process.exitCode = 1;
}
