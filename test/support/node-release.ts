import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getOrMake, toolPath } from '../../infra/local/tools/cache.ts';

const run = promisify(execFile);

/** The folder with the program of a version of Node, which npm packages contain for each platform. Kept in the tools' cache. */
export async function nodeRelease(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = await getOrMake(toolPath('node', version), {
    report: () => undefined,
    signal: new AbortController().signal,
    make: async (draft) => {
      const arguments_ = ['install', '--prefix', draft, '--no-save', '--no-audit', '--no-fund'];
      await run('npm', [...arguments_, `${name}@${version}`], { maxBuffer: 2 ** 26 });
    },
  });
  return join(folder, 'node_modules', name, 'bin');
}
