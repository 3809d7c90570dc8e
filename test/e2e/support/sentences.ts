/**
 * What people type while something is asked, letter by letter as a keyboard and an input method do it, at a pace that is
 * random but the same for the same seed. Each sentence begins with a letter that some card takes for an answer.
 */

import type { CDPSession, Page } from '@playwright/test';
import { type Random, seededRandom } from '../../../src/core/seededRandom.ts';

interface Sentence {
  readonly text: string;
  /** The letters that the input method is given for it; a sentence without them is typed as it is. */
  readonly pinyin?: string;
}

const ENGLISH = [
  'you should look at the tests first',
  'also run the tests',
  'Actually use trash',
  'does that matter',
  'you forgot the tests',
  '2 tests still fail',
  'no wait',
  'echo',
  'any other way to do this',
  'A shorter name would be nicer',
  'yes but not now',
  'never mind the warnings',
  'please stop after this',
  'start again from main',
  'drop the last paragraph',
  '1 more thing: keep the old name',
  'nobody uses that file',
  'add a test for the empty case',
  'explain the second step',
  'yy dd aa nn',
];

const CHINESE: readonly Sentence[] = [
  { text: '应该先看测试', pinyin: 'yinggaixiankanceshi' },
  { text: '按顺序来', pinyin: 'anshunxulai' },
  { text: '你忘了测试', pinyin: 'niwanglececeshi' },
  { text: '等一下', pinyin: 'dengyixia' },
  { text: '不要删除这个文件', pinyin: 'buyaoshanchuzhegewenjian' },
  { text: '也运行一下测试', pinyin: 'yeyunxingyixiaceshi' },
  { text: '删掉旧的那个', pinyin: 'shandiaojiudenage' },
  { text: '还有两个失败了', pinyin: 'haiyoulianggeshibaile' },
  { text: '那样可以吗', pinyin: 'nayangkeyima' },
  { text: '用英文写注释', pinyin: 'yongyingwenxiezhushi' },
  { text: '安全吗？', pinyin: 'anquanma' },
  { text: '都改成常量', pinyin: 'dougaichengchangliang' },
  { text: '二号方案更好', pinyin: 'erhaofangangenghao' },
  { text: '拍照上传也要', pinyin: 'paizhaoshangchuanyeyao' },
  { text: '先别动配置', pinyin: 'xianbiedongpeizhi' },
  { text: '年份写错了', pinyin: 'nianfenxiecuole' },
  { text: '对，但是慢一点', pinyin: 'duidanshimanyidian' },
  { text: '上一步撤销', pinyin: 'shangyibuchexiao' },
  { text: '一共有几个', pinyin: 'yigongyoujige' },
  { text: '阿里云那个不用管', pinyin: 'aliyunnagebuyongguan' },
];

/** Forty, half of them Chinese, alternating. */
export const SENTENCES: readonly Sentence[] = CHINESE.flatMap((chinese, at) => [{ text: ENGLISH[at] ?? '' }, chinese]);

/** What is random in a test: from `--seed`, or from now; a test prints it. */
export function chooseSeed(): { readonly seed: number; readonly random: Random } {
  const seed = Number(process.env.PALIMPSEST_SEED ?? Date.now() % 1_000_000_000);
  return { seed, random: seededRandom(seed) };
}

/** The virtual key of a key event that an input method has taken. */
const PROCESSED = 229;

/** Pauses between two keys, in milliseconds. */
const LONGEST_PAUSE = 8;

export class Writer {
  readonly #page: Page;
  readonly #session: CDPSession;
  readonly #random: Random;

  private constructor(page: Page, session: CDPSession, random: Random) {
    this.#page = page;
    this.#session = session;
    this.#random = random;
  }

  static async at(page: Page, random: Random): Promise<Writer> {
    return new Writer(page, await page.context().newCDPSession(page), random);
  }

  /** Types a sentence where the caret is. `meanwhile` is called once, between two keys that are chosen at random. */
  async write({ text, pinyin }: Sentence, meanwhile: () => Promise<unknown>): Promise<void> {
    const keys = [...(pinyin ?? text)];
    const moment = Math.floor(this.#random() * (keys.length + 1));
    for (const [at, key] of keys.entries()) {
      if (at === moment) await meanwhile();
      if (pinyin === undefined) await this.#page.keyboard.press(key === ' ' ? 'Space' : key);
      else await this.#compose(key, keys.slice(0, at + 1).join(''));
      await this.#page.waitForTimeout(this.#random() * LONGEST_PAUSE);
    }
    if (moment === keys.length) await meanwhile();
    if (pinyin !== undefined) await this.#session.send('Input.insertText', { text });
  }

  async #compose(key: string, composed: string): Promise<void> {
    const pressed = { key: 'Process', code: `Key${key.toUpperCase()}`, windowsVirtualKeyCode: PROCESSED };
    await this.#session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed });
    const selectionStart = composed.length;
    await this.#session.send('Input.imeSetComposition', {
      text: composed,
      selectionStart,
      selectionEnd: selectionStart,
    });
    await this.#session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed });
  }
}
