/** What programs draw again and again is told by its first and last state; what says something else stays. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import { foldRedrawn, RedrawnOutput } from '../../../src/core/tools/text/redrawnLines.ts';
import { createControlStripper, markRedrawn, stripControls } from '../../../src/core/tools/text/stripControls.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { createWorkbench, NONCE, useTool } from './useTool.ts';

const ESC = '\u001B[';
const fold = (raw: string) => foldRedrawn(markRedrawn(raw));
const times = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('');
const recorded = (name: string) => readFileSync(new URL(`../../fixtures/redrawn/${name}.txt`, import.meta.url), 'utf8');

/** Layers of an image, each in its line, as `docker pull` draws them. */
function dockerPull(layers: readonly string[]): string {
  const draw = (at: number, text: string) =>
    `${ESC}${layers.length - at}A${ESC}2K\r${text}\r${ESC}${layers.length - at}B`;
  const all = (make: (layer: string) => string) => layers.map((layer, at) => draw(at, make(layer))).join('');
  return [
    layers.map((layer) => `${layer}: Pulling fs layer\r\n`).join(''),
    times(50, (done) =>
      all((layer) => `${layer}: Downloading [${'='.repeat(done)}>${' '.repeat(50 - done)}] ${done}MB/50MB`),
    ),
    all((layer) => `${layer}: Pull complete`),
    'Status: Downloaded newer image for node:latest\r\n',
  ].join('');
}

/** Whole frames, each drawn over the one before. */
function compose(names: readonly string[]): string {
  return times(30, (at) => {
    const line = (name: string) =>
      ` ${at < 29 ? '⠋⠙⠹⠸'[at % 4] : '✔'} Container ${name}  ${at < 29 ? 'Starting' : 'Started'}  ${at / 10}s\n`;
    return `${at === 0 ? '' : `${ESC}${names.length}A${ESC}0G`}${names.map(line).join('')}`;
  });
}

const FORMS: readonly (readonly [name: string, raw: string, most: number])[] = [
  ['git clone --progress', recorded('git'), 200],
  ['curl', recorded('curl'), 70],
  ['curl -#', recorded('curlbar'), 35],
  ['wget into a file', recorded('wget'), 170],
  ['wget in a terminal', recorded('wgetpty'), 160],
  ['apt-get update', recorded('apt'), 215],
  ['npm install', recorded('npm'), 22],
  ['dd status=progress', recorded('dd'), 60],
  ['cargo build', recorded('cargo'), 400],
  ['docker pull', dockerPull(['a1b2c3d4', '0f9e8d7c', 'deadbeef']), 260],
  ['docker compose up', compose(['app-web-1', 'app-db-1', 'app-cache-1']), 160],
  [
    'docker build --progress=plain',
    times(30, (at) => `#5 sha256:aa ${at}MB / 30MB 0.${at}s\n#6 sha256:bb ${at / 2}MB / 15MB 0.${at}s\n`),
    90,
  ],
  ['webpack', times(60, (at) => `<s> [webpack.Progress] ${at}% building ${at}/90 modules ./src/f${at}.js\n`), 60],
  ['webpack 3', times(60, (at) => `${at}% building ${at}/90 modules\n`), 30],
  ['Maven', times(40, (at) => `Progress (1): ${at + 1}/40 kB\n`), 35],
  ['Maven, two at a time', times(40, (at) => `Progress (2): ${at + 1}/40 kB | ${at + 1}/80 kB\n`), 50],
  [
    'tqdm',
    times(
      100,
      (at) =>
        `\rEpoch 1/3: ${at}%|${'█'.repeat(at / 10)}${' '.repeat(10 - at / 10)}| ${at}/100 [00:0${at % 10}<00:09, 9.8it/s]`,
    ),
    90,
  ],
  [
    'pip',
    times(
      60,
      (at) => `${ESC}2K\r   ${'━'.repeat(at / 2)}╺${'━'.repeat(30 - at / 2)} ${at}/60 MB 3.4 MB/s eta 0:00:${60 - at}`,
    ),
    150,
  ],
  ['ora', times(80, (at) => `${ESC}1G${ESC}2K${'⠋⠙⠹⠸'[at % 4]} Installing…`), 25],
  ['a spinner by backspaces', `Working ${times(60, (at) => `\b${'|/-\\'[at % 4]}`)}`, 30],
  ['vite', times(99, (at) => `\r${ESC}Ktransforming (${at}) src/f${at}.ts`), 40],
  [
    'Gradle',
    times(
      60,
      (at) => `\n${ESC}1A<${'='.repeat(at / 5)}${'-'.repeat(12 - at / 5)}> ${at}% EXECUTING [${at}s]${ESC}38D${ESC}1B`,
    ),
    60,
  ],
  ['in Chinese, with a word behind', times(60, (at) => `\r下载中 ${at}% 已完成`), 30],
  ['dpkg', times(20, (at) => `(Reading database ... ${at * 5}%\r`), 30],
];

describe('fold', () => {
  test.each(FORMS)('%s', (_, raw, most) => {
    const { text, left } = fold(raw);
    expect(countTokens(text)).toBeLessThanOrEqual(most);
    expect(text.match(/\(redrawn lines left out: \d+\)/gu)).not.toBeNull();
    const kept = text.split('\n').filter((line) => !line.startsWith('(redrawn lines'));
    expect(left + kept.length).toBe(stripControls(raw).split('\n').length);
  });

  test('first, last and the number of those between', () => {
    expect(fold(`${times(21, (at) => `\rReceiving objects: ${at * 5}% (${at * 6}/120)`)}, done.\nResolving\n`)).toEqual(
      {
        text: 'Receiving objects: 0% (0/120)\n(redrawn lines left out: 19)\nReceiving objects: 100% (120/120), done.\nResolving\n',
        left: 19,
      },
    );
  });
});

describe('stay', () => {
  test.each([
    [
      'an error and a warning between two states',
      '1%\r2%\rwarning: disk low\r3%\r4%\rERROR: no\r5%\r6%\r',
      ['warning: disk low', 'ERROR: no'],
    ],
    [
      'an error between two printed states',
      `${times(9, (at) => `${at}% (${at}/100)\n`)}fatal: no\n${times(9, (at) => `${at + 10}% (${at + 10}/100)\n`)}`,
      ['8% (8/100)', 'fatal: no', '10% (10/100)'],
    ],
    [
      'a warning inside of the last state',
      times(9, (at) => `\r${at}% retrying`),
      times(9, (at) => `${at}% retrying\n`)
        .trim()
        .split('\n'),
    ],
    ['another thing drawn between', '1%\r2%\rlistens on 3000\r3%\r4%\r', ['listens on 3000']],
    [
      'the file that is next',
      `${times(9, (at) => `\ra.zip ${at * 12}%`)}\n${times(9, (at) => `\rb.zip ${at * 12}%`)}\n`,
      ['a.zip 0%', 'a.zip 96%', 'b.zip 0%', 'b.zip 96%'],
    ],
  ])('%s', (_, raw, lines) => {
    expect(fold(raw).text.split('\n')).toEqual(expect.arrayContaining(lines));
  });

  test.each([
    ['tests of vitest', (at: number) => `✓ tests/a${at}.test.ts (3 tests) 12ms\n`],
    ['tests with a percentage', (at: number) => `tests/test_${at}.py::test_a PASSED [ ${at}%]\n`],
    ['dots of pytest', (at: number) => `${'.'.repeat(72)} [ ${at}%]\n`],
    ['tests with a counter', (at: number) => `${at}/40 Test #${at}: foo .....   Passed    0.01 sec\n`],
    ['tests that look alike', (at: number) => `[${at}/40] PASS\n`],
    ['TAP', (at: number) => `ok ${at} - works\n`],
    ['compiled files', (at: number) => `[${at}/40] Building CXX object src/a${at}.o\n`],
    ['compiled files with a percentage', (at: number) => `[ ${at}%] Building CXX object src/a${at}.o\n`],
    ['answers', (at: number) => `64 bytes from 1.1.1.1: icmp_seq=${at} ttl=64 time=1.3 ms\n`],
    ['requests', (at: number) => `2026-11-29 10:00:${at + 10} GET /api 200 ${at}ms 50%\n`],
    ['disks', (at: number) => `/dev/sda${at} 100G ${at}G 50G ${at}% /mnt/${at}\n`],
    ['epochs with a result', (at: number) => `Epoch ${at}/40 accuracy ${80 + (at % 3)}%\n`],
    ['measurements that go up and down', (at: number) => `load ${[81, 79, 85, 70][at % 4]}%\n`],
    ['coverage', (at: number) => `src/a${at}.ts | ${at}% | 10/20\n`],
    ['lines of an old Macintosh', (at: number) => `line ${'abcdefghijklmnopqrst'[at]} of a file\r`],
    ['numbered steps', (at: number) => `Step ${at}/40 : RUN make part${at}\n`],
    ['shares of a benchmark', (at: number) => `  ${at * 5}% in 0.0${at}12 secs\n`],
    ['the same in the words of another', (at: number) => `     ${at * 5}%  ${at * 30}.00ms\n`],
    ['coverage that grows', (at: number) => `coverage: ${at * 5}.0% of statements\n`],
    ['the sums of coverage', (at: number) => `Lines        : ${50 + at}% ( ${50 + at}/100 )\n`],
    ['samples of a log', (at: number) => `12:00:${at + 10} INFO disk usage ${75 + at}%\n`],
    ['samples of memory', (at: number) => `RSS: ${100 + at} MB / 2048 MB at 12:00:${at + 10}\n`],
    ['a table of disks', (at: number) => `tmpfs 100M ${at}M ${100 - at}M  ${at}% /run\n`],
    ['how alike files are', (at: number) => `similarity index ${60 + at}%\n`],
    ['rows of a style sheet', (at: number) => `  width: ${at * 5}%;\n`],
    ['numbers of invoices', (at: number) => `Invoice ${at + 1}/2025 paid\n`],
    ['times of jobs', (at: number) => `job ${at + 1}/20 took ${at * at * 3}s\n`],
    ['a histogram', (at: number) => `${at * 5} % ${'█'.repeat(at + 2)}\n`],
    ['results drawn over each other', (at: number) => `\r[${at + 1}/20] case-${at} nok`],
    ['answers inside of progress', (at: number) => `\rGetting ${at * 5}% HTTP/1.1 50${at % 5} of ${at}`],
    ['times of steps', (at: number) => `Processing batch ${at + 1}/20: ${at * 7} ms\n`],
    ['rows of numbers, each ended by CR', (at: number) => `${at};${at * at}.5\r`],
    ['errors of a German', (at: number) => `\rLade ${at * 5}% Fehler ${at}`],
    ['errors of a Frenchman', (at: number) => `\rTransfert ${at * 5}% échec de ${at}`],
    ['errors in Chinese', (at: number) => `\r正在处理 ${at * 5}% 第 ${at} 个出错了`],
    ['errors in Japanese', (at: number) => `\rダウンロード中 ${at * 5}% エラー ${at}`],
    ['errors in Russian', (at: number) => `\rЗагрузка ${at * 5}% ошибка ${at}`],
    ['what a sensor reads', (at: number) => `Reading sensor: ${at * 5}% humidity\n`],
    ['what it reads, with more words', (at: number) => `Reading sensor: ${at * 5} % relative humidity outside.\n`],
    ['what it reads, drawn over', (at: number) => `\rReading sensor: ${at * 5}% humidity`],
    ['how much is in use, drawn over', (at: number) => `\rScanning pool: ${at * 5}% free space`],
    ['what is measured before it', (at: number) => `Reading of humidity: ${at * 5}%\n`],
    ['a share that grows a little', (at: number) => `Building occupancy: ${40 + at}%\n`],
    ['retries', (at: number) => `attempt ${at}/40 failed\n`],
    ['a few states', (at: number) => (at < 3 ? `${at}%\n` : '')],
  ])('%s', (_, line) => {
    const raw = times(20, line);
    expect(fold(raw)).toEqual({ text: stripControls(raw), left: 0 });
  });
});

test('cut anywhere, what is shown live ends as the whole', () => {
  const parts = ['1%', '2% of it', 'a 3/9', '\r', '\n', '\b', `${ESC}1A`, `${ESC}2K`, 'error', '⠋ x', '  '];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 40 }), fc.nat(5), (pieces, size) => {
      const raw = pieces.join('');
      const [stripper, output] = [createControlStripper('marked'), new RedrawnOutput(10_000)];
      let shown = '';
      for (let from = 0; from < raw.length; from += size + 1)
        shown = output.push(stripper.push(raw.slice(from, from + size + 1)));
      shown = output.push(stripper.end());
      // What was folded early is counted as one that is folded late.
      const sum = (text: string) =>
        text
          .split('\n')
          .reduce((all, line) => all + Number(/^\(redrawn lines left out: (\d+)\)$/u.exec(line)?.[1] ?? 1), 0);
      const whole = fold(raw).text;
      expect(sum(shown) - shown.split('(redrawn').length).toBe(sum(whole) - whole.split('(redrawn').length);
    }),
    { numRuns: 300 },
  );
});

describe('run_command', () => {
  const progress = times(101, (at) => `\rReceiving objects: ${at}%`);
  const ran = (command: string, output: string) => createMemoryShell({ [command]: { output: [output] } });

  test('folds what the model sees, and the whole can be read', async () => {
    const ports = createWorkbench({}, ran('git fetch', `${progress}\n`));
    const { text, truncation } = await useTool(ports, 'run_command', { command: 'git fetch' });
    const blob = truncation?.blob ?? '';
    expect(text).toBe(
      `exit code 0\nReceiving objects: 0%\n(redrawn lines left out: 99)\nReceiving objects: 100%\n[palimpsest:${NONCE} redrawn lines are left out; read_file with path "output:${blob}" and an offset reads all of it]`,
    );
    const read = await useTool(ports, 'read_file', { path: `output:${blob}`, offset: 40, limit: 1 });
    expect(read.text).toContain('Receiving objects: 38%');
  });

  test('what is cut too names the whole once', async () => {
    const ports = createWorkbench({}, ran('make', `${progress}\n${times(3_000, (at) => `line ${at}\n`)}`));
    const { text, truncation } = await useTool(ports, 'run_command', { command: 'make' });
    expect(text.match(/output:/gu)).toHaveLength(1);
    expect(text).toContain('of 3004 without redrawn lines');
    const whole = new TextDecoder().decode((await ports.blobs.get(truncation?.blob ?? '')) ?? undefined);
    expect(whole.split('\n').length).toBe(1 + 101 + 3_000);
  });
});
