import { jobFacts } from '../../../../workflows/job/observe/compact.ts';
import type { CommandOf } from '../../../../workflows/job/commands.ts';
import { isOwnCondition } from '../../../../workflows/batch/conditions.ts';
import { replaceStatus } from '../replace-status.ts';
import type { OutcomeOf } from './outcome-of.ts';
import type { CommandContext } from './command-context.ts';

/** Writes the status of a Job. */
export async function writeStatus(
  context: CommandContext,
  command: CommandOf<'WriteStatus'>,
): Promise<OutcomeOf<'WriteStatus'>> {
  const written = await replaceStatus({ ...context, isOwn: isOwnCondition }, command);
  if (!('job' in written)) return { kind: 'WriteStatus', ...written };
  return { kind: 'WriteStatus', result: written.result, job: jobFacts(written.job) };
}
