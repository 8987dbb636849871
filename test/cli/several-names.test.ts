import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { programWith } from '../../cli/main.ts';
import { VERSION_HEADER } from '../../services/adapters/http/version-header.ts';
import { VERSION } from '../../services/adapters/process/package-dir.ts';

/** An API with the Jobs "a" and "b", and "over", which refuses requests. */
let server: Server;
let recorded: string[] = [];
let printed = '';

beforeAll(async () => {
  server = createServer(({ method, url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://api');
    const [, , , name = '', verb] = pathname.split('/');
    const status = name === 'none' ? 404 : name === 'over' && method === 'POST' ? 409 : 200;
    if (status === 200 && method === 'POST' && searchParams.get('dry_run') !== 'true')
      recorded.push(`${verb} ${name}`);
    const job = { cluster: 'east', namespace: 'n', name, uid: `uid-${name}`, by: 'ann' };
    const problem = {
      type: 'urn:jobledger:problem:x',
      title: 'no',
      status,
      detail: `no ${name}`,
      request_id: 'r',
    };
    response.writeHead(status, { 'content-type': 'application/json', [VERSION_HEADER]: VERSION });
    response.end(JSON.stringify(status === 200 ? job : problem));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(() => void server.close());

beforeEach(() => {
  [recorded, printed] = [[], ''];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});

async function errorOf(...args: string[]): Promise<string | null> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const program = await programWith(args);
  try {
    await program.parseAsync([...args, '--server', url], { from: 'user' });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(['suspend', 'resume'])('the Jobs that a user wants to %s', (verb) => {
  it('receive no request when one of the Jobs is refused, in whatever order', async () => {
    for (const names of [
      ['a', 'over', 'b'],
      ['over', 'a'],
      ['a', 'none'],
    ])
      expect(await errorOf(verb, ...names)).toMatch(/no (over|none); nothing was requested for any Job$/);
    expect(await errorOf(verb, 'a', 'Bad_Name')).toMatch(/cannot be the name of .*; nothing was requested/);
    expect({ recorded, printed }).toEqual({ recorded: [], printed: '' });
  });

  it('receive one request each when no Job is refused', async () => {
    expect(await errorOf(verb, 'a', 'b')).toBeNull();
    expect(recorded).toEqual([`${verb} a`, `${verb} b`]);
    expect(printed.match(/requested by ann/g)).toHaveLength(2);
  });

  it('cause only the error of the refused Job when the user names one Job', async () => {
    expect(await errorOf(verb, 'over')).toMatch(/no over$/);
  });
});

describe('several Jobs that a user names in the verb get', () => {
  it('are printed without the missing Jobs, followed by the errors', async () => {
    for (const names of [
      ['a', 'none', 'b'],
      ['none', 'a', 'b'],
    ]) {
      printed = '';
      expect(await errorOf('get', ...names, '-o', 'name')).toMatch(/no none$/);
      expect(printed).toBe('east/n/a\neast/n/b\n');
    }
  });

  it('are printed as a list also when only one of the Jobs exists', async () => {
    expect(await errorOf('get', 'none', 'a', '-o', 'json')).toMatch(/no none$/);
    expect(JSON.parse(printed)).toMatchObject([{ name: 'a' }]);
  });

  it('cause no output when none of the Jobs exists', async () => {
    expect(await errorOf('get', 'none', 'none', '-o', 'json')).toMatch(/no none\n.*no none$/);
    expect(printed).toBe('');
  });
});
