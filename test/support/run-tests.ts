import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage } from '../../services/adapters/errors.ts';
import { goTools } from '../../infra/local/tools/catalog.ts';
import { findAll } from '../../infra/local/tools/find-all.ts';
import { wantedKafka } from '../../infra/local/tools/find-kafka.ts';
import { wantedTool } from '../../infra/local/tools/find-tool.ts';
import { kubernetesVersion, wantedKubernetes } from '../../infra/local/tools/kubernetes-versions.ts';
import { filesAtOnce } from './files-at-once.ts';
import { reapTestServers } from './reap-test-servers.ts';
import { unusedRights, USED_RIGHTS_FILE } from './used-rights.ts';
import {
  addRuns,
  countLine,
  FAILURE,
  failureLines,
  runJest,
  slowestLines,
  type TestRun,
} from './run-jest.ts';

// `npm test`: gets the servers that the tests need, runs both projects, and prints one line with the result.
// `npm test -- <pattern>` runs the files that match, those of `npm run test:long` too. That runs the long files on servers, and the
// whole extent of the pure tests (extent.ts).
const [first, ...others] = process.argv.slice(2);
const isLong = first === '--long';
const patterns = isLong || first === undefined ? others : [first, ...others];
const given = patterns.length === 0 ? [] : ['--passWithNoTests', ...patterns];
const report = (line: string): void => void process.stdout.write(`${line}\n`);

const LIMIT_MINUTES = 60;
const SLOWEST = 20;
const NOTHING: TestRun = { passed: 0, failed: 0, skipped: 0, files: [], failures: [] };

// No test reaches for a public host.
process.env['JOBLEDGER_TOOLS'] ??= 'build';

const usedRights = join(mkdtempSync(join(tmpdir(), 'jobledger-rights-')), 'used');
process.env[USED_RIGHTS_FILE] = usedRights;

if (isLong) process.env['JOBLEDGER_TEST_EXTENT'] = 'whole';

const pure = await runJest('pure', ['--maxWorkers=100%', ...given], { limitMinutes: isLong ? 60 : 20 });
const servers = (await haveTools()) ? await runServerTests() : FAILURE;
await reapTestServers(report);

// Some of the files use some of the rights.
const unused =
  patterns.length === 0 && !isLong
    ? unusedRights(readFileSync('infra/deploy/kubernetes/rbac.yaml', 'utf8'), usedRights)
    : [];
const rights: TestRun = {
  ...NOTHING,
  failed: unused.length > 0 ? 1 : 0,
  failures: unused.map((right) => ({
    test: 'the rights that infra/deploy/chart gives',
    message: `no test has used ${right}`,
  })),
};

const total = addRuns(addRuns(pure, servers), rights);
report(`\nThe ${SLOWEST} slowest files:`);
for (const line of slowestLines(total, SLOWEST)) report(line);
if (total.failures.length > 0) report('\nWhat failed:');
for (const line of failureLines(total)) report(line);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
report(`\n${countLine(total)}`);

async function runServerTests(): Promise<TestRun> {
  const limitMinutes = LIMIT_MINUTES;
  // The others run alone (jest.config.mjs).
  const args = [`--maxWorkers=${filesAtOnce()}`, ...given];
  const oneByOne = ['--runInBand', ...given];
  const long = (): Promise<TestRun> => runJest('servers', oneByOne, { limitMinutes, part: 'long' });
  if (isLong) return long();
  const sideBySide = await runJest('servers', args, { limitMinutes, part: 'side-by-side' });
  const alone = await runJest('servers', oneByOne, { limitMinutes, part: 'alone' });
  const all = addRuns(sideBySide, alone);
  return patterns.length === 0 ? all : addRuns(all, await long());
}

/** Finds or builds every server, so that no test waits for a compiler. */
async function haveTools(): Promise<boolean> {
  const around = { report, signal: new AbortController().signal };
  try {
    const names = goTools(kubernetesVersion(wantedKubernetes())).map(({ name }) => name);
    await findAll([...names.map((name) => wantedTool(name)), wantedKafka()], around);
    return true;
  } catch (error) {
    report(`the tests on real servers cannot run: ${errorMessage(error)}`);
    return false;
  }
}
