import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { InvalidArgumentError, type Command } from 'commander';
import type { ApiCalls } from '../../../services/adapters/http/api-calls.ts';
import {
  InputError,
  JobledgerError,
  UnavailableError,
  errorMessage,
} from '../../../services/adapters/errors.ts';
import { connectionOptions, needsApi, type ConnectionOptions } from '../../server/connection-options.ts';
import { withApiOr } from '../../sources/with-rows.ts';
import { createdSchema } from '../../../services/api/schemas/job.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import { createdOutput, writeAsList, writeCreated, type Created, type CreatedOutput } from './created.ts';
import { manifestsIn, type PlacedManifest } from './manifests.ts';

interface SubmitOptions extends ConnectionOptions {
  readonly filename: readonly string[];
  readonly cluster?: string;
  readonly namespace?: string;
  readonly dryRun: boolean;
  readonly output?: CreatedOutput;
}

/** Adds the verb `submit`. */
export function registerSubmit(program: Command): void {
  const command = program
    .command('submit')
    .description(
      'create the Jobs of a manifest in a cluster, through the API; a Job without spec.managedBy gets jobledger.dev/job-controller, unless the services control those too (--claim all)',
    )
    .requiredOption(
      '-f, --filename <file>',
      'the manifest, YAML or JSON, or a directory of manifests; - for the standard input; may be repeated',
      filenames,
    )
    .option('--cluster <name>', 'the cluster (default: the only one)')
    .option('-n, --namespace <name>', 'namespace of the Jobs whose manifest names no namespace')
    .option('--dry-run', 'let the cluster validate the Jobs, and create nothing', false)
    .addOption(createdOutput());
  connectionOptions(command).action(submitJobs);
}

/** Creates the Jobs of the given manifests, and prints them. */
async function submitJobs(options: SubmitOptions): Promise<void> {
  const { filename, namespace, dryRun, output } = options;
  const texts: Awaited<ReturnType<typeof manifestTexts>> = [];
  for (const each of filename) texts.push(...(await manifestTexts(each)));
  const manifests = texts.flatMap(({ text, file }) => manifestsIn(text, file, namespace));
  await withApiOr(options, {
    api: async (api) => {
      const cluster = options.cluster ?? (await onlyCluster(api));
      // Sends all manifests to the API; a dry run only validates them.
      const postAll = (isDryRun: boolean): AsyncGenerator<Created> =>
        postEach(api, cluster, manifests, isDryRun);
      const isList = manifests.length > 1;
      // The cluster validates all Jobs before the API creates the first one.
      if (isList && !dryRun) await Array.fromAsync(postAll(true));
      if (isList && output === 'json') return writeAsList(postAll(dryRun));
      for await (const created of postAll(dryRun)) writeCreated(created, output);
    },
    tables: () =>
      Promise.reject(needsApi('submit', options, '; without an API, create the Job with kubectl')),
  });
}

/** Collects the values of `--filename`; the standard input may be given only once. */
function filenames(path: string, before: readonly string[] = []): readonly string[] {
  if (path === '-' && before.includes(path)) throw new InvalidArgumentError('give - only once');
  return [...before, path];
}

/** Creates the Jobs in turn; an error names the refused manifest, and lists the Jobs that were created and those that were not tried. */
async function* postEach(
  api: ApiCalls,
  cluster: string,
  manifests: readonly PlacedManifest[],
  isDryRun: boolean,
): AsyncGenerator<Created> {
  const path = `/v1/clusters/${encodeURIComponent(cluster)}/jobs`;
  const done: string[] = [];
  for (const { where, manifest } of manifests) {
    let created: Created;
    try {
      created = await api.post(path, { dry_run: String(isDryRun) }, manifest, createdSchema);
    } catch (error) {
      const left = manifests.slice(done.length + 1).map((each) => each.where);
      const others = isDryRun ? '; no Job was created' : othersText(done, left);
      throw withPlace(error, `${where}: `, manifests.length === 1 ? '' : others);
    }
    done.push(fullName(created));
    yield created;
  }
}

/** The text about the Jobs that were created before a refused Job, and those that were not tried. */
function othersText(created: readonly string[], left: readonly string[]): string {
  // The names, separated by commas; `none` without a name.
  const namesText = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
  return `; created before this Job: ${namesText(created)}; not tried after this Job: ${namesText(left)}`;
}

/** An error of the same class, whose message also names the refused manifest. */
function withPlace(error: unknown, before: string, after: string): unknown {
  const text = `${before}${errorMessage(error)}${after}`;
  if (error instanceof InputError) return new InputError(text);
  if (error instanceof UnavailableError) return new UnavailableError(text);
  return error instanceof JobledgerError ? new JobledgerError(text) : error;
}

/** The texts of a file, of the standard input, or of the manifests in a directory in the order of their names, without subdirectories. */
export async function manifestTexts(path: string): Promise<{ file: string; text: string }[]> {
  if (path === '-') return [{ file: path, text: await readAll(process.stdin) }];
  try {
    const isFolder = statSync(path).isDirectory();
    const files = isFolder
      ? readdirSync(path)
          .filter(isManifest)
          .toSorted()
          .map((name) => join(path, name))
      : [path];
    if (files.length === 0) throw new InputError(`${path} contains no .yaml, .yml or .json file`);
    return files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  } catch (error) {
    throw error instanceof InputError
      ? error
      : new InputError(`${path} cannot be read: ${errorMessage(error)}`);
  }
}

/** True for a file name that ends with .yaml, .yml or .json. */
function isManifest(name: string): boolean {
  return /\.(ya?ml|json)$/i.test(name);
}

/** The only cluster that the API shows. @throws InputError if the API shows several clusters, or none. */
async function onlyCluster(api: ApiCalls): Promise<string> {
  const { apiRows } = await import('../../sources/api.ts');
  const names = await apiRows(api).clusters();
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  throw new InputError(
    names.length === 0
      ? `the API at ${api.url} shows you no cluster; give --cluster`
      : `the API at ${api.url} has the clusters ${names.join(', ')}; choose one with --cluster`,
  );
}
