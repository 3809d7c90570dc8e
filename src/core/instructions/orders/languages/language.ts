/**
 * The words of a language that speak for or against a standing order, by what they say. A language states its words only;
 * what they weigh is the same in all languages.
 */

/** Meanings that words may give a clause. Each speaks for an order or against one; see `weighOrder.ts` for how much. */
export interface Cues {
  /** Says how long it holds: *from now on*, *for the rest of the session*. */
  readonly lasting: RegExp;
  /** The person wants to be asked: *ask me before*, *without my approval*. */
  readonly permission: RegExp;
  /** *Never*, *always*, *under no circumstances*, *everywhere*. */
  readonly always: RegExp;
  /** An imperative that forbids: *don't touch …*, *… is forbidden*. */
  readonly forbids: RegExp;
  /** Begins with a thing that shall not be: *no comments …*, *without emojis …*. */
  readonly nothing: RegExp;
  /** One thing in place of another: *… instead of …*, *…, not …*. */
  readonly instead: RegExp;
  /** It recurs: *after each change*, *whenever you …*, *if in doubt*. */
  readonly each: RegExp;
  /** A way of working: *avoid*, *keep … small*, *prefer*. */
  readonly manner: RegExp;
  /** How the agent speaks: *answer in …*, *be brief*, *stop apologising*. */
  readonly speech: RegExp;
  /** *Remember*, *keep in mind*. */
  readonly remember: RegExp;
  /** *Must*, *should*, *belongs*, *go into*. */
  readonly norm: RegExp;
  readonly only: RegExp;
  /** *All*, *every*, *each*, *new*. */
  readonly all: RegExp;
  /** Begins with a thing that rules of a project are about: *variable names*, *comments*, *passwords*. */
  readonly topic: RegExp;
  /** *In English*. */
  readonly tongue: RegExp;
  readonly question: RegExp;
  /** Tells what others say: *the docs say*, *my boss wants*. */
  readonly reported: RegExp;
  /** Tells what is or was: *I forget*, *it crashes*, *has worked*. */
  readonly telling: RegExp;
  /** For this once: *this time*, *yet*, *for now*. */
  readonly once: RegExp;
  /** Points at something in the conversation: *this file*, *here*, *the second*. */
  readonly pointing: RegExp;
  /** Phrases that demand nothing: *don't worry*, *no idea*. */
  readonly dismissed: RegExp;
  /** Permits, or takes an order back. */
  readonly permits: RegExp;
  /** Asks for something to be built, and says what that shall do: *write a test that …*. */
  readonly builds: RegExp;
}

export interface OrderLanguage extends Cues {
  /** Frequent words, by which the language is told from others of its script. None for a script of its own. */
  readonly frequent: readonly string[];
  /** Recognises what the words alone do not tell. Gets the sentence as it was written, without its quotations. */
  readonly grammar?: (sentence: string) => boolean;
  /** Brings a sentence into the spelling that the words are written in. */
  readonly spelling?: (sentence: string) => string;
  /** Letters that few other languages of its script have. */
  readonly letters: RegExp;
  /** Words before a demand that say nothing: *and*, *please*, *besides*. */
  readonly lead: RegExp;
}

/**
 * Characters between words. Classes of Unicode would make a search ten times as slow, and only folded text that a person
 * typed is read here.
 */
const BETWEEN = `\\s,.;:!?'"()\\[\\]{}/…¿¡“”«»،؛؟।*+=<>@#&|-`;
const LETTER = `[^${BETWEEN}]`;
const BEGINS = `(?<!${LETTER})`;
const ENDS = `(?!${LETTER})`;

/**
 * Matches whole words or phrases. `~` stands for any further letters. Text is folded first (see `fold`), so write Latin
 * letters without accents.
 */
export const phrases = (...alternatives: readonly string[]) => new RegExp(`${BEGINS}(?:${widen(alternatives)})${ENDS}`);

/** As `phrases`, at the beginning only. */
export const opening = (...alternatives: readonly string[]) => new RegExp(`^(?:${widen(alternatives)})${ENDS}`);

/** As `phrases`, at the end only. */
export const ending = (...alternatives: readonly string[]) => new RegExp(`(?:${widen(alternatives)})$`);

/** For scripts without spaces between words. */
export const signs = (...alternatives: readonly string[]) =>
  new RegExp(alternatives.join('|').replaceAll('\\p{L}', LETTER));

/** Either of these. */
export const either = (...patterns: readonly RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source.replaceAll('\\p{L}', LETTER)).join('|'));

/** Where a language has no such words. */
export const NONE = /(?!)/;

const widen = (alternatives: readonly string[]) =>
  alternatives
    .map((each) => each.trimEnd().replace(/ \(\?!((?:[^()]|\([^()]*\))*)\)$/, '(?! (?:$1))'))
    .join('|')
    .replaceAll('~', `${LETTER}*`)
    .replaceAll('\\p{L}', LETTER);

/** Frequent words, folded and separated by spaces. */
export const frequent = (words: string): readonly string[] => words.trim().split(/\s+/);

const TRADITIONAL =
  '請問動變數檔個這們說別無許準絕對從現開後沒經過麼為嗎會還進時間錯誤碼應該須務統縮寫書註釋測試隨亂記簡體覆複輸異執運裝與並專訊號單雙導資庫憑暫給讓剛總當機點壞換嚴僅條規則範員環類處啟發遠歷細樣種銷刪幫併報標邊實隻話談認誰讀優儘盡關讚層內鑰敗確協顯鍵鏈題產線紅藍綠願級連驗證據長約義見觸權網擇選終萬貫駝蓋蹤轉圍稱屬';
const SIMPLIFIED =
  '请问动变数档个这们说别无许准绝对从现开后没经过么为吗会还进时间错误码应该须务统缩写书注释测试随乱记简体复复输异执运装与并专讯号单双导资库凭暂给让刚总当机点坏换严仅条规则范员环类处启发远历细样种销删帮并报标边实只话谈认谁读优尽尽关赞层内钥败确协显键链题产线红蓝绿愿级连验证据长约义见触权网择选终万贯驼盖踪转围称属';
const SIMPLER = new Map([...TRADITIONAL].map((letter, nth) => [letter, SIMPLIFIED[nth] ?? letter]));

/** The letters of Chinese that orders are told by, in their simplified form. */
export const simplify = (text: string) => text.replace(/\p{Script=Han}/gu, (letter) => SIMPLER.get(letter) ?? letter);

/** Lower case, without accents of Latin letters, with straight apostrophes, and Arabic and Cyrillic in one spelling. */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’ʼ`´]/g, "'")
    .replace(/ё/g, 'е')
    .replace(/[أإآ]/g, 'ا')
    .replace(/ى/g, 'ي')
    .replace(/[\u064B-\u065F\u0640]/g, '')
    .normalize('NFD')
    .replace(/(?<=[a-z])[\u0300-\u036F]+/g, '')
    .replace(/\u093C/g, '')
    .normalize('NFC')
    .replace(/ı/g, 'i')
    .replace(/ł/g, 'l')
    .replace(/ß/g, 'ss')
    .replace(/ø/g, 'o')
    .replace(/æ/g, 'ae');
}
