import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exitCodeFor } from '../../cli/failure.ts';
import { programWith } from '../../cli/main.ts';
import { manifestsIn } from '../../cli/verbs/submit/manifests.ts';
import { InputError } from '../../services/adapters/errors.ts';

const aliases = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`;

describe('a submitted document', () => {
  it.each([
    ['without apiVersion', 'kind: Job\nmetadata: {name: a}', /a Job without the field apiVersion/],
    ['without metadata', 'apiVersion: batch/v1\nkind: Job', /a Job without the field metadata/],
    [
      'of another kind',
      'apiVersion: v1\nkind: Pod\nmetadata: {}',
      /is a Pod, not a Job; create other objects with kubectl/,
    ],
    ['without kind', 'apiVersion: batch/v1', /is not a Job: it has no field kind; /],
    ['that is no object', 'just text', /is not a Job: it has no field kind; /],
    ['with aliases that make it very large', aliases, /cannot be read: .*alias/],
    ['with an alias that has no anchor', 'kind: *a', /alias/],
  ])('is refused with its place in the file: a document %s', (_what, document, message) => {
    const read = (): unknown => manifestsIn(`---\n${document}\n`, 'f.yaml', undefined);
    expect(read).toThrow(message);
    expect(read).toThrow(/^f\.yaml, document 1\b/);
    expect(read).toThrow(InputError);
  });
});

describe('submitted Jobs', () => {
  let server: Server;
  let folder: string;
  let existing: string[];
  let printed: string;
  beforeEach(() => {
    [existing, printed] = [[], ''];
    jest.spyOn(process.stdout, 'write').mockImplementation((output) => {
      printed += String(output);
      return true;
    });
  });
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'jobledger-submit-'));
    server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  /** Refuses the Job "bad"; finds at the creation only that the name "taken" is; is not available for the Job "late". */
  const answer: (...of: Parameters<Parameters<typeof createServer>[1] & object>) => Promise<void> = async (
    request,
    response,
  ) => {
    const { name } = (JSON.parse(await text(request)) as { metadata: { name: string } }).metadata;
    const isDryRun = request.url?.endsWith('?dry_run=true') === true;
    const status = { bad: 422, late: 503, taken: isDryRun ? 201 : 409 }[name] ?? 201;
    if (status === 201 && !isDryRun) existing.push(name);
    const created = {
      cluster: 'east',
      namespace: 'n',
      name,
      uid: `uid-${name}`,
      managed_by: null,
      created_at: '2026-11-21T03:12:00.000Z',
      dry_run: isDryRun,
    };
    const problem = {
      type: 'urn:jobledger:problem:x',
      title: 'no',
      status,
      detail: `no ${name}`,
      request_id: 'r',
    };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 201 ? created : problem));
  };

  const submitted = async (names: string[], ...more: string[]): Promise<unknown> => {
    const file = join(folder, 'jobs.yaml');
    const job = (name: string): string => `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\n`;
    writeFileSync(file, names.map(job).join('---\n'));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = ['submit', '-f', file, '--cluster', 'east', '--server', url, ...more];
    const program = await programWith(args);
    return program.parseAsync(args, { from: 'user' }).catch((error: unknown) => error);
  };

  it('are not created when one Job is refused, not even the Jobs before the refused Job', async () => {
    const error = (await submitted(['a', 'bad', 'c'])) as Error;
    const file = join(folder, 'jobs.yaml');
    expect(error.message).toMatch(new RegExp(`^${file}, document 2: .*no bad; no Job was created$`));
    expect(exitCodeFor(error)).toBe(2);
    expect({ existing, printed }).toEqual({ existing: [], printed: '' });
  });

  it('are all reported when the API refuses one creation: the refused Job, the created Jobs, and the Jobs that were not tried', async () => {
    const error = (await submitted(['a', 'taken', 'c', 'd'])) as Error;
    const file = join(folder, 'jobs.yaml');
    expect(error.message).toMatch(
      new RegExp(
        `^${file}, document 2: .*; created before this Job: east/n/a; not tried after this Job: ${file}, document 3, ${file}, document 4$`,
      ),
    );
    expect(exitCodeFor(error)).toBe(2);
    expect(existing).toEqual(['a']);
  });

  it('are printed as one list in JSON, while a single Job is printed as an object', async () => {
    await submitted(['a', 'c'], '-o', 'json');
    expect(JSON.parse(printed)).toMatchObject([{ name: 'a' }, { name: 'c' }]);
    printed = '';
    await submitted(['a', 'taken', 'c'], '-o', 'json');
    expect(JSON.parse(printed)).toMatchObject([{ name: 'a' }]);
    printed = '';
    await submitted(['a'], '-o', 'json');
    expect(JSON.parse(printed)).toMatchObject({ name: 'a' });
  });

  it('are read from every given file, in the order of the files', async () => {
    const other = join(folder, 'other.yaml');
    const job = (name: string): string => `apiVersion: batch/v1\nkind: Job\nmetadata: {name: ${name}}\n`;
    writeFileSync(other, job('z'));
    await submitted(['b', 'a'], '-f', other, '-o', 'name');
    expect(existing).toEqual(['b', 'a', 'z']);
    expect(printed).toBe('east/n/b\neast/n/a\neast/n/z\n');
    existing = [];
    writeFileSync(other, job('bad'));
    expect(((await submitted(['b'], '-f', other)) as Error).message).toMatch(/^\S+other\.yaml, document 1: /);
    writeFileSync(other, 'kind: Pod');
    expect(((await submitted(['b'], '--filename', other)) as Error).message).toMatch(/^\S+other\.yaml, /);
    expect(existing).toEqual([]);
  });

  it('cause the exit status of an unavailable API when the API does not answer', async () => {
    const error = (await submitted(['late', 'c'])) as Error;
    expect(error.message).toMatch(/document 1: .*; no Job was created$/);
    expect(exitCodeFor(error)).toBe(1);
  });

  it('cause an error about the refused Job alone when the file has only that Job', async () => {
    const error = (await submitted(['bad'])) as Error;
    expect(error.message).toMatch(/document 1: .*no bad$/);
  });
});
