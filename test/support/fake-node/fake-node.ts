import path from 'node:path';
import { STOP } from '../../../infra/local/processes/stop-order.ts';
import { plainEnvironment } from '../../../infra/local/processes/child.ts';
import type { ChildSpec } from '../../../infra/local/processes/keep-running.ts';
import { PACKAGE_DIR } from '../../../services/adapters/process/package-dir.ts';

/** A program that answers the pods of one node in place of a kubelet. */
export interface FakeNode {
  kubeconfig: string;
  /** Pods name it in their template, so that no scheduler is needed. */
  name: string;
  /** Determines whether pods succeed at once, or run until they are deleted. */
  mode: 'succeed' | 'hold';
}

export function fakeNode({ kubeconfig, name, mode }: FakeNode): ChildSpec {
  // A program of tests only, so it is not compiled with the product's.
  const program = path.join(PACKAGE_DIR, 'test', 'support', 'fake-node', 'main.ts');
  const args = [program, kubeconfig, name, mode];
  return {
    name: 'node',
    ...STOP.service,
    command: () => ({
      file: process.execPath,
      args,
      cwd: PACKAGE_DIR,
      env: plainEnvironment(),
      ipc: true,
    }),
    // It answers pods that are older than itself too, so nothing has to wait for it.
    ready: () => Promise.resolve(),
  };
}
