import { install, type Installation } from '../support/installation.ts';
import { buildIntegration, integrationSource } from './build-suite.ts';
import type { UpstreamOptions } from './end-to-end.ts';
import { excludedIn, groupTests, type TestGroup } from './integration-tests.ts';
import { isVerified } from './is-verified.ts';
import { run } from './run.ts';

interface Results {
  readonly passed: string[];
  readonly failed: string[];
  readonly skipped: string[];
}

/**
 * Runs the integration tests, each group of tests on an installation with its settings, and returns 0 when none fails. They play the kubelet, so the cluster has no node and no built-in controllers, only etcd and its API server.
 */
export async function runIntegration(options: UpstreamOptions): Promise<number> {
  const { report, gangs, skip } = options;
  const at = { ...options, signal: new AbortController().signal };
  const program = await buildIntegration(at);
  const source = await integrationSource(at);
  const excluded = excludedIn(options.kubernetes);
  for (const { pattern, reason } of excluded) report(`excluded: ${pattern}: ${reason}`);
  const [focus = '', ...subtests] = (options.focus ?? '').split('/');
  const skipped = [...(skip === undefined ? [] : [skip]), ...excluded.map(({ pattern }) => pattern)];
  const results: Results = { passed: [], failed: [], skipped: [] };
  let isClean = true;
  for (const group of groupTests(source, { gangs })) {
    const tests = group.tests.filter((name) => new RegExp(focus).test(name));
    if (tests.length === 0) continue;
    const args = [
      `-test.run=${[`^(${tests.join('|')})$`, ...subtests].join('/')}`,
      `-test.skip=${skipped.join('|')}`,
      '-test.v',
      '-test.timeout=0',
    ];
    await onInstallation(group, gangs, async (installation) => {
      const KUBECONFIG = installation.servers.addresses.adminKubeconfig;
      const { status, output } = await run(program, args, { ...process.env, KUBECONFIG });
      addResults(results, output);
      if (status > 1) report(`the program ended early, with status ${status}`);
      isClean = (await isVerified(installation, report)) && status <= 1 && isClean;
    });
  }
  printResults(results, report);
  return isClean && results.passed.length > 0 && results.failed.length === 0 ? 0 : 1;
}

async function onInstallation(
  { environment, gates }: TestGroup,
  gangs: boolean,
  work: (installation: Installation) => Promise<void>,
): Promise<void> {
  const flags = [
    // Nothing creates service accounts.
    '--disable-admission-plugins=ServiceAccount',
    ...(gates.length === 0 ? [] : [`--feature-gates=${gates.map((gate) => `${gate}=true`).join(',')}`]),
  ];
  const installation = await install({
    claim: 'all',
    clusters: [
      { name: 'local', node: false, controllers: false, gangScheduling: gangs, apiServerFlags: flags },
    ],
    environment: { JOBLEDGER_GANG_SCHEDULING: String(gangs), ...environment },
  });
  try {
    await installation.startServices();
    await work(installation);
  } finally {
    await installation.stop();
  }
}

/** Reads the lines `--- PASS: TestA/case (1.23s)` of `go test -v`. */
function addResults({ passed, failed, skipped }: Results, output: string): void {
  for (const [, result, test = ''] of output.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+)/gm))
    (result === 'PASS' ? passed : result === 'FAIL' ? failed : skipped).push(test);
}

function printResults({ passed, failed, skipped }: Results, report: (line: string) => void): void {
  for (const test of failed) report(`failed: ${test}`);
  const isWhole = (test: string): boolean => !test.includes('/');
  const count = (tests: readonly string[]): string =>
    `${tests.filter(isWhole).length} tests and ${tests.filter((test) => !isWhole(test)).length} subtests`;
  report(`passed: ${count(passed)}; failed: ${count(failed)}; skipped: ${count(skipped)}`);
}
