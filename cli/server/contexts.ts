import { InputError } from '../../services/adapters/errors.ts';
import { printableLine } from '../../services/adapters/printable.ts';

/** A name for an API, with the data that a call of the API needs. Files are absolute paths. */
export interface ServerContext {
  name: string;
  server: string;
  token?: string | undefined;
  'token-file'?: string | undefined;
  'ca-file'?: string | undefined;
}

/** The content of the file of contexts. */
export interface Contexts {
  current?: string | undefined;
  contexts: ServerContext[];
}

export const NO_CONTEXTS: Contexts = { contexts: [] };

/** The contexts with a new current context, which replaces an existing context of its name. */
export function withContext({ contexts }: Contexts, added: ServerContext): Contexts {
  return { current: added.name, contexts: [...contexts.filter(({ name }) => name !== added.name), added] };
}

/**
 * The contexts without the named context; if it was the current context, no context is current afterwards. @throws InputError
 * for an unknown name.
 */
export function withoutContext(all: Contexts, name: string): Contexts {
  requireContext(all, name);
  const contexts = all.contexts.filter((each) => each.name !== name);
  return all.current === name || all.current === undefined
    ? { contexts }
    : { current: all.current, contexts };
}

/** The context with this name. @throws InputError for an unknown name. */
export function requireContext({ contexts }: Contexts, name: string): ServerContext {
  const found = contexts.find((each) => each.name === name);
  if (found !== undefined) return found;
  const known = contexts.map((each) => each.name).join(', ');
  throw new InputError(
    `there is no context "${printableLine(name)}"; ${known === '' ? 'create one with "jobledger login URL"' : `there are: ${known}`}`,
  );
}

/** The current context, if the file names a current context. */
export function currentContext(all: Contexts): ServerContext | undefined {
  return all.current === undefined ? undefined : requireContext(all, all.current);
}
