import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pythonEnvironment } from '../../infra/release/clients/python-environment.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import { TOOLS, writeDefinition, type Tool } from '../integrations/tools.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { kubectlFor, type Kubectl } from '../support/kubectl.ts';
import { installPolicy, MANAGED_LABEL, newJobsName } from '../support/managed-by-policy.ts';

// `npm run test:integrations` runs the snippets of docs/integrations.md by their tools, beside the built-in Job controller.
// The packages have 1.1 GB, so jest.config.js leaves this file out unless JOBLEDGER_TEST_INTEGRATIONS names tools.

const NAMESPACE = 'team-a';
const { JOBLEDGER_TEST_INTEGRATIONS: chosen = Object.keys(TOOLS).join(',') } = process.env;
const names = chosen.split(',');

const scratch = mkdtempSync(join(tmpdir(), 'jobledger-integrations-'));

let installation: Installation;
let kubectl: Kubectl;
let cli: CommandLine;

beforeAll(async () => {
  installation = await install({ api: true, ownClusters: true });
  kubectl = kubectlFor(installation);
  cli = commandLine(() => installation.api.url);
  await installation.cluster.inNewNamespace(NAMESPACE);
  await installation.startServices();
}, 240_000);

afterAll(async () => {
  cli?.remove();
  await installation?.stop();
  rmSync(scratch, { recursive: true, force: true });
}, 60_000);

function findTool(name: string): Tool {
  const tool = TOOLS[name];
  if (tool === undefined) throw new Error(`no tool "${name}"; expected ${Object.keys(TOOLS).join(', ')}`);
  return tool;
}

/** Runs the definition of a tool until the tool reports success. @throws with its output otherwise. */
async function runTool(name: string, named: boolean): Promise<void> {
  const tool = findTool(name);
  const bin = join(
    pythonEnvironment(join(PACKAGE_DIR, 'build', 'integrations', name), tool.requirement),
    '..',
  );
  const folder = join(scratch, `${name}-${named ? 'named' : 'labelled'}`);
  writeDefinition(tool, folder, named);
  const { PATH } = process.env;
  const { adminKubeconfig = '' } = installation.servers.addresses;
  const environment = { PATH, HOME: folder, KUBECONFIG: adminKubeconfig, ...tool.environment(folder) };
  for (const command of tool.commands) {
    const [file = '', ...args] = command.map((word) =>
      word.replace('{bin}', bin).replace('{folder}', folder),
    );
    try {
      await promisify(execFile)(file, args, { cwd: folder, env: environment, maxBuffer: 1 << 26 });
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command.join(' ')} failed: ${stdout.slice(-5000)} ${stderr.slice(-5000)}`, {
        cause: error,
      });
    }
  }
}

interface JobRow {
  uid: string;
  name: string;
  status: string | null;
  managed_by: string | null;
}

const known: string[] = [];

/** Resolves with the new Job of the namespace when the Job has ended. The tool may have deleted the Job. */
async function newJob(): Promise<JobRow> {
  const job = await eventually('its new Job has ended', 30, async () => {
    const rows = await installation.sql<JobRow>(
      'select uid, name, kubectl_status as status, managed_by from jobledger.jobs where namespace = $1 and uid <> all($2)',
      [NAMESPACE, known],
    );
    return rows.find(({ status }) => status === 'Complete' || status === 'Failed');
  });
  known.push(job.uid);
  return job;
}

async function expectOurs({ uid, name, status, managed_by }: JobRow): Promise<void> {
  expect({ status, managed_by }).toEqual({ status: 'Complete', managed_by: OWN_MANAGER });
  const { stdout } = await cli.run(`history ${name} --uid ${uid} -n ${NAMESPACE}`, installation.api.token);
  expect(stdout).toContain(`Job local/${NAMESPACE}/${name}, uid ${uid}`);
  expect(stdout).toMatch(/decision 1 .*[^]*CreatePods[^]*Complete/);
}

describe('a tool whose Jobs name Jobledger in spec.managedBy, in a namespace without the label of the policy,', () => {
  it.each(names)(
    'has its Job run by Jobledger, with a history: %s',
    async (name) => {
      await runTool(name, true);
      await expectOurs(await newJob());
    },
    900_000,
  );
});

describe('a tool whose Jobs name no controller, in a namespace with the label of the policy,', () => {
  beforeAll(async () => {
    await installPolicy(kubectl);
    await kubectl.run('label', 'namespace', NAMESPACE, `${MANAGED_LABEL}=true`);
    await newJobsName(kubectl, NAMESPACE, OWN_MANAGER);
  }, 60_000);

  it.each(names)(
    'has its Job run by Jobledger, with a history: %s',
    async (name) => {
      await runTool(name, false);
      await expectOurs(await newJob());
    },
    900_000,
  );
});
