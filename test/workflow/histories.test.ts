import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { workflowBundle } from '../../services/adapters/temporal/bundle.ts';
import { dataConverter } from '../../services/adapters/temporal/connection.ts';
import { earlierBuild } from '../support/earlier-build.ts';

const FOLDER = join(PACKAGE_DIR, 'test', 'golden', 'histories');
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

/** Runs a recorded history through the workflow code of a source tree. */
async function replayed(root: string, file: string): Promise<void> {
  const { file: codePath } = await workflowBundle(root);
  const history: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
  await Worker.runReplayHistory({ workflowBundle: { codePath }, dataConverter }, history, file);
}

// When one no longer replays, open runs start again from the ledger after this change, which is safe
// (docs/decisions/0015): say so in the changelog, and run `npm run record-histories`.
describe('recorded histories of runs on real servers', () => {
  it.each(FILES)(
    'replay without an error on this workflow code: %s',
    async (file) => {
      await expect(replayed(PACKAGE_DIR, file)).resolves.toBeUndefined();
    },
    60_000,
  );

  it('do not replay on workflow code that sends commands by other activities', async () => {
    const root = earlierBuild([
      { file: 'workflows/safe-to-repeat.ts', now: 'return pods <= MOST_PODS', was: 'return false' },
    ]);
    try {
      for (const file of FILES)
        await expect(replayed(root, file)).rejects.toBeInstanceOf(DeterminismViolationError);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }, 120_000);

  it('exist, so that the replays test something', () => {
    expect(FILES.length).toBeGreaterThan(3);
  });
});
