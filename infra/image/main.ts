import { resolve } from 'node:path';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { writeTree } from './tree.ts';

// `npm run image-tree -- FOLDER`: a step of the Dockerfile.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder to write: npm run image-tree -- FOLDER');
await writeTree(PACKAGE_DIR, resolve(folder));
