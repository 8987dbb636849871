import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Installation } from './installation.ts';

/** The real kubectl, as the administrator of an installation's first cluster. */
export interface Kubectl {
  /** The standard output of kubectl. @throws with its standard error when it fails. */
  run(...args: string[]): Promise<string>;
  /** The same with this text as standard input. */
  pipe(input: string, ...args: string[]): Promise<string>;
}

export function kubectlFor({ servers, stateDir }: Pick<Installation, 'servers' | 'stateDir'>): Kubectl {
  const { kubectl = 'kubectl', adminKubeconfig } = servers.addresses;
  const env = {
    PATH: process.env['PATH'],
    KUBECONFIG: adminKubeconfig,
    KUBECACHEDIR: join(stateDir, 'kubectl'),
  };
  const pipe: Kubectl['pipe'] = async (input, ...args) => {
    const running = promisify(execFile)(kubectl, args, { env });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };
  return { pipe, run: (...args) => pipe('', ...args) };
}

/** The text that `kubectl describe` prints below `Events:`, without ages; the random end of a pod's name as `*`. */
export function describedEvents(description: string): string[] {
  const [, table = ''] = description.split(/^Events:\n/m);
  const rows = table.trimEnd().split('\n').slice(2);
  return rows.map((row) => {
    const [type, reason, _age, from, message = ''] = row.trim().split(/\s{2,}/);
    return `${type} ${reason} ${from} ${message.replace(/-[a-z0-9]{5}$/, '-*')}`;
  });
}

/** What it prints above `Pod Template:`, with names for what differs from run to run. */
export function descriptionHead(description: string): string[] {
  const [head = ''] = description.split(/^Pod Template:$/m);
  return head
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'UID')
        .replace(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} \+0000/, 'TIME')
        .replace(/^(Duration: +)\d+s$/, '$1SECONDS'),
    );
}
