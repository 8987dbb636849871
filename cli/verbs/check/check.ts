import { Argument, type Command } from 'commander';
import { InputError } from '../../../services/adapters/errors.ts';
import { write } from '../../output.ts';
import { SERVICES, type ServiceVerb } from '../service.ts';
import { missingFor } from './parts.ts';

/** The time in milliseconds after which a part counts as not answering. */
const LIMIT_MS = 20_000;

/** Adds the verb `check`. */
export function registerCheck(program: Command): void {
  program
    .command('check')
    .description(
      'check whether a service can start with this environment: its variables and files, and whether Kafka, Temporal, Postgres and the clusters of its kubeconfig answer; changes nothing',
    )
    .addArgument(new Argument('<service>', 'the service').choices(Object.keys(SERVICES)))
    .action(check);
}

/** Prints that the service can start. @throws InputError that lists every missing setting and server. */
async function check(service: ServiceVerb): Promise<void> {
  const missing = await missingFor(service, process.env, AbortSignal.timeout(LIMIT_MS));
  if (missing.length > 0)
    throw new InputError(
      `the ${service} cannot start with this environment:\n${missing.map((each) => `  ${each}`).join('\n')}`,
    );
  write(`the ${service} can start: everything that it uses answers`);
}
