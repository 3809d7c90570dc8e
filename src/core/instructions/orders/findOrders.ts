/**
 * Finds standing orders, the lasting demands of a person, in what they wrote to the agent, without asking a model.
 * Questions, requests for this once, reports and quotations do not count. Time is linear in the length of the text.
 */

import { isJoke, isOfMachine } from './commonSigns.ts';
import { languageTeller } from './languageOf.ts';
import { type OwnSentence, sentencesIn } from './sentences.ts';
import { weighOrder } from './weighOrder.ts';

/** In characters. A longer sentence is pasted text rather than a person's demand. */
const LONGEST_ORDER = 400;

/** The least weight of an order. */
const LEAST = 2;

/** The sentences, verbatim, without duplicates, in order. `text` may have the marks of `personsWords`. */
export function findOrders(text: string): readonly string[] {
  const languagesOf = languageTeller(text);
  const isOrder = ({ text: sentence, bare, ofRules }: OwnSentence) => {
    if (sentence.length > LONGEST_ORDER) return false;
    if (ofRules) return true;
    if (sentence.length < 4 || isQuestion(sentence) || isJoke(sentence) || isOfMachine(bare)) return false;
    // Where several languages are likely, each has its say.
    return languagesOf(bare).reduce((sum, language) => sum + weighOrder(bare, language), 0) >= LEAST;
  };
  return [
    ...new Set(
      sentencesIn(text)
        .filter(isOrder)
        .map((sentence) => sentence.text),
    ),
  ];
}

const isQuestion = (sentence: string) => /[?？؟][\s"”』」)）]*$/.test(sentence);
