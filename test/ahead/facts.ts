import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { InputError } from '../../services/adapters/errors.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

/** What the Go sources of one version declare. Names are `FOLDER.NAME`, such as `batch/v1.JobSpec`. */
export interface Facts {
  /** The imports of each folder. */
  packages: Record<string, string[]>;
  types: Record<string, { isKind: boolean; fields: ApiField[] }>;
  constants: Record<string, { type: string; value: string; doc: string }>;
  /** Functions, methods and variables. */
  functions: Record<string, Declared>;
  /** The stages of each feature gate in the order of versions (`1.37`). */
  gates: Record<string, { version: string; default: boolean; stage: string; locked: boolean }[]>;
  /** For each role of a built-in controller the verbs of each resource. */
  rights: Record<string, Record<string, string[]>>;
}

export interface ApiField {
  go: string;
  /** Empty for an embedded type. */
  json: string;
  type: string;
  /** The named type in it. */
  refers: string;
  /** Those that matter to clients: `+featureGate=…`, `+required`, `+k8s:immutable` … */
  markers: string[];
}

export interface Declared {
  /** Of its source without comments and formatting. */
  digest: string;
  /** The selected names, such as fields. */
  names: string[];
  /** What users can see: Events with reason and message, names of metrics, words of errors and conditions. */
  texts: string[];
}

/**
 * Reads paths (`FOLDER`, `FOLDER/...`, `FILE`) of a module's zip or of a folder; missing ones are left out. The parser is Go's
 * own, because Go is needed here anyway and no other is kept as well.
 */
export function readFacts(source: string, paths: readonly string[]): Facts {
  const program = join(PACKAGE_DIR, 'test', 'ahead', 'facts', 'main.go');
  return JSON.parse(go(['run', program, source, ...paths])) as Facts;
}

/**
 * The zip of a module, from the cache or the module proxy; also of one that wants a later Go, which Go downloads but does not
 * unpack. @throws InputError with Go's own words if the proxy does not have it.
 */
export function moduleZip(module: string, version: string): string {
  const output = go(['mod', 'download', '-json', `${module}@${version}`]);
  const { Zip, Error: problem } = JSON.parse(output) as { Zip?: string; Error?: string };
  if (Zip === undefined) throw new InputError(problem ?? `${module}@${version} has no zip`);
  return Zip;
}

/** The last version of Kubernetes whose API types are published, alphas included: `1.38.0-alpha.2`. */
export function newestVersion(): string {
  const output = go(['list', '-m', '-versions', '-json', 'k8s.io/api@latest']);
  const { Versions } = JSON.parse(output) as { Versions: string[] };
  return Versions.findLast((each) => each.startsWith('v0.'))?.replace(/^v0/, '1') ?? '';
}

/** The output of a command. `go mod download` fails too when it has said why as JSON. */
function go(args: readonly string[]): string {
  const env = { ...process.env, GOWORK: 'off', GOFLAGS: '', GOTOOLCHAIN: 'local' };
  const { error, status, stdout, stderr } = spawnSync('go', args, {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (error !== undefined)
    throw new InputError(`reading Kubernetes' sources needs Go 1.26 or later: ${error.message}`);
  if (status !== 0 && stdout === '')
    throw new InputError(`go ${args.slice(0, 2).join(' ')} failed: ${stderr}`);
  return stdout;
}
