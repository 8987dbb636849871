import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { bundleWorkflowCode, type BundleOptions } from '@temporalio/worker';
import { build } from 'esbuild';

/**
 * Bundles the workflows of a source tree into one file and names the build. `sdk` is the version of the SDK that
 * executes the bundle. `preloaded` contains the modules that a worker evaluates once; `target` is the version of
 * ECMAScript that workers run.
 */
export async function makeBundle(
  root: string,
  { sdk, preloaded, target }: { sdk: string; preloaded: readonly string[]; target: string },
): Promise<{ code: string; build: string }> {
  const workflowsPath = join(root, 'workflows', 'index.ts');
  const preloadModules = preloaded.map((module) => join(root, 'workflows', module));
  const webpackConfigHook = compileForTarget(target);
  const { code } = await bundleWorkflowCode({ workflowsPath, preloadModules, webpackConfigHook });
  return { code, build: hashParts(sdk, await minifiedCode(workflowsPath, target)) };
}

type WebpackConfigHook = NonNullable<BundleOptions['webpackConfigHook']>;

/**
 * Sets the version of ECMAScript to compile for, because the SDK compiles to ES2017, in which each spread of an object
 * calls a slow helper.
 */
function compileForTarget(target: string): WebpackConfigHook {
  return (config) => ({
    ...config,
    module: {
      ...config.module,
      rules: (config.module?.rules ?? []).map((rule) => withTarget(rule, target)),
    },
  });
}

type Rule = NonNullable<NonNullable<Parameters<WebpackConfigHook>[0]['module']>['rules']>[number];

/** Sets the target in the rule that compiles TypeScript, which is the rule with options of swc (`jsc`). */
function withTarget(rule: Rule, target: string): Rule {
  if (typeof rule !== 'object' || rule === null) return rule;
  const { use } = rule;
  if (typeof use !== 'object' || !('options' in use) || typeof use.options !== 'object') return rule;
  const { jsc } = use.options;
  if (typeof jsc !== 'object') return rule;
  return { ...rule, use: { ...use, options: { ...use.options, jsc: { ...jsc, target } } } };
}

/**
 * The minified workflow code, without the comments, types, blanks and paths of the SDK's bundle. The
 * SDK is left out; its version represents it.
 */
async function minifiedCode(workflowsPath: string, target: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [workflowsPath],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target,
    legalComments: 'none',
    preserveSymlinks: true,
    external: ['@temporalio/*'],
  });
  return outputFiles.map(({ text }) => text).join();
}

function hashParts(...parts: string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}
