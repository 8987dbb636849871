import { appendFileSync } from 'node:fs';
import TestEnvironment from './native/environment.ts';
import { cpuSeconds, CPU_FILE } from './cpu-time.ts';

/**
 * The least time in milliseconds for a test or hook on real servers, whatever it asks for. A limit ends what hangs; a machine
 * whose processor others use may need several times as long as a quiet one.
 */
const LEAST_MS = 300_000;

interface Limited {
  timeout?: number | null | undefined;
}

/** Jest's environment for tests on real servers. */
// oxlint-disable-next-line import/no-default-export -- Jest loads an environment by its default export
export default class PatientEnvironment extends TestEnvironment {
  private readonly cpuBefore = cpuSeconds();
  private readonly file: string;

  constructor(...[config, context]: ConstructorParameters<typeof TestEnvironment>) {
    super(config, context);
    this.file = context.testPath;
  }

  /** After the last hook of the file, when the processes that it started have ended. */
  override async teardown(): Promise<void> {
    await super.teardown();
    const report = process.env[CPU_FILE];
    if (report !== undefined) appendFileSync(report, `${this.file}\t${cpuSeconds() - this.cpuBefore}\n`);
  }

  /** Called by Jest before each test and hook, among others. */
  handleTestEvent(event: { name: string; test?: Limited; hook?: Limited }): void {
    if (event.name === 'test_fn_start') raise(event.test);
    if (event.name === 'hook_start') raise(event.hook);
  }
}

function raise(limited: Limited | undefined): void {
  if (limited !== undefined) limited.timeout = Math.max(limited.timeout ?? 0, LEAST_MS);
}
