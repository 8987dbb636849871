import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { RULE_TYPE_FILE } from './rule-type.ts';
import { ruleIds } from './rules.ts';

/** A place that names a rule. */
export interface Citation {
  rule: string;
  file: string;
  line: number;
  by: 'test' | 'code';
}

const FOLDERS = ['workflows', 'services', 'cli', 'infra', 'test'];
const TEXT = /\.(ts|mjs|sql|yaml)$/;
/** Shared test code proves nothing by itself, and these folders name rules only as examples. */
const NO_TESTS = /^test\/(support|rules|ahead)\//;
const NAMED = /\b(J-\w+\.\d+|[JDB]-\d+)(?: to (?:J-\w+\.\d+|[DB]-\d+))?\b/g;

/** Every place below the source folders that names a rule; a range (`J-5.1 to J-5.3`) counts for each. */
export function readCitations(root = PACKAGE_DIR): Citation[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((file) => TEXT.test(file) && !file.startsWith('test/rules/') && file !== RULE_TYPE_FILE)
      .toSorted()
      .flatMap((file) => citationsIn(file, readFileSync(join(root, file), 'utf8'))),
  );
}

export function citationsIn(file: string, text: string): Citation[] {
  const by = file.startsWith('test/') && !NO_TESTS.test(file) ? 'test' : 'code';
  return text
    .split('\n')
    .flatMap((message, at) =>
      [...message.matchAll(NAMED)].flatMap(([named]) =>
        ruleIds(named).map((rule) => ({ rule, file, line: at + 1, by }) as const),
      ),
    );
}
