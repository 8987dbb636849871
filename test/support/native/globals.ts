// What test files import from '@jest/globals' (runtime.ts). Jest makes them for each file; importers see the present ones.
import type * as Globals from '@jest/globals';

export let afterAll: typeof Globals.afterAll;
export let afterEach: typeof Globals.afterEach;
export let beforeAll: typeof Globals.beforeAll;
export let beforeEach: typeof Globals.beforeEach;
export let describe: typeof Globals.describe;
export let expect: typeof Globals.expect;
export let it: typeof Globals.it;
export let jest: typeof Globals.jest;
export let test: typeof Globals.test;

export function setGlobals(globals: object): void {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } =
    globals as typeof Globals);
}
