import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../services/adapters/errors.ts';
import { fromCache, toolPath, type Say } from './cache.ts';
import { goTools, TOOLS_ON_DEMAND, type GoTool, type GoToolName } from './catalog.ts';
import { buildGoTool } from './go-build.ts';
import { kubernetesVersion, wantedKubernetes, type KubernetesMinor } from './kubernetes-versions.ts';
import { outputOf } from './prerequisite.ts';

/**
 * The path of a program: the value of `JOBLEDGER_<NAME>`, the program on PATH if its version matches, the cached one, or one
 * built now. Programs of a control plane have the version `kubernetes`, by default that of a new local cluster.
 */
export async function findTool(
  name: GoToolName,
  options: { say: Say; signal: AbortSignal; kubernetes?: KubernetesMinor },
): Promise<string> {
  const tools = [...goTools(kubernetesVersion(options.kubernetes ?? wantedKubernetes())), ...TOOLS_ON_DEMAND];
  const tool: GoTool | undefined = tools.find((known) => known.name === name);
  if (tool === undefined) throw new InputError(`no tool is named ${name}`);
  return (
    namedByEnvironment(tool) ??
    (await onPath(tool)) ??
    (await fromCache(toolPath(tool.name, tool.version), {
      ...options,
      make: (target, workDir) => buildGoTool(tool, { target, workDir, ...options }),
    }))
  );
}

/** `kube-apiserver` → `JOBLEDGER_KUBE_APISERVER`. */
export function variableFor(name: string): string {
  return `JOBLEDGER_${name.toUpperCase().replaceAll('-', '_')}`;
}

function namedByEnvironment(tool: GoTool): string | undefined {
  const variable = variableFor(tool.name);
  const file = process.env[variable];
  if (file === undefined || file === '') return undefined;
  if (!isExecutable(file)) throw new InputError(`${variable} is ${file}, which is not an executable file`);
  return path.resolve(file);
}

async function onPath(tool: GoTool): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const file = folders.map((folder) => path.join(folder, tool.name)).find(isExecutable);
  if (file === undefined) return undefined;
  const version = await outputOf(file, tool.versionArgs);
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
