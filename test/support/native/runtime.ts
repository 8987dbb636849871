import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type jestRuntime from 'jest-runtime';
import { setGlobals } from './globals.ts';

type Runtime = jestRuntime.default;

const require = createRequire(import.meta.url);
// Its types are those of its CommonJS form; a module would import another one.
const { default: JestRuntime } = require('jest-runtime') as { default: typeof jestRuntime.default };

const GLOBALS = new URL('./globals.ts', import.meta.url).href;
const TESTS = new URL('../../', import.meta.url).href;
/** The number of a test file, at the end of the address of each module of `test/` that it imports. */
const OF_FILE = /\?\d+$/;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
    const resolved = next(specifier, context);
    const [ofFile] = OF_FILE.exec(context.parentURL ?? '') ?? [];
    const { url } = resolved;
    const isOfFile = ofFile !== undefined && url.startsWith(TESTS);
    return isOfFile ? { ...resolved, url: `${url}${ofFile}` } : resolved;
  },
});

/** What Jest keeps in the process beyond a test file: who is called at each step of it, and its time limit for a test. */
const OF_A_FILE = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL'].map((name) => Symbol.for(name));

let loaded = 0;

/**
 * Jest's module runtime without a module system of its own: test files and all that they import are modules of Node, as in production. A
 * process of Jest loads each module once for all of its test files, except those of `test/`, which may keep a state for the file that imports
 * them. Modules cannot be replaced (`jest.mock`).
 */
// oxlint-disable-next-line import/no-default-export -- Jest loads a runtime by its default export
export default class NativeRuntime extends JestRuntime {
  override unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  /** A test file, or one that Jest runs before each of them; they are run again for the next one. */
  override async unstable_importModule(path: string): Promise<void> {
    loaded += 1;
    await import(`${pathToFileURL(path).href}?${loaded}`);
  }

  /** Loads the framework that describes and runs tests again for each file, because it keeps the state of one. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Jest's signature
  override requireInternalModule<T>(path: string): T {
    for (const symbol of OF_A_FILE) delete (globalThis as Record<symbol, unknown>)[symbol];
    delete require.cache[path];
    return require(path) as T;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- Jest's signature
  override requireModule<T>(path: string, name?: string): T {
    return (name === undefined ? require(path) : createRequire(path)(name)) as T;
  }

  override setGlobalsForRuntime(globals: Parameters<Runtime['setGlobalsForRuntime']>[0]): void {
    super.setGlobalsForRuntime(globals);
    const { jestGlobals } = this as unknown as { jestGlobals: { cjsGlobals(from: string): object } };
    const all = jestGlobals.cjsGlobals(import.meta.filename);
    setGlobals(all);
    Object.assign(globalThis, all);
  }
}
