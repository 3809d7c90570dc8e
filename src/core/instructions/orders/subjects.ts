/**
 * The subject of a sentence, as a set of words: enough to tell whether two sentences may speak of the same thing, and
 * whether they say the same. It understands nothing, so what depends on it must be harmless when it is wrong.
 */

/** Words of a group count as one, across languages. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  '#commit':
    /^(?:commit|push|merg|ship|land|deploy|releas|publish|rebas|committ|pushen|subir|pouss|提交|推送|合并|发布|上线)/,
  '#main': /^(?:main|master|trunk|mainline|主分支|主干|干线)$/,
  '#change': /^(?:chang|edit|modif|touch|alter|rewrit|writ|refactor|修改|改动|更改|改|动|碰|编辑|重构)/,
  '#indent': /^(?:tabs?|spaces?|indent|缩进|制表|空格)/,
  '#language':
    /^(?:english|german|french|spanish|italian|portuguese|dutch|russian|chinese|mandarin|japanese|korean|arabic|languages?|deutsch|englisch|französisch|chinesisch|français|anglais|espagnol|allemand|español|inglés|francés|中文|英文|英语|汉语|法语|德语|日语|日文|语言)$/,
  '#test': /^(?:tests?|testing|specs?|suite|测试)/,
  '#comment': /^(?:comment|docstring|注释|文档)/,
  '#ask': /^(?:ask|confirm|permission|approv|consult|询问|问|确认|同意|批准)/,
  '#delete': /^(?:delet|remov|drop|eras|删除|删|移除)/,
  '#dependency': /^(?:dependenc|librar|packag|依赖|包|库)/,
  '#emoji': /^(?:emojis?|emoticons?|表情)/,
};

const STOP = new Set(
  'a an the and or but so to of in on at by for with from as is are be been was were am do does did done not no never always ever only please must shall should will would can could may might have has had need i we you he she it they me us my our your its this that these those there here now again anymore more any all every each some when whenever if then than also just still too very really now new use using used make sure keep get let go going ok okay fine way thing things rule rules order orders said told say about what which who how whatever want like'.split(
    ' ',
  ),
);

const NEGATIVE =
  /(?<![\p{L}])(?:not|never|no|don['’]?t|doesn['’]t|nothing|nobody|avoid|without|stop|forbidden|nie(?:mals)?|nicht|kein\p{L}*|jamais|pas|nunca|jamás|não|mai|nooit|никогда|не)(?![\p{L}])|不|别|勿|禁止|ない|하지/iu;

const HAN_WORD = /\p{Script=Han}+/gu;
const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu;
const HAN = /\p{Script=Han}/u;

/** Words of Chinese in the groups. */
const CHINESE =
  /提交|推送|合并|发布|上线|主分支|主干|修改|改动|更改|编辑|重构|缩进|制表|空格|中文|英文|英语|汉语|法语|德语|日语|日文|语言|测试|注释|文档|询问|确认|同意|批准|删除|移除|依赖|表情|改|动|碰|删|问|包|库/g;

/** Particles and polite words of Chinese, which say nothing about the subject. */
const CHINESE_FILLER =
  /请|务必|一定|必须|总是|始终|永远|一直|以后|从现在起|从现在开始|今后|不要|不得|不许|不准|不能|不可以|不可|可以|不用|不必|禁止|严禁|切勿|不|别|勿|了|的|地|得|吧|啊|呢|都|也|就|再|要|会|能|现在|已经|任何|所有|我|你|我们|之前|刚才|说|那|这|个|条|在|里|用|把|对|和|与|或/g;

/** The subjects of a sentence. */
export function subjectsOf(sentence: string): ReadonlySet<string> {
  return new Set([...wordsOf(sentence, STOP).map(groupOf), ...hanSubjects(sentence)]);
}

/** How many subjects two sentences share: with none they hardly speak of the same thing. */
export function countShared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let count = 0;
  for (const each of one) if (other.has(each)) count++;
  return count;
}

/** True for a sentence that forbids or denies. */
export function isNegative(sentence: string): boolean {
  return NEGATIVE.test(sentence);
}

/** Words that do not change what a sentence demands. */
const FILLER = new Set(
  "a an the please kindly pls you must shall should will always never not do don't dont does be sure make that ever just really very again i want need and but so also ok okay remember important".split(
    ' ',
  ),
);

/** Phrases that do not: their words alone may, as in *from `tmp`*. */
const FILLER_PHRASES =
  /\b(?:from now on|from here on|at all times|in (?:the )?future|(?:be|make) sure to|(?:want|need) (?:you )?to)\b/gi;

/** A word with the signs that belong to it: `C++`, `b.ts`, `-O2`; quotations and what ends a sentence do not. */
const SIGNED_WORD = /[^\s\p{Script=Han}，。！？；：、“”"'`]+/gu;

/**
 * Equal for sentences that demand the same in nearly the same words, so that the later one takes the place of the earlier.
 * The order of words counts, and so does a single letter or sign: it may be all that tells two orders apart.
 */
export function wordingOf(sentence: string): string {
  const sign = isNegative(sentence) ? '-' : '+';
  const signed = sentence
    .replace(/[’]/g, "'")
    .replace(FILLER_PHRASES, ' ')
    .replace(/(?<=\p{L})'(?=\p{L})/gu, '’');
  const words = [...signed.matchAll(SIGNED_WORD)]
    .map(([word]) => word.replace(/^[([{]+|[.,;:!?)\]}…–—]+$/g, ''))
    .filter((word) => word !== '' && !FILLER.has(word.toLowerCase().replace('’', "'")))
    // The case of an option or of a single letter has a meaning.
    .map((word) =>
      /^-*\p{L}$/u.test(word) ? word : /^[\p{L}’]+$/u.test(word) ? stemOf(word.toLowerCase()) : word.toLowerCase(),
    );
  const han = [...sentence.matchAll(HAN_WORD)].map(([run]) => run.replace(CHINESE_FILLER, '')).filter(Boolean);
  const all = [...words, ...han];
  // Nothing but small words: the whole sentence counts.
  return all.length === 0 ? sentence.trim().toLowerCase() : `${sign} ${all.join(' ')}`;
}

function wordsOf(sentence: string, without: ReadonlySet<string>): string[] {
  const words = sentence.toLowerCase().match(WORD) ?? [];
  return words.filter(
    (word) => !HAN.test(word) && !without.has(word.replace('’', "'")) && (word.length > 1 || /\d/.test(word)),
  );
}

function hanSubjects(sentence: string): string[] {
  return [...sentence.matchAll(HAN_WORD)].flatMap(([run]) => {
    const known = run.match(CHINESE) ?? [];
    const rest = run.replace(CHINESE_FILLER, ' ').replace(CHINESE, ' ').split(' ');
    const pairs = rest.flatMap((part) =>
      Array.from({ length: Math.max(0, part.length - 1) }, (_, at) => part.slice(at, at + 2)),
    );
    return [...known.map(groupOf), ...pairs];
  });
}

function groupOf(word: string): string {
  for (const [group, words] of Object.entries(GROUPS)) if (words.test(word)) return group;
  return stemOf(word);
}

/** A word without the endings of English. */
function stemOf(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  return word
    .replace(/['’]s$/, '')
    .replace(/(?:ies|y)$/, 'i')
    .replace(/(?:ing|ed|es|s|e)$/, '');
}
