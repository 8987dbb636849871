import { InvalidArgumentError, Option, type Command } from 'commander';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import type { JobFilter } from '../../../services/read-model/queries/jobs.ts';
import { selectorIn, type Requirement } from '../../../services/read-model/queries/label-selector.ts';
import {
  GROUPINGS,
  JOBS_ORDERS,
  type Grouping,
  type JobsOrder,
} from '../../../services/read-model/shown/job-lists.ts';
import { STATUSES, type Status } from '../../../services/read-model/shown/statuses.ts';
import { sinceArgument } from '../../instant-option.ts';
import { jobOptions, type ArgumentKind, type JobOptions } from '../../job-argument.ts';
import { limitArgument } from '../../limit-option.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import type { JobsWanted } from '../../sources/row-source.ts';
import type { Format } from './row-printer.ts';

export interface GetOptions extends JobOptions, ConnectionOptions {
  readonly allNamespaces: boolean;
  readonly selector?: readonly Requirement[];
  readonly status?: readonly Status[];
  readonly sortBy?: JobsOrder;
  readonly since?: number;
  readonly groupBy?: Grouping;
  readonly watch: boolean;
  readonly deleted: boolean;
  readonly members: boolean;
  readonly limit: number;
  readonly output?: Format;
}

/** Adds the options of `get` to the command. */
export function getOptions(command: Command): Command {
  command
    .option('-A, --all-namespaces', 'list the objects of all namespaces (the default)', false)
    .option(
      '-l, --selector <selector>',
      'list the objects whose labels match, such as "team=a,tier in (web, db),!old"; may be repeated',
      collectRequirements,
    )
    .option(
      '--status <statuses>',
      `list Jobs in these statuses, separated by commas: ${STATUSES.join(', ')}`,
      parseStatuses,
    )
    .addOption(
      new Option('--sort-by <order>', 'the order of Jobs; a minus sign reverses it').choices(JOBS_ORDERS),
    )
    .option(
      '--since <time>',
      'list Jobs that were created since then: 12h or 7d before now, or an instant such as 2026-11-21T20:00:00Z',
      sinceArgument('--since'),
    )
    .addOption(
      new Option('--group-by <property>', 'count the matching Jobs by what they have in common').choices(
        GROUPINGS,
      ),
    )
    .option('-w, --watch', 'keep running, and print changes', false)
    .option('--deleted', 'also list deleted Jobs; for a name, every Job that ever had it', false)
    .option('--members', 'also list the members of placed Jobs, in the clusters where these run', false)
    .option('--limit <count>', 'list at most this many, the newest Jobs first', limitArgument, 500)
    .addOption(
      new Option('-o, --output <format>', 'wide: more columns; name: the names only').choices([
        'wide',
        'yaml',
        'json',
        'name',
      ]),
    );
  return connectionOptions(jobOptions(command));
}

/** @throws InputError for options that do not fit together, or that a list or names do not have. */
export function requireListOptions(options: GetOptions, kind: ArgumentKind, isList: boolean): void {
  const { uid, allNamespaces, selector, status, sortBy, since, groupBy, members } = options;
  if (isList && uid !== undefined) throw new InputError('--uid identifies one Job: also give its name');
  const filters = {
    '--all-namespaces': allNamespaces || undefined,
    '--selector': selector,
    '--status': status,
    '--sort-by': sortBy,
    '--since': since,
    '--group-by': groupBy,
    '--members': members || undefined,
  };
  const used = Object.entries(filters).flatMap(([flag, value]) => (value === undefined ? [] : [flag]));
  if (!isList && used.length > 0)
    throw new InputError(`${used.join(' and ')}: for lists only; leave out the names`);
  if (kind === 'cronjob' && (members || (status ?? sortBy ?? since ?? groupBy) !== undefined))
    throw new InputError(
      '--status, --sort-by, --since, --group-by and --members are for Jobs; CronJobs are listed by name',
    );
  if (groupBy !== undefined && (sortBy !== undefined || options.watch))
    throw new InputError('--group-by counts Jobs once: leave out --sort-by and --watch');
}

/** The filter of a list of Jobs or CronJobs. */
export function toFilter({ namespace, cluster, selector, deleted, members, limit }: GetOptions): JobFilter {
  return { namespace, cluster, selector, deleted, members, limit };
}

/** The filter of a list of Jobs, with their order. Jobs of the status Deleted are deleted. */
export function wantedJobs(options: GetOptions): JobsWanted {
  const deleted = options.deleted || options.status?.includes('Deleted') === true;
  return {
    ...toFilter(options),
    deleted,
    statuses: options.status,
    order: options.sortBy,
    createdFrom: options.since === undefined ? undefined : new Date(options.since).toISOString(),
  };
}

function collectRequirements(text: string, before: readonly Requirement[] = []): readonly Requirement[] {
  try {
    return [...before, ...selectorIn(text)];
  } catch (error) {
    throw new InvalidArgumentError(errorMessage(error));
  }
}

/** The format may be in upper or lower case. */
function parseStatuses(text: string): readonly Status[] {
  return text.split(',').map((each) => {
    const word = STATUSES.find((status) => status.toLowerCase() === each.trim().toLowerCase());
    if (word === undefined) throw new InvalidArgumentError(`the statuses are ${STATUSES.join(', ')}`);
    return word;
  });
}
