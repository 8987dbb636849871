import type { Command } from 'commander';
import { InputError } from '../../../services/adapters/errors.ts';
import { outputOption, write, type OutputOption } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { table } from '../../print/table.ts';
import { requireContext, withoutContext, type Contexts } from '../../server/contexts.ts';
import { changeContexts, readContexts } from '../../server/contexts-file.ts';

/** Adds the verb `contexts`. */
export function registerContexts(program: Command): void {
  const command = program.command('contexts').description('list the APIs that "jobledger login" has stored');
  outputOption(command, 'print them as JSON').action(async ({ output }: OutputOption) => {
    const all = await readContexts();
    if (output === 'json') writeJson(shownContexts(all));
    else write(contextsText(all));
  });
}

/** Adds the verb `use`. */
export function registerUse(program: Command): void {
  program
    .command('use')
    .description('make another context the current one')
    .argument('<name>', 'name of the context')
    .action(async (name: string) => {
      let server = '';
      await changeContexts((all) => {
        ({ server } = requireContext(all, name));
        return { ...all, current: name };
      });
      write(`the current context is "${name}": ${server}`);
    });
}

/** Adds the verb `logout`. */
export function registerLogout(program: Command): void {
  program
    .command('logout')
    .description('remove a context and its stored token')
    .argument('[name]', 'name of the context (default: the current one)')
    .action(async (name: string | undefined) => {
      let gone = name;
      await changeContexts((all) => {
        gone ??= all.current;
        if (gone === undefined)
          throw new InputError('no context is current; name a context that "jobledger contexts" lists');
        return withoutContext(all, gone);
      });
      write(`context "${gone}" was removed; if it has a token file, that file still exists`);
    });
}

/** The rows of the list of contexts, with the source of each token, never the token itself. */
function shownContexts({ current, contexts }: Contexts): Record<string, unknown>[] {
  return contexts.map(({ token, ...context }) => ({
    ...context,
    current: context.name === current,
    'keeps-token': token !== undefined,
  }));
}

/** A table of the contexts, in which `*` marks the current one. */
function contextsText({ current, contexts }: Contexts): string {
  if (contexts.length === 0) return 'no contexts; "jobledger login URL" creates one';
  return table(
    ['CURRENT', 'NAME', 'SERVER', 'TOKEN'],
    contexts.map(({ name, server, token, 'token-file': file }) => [
      name === current ? '*' : '',
      name,
      server,
      file ?? (token === undefined ? 'none' : 'kept'),
    ]),
  );
}
