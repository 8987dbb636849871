import { readFileSync } from 'node:fs';

// Ends a program that an older Node than `engines` in package.json allows has started. Imported first, because what comes
// after it need not load on that Node; so nothing here is newer than modules themselves.
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const [major, minor] = engines.node.match(/\d+/g).map(Number);
const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  console.error(
    `Jobledger needs Node ${major}.${minor} or later; this is ${process.versions.node}. Install a newer one, or start it by npm, which on Linux runs it on a Node of its own: npx jobledger`,
  );
  process.exit(1);
}
