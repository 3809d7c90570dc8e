/**
 * Whether a model is known by its name to take images, where its server does not say. A model that is not known is taken
 * to read text alone: an image that is only named does less harm than a request that is refused.
 */

const SEE: readonly RegExp[] = [
  /(^|\/)(gpt-4o|gpt-4\.\d|gpt-4-turbo|chatgpt-4o|gpt-[5-9]|o1(?!-(mini|preview))|o3(?!-mini)|o4)/i,
  /claude-(3|(opus|sonnet|haiku)-\d|[4-9])/i,
  /gemini-(1\.5|[2-9])/i,
  /gemma-?3(?!-?(270m|1b))|gemma-?3n/i,
  /llama-?(3\.2-?(11b|90b)|4)|llama-?3\.2-vision/i,
  /grok-(4|2-vision|vision)/i,
  /pixtral|mistral-(small-(3\.[1-9]|2503|2506|latest)|medium-(3|2505|2508|latest)|large-(3|2512))|magistral-(small|medium)-(1\.2|2509)/i,
  /glm-4(\.\d)?v|kimi-(vl|k2\.5)|llava|minicpm-v|moondream|internvl|phi-(3\.5-vision|4-multimodal)|nova-(lite|pro|premier)/i,
  // Names that say it.
  /(^|[-_.:/])(vl|vision|multimodal|omni)([-_.:\d]|$)|qwen[\d.]*-?vl/i,
];
/** Of those families, the ones that do not. */
const BLIND = /embed|whisper|tts|audio|realtime|transcribe|moderation|image-1|gpt-oss|codex-mini|search-preview/i;

export function isKnownToSee(model: string): boolean {
  return !BLIND.test(model) && SEE.some((names) => names.test(model));
}
