/** Refusals for which the server itself is the reason: no other request would help. Pure; linear in a bounded text. */

import { type Words, words } from '../../core/words.ts';

/** It has no memory, is not ready, or has a fault in its machine: a field's name in such a text is only a word. */
const OUT_OF_ORDER =
  /\bout of (?:gpu |device |video |host )?memory\b|\bOOM\b|\bOutOfMemory|\b(?:cuda|cublas|cudnn|nccl|rocm|hip)\b[ _-]?(?:error|out|runtime|kernel|driver)|\b(?:gpu|vram|device)\b[^.\n]{0,40}\b(?:error|hang|fault|lost)\b|\b(?:insufficient|not enough|no more) (?:gpu |system |device |video )?(?:v?ram|memory)\b|^\W*loading\b|\bmodel\b[^.\n]{0,40}\b(?:(?:is |still |being |currently )+loading|not (?:yet )?loaded)\b|\b(?:still|currently) loading\b|\bloading (?:the )?model\b|\bfailed to load (?:the )?model\b|\bwarming up\b|\bsegmentation fault\b|\bno space left on device\b|显存不足|内存不足|模型(?:正在)?加载/im;

/** vLLM and llama.cpp read calls only when they were started so. */
const WITHOUT_TOOLS =
  /--enable-auto-tool-choice|--tool-call-parser|\btools?\b[^.\n]{0,40}\brequires?\b[^.\n]{0,10}--jinja\b/i;

/** Characters in which words are looked for. */
const LONGEST = 4_000;

export function isServersOwn(text: string): boolean {
  const start = text.slice(0, LONGEST);
  return OUT_OF_ORDER.test(start) || WITHOUT_TOOLS.test(start);
}

/** Advice that the server itself does not give; null for any other refusal. */
export function adviseOnServer(text: string): Words | null {
  return WITHOUT_TOOLS.test(text.slice(0, LONGEST)) ? STARTED_WITHOUT : null;
}

const STARTED_WITHOUT = words(
  'The server was started without tool calls, which an agent needs. Start it again with the options that it names, or choose another model.',
);
