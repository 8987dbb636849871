import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runVerb, startUp } from '../../demo/cli-child.ts';

const signal = new AbortController().signal;

it('the demo runs the command line of its own source tree, and ends with a verb that fails', async () => {
  await runVerb(['--version'], signal);
  await expect(runVerb(['no-such-verb'], signal)).rejects.toThrow(
    '"jobledger no-such-verb" failed (exit status 2)',
  );
}, 60_000);

it('a stop before `up` has begun to start servers ends without an error', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-demo-'));
  const up = startUp(stateDir);
  up.ready.catch(() => undefined);
  await expect(up.stop()).resolves.toBeUndefined();
  rmSync(stateDir, { recursive: true });
});
