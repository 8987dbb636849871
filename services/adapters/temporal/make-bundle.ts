import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { build } from 'esbuild';

/** Bundles the workflows of a source tree into one file and names the build. `sdk`: version of the SDK that runs it. */
export async function makeBundle(root: string, sdk: string): Promise<{ code: string; build: string }> {
  const workflowsPath = join(root, 'workflows', 'index.ts');
  const { code } = await bundleWorkflowCode({ workflowsPath });
  return { code, build: digestOf(sdk, await minifiedCode(workflowsPath)) };
}

/**
 * The minified workflow code, without comments, types, blanks and paths, all of which the SDK's bundle contains. The
 * SDK is left out; its version represents it.
 */
async function minifiedCode(workflowsPath: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [workflowsPath],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    preserveSymlinks: true,
    external: ['@temporalio/*'],
  });
  return outputFiles.map(({ text }) => text).join();
}

function digestOf(...parts: string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}
