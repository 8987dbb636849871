import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import ts from 'typescript';

/** The path of the generated types in the source tree, and the path in the package. */
const [TYPES, TYPES_IN_PACKAGE] = ['../../../../build/api-types.ts', './api-types.d.ts'];

/** Writes the package `jobledger-client` to the folder. @throws if `npm run page-types` did not run before. */
export function writeTypescriptClient(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const source = readFileSync(join(root, 'infra', 'release', 'clients', 'typescript', 'index.ts'), 'utf8');
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write('index.js', transformSync(source, { loader: 'ts', format: 'esm', target: 'es2022' }).code);
  write('index.d.ts', emitDeclarations(source).replaceAll(TYPES, TYPES_IN_PACKAGE));
  cpSync(join(root, 'build', 'api-types.ts'), join(folder, 'api-types.d.ts'));
  cpSync(join(root, 'infra', 'release', 'clients', 'typescript', 'README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  write('package.json', `${JSON.stringify(packageManifest(root), null, 2)}\n`);
}

function emitDeclarations(source: string): string {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
    fileName: 'index.ts',
    reportDiagnostics: true,
    compilerOptions: { isolatedDeclarations: true, declaration: true },
  });
  const [problem] = diagnostics;
  if (problem !== undefined) throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, '\n'));
  return outputText;
}

interface OwnManifest {
  version: string;
  license: string;
  devDependencies: Record<string, string>;
}

function packageManifest(root: string): object {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as OwnManifest;
  return {
    name: 'jobledger-client',
    version: own.version,
    description: "Calls of Jobledger's HTTP API, typed by its OpenAPI document",
    license: own.license,
    type: 'module',
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    files: ['index.js', 'index.d.ts', 'api-types.d.ts'],
    sideEffects: false,
    engines: { node: '>=20' },
    dependencies: { 'openapi-fetch': own.devDependencies['openapi-fetch'] },
  };
}
