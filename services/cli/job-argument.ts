import type { Command } from 'commander';
import { InputError } from '../adapters/errors.ts';
import type { WantedJob } from '../read-model/find-job.ts';

/** How a person narrows down which Job is meant. */
export interface JobOptions {
  readonly namespace?: string;
  readonly cluster?: string;
  readonly uid?: string;
}

export function jobOptions(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'namespace of the Job')
    .option('--cluster <name>', 'cluster of the Job')
    .option('--uid <uid>', 'which one, where a Job was created again under its name (default: the newest)');
}

export const JOB_ARGUMENT = 'NAME, NAMESPACE/NAME or CLUSTER/NAMESPACE/NAME';

/** @throws InputError for an argument that no Job can have, or one that contradicts an option. */
export function wantedJob(argument: string, options: JobOptions): WantedJob {
  // Neither a namespace nor a name can hold a slash; the name of a cluster can (a kubeconfig context may be any text).
  const parts = argument.split('/');
  const name = parts.pop() ?? '';
  const namespace = agreed('--namespace', options.namespace, parts.pop());
  const cluster = agreed('--cluster', options.cluster, parts.length > 0 ? parts.join('/') : undefined);
  if (name === '' || namespace === '' || cluster === '') {
    throw new InputError(`"${argument}" names no Job; it is ${JOB_ARGUMENT}`);
  }
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(cluster !== undefined && { cluster }),
    ...(options.uid !== undefined && { uid: options.uid }),
  };
}

function agreed(flag: string, option: string | undefined, part: string | undefined): string | undefined {
  if (option !== undefined && part !== undefined && option !== part) {
    throw new InputError(`${flag} says "${option}", the argument says "${part}"`);
  }
  return part ?? option;
}
