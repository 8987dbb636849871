import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

/** Modules that reach the servers. The verbs load these modules only when no API is chosen. */
const ON_SERVERS = [
  'cli/with-database.ts',
  'cli/sources/tables.ts',
  'cli/ledger/read-ledger.ts',
  'cli/verbs/clusters/print-from-servers.ts',
  'cli/verbs/clusters/override-on-servers.ts',
  'cli/verbs/prices/list-on-servers.ts',
  'cli/verbs/prices/apply-on-servers.ts',
  'services/adapters/kafka/append.ts',
];

const NO_API =
  'no API is chosen: give --server URL, or sign in with "jobledger login URL". This package works through an API only; to work on the servers, use the whole installation, that is the image or a source tree of Jobledger';

/** Packages that are bundled with the verbs, so that the package depends on no other package. */
const LIBRARIES = ['@noble/hashes', 'commander', 'eventsource-parser', 'lossless-json', 'yaml', 'zod'];

const BINS = ['jobledger', 'kubectl-jobledger'];

/**
 * Writes the npm package `jobledger` to the folder: the verbs that work through an API, each in a file together with the code that it shares with
 * other verbs. @throws if a verb needs a library that is not listed.
 */
export async function writeCommandLine(root: string, folder: string): Promise<{ bytes: number }> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: ENTRY, resolveDir: root, sourcefile: 'entry.ts', loader: 'ts' },
    outdir: join(folder, 'programs'),
    entryNames: 'jobledger',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // The bundle keeps the names of functions, so that the stack in an error report is readable.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // The modules for browsers are ES modules, so the bundle leaves out unused modules.
    alias: { yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js') },
    metafile: true,
    logLevel: 'error',
    plugins: [replacingPlugin(root), ENGLISH],
  });
  const libraries = librariesIn(metafile);
  const unlisted = libraries.filter((each) => !LIBRARIES.includes(each));
  if (unlisted.length > 0) throw new Error(`the package would contain ${unlisted.join(', ')}`);
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'jobledger.mjs'), STARTER, { mode: 0o755 });
  cpSync(join(root, 'infra', 'compile-cache.mjs'), join(folder, 'compile-cache.mjs'));
  write('package.json', `${JSON.stringify(packageManifest(root), null, 2)}\n`);
  write('THIRD-PARTY-LICENSES', libraries.map((each) => readLicense(root, each)).join('\n'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(root, 'infra', 'release', 'command-line', 'README.md'), join(folder, 'README.md'));
  return { bytes: Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** The source of the program. */
const ENTRY = `import { main } from './cli/over-api.ts';
await main(process.argv);
`;

/** Starts the program with the compile cache of an earlier start. */
const STARTER = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(\`Jobledger needs Node 22.19 or later; this is \${process.versions.node}.\`);
  process.exit(1);
}
const { useCompileCache } = await import('./compile-cache.mjs');
useCompileCache();
await import('./programs/jobledger.js');
`;

/** The replacement of a module in the package, by the path of the module. */
function replacements(root: string): Readonly<Record<string, string>> {
  const errors = join(root, 'services', 'adapters', 'errors.ts');
  const refusing = `import { InputError } from ${JSON.stringify(errors)};\nthrow new InputError(${JSON.stringify(NO_API)});\n`;
  return {
    ...Object.fromEntries(ON_SERVERS.map((path) => [path, refusing])),
    // The verbs use Kubernetes' library only to parse YAML, so the package needs no bundle of this library.
    'services/adapters/kubernetes/client-library.ts': `import { parse, parseAllDocuments } from 'yaml';
export const clientLibrary = () => ({ parse, parseAllDocuments });`,
  };
}

function replacingPlugin(root: string): Plugin {
  const contents = replacements(root);
  const missing = Object.keys(contents).filter((path) => !existsSync(join(root, path)));
  if (missing.length > 0)
    throw new Error(`these modules, which the package replaces, do not exist: ${missing.join(', ')}`);
  return {
    name: 'replacing',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const own = contents[relative(root, path)];
        return own === undefined ? undefined : { contents: own, resolveDir: root };
      });
    },
  };
}

/** Omits the other languages of zod's messages, which take half a megabyte. */
const ENGLISH: Plugin = {
  name: 'english',
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** The npm packages whose modules are in the bundle. */
function librariesIn({ inputs, outputs }: Metafile): string[] {
  const names = Object.keys(inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  const external = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter((each) => each.external === true && !isBuiltin(each.path)).map(({ path }) => path),
  );
  return [...new Set([...names, ...external])].toSorted();
}

function readLicense(root: string, library: string): string {
  const folder = join(root, 'node_modules', library);
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined || !existsSync(join(folder, file)))
    throw new Error(`${library} has no license file`);
  return `${library}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}

interface OwnManifest {
  version: string;
  license: string;
  engines: { node: string };
}

function packageManifest(root: string): object {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as OwnManifest;
  return {
    name: 'jobledger',
    version: own.version,
    description:
      "The command line of Jobledger, an event-sourced Job controller for Kubernetes, over Jobledger's HTTP API",
    license: own.license,
    type: 'module',
    bin: Object.fromEntries(BINS.map((name) => [name, 'jobledger.mjs'])),
    files: ['jobledger.mjs', 'compile-cache.mjs', 'programs', 'THIRD-PARTY-LICENSES'],
    engines: own.engines,
  };
}
