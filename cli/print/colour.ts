import { styleText } from 'node:util';
import type { Status } from '../../services/read-model/shown/statuses.ts';

type Paint = (cell: string) => string;

const COLOURS = {
  Succeeded: 'green',
  Failed: 'red',
  Running: 'cyan',
  Pending: 'yellow',
  Retrying: 'yellow',
  Suspended: 'yellow',
  External: 'dim',
  Deleted: 'dim',
} as const satisfies Record<Status, string>;

/** `isColoured` has already checked the stream. */
const UNCHECKED = { validateStream: false };

/** True for a terminal, unless NO_COLOR is set (https://no-color.org). */
export function isColoured(stream: { isTTY?: boolean | undefined }, environment: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
}

/** Colours the status at the beginning of a cell; without colours, returns the cell unchanged. */
export function statusPaint(coloured: boolean): Paint {
  return (cell) => {
    const [word = ''] = /^\w+/.exec(cell) ?? [];
    if (!coloured || !isColouredWord(word)) return cell;
    return `${styleText(COLOURS[word], word, UNCHECKED)}${cell.slice(word.length)}`;
  };
}

/** True for a status that has a colour. */
function isColouredWord(word: string): word is keyof typeof COLOURS {
  return Object.hasOwn(COLOURS, word);
}
