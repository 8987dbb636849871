import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** Where a browser is, and the variables that it needs. */
interface FoundChromium {
  executablePath: string;
  env: Record<string, string>;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The package brings a Chromium for this platform alone. */
const HAS_PACKAGE = process.platform === 'linux' && process.arch === 'x64';

/** The reason why no Chromium can run here; null when a Chromium can run. */
export function whyNoChromium(): string | null {
  if (HAS_PACKAGE || onPath() !== undefined) return null;
  return `no Chromium: none of ${NAMES.join(', ')} is on PATH, and the package @sparticuz/chromium has none for ${process.platform} ${process.arch}`;
}

/** Starts the Chromium on PATH, else the one of the npm package @sparticuz/chromium. */
export async function startChromium(): Promise<Browser> {
  const { executablePath, env } = onPath() ?? unpacked();
  return chromium.launch({
    executablePath,
    // Its sandbox needs rights that containers do not have; it visits only our own server.
    args: ['--headless=shell', '--no-sandbox', '--no-zygote', '--disable-gpu'],
    env: { ...(process.env as Record<string, string>), ...env },
  });
}

function onPath(): FoundChromium | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const executablePath = files.find((file) => existsSync(file));
  return executablePath === undefined ? undefined : { executablePath, env: {} };
}

/** Unpacks the browser once, with the system libraries that the package also brings; they are used only where some are missing. */
function unpacked(): FoundChromium {
  const folder = join(homedir(), '.cache', 'jobledger', 'chromium');
  mkdirSync(folder, { recursive: true });
  const script =
    "import('@sparticuz/chromium').then(async ({ default: it }) => process.stdout.write(await it.executablePath()))";
  const executablePath = execFileSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    // It unpacks to the temporary folder, and the libraries only where it takes itself to be in that cloud.
    env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
  });
  const { stdout } = spawnSync('ldd', [executablePath], { encoding: 'utf8' });
  const isMissing = stdout === null || stdout.includes('not found');
  const libraries = join(folder, 'al2023', 'lib');
  const fonts = { FONTCONFIG_FILE: fontsIn(folder) };
  return { executablePath, env: isMissing ? { ...fonts, LD_LIBRARY_PATH: libraries } : fonts };
}

/** Writes the configuration of fonts: those of the package, and one that has arrows and signs. */
function fontsIn(folder: string): string {
  const withSigns = dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'));
  const folders = [join(folder, 'fonts'), withSigns].map((each) => `<dir>${each}</dir>`).join('');
  const file = join(folder, 'fonts.conf');
  writeFileSync(
    file,
    `<?xml version="1.0"?><fontconfig>${folders}<cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>\n`,
  );
  return file;
}
