/**
 * How secrets are written when no vendor's prefix gives them away: the words that name one, and the forms around a value.
 * Data only. Every pattern reads a text once: its repetitions are bounded, or consume what they match.
 */

/**
 * The kind of value that a name announces: a password may be any text, a token has a length, a key looks random, and a pair is a
 * name with its password in base64. That of a header is the rest of its line.
 */
export type SecretKind = 'password' | 'token' | 'key' | 'pair' | 'header';

/** Last words of a name, in lower case and as one word: `dbPassword` ends with `password`. */
export const NAME_ENDINGS: readonly (readonly [ending: string, kind: SecretKind])[] = [
  ...named(
    'password passwd passphrase passcode passwort kennwort contraseña requirepass masterauth mdp mnemonic seedphrase',
    'password',
  ),
  ...named('secret secrets clientsecret secretkey', 'password'),
  ...named('apikey accesskey authkey privatekey signingkey encryptionkey masterkey sharedkey', 'token'),
  ...named('accountkey subscriptionkey servicekey sharedaccesskey licensekey licencekey sessionkey', 'token'),
  ...named('appkey applicationkey consumerkey deploykey hmackey jwtkey storageaccountkey secretaccesskey', 'token'),
  ...named('token tokens accesstoken authtoken refreshtoken idtoken sessiontoken bearer jwt', 'token'),
  ...named('authorization cookie setcookie', 'header'),
];

/** A whole last word, where its letters may also end another: `compass`, `author`. */
export const LAST_WORDS: ReadonlyMap<string, SecretKind> = new Map([
  ...named('pass pwd pw psw psk', 'password'),
  ...named('auth pat sas sid otp credential credentials', 'key'),
  ...named('key keys', 'key'),
]);

/** May follow the word that names a secret: `SECRET_KEY_BASE`, `passwordOld`, `TOKEN_2`. */
export const TRAILING_WORDS: ReadonlySet<string> = new Set(
  'base base64 pem data json value plain raw prod production dev stage staging test old new current primary secondary default v'.split(
    ' ',
  ),
);

/** In front of the last word they say that it is none: `PUBLIC_KEY`, `nextPageToken`. */
export const HARMLESS_BEFORE: ReadonlySet<string> = new Set(
  'public primary foreign partition sort cache page next cancel cancellation syntax continuation storage object row query map hot shortcut translation message i18n react unique composite max min total input output prompt completion no without show hide reset forgot forgotten change confirm'.split(
    ' ',
  ),
);

/** Of a parameter in an address, where shorter names are usual too. */
export const PARAMETER_NAMES: ReadonlyMap<string, SecretKind> = new Map([
  ...named('key sig signature code sas hmac session sessionid auth pass pwd', 'password'),
]);

/** Where a name of a secret may stand; the rest of the name is read around it. */
export const NAME_HINT =
  /pass|pwd|psw|\bpw\b|secret|token|key|auth|cookie|credential|jwt|bearer|kennwort|contrase|mdp|sig|code|sas|psk|mnemonic|seed|hmac|session|sid|otp|pat/giu;

/** Words that are no secret in place of a value, in lower case. */
export const HARMLESS_VALUES: ReadonlySet<string> = new Set(
  (
    'string number boolean bigint symbol object unknown never void any null undefined none nil true false yes no on off ' +
    'str int bool float bytes buffer uint8array text varchar char byte optional required enabled disabled default ' +
    'include omit same-origin basic bearer digest token key value redacted hidden placeholder dummy changeme change-me ' +
    'changeit example todo empty missing invalid expired unset set given not new const let var function return await async ' +
    'readonly private public protected static type interface class self this ' +
    'to is and or with for from in the a an of option flag must was may can will should if when that it here see ' +
    'passwort kennwort contraseña senha parola wachtwoord jeton geheimnis motdepasse'
  ).split(' '),
);

/** A stand-in: a variable, a template, a mask, or an instruction to put something there. */
export const STAND_IN =
  /^(?:\$[A-Za-z_({]|%[A-Za-z_]+%$|\{[{%]|#?\{[A-Za-z_$][\w.$]*(?:[}(]|$)|<(?:[^<>]*>)?$|<(?:your|my|the|some|insert|enter)\b|&lt;|\[(?:hidden|redacted|key)\b|\(|[*•·.…x_-]{3,}$|your[-_ ]|my[-_ ](?:secret|password|token|api)|@[A-Za-z]+$)/iu;

/** A form around a secret: the first group stays in front of it. Everything else is replaced by `by`, or by a mark. */
export interface SecretForm {
  readonly pattern: RegExp;
  /** Given what would be hidden, and the characters before the match. */
  readonly holds?: (secret: string, before: string) => boolean;
  readonly by?: string;
}

/** Characters before a match that a form may look at. */
export const BEFORE = 300;

/** A word begins here. */
const START = '(?<![A-Za-z0-9_])';
const RUN = '[A-Za-z0-9_-]';
const QUOTE = `(?:\\\\{0,63}["'\`]|&quot;|&#39;)`;

/** Beginnings that vendors have given to their tokens. The library's rules know the exact lengths of some. */
const SURE =
  'gh[opusr]_|github_pat_|glpat-|gloas-|glagent-|xox[abeprs]-|xapp-|[sr]k_(?:live|test)_|pk_live_|whsec_|shp(?:at|ss|ca|pa)_|' +
  'dckr_(?:pat|oat)_|sk-(?:proj|svcacct|admin|ant|or|lf|live|test)-|AIza|ya29\\.|GOCSPX-|AGE-SECRET-KEY-|ATATT3|ATCTT3';

/** Also the beginnings of other words, so that what follows has to look random. */
const LOOSE =
  'sk-|gldt-|glrt-|glft-|glsoat-|glcbt-|glptt-|npm_|pypi-|hf_|gsk_|xai-|nvapi-|do[opr]_v1_|lin_api_|ntn_|figd_|glsa_|glc_|' +
  'hv[sbr]\\.|tskey-|rubygems_|sq0(?:atp|csp)-|pplx-|r8_|tgp_v1_|csk-|sbp_|pscale_(?:tkn|pw)_|PMAK-|xkeysib-|ops_|ATBB|CFPAT-|' +
  'sntry[su]_|dp\\.(?:st|pt)\\.|lsv2_(?:pt|sk)_|tvly-|jina_|NRAK-|NRJS-|phx_|vc[piark]_|cf(?:k|ut|at)_|rpa_|LTAI|pul-|fo1_|FLWSECK-';
const BEGINNING = new RegExp(`^(?:${LOOSE})`, 'u');

export const FORMS: readonly SecretForm[] = [
  // Tokens by their beginning.
  { pattern: new RegExp(`${START}(?:${SURE})${RUN}{12,4096}(?:\\.${RUN}{4,4096}){0,4}`, 'gu') },
  {
    pattern: new RegExp(`${START}(?:${LOOSE})${RUN}{16,4096}(?:\\.${RUN}{4,4096}){0,4}`, 'gu'),
    holds: (secret) => isMixed(secret.replace(BEGINNING, '')),
  },
  {
    pattern: new RegExp(`${START}A(?:3T[A-Z0-9]|KIA|GPA|IDA|ROA|IPA|NPA|NVA|SIA)[A-Z0-9]{12,40}(?![A-Za-z0-9])`, 'gu'),
  },
  { pattern: new RegExp(`${START}SK[0-9a-f]{32}(?![A-Za-z0-9])`, 'gu') },
  { pattern: /(?<![\w-])key-[0-9a-f]{32}(?!\w)/gu },
  { pattern: /(?<!\w)secret_[A-Za-z0-9]{43}(?!\w)/gu },
  { pattern: new RegExp(`${START}SG\\.${RUN}{10,64}\\.${RUN}{10,128}`, 'gu') },
  { pattern: new RegExp(`(?<!\\d)[0-9]{8,12}:AA${RUN}{30,64}`, 'gu') },
  // A JSON Web Token, or the beginning of one.
  { pattern: new RegExp(`${START}eyJ${RUN}{6,8192}\\.${RUN}{4,8192}(?:\\.${RUN}{0,8192}){0,3}`, 'gu') },
  // Credentials behind their scheme.
  {
    pattern: /(\bBearer\s{1,8})[A-Za-z0-9._~+/=-]{6,8192}/giu,
    holds: (secret) => isMixed(secret) || /^[0-9a-f]{8,}$/.test(secret),
  },
  { pattern: /(\bBasic\s{1,8})[A-Za-z0-9+/_-]{6,4096}={0,2}/giu, holds: isUserAndPassword },
  // In addresses: a user's name with a password, or a token in place of both.
  {
    pattern: /(\b[a-z][a-z0-9+.-]{1,30}:\/\/)[^\s/?#@:"'`<>\\]{0,256}:(?!\d{1,5}\/)[^\s"'`<>\\@]{1,1024}@(?=[\w[])/giu,
    by: '',
  },
  { pattern: /(\b[a-z][a-z0-9+.-]{1,30}:\/\/)(?!git@)[^\s/?#@:"'`<>\\]{2,1024}@(?=[\w[])/giu, by: '' },
  {
    pattern: /(\b[a-z][a-z0-9+.-]{1,30}%3A%2F%2F)[^\s/?#@:"'`<>\\&]{0,256}%3A[^\s/"'`<>\\@&]{1,1024}%40/giu,
    by: '',
  },
  {
    pattern:
      /((?:^|[\s"'`=(<,]))[^\s/?#@:"'`=(<,\\]{2,64}:[^\s/?#@:"'`<>\\]{4,256}@(?=[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}(?:[:/](?!sha)|[\s"'`]|$))/giu,
    holds: (secret) => !OTHER_ADDRESS.test(secret) && looksMixed(secret.slice(secret.indexOf(':') + 1, -1)),
    by: '',
  },
  { pattern: /(hooks\.slack\.com\/services\/)[A-Za-z0-9/_-]{8,200}/giu },
  { pattern: /(discord(?:app)?\.com\/api\/webhooks\/\d{5,30}\/)[A-Za-z0-9_-]{8,200}/giu },
  { pattern: /(\.webhook\.office\.com\/webhookb2\/)[A-Za-z0-9@/_-]{8,400}/giu },
  // Options of programs, also as words of a list.
  option('curl|wget|https?|httpie|xh|ab|aria2c|lftp', '-u|--user|--proxy-user|-U|-a|--auth', /^[^\s:]{1,99}:(?!\d*$)/),
  option('curl', '-u', /^[^\s:]{1,99}:(?!\d*$)/, true),
  option('mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|sshpass|7z|7za|rar|bcp', '-p', /\S{3}/, true),
  option('unzip|zip|sqlcmd|ldapsearch|kinit|vncviewer', '-P|-w', /\S{3}/),
  option('(?:docker|podman|buildah|skopeo|helm|crane|oras|az|oc)(?=[\\s"\'`])[^\\n]*\\blogin', '-p', /\S{3}/),
  option('redis-cli|valkey-cli', '-a', /\S{3}/),
  // Files that give the value behind a space.
  { pattern: /(\bidentified\s{1,8}(?:with\s{1,8}\w{1,40}\s{1,8})?by\s{1,8})'[^'\n]{1,512}'/giu },
  {
    pattern:
      /(\b(?:user|role)\s{1,8}\S{1,80}\s{1,8}(?:with\s{1,8})?(?:encrypted\s{1,8})?password\s{1,8})'[^'\n]{1,512}'/giu,
  },
  { pattern: /((?:^|\n)[ \t]{0,40}(?:requirepass|masterauth)[ \t]{1,8})[^\s\\"']{1,512}/giu },
  {
    pattern:
      /((?:^|[\s+>"'`→])[\d.]{0,15}[A-Za-z*][\w.*-]{0,100}:(?:\d{1,5}|\*):[^\s:]{1,64}:[^\s:]{1,64}:)[^\s\\"':]{3,256}(?=[\s"'\\]|$)/gu,
    holds: looksMixed,
  },
  // A hash of a password, which can be guessed.
  {
    pattern:
      /(?<![\w$])\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id?|d)|scrypt|pbkdf2-sha\d{1,3})\$[A-Za-z0-9./+=,$-]{20,400}/gu,
  },
  // As a sentence.
  {
    pattern:
      /((?:密码|口令|密钥|令牌|パスワード|비밀번호)\s{0,4}(?:[:：=＝]|是|为|は)\s{0,4}["'`“「]?)[!#-&(-+\--~]{4,512}/gu,
    holds: looksMixed,
  },
  {
    pattern:
      /(\b(?:password|passphrase|passcode|token|secret|api[ _-]?key|access[ _-]?key)\s{1,4}(?:is|was)\s{0,4}:?\s{1,4}["'`“]?)[!#-&(-+\--~]{4,512}/giu,
    holds: (secret) => looksMixed(secret.replace(/[.,;:!?)]{1,4}$/, '')) && !NUMBERED.test(secret),
  },
];

/** A key in lines, perhaps each a string of its own. One that is cut off ends before a quote, or with the text. */
export const BLOCKS: readonly { readonly begin: RegExp; readonly end: RegExp }[] = [
  {
    begin: /-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/gu,
    end: /-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\\{0,63}["'`](?!(?:[\s+.,&_\\n]{0,80}["'`])?(?:[A-Za-z0-9+/]{40}|(?:[A-Za-z0-9+/=]{1,64}(?:\\{1,63}n)?\\{0,63}["'`][\s+.,&_\\n]{0,80}["'`])?-----END))/gu,
  },
  { begin: /PuTTY-User-Key-File-\d:/gu, end: /Private-MAC: ?[0-9a-f]{1,80}|\\{0,63}["'`]/gu },
];

/** Names of methods that have a number. */
const NUMBERED = /^(?:base|utf|sha|md|aes|rsa|oauth|http|ipv|v|x|es|hs|rs)-?\d/iu;

/** Names with a version or a digest, and addresses without a password. */
const OTHER_ADDRESS = /^(?:npm|mailto|docker|workspace|file|link|patch|sip|acct|git):|:[~^]?v?\d+(?:\.\d+)*[-\w.]*@$/;

/** An option of a program on the same line; the value may be attached, follow, or be the next word of a JSON list. */
function option(programs: string, options: string, holds: RegExp, attached = false): SecretForm {
  const near = new RegExp(`(?:^|[\\s/"'\`;|&(+>:])(?:${programs})(?:\\.exe)?(?=[\\s"'\`\\\\]|$)[^\\n]*$`, 'u');
  const between = `(?:[ \\t]{1,20}|=|${QUOTE}\\s{0,20},\\s{0,20})${attached ? '?' : ''}`;
  return {
    pattern: new RegExp(
      `((?<=[\\s"'\`])(?:${options})${between}${QUOTE}?)(?![-"'\`\\\\$<{])[^\\s"'\`\\\\&]{1,512}`,
      'gu',
    ),
    holds: (secret, before) => near.test(before) && holds.test(secret) && !HARMLESS_VALUES.has(secret.toLowerCase()),
  };
}

/** Letters with digits or signs, as nobody writes a word. */
export function looksMixed(text: string): boolean {
  return /[A-Za-z]/.test(text) && /[\d!@#$%^&*+=?~]/.test(text);
}

/** Letters with digits, or of both cases as in no name: what a generator makes. */
export function isMixed(text: string): boolean {
  const digits = text.replace(/[^0-9]/g, '').length;
  if (!/[A-Za-z]/.test(text)) return digits > 15;
  if (digits > 1 || (digits === 1 && text.length > 5)) return true;
  return text.length >= 16 && /[a-z][A-Z].*[a-z][A-Z]/.test(text);
}

/** Letters with digits and with other signs, or of both cases: no word, no name of a field, and no checksum. */
export function looksGenerated(text: string): boolean {
  if (text.length < 8 || /\s/.test(text) || !/[A-Za-z]/.test(text) || !/\d/.test(text)) return false;
  return /[!#$%^&*+=?~]/.test(text) || (isMixed(text) && /[A-Z]/.test(text) && /[a-z]/.test(text));
}

/** Like `isMixed`, but no commit, checksum or UUID. */
export function looksRandom(text: string): boolean {
  return isMixed(text) && !/^(?:[0-9a-f]{7,128}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/iu.test(text);
}

/** Base64 of `user:password`. */
export function isUserAndPassword(encoded: string): boolean {
  try {
    return /^[\x20-\x7e\x80-\xff]*:[\x20-\x7e\x80-\xff]*$/.test(
      atob(encoded.replaceAll('-', '+').replaceAll('_', '/')),
    );
  } catch {
    return false;
  }
}

function named(list: string, kind: SecretKind): (readonly [string, SecretKind])[] {
  return list.split(' ').map((word) => [word, kind] as const);
}
