import { lstatSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { registerLogin } from '../../cli/verbs/sign-in/login.ts';
import { InputError } from '../../services/adapters/errors.ts';
import { NO_CONTEXTS, withContext, withoutContext } from '../../cli/server/contexts.ts';
import { contextsPath, changeContexts, readContexts } from '../../cli/server/contexts-file.ts';
import { toApiServer, chosenServer } from '../../cli/server/target.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-contexts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const EAST = { name: 'east', server: 'https://east.example.com', token: 'secret-1' };
const WEST = { name: 'west', server: 'https://west.example.com', 'token-file': '/tokens/west' };

describe('the file of contexts', () => {
  it('is in the directory where other programs keep their configuration', () => {
    expect(contextsPath({ XDG_CONFIG_HOME: '/c' })).toBe('/c/jobledger/config.yaml');
    expect(contextsPath({})).toMatch(/\/\.config\/jobledger\/config\.yaml$/);
  });

  it('keeps the written contexts, and only its owner can read it', async () => {
    const file = join(folder, 'deep', 'config.yaml');
    expect(await readContexts(file)).toEqual({ contexts: [] });
    const contexts = withContext(withContext(NO_CONTEXTS, EAST), WEST);
    await changeContexts(() => contexts, file);
    expect(await readContexts(file)).toEqual({ current: 'west', contexts: [EAST, WEST] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('loses, at the next change, the permissions that another program gave other users', async () => {
    const file = join(folder, 'config.yaml');
    writeFileSync(file, '', { mode: 0o644 });
    await changeContexts((all) => withContext(all, EAST), file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('stays a symbolic link when it is a symbolic link', async () => {
    const [file, target] = [join(folder, 'config.yaml'), join(folder, 'kept.yaml')];
    symlinkSync(target, file);
    await changeContexts((all) => withContext(all, EAST), file);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(await readContexts(target)).toEqual({ current: 'east', contexts: [EAST] });
  });

  it('loses no change when several commands change the file at the same time', async () => {
    const file = join(folder, 'config.yaml');
    const names = Array.from({ length: 12 }, (_, at) => `c${at}`);
    await Promise.all(
      names.map((name) => changeContexts((all) => withContext(all, { ...EAST, name }), file)),
    );
    const { contexts } = await readContexts(file);
    expect(contexts.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect(readdirSync(folder)).toEqual(['config.yaml']);
  });

  it.each(['', ' ', 'two\nlines', 'a\u001b[31m'])(
    'cannot contain a context with the name %j',
    async (name) => {
      const program = new Command('jobledger').exitOverride();
      registerLogin(program);
      const url = 'https://127.0.0.1:1';
      const failure = program.parseAsync(['login', url, '--name', name], { from: 'user' });
      await expect(failure).rejects.toThrow('expected a name on one line, without control characters');
      await expect(failure).rejects.toThrow(InputError);
    },
  );

  it.each([
    ['that is not YAML', 'token: "secret-1\n  - [', 'is not YAML'],
    [
      'that is a list',
      '[secret-1]',
      'cannot be used; correct it, or remove it: expected the fields current and contexts',
    ],
    [
      'with an unknown field',
      'contexts: []\nsecret-1: x',
      'cannot be used; correct it, or remove it: expected only the fields current',
    ],
    [
      'with a number as the current context',
      'current: 7',
      'cannot be used; correct it, or remove it: current: expected a name',
    ],
    [
      'whose contexts are not a list',
      'contexts: secret-1',
      'cannot be used; correct it, or remove it: contexts: expected a list',
    ],
    [
      'whose contexts are texts',
      'contexts: [secret-1]',
      'cannot be used; correct it, or remove it: contexts[0]: expected name',
    ],
    [
      'with a context without a server',
      'contexts: [{name: secret-1}]',
      'cannot be used; correct it, or remove it: contexts[0]: server',
    ],
    [
      'with an unknown field in a context',
      'contexts: [{name: a, server: b, password: secret-1}]',
      'cannot be used; correct it, or remove it: contexts[0]: expected name, server, token',
    ],
    [
      'with a token that is not a text',
      'contexts: [{name: a, server: b, token: [secret-1]}]',
      'cannot be used; correct it, or remove it: contexts[0].token: expected a text',
    ],
  ])('is named in the error without its content: a file %s', async (_what, text, message) => {
    const file = join(folder, 'config.yaml');
    writeFileSync(file, text);
    const problem = await readContexts(file).catch((error: Error) => error.message);
    expect(problem).toContain(`${file} ${message}`);
    expect(problem).not.toContain('secret-1');
  });
});

describe('contexts in the file of contexts', () => {
  it('replace an older context of the same name', () => {
    const again = { ...EAST, server: 'https://new.example.com' };
    expect(withContext(withContext(NO_CONTEXTS, EAST), again)).toEqual({
      current: 'east',
      contexts: [again],
    });
  });

  it('can be removed, and no other context then becomes the current one', () => {
    const both = withContext(withContext(NO_CONTEXTS, EAST), WEST);
    expect(withoutContext(both, 'west')).toEqual({ contexts: [EAST] });
    expect(withoutContext(both, 'east')).toEqual({ current: 'west', contexts: [WEST] });
    expect(() => withoutContext(both, 'north')).toThrow('there is no context "north"; there are: east, west');
  });
});

describe('the connection of a verb', () => {
  const contexts = () => Promise.resolve(withContext(withContext(NO_CONTEXTS, EAST), WEST));
  const nothing = { hasStateDir: false };

  it.each([
    ['no setting', nothing, {}, 'https://west.example.com'],
    ['a context', { ...nothing, context: 'east' }, {}, 'https://east.example.com'],
    ['--server', { ...nothing, server: 'https://s' }, { DATABASE_URL: 'postgres://x' }, 'https://s'],
    ['--server and --state-dir', { server: 'https://s', hasStateDir: true }, {}, 'https://s'],
    ['--state-dir', { hasStateDir: true }, { JOBLEDGER_SERVER: 'https://e' }, null],
    ['JOBLEDGER_SERVER', nothing, { JOBLEDGER_SERVER: 'https://e', DATABASE_URL: 'x' }, 'https://e'],
    ['JOBLEDGER_SERVER, empty', nothing, { JOBLEDGER_SERVER: '' }, 'https://west.example.com'],
    ['DATABASE_URL', nothing, { DATABASE_URL: 'postgres://x' }, null],
    ['JOBLEDGER_STATE_DIR', nothing, { JOBLEDGER_STATE_DIR: 'here' }, null],
  ])('is chosen by this setting: %s', async (_what, given, environment, server) => {
    expect((await chosenServer(given, environment, contexts))?.server ?? null).toBe(server);
  });

  it('goes directly to the servers without a context and without options', async () => {
    expect(await chosenServer(nothing, {}, () => Promise.resolve(NO_CONTEXTS))).toBeNull();
  });
});

describe('the token of a call', () => {
  const server = 'https://east.example.com';

  it('is read again from its file, and an option can replace the file', () => {
    const [kept, given] = [join(folder, 'kept'), join(folder, 'given')];
    writeFileSync(kept, 'first\n');
    writeFileSync(given, 'second');
    expect(toApiServer({ server, 'token-file': kept }, {}, {}).token).toBe('first');
    expect(toApiServer({ server, 'token-file': kept }, { tokenFile: given }, {}).token).toBe('second');
    expect(toApiServer({ server }, {}, {}).token).toBeNull();
  });

  it('is checked for its form, and an invalid token is not printed', () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'two secret-words');
    expect(() => toApiServer({ server, 'token-file': file }, {}, {})).toThrow(
      `${file} does not contain a token: expected one line`,
    );
    expect(() => toApiServer({ server, 'token-file': `${file}-2` }, {}, {})).toThrow('cannot be read');
  });

  it.each([
    ['http://east.example.com', {}, false],
    ['http://east.example.com', { JOBLEDGER_TOKEN_WITHOUT_TLS: 'true' }, true],
    ['http://127.0.0.1:8080', {}, true],
    ['http://[::1]:8080', {}, true],
    ['http://localhost', {}, true],
  ])(
    'is sent only with TLS, to this machine, or when a variable permits it: %s %j',
    (url, environment, isSent) => {
      const call = (): unknown => toApiServer({ server: url, token: 'secret-1' }, {}, environment);
      if (isSent) expect(call()).toMatchObject({ token: 'secret-1' });
      else expect(call).toThrow('would receive the token unencrypted');
    },
  );
});
