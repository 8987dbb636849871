import { existsSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { JOB_CORES } from '../../../workflows/cores/cores.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import {
  publicKeyOption,
  trustedCheckpoint,
  type PublicKeyOption,
} from '../../checkpoint/trusted-checkpoint.ts';
import type { Checkpoint } from '../../checkpoint/checkpoint.ts';
import { sinceIn } from '../../instant-option.ts';
import { jobOptions, STREAM_ARGUMENT, wantedStream, type JobOptions } from '../../job-argument.ts';
import { openLedger } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { outputOption, write, type OutputOption } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { readAndVerify } from './read-and-verify.ts';
import { toReport, reportText } from './report.ts';

/** `--since`: an instant in milliseconds, or the file of a checkpoint. */
type Since = { at: number } | { checkpoint: string };

interface VerifyOptions extends JobOptions, StateDirOption, OutputOption, PublicKeyOption {
  readonly all: boolean;
  readonly since?: Since;
  readonly checkpoint?: string;
  readonly placements: boolean;
  readonly file?: string;
  readonly core?: 'current';
}

/** Adds the verb `verify`. */
export function registerVerify(program: Command): void {
  const command = program
    .command('verify')
    .description('repeat every recorded decision from the ledger alone, and compare the results bit for bit')
    .argument('[jobs...]', STREAM_ARGUMENT)
    .option('--all', 'verify every Job and CronJob in the ledger', false)
    .option(
      '--since <time or checkpoint>',
      'repeat only the decisions since an instant (for example 2026-11-21T03:12:00Z, or 12h or 7d before now) or since a checkpoint (a file), and compare the ledger with this checkpoint; earlier events are still folded',
      sinceArgument,
    )
    .option(
      '--checkpoint <file>',
      'compare the ledger with a checkpoint, and name records that were removed, changed or inserted before the checkpoint; without JOB and --all, verify repeats no decision',
    )
    .option(
      '--placements',
      'prove that placed Jobs ran in one cluster at a time, and list each overlap; without JOB and --all, verify repeats no decision',
      false,
    )
    .option('--file <export>', 'read a file written by "jobledger admin export" instead of the ledger')
    .addOption(
      new Option(
        '--core <core>',
        'repeat the decisions with the current core instead of the core that made each decision, to see which decisions would differ',
      ).choices(['current']),
    );
  const documented = outputOption(publicKeyOption(jobOptions(command)), 'print the result as JSON');
  stateDirOption(documented).action(verify);
}

/** Verifies the given streams, prints the report, and sets the exit status. */
async function verify(names: readonly string[], options: VerifyOptions): Promise<void> {
  const { all, since, core, placements, file } = options;
  const isOfDecisions = all || names.length > 0;
  if (all && names.length > 0) throw new InputError('name the Jobs to verify or give --all, but not both');
  const isOther = placements || options.checkpoint !== undefined;
  if (!isOfDecisions && (!isOther || since !== undefined || core !== undefined))
    throw new InputError('name the Jobs to verify, or give --all');
  if (
    file !== undefined &&
    (options.checkpoint !== undefined || (since !== undefined && 'checkpoint' in since))
  )
    throw new InputError(
      'a checkpoint belongs to the ledger, not to an export: leave out --file or the checkpoint',
    );
  const checkpoint = readCheckpoint(options);
  const verified = await readAndVerify(
    {
      source: file === undefined ? await openLedger(options) : { file },
      wanted: all ? 'all' : names.map((name) => wantedStream(name, options)),
      checks: {
        ...(since !== undefined && 'at' in since && { since: since.at }),
        ...(core === 'current' && { core: JOB_CORES.present }),
      },
      placements,
      checkpoint,
      isProvedBefore: since !== undefined && 'checkpoint' in since,
    },
    options,
  );
  const report = toReport(verified);
  if (options.output === 'json') writeJson(report);
  else write(reportText(verified));
  const { findings: ofDecisions, checkpoint: compared, placements: proof } = report;
  const findings = ofDecisions.length + (compared?.findings.length ?? 0) + (proof?.findings.length ?? 0);
  if (findings > 0) process.exitCode = 1;
}

/** Parses `--since`: the file of a checkpoint, an instant, or a duration before now. */
function sinceArgument(text: string): Since {
  const at = sinceIn(text);
  if (typeof at === 'number') return { at };
  if (existsSync(text)) return { checkpoint: text };
  throw new InputError(`--since: ${at.message}; no file (a checkpoint) has this name either`);
}

/** The checkpoint that the options name; null without one. */
function readCheckpoint({ checkpoint, since, publicKey }: VerifyOptions): Checkpoint | null {
  const before = since !== undefined && 'checkpoint' in since ? since.checkpoint : undefined;
  if (before !== undefined && checkpoint !== undefined)
    throw new InputError(
      '--since with a checkpoint already compares the ledger with the checkpoint: leave out --checkpoint',
    );
  const file = checkpoint ?? before;
  return file === undefined ? null : trustedCheckpoint(file, { publicKey });
}
