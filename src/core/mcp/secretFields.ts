/**
 * Tells which fields of a foreign form ask for a password, key or another secret, by what the form says of them. A field
 * that is marked without need costs a sentence; one that is missed may cost a password.
 */

/** In names such as `apiKey` or `user_pin`, each part is a word. */
const SECRET_WORDS =
  /(?<![\p{L}\p{N}])(?:pass|pass ?(?:words?|phrases?|codes?|wd|keys?)|pwd|pw|secrets?|token|bearer|key|(?:api|access|private|secret|ssh|gpg|encryption|recovery|backup) (?:keys|tokens|codes?)|pins?|pin ?codes?|otp|totp|mfa|2 ?fa|cvv2?|cvc2?|credentials?|(?:one ?time|verification|security|authentication|login|sms) codes?|(?:seed|recovery) phrase|mnemonic|(?:credit )?card numbers?|iban|ssn|social security|passwor[dt]|passwörter|kennwort|contraseña|clave|mot de passe|senha|пароль|пин код)(?![\p{L}\p{N}])/u;

/** Scripts without spaces between words. */
const SECRET_SIGNS =
  /密码|密碼|口令|密钥|金钥|金鑰|私钥|私鑰|令牌|权杖|權杖|验证码|驗證碼|校验码|动态码|通行码|安全码|助记词|助記詞|凭证|凭据|憑證|身份证号|银行卡号|信用卡号|卡号|パスワード|暗証番号|合言葉|비밀번호|암호/u;

/** True when one of the texts asks for a secret. */
export function asksForSecret(...texts: readonly string[]): boolean {
  return texts.some((text) => {
    const plain = text
      .normalize('NFKC')
      .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
      .replace(/(?<=\p{Ll}|\d)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
      .replace(/[_\-./:]+/gu, ' ')
      .toLowerCase();
    return SECRET_WORDS.test(plain) || SECRET_SIGNS.test(plain);
  });
}
