/**
 * Recognises sentences in languages beside English and Chinese that state a lasting demand, by the words that such
 * demands begin with or contain. Callers remove quotations first and never pass questions.
 */

const ORDERS: readonly RegExp[] = [
  // German
  /^(?:bitte |und |aber |also )*(?:nie(?:mals)?|immer|stets|ausschließlich|grundsätzlich|auf keinen fall|unter keinen umständen|keinesfalls|ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|künftig|in zukunft|fortan) (?!(?:war|ist|hat|wurde|noch|wieder|mehr)\b)\S/iu,
  /^(?:bitte )?(?:antworte|schreibe?|benutze?|verwende|nutze?|frage?|teste|mache?|lass|ändere?|fasse?|lösche?|committe|pushe) .*\b(?:nie(?:mals)?|immer|stets|nur|ausschließlich|keinesfalls|auf keinen fall|nicht ohne)\b/iu,
  /^(?:du|ihr) (?:darfst|dürft|sollst|sollt) (?:nie(?:mals)?|nicht|keine?n?|nur|immer) /iu,
  // French
  /^(?:s['’]il (?:te|vous) pla[iî]t,? |et |mais )*(?:toujours|jamais|désormais|dorénavant|à partir de maintenant|en aucun cas|ne (?:jamais|pas|plus|rien)) \S/iu,
  /^(?:s['’]il (?:te|vous) pla[iî]t,? )?n(?:e |['’])\p{L}+(?:-\p{L}+)? (?:jamais|plus jamais)(?![\p{L}])/iu,
  /^\p{L}+(?:e|s|z|ds|is) (?:toujours|uniquement|seulement) /iu,
  // Spanish, Portuguese, Italian, Dutch
  /^(?:por favor,? |y |pero )*(?:nunca|jamás|siempre|a partir de ahora|de ahora en adelante|en ningún caso|bajo ninguna circunstancia) (?!(?:ha|fue|era|es|funciona|mais?)\b)\S/iu,
  /^(?:por favor,? |e |mas )*(?:nunca|jamais|sempre|a partir de agora|de agora em diante|em nenhum caso) (?!(?:foi|era|é|funciona)\b)\S/iu,
  /^(?:per favore,? |e |ma )*(?:mai|sempre|d['’]ora in (?:poi|avanti)|in nessun caso) \S|^non \p{L}+ mai(?![\p{L}])/iu,
  /^(?:alsjeblieft,? |en |maar )*(?:nooit|altijd|vanaf nu|voortaan|in geen geval) (?!(?:was|is|werd)\b)\S/iu,
  /^(?:por favor,? )?(?:responde|escribe|usa|utiliza|responda|escreva|use|rispondi|scrivi|usa|antwoord|gebruik) (?:siempre|sempre|altijd|solo|sólo|só|alleen)(?![\p{L}])/iu,
  // Russian
  /^(?:пожалуйста,? |и |но )*(?:никогда|всегда|отныне|впредь|ни в коем случае|с этого момента) \S|^(?:пожалуйста,? )?не (?:трогай|меняй|изменяй|используй|пуш|коммить|удаляй|пиши|добавляй)/iu,
  /^(?:отвечай|пиши|используй)(?:те)? (?:всегда|только) |^(?:всегда )?(?:отвечай|пиши)(?:те)? (?:мне )?(?:по-русски|на \p{L}+ском)/iu,
  // Japanese
  /(?:絶対に|決して|必ず|常に|いつも|今後|これから(?:は|も)|毎回)[^。？]*(?:しないで|するな|ないで|てください|て下さい|こと|ください|せよ|しろ)|(?:は|を|に)[^。？]*(?:禁止|してはいけない|しないで(?:ください|下さい)|触らないで|変更しないで)/u,
  // Korean
  /(?:절대(?:로)?|항상|언제나|앞으로(?:는)?|반드시|매번)[^.?]*(?:마세요|말아|마라|하지 마|해 ?주세요|하세요|해라|할 것|금지)|(?:하지|건드리지|바꾸지|쓰지) ?(?:마세요|말아 ?주세요|마라|말 것)/u,
];

/** Hiragana and Katakana, Hangul: scripts that tell the language. */
export const KANA_OR_HANGUL = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Pass the sentence without its quotations. */
export function isFurtherOrder(sentence: string): boolean {
  const text = sentence.replace(/\s+/g, ' ').trim();
  return ORDERS.some((pattern) => pattern.test(text));
}
