import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../services/adapters/errors.ts';
import { goTools } from '../../infra/tools/catalog.ts';
import { findKafka } from '../../infra/tools/find-kafka.ts';
import { findTool } from '../../infra/tools/find-tool.ts';
import { kubernetesVersion, wantedKubernetes } from '../../infra/tools/kubernetes-versions.ts';
import { reapTestServers } from './reap-test-servers.ts';
import { unusedRights, USED_RIGHTS_FILE } from './used-rights.ts';
import { addRuns, countLine, FAILURE, runJest, slowestLines, type TestRun } from './run-jest.ts';

// `npm test`: gets the servers that the tests need, runs both projects, and prints one line with the result.
// `npm test -- <pattern>` runs the files that match.
const patterns = process.argv.slice(2);
const given = patterns.length === 0 ? [] : ['--passWithNoTests', ...patterns];
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Files that run at the same time: they wait more than they compute. The others run alone (jest.config.mjs). */
const SIDE_BY_SIDE = 2;
const LIMIT_MINUTES = 60;
const SLOWEST = 20;

const usedRights = join(mkdtempSync(join(tmpdir(), 'jobledger-rights-')), 'used');
process.env[USED_RIGHTS_FILE] = usedRights;

const pure = await runJest('pure', ['--maxWorkers=100%', ...given], { limitMinutes: 20 });
const servers = (await haveTools()) ? await runServerTests() : FAILURE;
await reapTestServers(say);

// Some of the files use some of the rights.
const unused =
  patterns.length === 0 ? unusedRights(readFileSync('infra/kubernetes/rbac.yaml', 'utf8'), usedRights) : [];
for (const right of unused) say(`no test has used a right that infra/chart gives: ${right}`);
const rights = { passed: 0, failed: unused.length > 0 ? 1 : 0, skipped: 0, files: [], failures: [] };

const total = addRuns(addRuns(pure, servers), rights);
say(`\nThe ${SLOWEST} slowest files:`);
for (const line of slowestLines(total, SLOWEST)) say(line);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
say(`\n${countLine(total)}`);

async function runServerTests(): Promise<TestRun> {
  const limitMinutes = LIMIT_MINUTES;
  const args = [`--maxWorkers=${SIDE_BY_SIDE}`, ...given];
  const sideBySide = await runJest('servers', args, { limitMinutes, part: 'side-by-side' });
  const alone = await runJest('servers', ['--runInBand', ...given], { limitMinutes, part: 'alone' });
  return addRuns(sideBySide, alone);
}

/** Finds or builds every server, so that no test waits for a compiler. */
async function haveTools(): Promise<boolean> {
  const around = { say, signal: new AbortController().signal };
  try {
    for (const { name } of goTools(kubernetesVersion(wantedKubernetes()))) await findTool(name, around);
    await findKafka(around);
    return true;
  } catch (error) {
    say(`the tests on real servers cannot run: ${messageOf(error)}`);
    return false;
  }
}
