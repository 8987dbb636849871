import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { findContext, kubectlWith, type Kubectl } from '../../cli/verbs/logs/kubectl.ts';

const POD = { name: 'pi-x', uid: 'uid-1', namespace: 'team' };

/** A kubectl with these contexts, each with the uid of the pod `pi-x` there, or `failed`, `silent`, or `hangs` until it is ended. */
function aKubectl(uids: Readonly<Record<string, string>>): Kubectl & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    show: () => Promise.resolve(0),
    read(args, signal) {
      if (args[0] === 'config') return Promise.resolve({ output: `${Object.keys(uids).join('\n')}\n` });
      asked.push(args[1] ?? '');
      const there = uids[args[1] ?? ''] ?? 'failed';
      if (there === 'hangs')
        return new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve({ failure: 'silent' }), { once: true });
        });
      return Promise.resolve(
        there === 'failed' || there === 'silent' ? { failure: there } : { output: there },
      );
    },
  };
}

describe('the kubeconfig context for the logs of a cluster', () => {
  it('is the context with the name of the cluster, and Jobledger then searches no other context', async () => {
    const kubectl = aKubectl({ west: 'uid-1', east: 'failed' });
    expect(await findContext(kubectl, 'east', POD)).toBe('east');
    expect(kubectl.asked).toEqual([]);
  });

  it('is the context that has a pod with the same UID when no context has the name of the cluster', async () => {
    const kubectl = aKubectl({ a: 'uid-2', b: 'failed', c: 'uid-1' });
    expect(await findContext(kubectl, 'east', POD)).toBe('c');
    expect(kubectl.asked).toEqual(['a', 'b', 'c']);
  });

  it('is found although another context does not answer', async () => {
    expect(await findContext(aKubectl({ a: 'hangs', b: 'uid-1' }), 'east', POD)).toBe('b');
  });

  it('is searched among the contexts, eight at a time', async () => {
    const kubectl = aKubectl({
      ...Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`h${at}`, 'hangs' as const])),
      a: 'uid-2',
      b: 'uid-1',
      c: 'uid-2',
    });
    expect(await findContext(kubectl, 'east', POD)).toBe('b');
    expect(kubectl.asked).toHaveLength(9);
  });

  it('must be given by the user when some contexts did not answer, and the error names these contexts', async () => {
    await expect(
      findContext(aKubectl({ a: 'silent', b: 'uid-2', c: 'silent' }), 'east', POD),
    ).rejects.toThrow(
      'your kubeconfig has a, b, c (no answer within 10 s: a, c); name a context with --kube-context',
    );
  });

  it('must be given by the user when no context has the pod', async () => {
    await expect(findContext(aKubectl({ a: 'failed', b: 'uid-2' }), 'east', POD)).rejects.toThrow(
      'no context of your kubeconfig has the pod pi-x of the cluster east: your kubeconfig has a, b; name a context with --kube-context',
    );
    await expect(findContext(aKubectl({}), 'east', POD)).rejects.toThrow('your kubeconfig has no context;');
  });
});

describe('a kubeconfig file that an option names', () => {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-kubeconfig-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const inFile = (file: string): Promise<string> => findContext(aKubectl({}), 'east', POD, file);

  it('is named in the error when it cannot be read', async () => {
    const missing = join(folder, 'none');
    await expect(inFile(missing)).rejects.toThrow(`the kubeconfig ${missing} cannot be read: ENOENT`);
    await expect(inFile(folder)).rejects.toThrow(`the kubeconfig ${folder} cannot be read: EISDIR`);
  });

  it('is refused when the option names several files', async () => {
    const list = [join(folder, 'a'), join(folder, 'b')].join(delimiter);
    await expect(inFile(list)).rejects.toThrow(
      /cannot be read: .*; give one file to --kubeconfig, or several files in the variable KUBECONFIG$/,
    );
  });

  it('is named in the error when it has no context', async () => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, '');
    await expect(inFile(empty)).rejects.toThrow(`the kubeconfig ${empty} has no context`);
  });
});

describe('a kubectl process that does not end', () => {
  it('is stopped at the end of the search, although a child of kubectl keeps the output open', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'jobledger-kubectl-'));
    const path = process.env['PATH'] ?? '';
    try {
      writeFileSync(join(bin, 'kubectl'), '#!/bin/sh\nsleep 20 &\nwait\n');
      chmodSync(join(bin, 'kubectl'), 0o755);
      process.env['PATH'] = `${bin}${delimiter}${path}`;
      const begun = performance.now();
      expect(await kubectlWith(undefined).read(['get', 'pod'], AbortSignal.timeout(300))).toEqual({
        failure: 'silent',
      });
      expect(performance.now() - begun).toBeLessThan(10_000);
    } finally {
      process.env['PATH'] = path;
      rmSync(bin, { recursive: true });
    }
  });
});
