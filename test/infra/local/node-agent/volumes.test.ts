import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { provideMounts } from '../../../../infra/local/node-agent/volumes/provide.ts';
import type { Volume } from '../../../../infra/local/node-agent/pod/pod.ts';
import { aPod } from './builders.ts';

async function mountHostPath(hostPath: NonNullable<Volume['hostPath']>): Promise<string | undefined> {
  const pod = aPod();
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error('a pod has a container');
  const mounted = { ...container, volumeMounts: [{ name: 'marks', mountPath: '/marks' }] };
  const withVolume = { ...pod, spec: { ...pod.spec, volumes: [{ name: 'marks', hostPath }] } };
  const objects = { read: () => Promise.reject(new Error('nothing is read')) } as never;
  const [mount] = await provideMounts(withVolume, mounted, '/nowhere', { objects, node: {} });
  return mount?.hostPath;
}

describe('a hostPath volume', () => {
  it('is created when its type requires the creation, and is the same for every pod', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'jobledger-volumes-')), 'a', 'b');
    expect(await mountHostPath({ path, type: 'DirectoryOrCreate' })).toBe(path);
    expect(statSync(path).isDirectory()).toBe(true);
    expect(await mountHostPath({ path: join(path, 'file'), type: 'FileOrCreate' })).toBe(join(path, 'file'));
    expect(statSync(join(path, 'file')).isFile()).toBe(true);
  });

  it('is used without a check when it has no type', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'jobledger-volumes-')), 'a');
    expect(await mountHostPath({ path })).toBe(path);
    expect(existsSync(path)).toBe(false);
  });
});
