// @ts-check
import { setTimeout as wait } from 'node:timers/promises';
import * as vscode from 'vscode';

/**
 * Answers by what the newest message of the person asks for.
 * @param {readonly vscode.LanguageModelChatRequestMessage[]} messages
 * @param {vscode.Progress<vscode.LanguageModelResponsePart>} progress
 * @param {vscode.CancellationToken} token
 */
export async function answer(messages, progress, token) {
  const { LanguageModelTextPart: Text, LanguageModelToolCallPart: Call, LanguageModelToolResultPart: Result } = vscode;
  /** @param {string} text */
  const say = async (text) => {
    for (const piece of text.match(/.{1,8}/gs) ?? []) {
      progress.report(new Text(piece));
      await wait(5);
    }
  };
  const parts = messages.flatMap(({ content }) => [...content]);
  const newest = parts.at(-1);
  if (newest instanceof Result) {
    const results = messages.at(-1)?.content ?? [];
    const told = results.map((each) => (each instanceof Result ? firstLine(each) : ''));
    await say(`The files begin so: ${told.join(' and ')}.`);
    return;
  }
  const asked = newest instanceof Text ? newest.value : '';
  if (asked.includes('read two files')) {
    await say('Reading both.');
    progress.report(new Call('call_1', 'read_file', { path: 'one.md' }));
    progress.report(new Call('call_2', 'read_file', { path: 'two.md' }));
  } else if (asked.includes('never end')) {
    await say('This goes on and on');
    await new Promise((resolve) => token.onCancellationRequested(resolve));
  } else if (asked.includes('spend the quota')) {
    const spent = new Error('You have used all of your premium requests for this month.');
    spent.name = 'ChatQuotaExceeded';
    throw spent;
  } else if (asked.includes('be blocked')) {
    throw vscode.LanguageModelError.Blocked('This extension sent too many requests and is blocked for now.');
  } else if (asked.includes('fail once')) {
    failed = !failed;
    if (failed) throw new Error('Request Failed: 503 {"error":{"message":"The model is overloaded."}}');
    await say('The second try went well.');
  } else {
    await say('Acme hears you, and streams its answer in small pieces.');
  }
}

let failed = false;

/** @param {vscode.LanguageModelToolResultPart} result */
function firstLine({ content: [part] }) {
  const text = part instanceof vscode.LanguageModelTextPart ? part.value : '';
  return /# .*/.exec(text)?.[0] ?? text.slice(0, 40);
}
