import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fromCache, toolPath, type Say } from '../../infra/tools/cache.ts';
import { GO_TOOLS, KUBERNETES_VERSION } from '../../infra/tools/catalog.ts';
import { moduleFile, upstreamModuleFile } from '../../infra/tools/go-build.ts';
import { requireGo } from '../../infra/tools/prerequisite.ts';
import { runShowingProgress } from '../../infra/tools/run-showing-progress.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

const NAME = 'upstream-tests';
const SOURCE = path.join(PACKAGE_DIR, 'test', 'upstream', 'suite', 'apps_test.go');

/** The program of Kubernetes' own tests, from the cache or built from the module of its release (minutes). */
export function buildSuite(options: { say: Say; signal: AbortSignal }): Promise<string> {
  const digest = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 8);
  return fromCache(toolPath(NAME, `${KUBERNETES_VERSION}-${digest}`), {
    ...options,
    make: (target, workDir) => make(target, { ...options, workDir }),
  });
}

async function make(target: string, at: { workDir: string; say: Say; signal: AbortSignal }): Promise<void> {
  const tool = GO_TOOLS.find(({ name }) => name === 'kube-apiserver');
  if (tool === undefined) throw new Error('the catalogue has no kube-apiserver');
  const go = await requireGo(`building ${NAME}`);
  const upstream = await upstreamModuleFile(go, tool, at);
  writeFileSync(path.join(at.workDir, 'go.mod'), moduleFile(tool, upstream));
  copyFileSync(SOURCE, path.join(at.workDir, path.basename(SOURCE)));
  const args = ['test', '-mod=mod', '-c', '-ldflags', '-s -w', '-o', target, '.'];
  await runShowingProgress(
    `building ${NAME} ${KUBERNETES_VERSION}`,
    { file: go, args, cwd: at.workDir, env: { GOWORK: 'off' } },
    at,
  );
}
