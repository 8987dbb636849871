import type { EnvironmentContext, JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Jest's environment for tests that run in the globals of their process, as programs do; it restores what a file may change. */
// oxlint-disable-next-line import/no-default-export -- Jest loads an environment by its default export
export default class NativeEnvironment implements JestEnvironment<null> {
  readonly global = globalThis as never;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  private readonly before = {
    env: { ...process.env },
    console: globalThis.console,
    exit: process.exit,
    exitCode: process.exitCode,
    directory: process.cwd(),
  };

  constructor({ projectConfig }: JestEnvironmentConfig, _context: EnvironmentContext) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {}

  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    const { env, exit, exitCode, directory } = this.before;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    // Jest replaces it for each file, also in the process that reports.
    globalThis.console = this.before.console;
    process.exit = exit;
    process.exitCode = exitCode;
    if (process.cwd() !== directory) process.chdir(directory);
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }
}
