/**
 * The range of tokens that a provider may report for the next request when it reads all of it. Invariant: the bounds
 * allow for content that servers do not count, and for an unknown tokenizer.
 */

import type { Context } from '../../context/item.ts';
import type { ExpectedPrompt } from '../../model/modelClient.ts';
import { type Calibration, HIGHEST_FACTOR, LOWEST_FACTOR } from '../../tokens/calibrate.ts';
import { leavesIn, MOST_OF_IMAGES } from '../../tokens/contextReports.ts';
import { estimateContext, imagesIn, readMeter, sumTokens } from '../../tokens/meter.ts';

/** Tolerance around the learnt factor of a model: contents differ, and servers frame them differently. */
const LEARNT = { least: 0.6, most: 1.6 };

/** Lower bound relative to the provider's last count: the target behind a router may change. */
const REPORTED_LEAST = 0.8;

export function expectPrompt(
  context: Context,
  model: string,
  calibration: Calibration,
  window: number,
): ExpectedPrompt {
  const { tokens, reported, appended, factor } = readMeter(context, model, calibration, window);
  const header = context.header?.tokens ?? 0;
  // Not every server counts the tools.
  const images = imagesIn(context);
  const counted = sumTokens(context.header?.items ?? []) + sumTokens(context.conversation) - images;
  const fixed = Math.round(header * factor);
  if (reported) {
    const added = Math.max(0, appended / factor - images);
    // Templates drop the reasoning of earlier steps, although it was in the last request.
    const kept = Math.max(0, reported.input - leavesIn(context.conversation));
    const sure = kept * REPORTED_LEAST + added * LOWEST_FACTOR;
    return {
      tokens,
      least: Math.round(Math.max(sure, counted * Math.min(LOWEST_FACTOR, factor * LEARNT.least))),
      grown: Math.round(kept + added * LOWEST_FACTOR),
      estimated: Math.round(estimateContext(context) * factor),
      fixed,
      most: Math.round(
        reported.input * LEARNT.most + reported.output + added * HIGHEST_FACTOR + images * MOST_OF_IMAGES,
      ),
    };
  }
  const known = calibration.knows(model);
  return {
    tokens,
    grown: 0,
    fixed,
    least: Math.round(counted * (known ? factor * LEARNT.least : LOWEST_FACTOR)),
    most: Math.round(
      (header + sumTokens(context.conversation)) * (known ? factor * LEARNT.most : HIGHEST_FACTOR) +
        images * MOST_OF_IMAGES,
    ),
  };
}
