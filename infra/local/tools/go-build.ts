import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Say } from './cache.ts';
import type { GoTool } from './catalog.ts';
import { runShowingProgress } from './run-showing-progress.ts';

/** Builds a program from its Go module into the file `target`, in the empty folder `workDir`. */
export async function buildGoTool(
  tool: GoTool,
  at: { target: string; workDir: string; report: Say; signal: AbortSignal },
): Promise<void> {
  const started = Date.now();
  const task = `building ${tool.name} ${tool.version}`;
  const upstream = await upstreamModule('go', tool, at);
  writeFileSync(path.join(at.workDir, 'go.mod'), moduleFile(tool, upstream.file));
  const linkerFlags = ['-s', '-w', ...tool.linkerFlags].join(' ');
  // The linker would remove the debugging data, and writing them takes a seventh of the compiler's time.
  const flags = ['-mod=mod', '-gcflags=all=-dwarf=false', '-ldflags', linkerFlags];
  // With Go's default, the compiler spends an eighth of its time on garbage collection; with this value, a compiler
  // process takes 370 MB instead of 290 MB.
  const env = { GOWORK: 'off', GOGC: process.env['GOGC'] ?? '400' };
  const go = { file: 'go', cwd: at.workDir, env };
  const stale = ['list', ...flags, '-deps', '-f', '{{if .Stale}}{{.ImportPath}}{{end}}', tool.program];
  const listed = await runShowingProgress(`${task}: listing its packages`, { ...go, args: stale }, at);
  const packages = listed.split('\n').filter((line) => line !== '').length;
  at.report(`${task} from ${packages} packages (only once; the result is cached)`);
  const args = ['build', '-v', ...flags, '-o', at.target, tool.program];
  await runShowingProgress(
    task,
    { ...go, args },
    { ...at, progress: (compiled, elapsedMs) => packagesProgress(compiled, packages, elapsedMs) },
  );
  at.report(`${tool.name} ${tool.version} is built (${Math.round((Date.now() - started) / 1000)} s)`);
}

/**
 * The text `, 812 of 1430 packages, about 45 s left` assumes that each remaining package takes as long as the earlier
 * ones.
 */
export function packagesProgress(compiled: number, packages: number, elapsedMs: number): string {
  if (compiled === 0 || compiled > packages) return '';
  const leftMs = (elapsedMs / compiled) * (packages - compiled);
  return `, ${compiled} of ${packages} packages, about ${Math.ceil(leftMs / 1000)} s left`;
}

/** The module that holds the program, as released: the text of its go.mod, and the folder of its source. */
export async function upstreamModule(
  go: string,
  tool: GoTool,
  at: { workDir: string; report: Say; signal: AbortSignal },
): Promise<{ file: string; dir: string }> {
  const args = ['mod', 'download', '-json', `${tool.module}@${tool.moduleVersion}`];
  const output = await runShowingProgress(
    `fetching ${tool.module} ${tool.moduleVersion}`,
    { file: go, args, cwd: at.workDir, env: { GOWORK: 'off' } },
    at,
  );
  const { GoMod, Dir } = JSON.parse(output) as { GoMod: string; Dir: string };
  return { file: readFileSync(GoMod, 'utf8'), dir: Dir };
}

/**
 * The go.mod of a module that requires the program's module. Upstream's `replace` directives do not apply to
 * dependents, so upstream's staging modules (the modules required as exactly v0.0.0) are replaced by their published
 * versions.
 */
export function moduleFile(tool: GoTool, upstream: string): string {
  const goVersion = /^go (\S+)/m.exec(upstream)?.[1] ?? '1.24';
  const lines = [
    'module jobledger.dev/tools',
    '',
    `go ${goVersion}`,
    '',
    `require ${tool.module} ${tool.moduleVersion}`,
  ];
  const { stagingVersion } = tool;
  if (stagingVersion !== undefined) {
    const staging = [...upstream.matchAll(/^\s+(\S+)\s+v0\.0\.0(?:\s|$)/gm)].map((match) => match[1] ?? '');
    lines.push(
      '',
      'replace (',
      ...staging.map((module) => `\t${module} => ${module} ${stagingVersion}`),
      ')',
    );
  }
  return `${lines.join('\n')}\n`;
}
