import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { text } from 'node:stream/consumers';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';

/** The user's kubectl, with a kubeconfig. */
export interface Kubectl {
  /** Runs kubectl with the output of this process, and resolves with the exit status of kubectl. */
  show(args: readonly string[]): Promise<number>;
  /** Resolves with the output of kubectl. Ends kubectl when `signal` is aborted, or when kubectl takes too long. */
  read(args: readonly string[], signal?: AbortSignal): Promise<KubectlAnswer>;
}

export type KubectlAnswer = { output: string } | { failure: 'failed' | 'silent' };

/** The longest time of a request to one cluster, in milliseconds; it includes the programs that the kubeconfig runs to sign in. */
const POLL_MS = 10_000;
/** The number of clusters that are asked at the same time. */
const LOOKS_AT_ONCE = 8;

/** Runs kubectl with a kubeconfig; without `kubeconfig`, kubectl uses its own. Each call throws an InputError when kubectl is not installed. */
export function kubectlWith(kubeconfig: string | undefined): Kubectl {
  const env = { ...process.env, ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }) };
  return {
    async show(args) {
      const child = spawn('kubectl', args, { env, stdio: 'inherit' });
      return (await exitStatus(once(child, 'exit'))) ?? 1;
    },
    async read(args, signal) {
      const limit = AbortSignal.timeout(POLL_MS);
      const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
      const child = spawn('kubectl', args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
      // A program that kubectl runs may keep the pipe open after kubectl has ended.
      const end = (): void => {
        child.kill('SIGKILL');
        child.stdout.destroy();
      };
      either.addEventListener('abort', end, { once: true });
      try {
        const [output, code] = await Promise.all([text(child.stdout), exitStatus(once(child, 'close'))]);
        return code === 0 ? { output } : { failure: 'failed' };
      } catch (error) {
        if (either.aborted) return { failure: 'silent' };
        throw error;
      } finally {
        either.removeEventListener('abort', end);
      }
    },
  };
}

/** The exit status of kubectl. @throws InputError if kubectl is not installed. */
async function exitStatus(exit: Promise<unknown[]>): Promise<number | null> {
  try {
    const [code] = (await exit) as [number | null];
    return code;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw isMissing
      ? new InputError(
          'kubectl is not installed, or is not in PATH, and "jobledger logs" needs it: install kubectl (https://kubernetes.io/docs/tasks/tools)',
        )
      : error;
  }
}

/**
 * The context of the kubeconfig for a cluster of the ledger: the context with its name, otherwise the context in
 * which kubectl finds the pod with its uid. `kubeconfig` is the file of the kubeconfig, if the user gives one.
 * @throws InputError when no context fits.
 */
export async function findContext(
  kubectl: Kubectl,
  cluster: string,
  { name, uid, namespace }: { name: string; uid: string; namespace: string },
  kubeconfig?: string,
): Promise<string> {
  if (kubeconfig !== undefined) requireReadable(kubeconfig);
  const listed = await kubectl.read(['config', 'get-contexts', '--output=name']);
  const contexts = 'failure' in listed ? [] : listed.output.split('\n').filter((each) => each !== '');
  if (contexts.includes(cluster)) return cluster;
  if (contexts.length === 0 && kubeconfig !== undefined)
    throw new InputError(
      `the kubeconfig ${kubeconfig} ${'failure' in listed ? 'cannot be read by kubectl' : 'has no context'}`,
    );
  const look = ['--request-timeout=5s', 'get', 'pod', name, '--output=jsonpath={.metadata.uid}'];
  const found = new AbortController();
  const silent: string[] = [];
  let context: string | undefined;
  const left = contexts.values();
  // Searches the remaining contexts, one after the other, until one of them has the pod.
  const lookAtNext = async (): Promise<void> => {
    for (const each of left) {
      if (context !== undefined) return;
      const answer = await kubectl.read(['--context', each, '--namespace', namespace, ...look], found.signal);
      if ('failure' in answer) {
        if (answer.failure === 'silent') silent.push(each);
      } else if (answer.output === uid) {
        context = each;
        found.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, lookAtNext));
  if (context !== undefined) return context;
  const among = contexts.length === 0 ? 'has no context' : `has ${contexts.join(', ')}`;
  const unanswered =
    silent.length === 0 ? '' : ` (no answer within ${POLL_MS / 1000} s: ${silent.toSorted().join(', ')})`;
  throw new InputError(
    `no context of your kubeconfig has the pod ${name} of the cluster ${cluster}: your kubeconfig ${among}${unanswered}; name a context with --kube-context`,
  );
}

/** Requires that the file is readable, because kubectl treats a missing file as an empty file. */
function requireReadable(kubeconfig: string): void {
  try {
    readFileSync(kubeconfig);
  } catch (error) {
    const several = kubeconfig.includes(delimiter)
      ? '; give one file to --kubeconfig, or several files in the variable KUBECONFIG'
      : '';
    throw new InputError(`the kubeconfig ${kubeconfig} cannot be read: ${errorMessage(error)}${several}`);
  }
}
