import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../../services/adapters/errors.ts';
import { toolPath, type Say } from './cache.ts';
import { goTools, TOOLS_ON_DEMAND, type GoTool, type GoToolName } from './catalog.ts';
import { findAll, type WantedServer } from './find-all.ts';
import { buildGoTool } from './go-build.ts';
import { kubernetesVersion, wantedKubernetes, type KubernetesMinor } from './kubernetes-versions.ts';
import { readOutput } from './prerequisite.ts';
import { toPlatform, publishedTool } from './publishers.ts';

/** The path of one program (`findAll`). */
export async function findTool(
  name: GoToolName,
  options: { report: Say; signal: AbortSignal; kubernetes?: KubernetesMinor },
): Promise<string> {
  const [found] = await findAll([wantedTool(name, options.kubernetes)], options);
  if (found === undefined) throw new Error('unreachable: one is found, or it throws');
  return found;
}

/**
 * A program: the value of `JOBLEDGER_<NAME>`, or the program on PATH if its version matches. Programs of a control
 * plane have the version `kubernetes`, by default the version of a new local cluster.
 */
export function wantedTool(name: GoToolName, kubernetes: KubernetesMinor = wantedKubernetes()): WantedServer {
  const tools = [...goTools(kubernetesVersion(kubernetes)), ...TOOLS_ON_DEMAND];
  const tool: GoTool | undefined = tools.find((known) => known.name === name);
  if (tool === undefined) throw new InputError(`no tool is named ${name}`);
  const platform = toPlatform(process.platform, process.arch);
  return {
    name,
    version: tool.version,
    target: toolPath(tool.name, tool.version),
    present: async () => programFromEnvironment(tool) ?? (await findOnPath(tool)),
    published: platform === undefined ? undefined : publishedTool(tool, platform),
    builder: 'go',
    build: (at) => buildGoTool(tool, at),
  };
}

/** `kube-apiserver` → `JOBLEDGER_KUBE_APISERVER`. */
export function variableFor(name: string): string {
  return `JOBLEDGER_${name.toUpperCase().replaceAll('-', '_')}`;
}

function programFromEnvironment(tool: GoTool): string | undefined {
  const variable = variableFor(tool.name);
  const file = process.env[variable];
  if (file === undefined || file === '') return undefined;
  if (!isExecutable(file)) throw new InputError(`${variable} is ${file}, which is not an executable file`);
  return path.resolve(file);
}

/** The path of the program on PATH, if its version matches. */
async function findOnPath(tool: GoTool): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const file = folders.map((folder) => path.join(folder, tool.name)).find(isExecutable);
  if (file === undefined) return undefined;
  const version = await readOutput(file, tool.versionArgs);
  return version?.includes(tool.versionText) === true ? file : undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
