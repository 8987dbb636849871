import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getOrMake, toolPath, type Say } from '../../infra/local/tools/cache.ts';
import { goTools } from '../../infra/local/tools/catalog.ts';
import { moduleFile, upstreamModule } from '../../infra/local/tools/go-build.ts';
import { kubernetesVersion, type KubernetesMinor } from '../../infra/local/tools/kubernetes-versions.ts';
import { requireGo } from '../../infra/local/tools/prerequisite.ts';
import { runShowingProgress } from '../../infra/local/tools/run-showing-progress.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { withExternalController } from './integration-tests.ts';

interface BuildOptions {
  readonly kubernetes: KubernetesMinor;
  readonly report: Say;
  readonly signal: AbortSignal;
}

/** The program of Kubernetes' own end-to-end tests, from the cache or built from the module of its release (minutes). */
export function buildEndToEnd(options: BuildOptions): Promise<string> {
  return build({ name: 'upstream-tests', own: 'apps_test.go' }, options);
}

/** The program of Kubernetes' own integration tests of the Job controller, with ours in its place. */
export async function buildIntegration(options: BuildOptions): Promise<string> {
  const source = await integrationSource(options);
  return build(
    {
      name: 'upstream-integration',
      own: 'external_controller_test.go',
      also: withExternalController(source),
    },
    options,
  );
}

/** The text of the integration tests, from the module. */
export async function integrationSource(options: BuildOptions): Promise<string> {
  const go = await requireGo('reading the integration tests');
  const { dir } = await upstreamModule(go, findApiServer(options.kubernetes), {
    ...options,
    workDir: PACKAGE_DIR,
  });
  return readFileSync(path.join(dir, 'test', 'integration', 'job', 'job_test.go'), 'utf8');
}

/** A Go test program: our file of test/upstream/suite, and the text of upstream's tests if they are changed. */
interface Suite {
  readonly name: string;
  readonly own: string;
  readonly also?: string;
}

function build({ name, own, also }: Suite, options: BuildOptions): Promise<string> {
  const ownFile = path.join(PACKAGE_DIR, 'test', 'upstream', 'suite', own);
  const tool = findApiServer(options.kubernetes);
  const digest = createHash('sha256')
    .update(readFileSync(ownFile))
    .update(also ?? '')
    .digest('hex')
    .slice(0, 8);
  return getOrMake(toolPath(name, `${tool.version}-${digest}`), {
    ...options,
    async make(target, workDir) {
      const at = { ...options, workDir };
      const go = await requireGo(`building ${name}`);
      const { file } = await upstreamModule(go, tool, at);
      writeFileSync(path.join(workDir, 'go.mod'), moduleFile(tool, file));
      copyFileSync(ownFile, path.join(workDir, own));
      if (also !== undefined) writeFileSync(path.join(workDir, 'upstream_test.go'), also);
      const args = ['test', '-mod=mod', '-c', '-ldflags', '-s -w', '-o', target, '.'];
      const command = { file: go, args, cwd: workDir, env: { GOWORK: 'off' } };
      await runShowingProgress(`building ${name} ${tool.version}`, command, at);
    },
  });
}

function findApiServer(kubernetes: KubernetesMinor) {
  const [apiServer] = goTools(kubernetesVersion(kubernetes));
  return apiServer;
}
