import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The golden files of a folder. JOBLEDGER_UPDATE_GOLDEN=1 replaces them by the current answers: review the diff. */
export function goldenAnswers(folder: string) {
  const files = join(process.cwd(), 'test/golden', folder);
  const recorded = (name: string): string => {
    const file = join(files, `${name}.txt`);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  return {
    files,
    recorded,
    /** What is recorded, after an update with this text. */
    golden(name: string, text: string): string {
      mkdirSync(files, { recursive: true });
      if (process.env['JOBLEDGER_UPDATE_GOLDEN'] === '1') writeFileSync(join(files, `${name}.txt`), text);
      return recorded(name);
    },
  };
}
