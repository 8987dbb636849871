import type { Command } from 'commander';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { connectionOptions, needsApi, type ConnectionOptions } from '../../server/connection-options.ts';
import { withApiOr } from '../../sources/with-rows.ts';
import { createdSchema } from '../../../services/api/schemas/job.ts';
import { createdOutput, writeCreated, type CreatedOutput } from './created.ts';

interface RetryOptions extends JobOptions, ConnectionOptions {
  readonly newName?: string;
  readonly failedIndexes: boolean;
  readonly dryRun: boolean;
  readonly output?: CreatedOutput;
}

/** Adds the verb `retry`. */
export function registerRetry(program: Command): void {
  const command = program
    .command('retry')
    .description(
      'create a Job that does the work of an ended one again, with all of its indexes or only those that failed, through the API',
    )
    .argument('<job>', JOB_ARGUMENT)
    .option(
      '--new-name <name>',
      'name of the new Job (default: the name of the earlier Job and five characters)',
    )
    .option('--failed-indexes', 'run only those indexes of an Indexed Job that have not succeeded', false)
    .option('--dry-run', 'let the cluster validate the Job, and create nothing', false)
    .addOption(createdOutput());
  connectionOptions(jobOptions(command)).action(retryJob);
}

/** Asks the API to create a Job that does the work of an ended Job again. */
async function retryJob(argument: string, options: RetryOptions): Promise<void> {
  const { newName, failedIndexes, dryRun, output } = options;
  const { name, cluster, namespace, uid } = wantedJob(argument, options);
  await withApiOr(options, {
    api: async (api) => {
      const query = {
        cluster,
        namespace,
        uid,
        new_name: newName,
        failed_indexes: String(failedIndexes),
        dry_run: String(dryRun),
      };
      const path = `/v1/jobs/${encodeURIComponent(name)}/retry`;
      writeCreated(await api.post(path, query, undefined, createdSchema), output);
    },
    tables: () => Promise.reject(needsApi('retry', options)),
  });
}
