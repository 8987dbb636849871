import type { Command } from 'commander';
import { createAppender } from '../../../services/adapters/kafka/append.ts';
import { printableLine } from '../../../services/adapters/printable.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { StreamEvent } from '../../../workflows/kind.ts';
import { isDecision } from '../../../workflows/decision/stream.ts';
import { jobOptions, STREAM_ARGUMENT, wantedStream, type JobOptions } from '../../job-argument.ts';
import { openLedger } from '../../ledger/read-ledger.ts';
import type { WantedStream } from '../../ledger/streams.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { write } from '../../output.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { tableRows } from '../../sources/tables.ts';
import { thisUser } from '../../this-user.ts';
import { withDatabase } from '../../with-database.ts';
import { approvalEvent, approvedText, findWithheld, type Withheld } from './approval.ts';

interface ApproveOptions extends JobOptions, StateDirOption {
  readonly by?: string;
  readonly decision?: string;
}

/** Adds the verb `approve`. */
export function registerApprove(program: Command): void {
  const command = program
    .command('approve')
    .description(
      'let a withheld decision be carried out although it breaks invariants; prints the invariants, and approves only these',
    )
    .argument('<job>', STREAM_ARGUMENT)
    .option(
      '--decision <id>',
      'id of the withheld decision; without this option, the verb approves nothing, and prints the id and the broken invariants',
    )
    .option('--by <who>', 'user name to record in the ledger (default: the user of this machine)');
  stateDirOption(jobOptions(command)).action(approve);
}

/** Appends the approval of the withheld decision to the ledger, and prints it. */
async function approve(argument: string, options: ApproveOptions): Promise<void> {
  const by = thisUser(options.by);
  const wanted = wantedStream(argument, options);
  const { name, withheld } = await withDatabase(options, (run) =>
    lastWithheld(tableRows(run), wanted, options.decision),
  );
  const appender = await createAppender(await openLedger(options));
  try {
    await appender.append([approvalEvent(withheld, by)]);
  } finally {
    await appender.close();
  }
  write(printableLine(approvedText(name, withheld, { by, argument })));
}

/** The withheld decision of a Job or CronJob that the person has seen, with the object's name. */
async function lastWithheld(
  rows: RowSource,
  wanted: WantedStream,
  seen: string | undefined,
): Promise<{ name: string; withheld: Withheld }> {
  if (wanted.kind === 'cronjob') {
    const cronJob = await rows.cronJob(wanted);
    const name = `cronjob/${fullName(cronJob)}`;
    const events = await rows.cronJobEvents(cronJob);
    return { name, withheld: findWithheld(name, { deletedAt: cronJob.deleted_at, events }, seen) };
  }
  const job = await rows.job(wanted);
  const name = fullName(job);
  const events: StreamEvent[] = [];
  for await (const event of rows.events(job)) if (isDecision(event)) events.push(event);
  return { name, withheld: findWithheld(name, { deletedAt: job.deleted_at, events }, seen) };
}
