/** Estimates of the tokens that an image costs, by the rules that providers publish for their models. */

import type { ImageSize } from './imageFacts.ts';

interface Rule {
  readonly models: RegExp;
  readonly tokens: (size: ImageSize) => number;
}

/** OpenAI: a base and a number for each tile of 512 pixels, once the image fits 2048 and its shorter side 768. */
const tiles = (base: number, each: number) => (size: ImageSize) => {
  const { width, height } = shrinkShorter(fitInto(size, 2048), 768);
  return base + each * Math.ceil(width / 512) * Math.ceil(height / 512);
};

/** OpenAI: patches of 32 pixels, at most 1,536 of them, times a factor of the model. */
const patches = (factor: number) => (size: ImageSize) => {
  const count = Math.ceil(size.width / 32) * Math.ceil(size.height / 32);
  return Math.ceil(Math.min(count, 1536) * factor);
};

/** Anthropic: pixels / 750, once the longest side fits 1568; larger ones are scaled down to about 1,600 tokens. */
const byArea = (size: ImageSize) => {
  const { width, height } = fitInto(size, 1568);
  return Math.min(1_600, Math.ceil((width * height) / 750));
};

/** Google: 258 for a small image, else for each tile of 768 pixels. */
const google = ({ width, height }: ImageSize) =>
  width <= 384 && height <= 384 ? 258 : 258 * Math.ceil(width / 768) * Math.ceil(height / 768);

/** One token for each square of this many pixels, up to `most`. */
const squares = (side: number, most: number) => (size: ImageSize) =>
  Math.min(most, Math.ceil(size.width / side) * Math.ceil(size.height / side));

/** The first matching rule is used. */
const RULES: readonly Rule[] = [
  { models: /gpt-4o-mini/i, tokens: tiles(2_833, 5_667) },
  { models: /gpt-4\.1-nano|gpt-5-nano/i, tokens: patches(2.46) },
  { models: /gpt-4\.1-mini|gpt-5-mini/i, tokens: patches(1.62) },
  { models: /o4-mini/i, tokens: patches(1.72) },
  { models: /gpt-5/i, tokens: tiles(70, 140) },
  { models: /gpt-4|chatgpt/i, tokens: tiles(85, 170) },
  { models: /(^|\/)o[13]\b/i, tokens: tiles(75, 150) },
  { models: /gemini/i, tokens: google },
  { models: /gemma/i, tokens: () => 256 },
  { models: /qwen.*vl/i, tokens: squares(28, 16_384) },
  { models: /pixtral|mistral|magistral/i, tokens: (size) => squares(28, 3_025)(fitInto(size, 1540)) },
  { models: /llava/i, tokens: () => 2_880 },
];

const FRAMING = 4;

/**
 * Estimates how many tokens an image costs, from what model vendors document; elsewhere about as many as most vendors
 * count. Provider reports correct the meter. `model` as the endpoint names it.
 */
export function imageTokens(size: ImageSize, model: string): number {
  const { tokens } = RULES.find(({ models }) => models.test(model)) ?? { tokens: byArea };
  return FRAMING + Math.max(1, tokens(size));
}

function fitInto({ width, height }: ImageSize, longest: number): ImageSize {
  return scale({ width, height }, Math.min(1, longest / Math.max(width, height)));
}

function shrinkShorter({ width, height }: ImageSize, shorter: number): ImageSize {
  return scale({ width, height }, Math.min(1, shorter / Math.min(width, height)));
}

function scale({ width, height }: ImageSize, by: number): ImageSize {
  return { width: Math.max(1, Math.round(width * by)), height: Math.max(1, Math.round(height * by)) };
}
