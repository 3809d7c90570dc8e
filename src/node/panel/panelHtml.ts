/**
 * The panel's page. Invariant: it loads only its own script, styles and icon font; no inline script runs, and nothing
 * comes from the network.
 */

interface PanelAssets {
  readonly script: string;
  readonly style: string;
  readonly icons: string;
  readonly cspSource: string;
}

/** The component library adopts one empty style element; this is the SHA-256 of the empty string. */
const EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

interface PanelLanguage {
  readonly code: string;
  /** By English sentence; undefined for English. */
  readonly translations: Readonly<Record<string, string>> | undefined;
}

export function panelHtml(
  { script, style, icons, cspSource }: PanelAssets,
  { code, translations }: PanelLanguage,
  nonce: string,
): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} ${EMPTY_STYLE}`,
    // Blob addresses, which the page creates only for bytes that the extension gave it.
    `img-src blob:`,
    `font-src ${cspSource}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  const attribute = (text: string) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
  return `<!DOCTYPE html>
<html lang="${attribute(code)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Palimpsest</title>
<link rel="stylesheet" href="${attribute(icons)}">
<link rel="stylesheet" href="${attribute(style)}">
</head>
<body>
<div id="panel"></div>
${translations ? embed(translations) : ''}<script type="module" nonce="${attribute(nonce)}" src="${attribute(script)}"></script>
</body>
</html>
`;
}

/** Data in the page itself, so that the panel has its texts before it draws anything. */
function embed(translations: Readonly<Record<string, string>>): string {
  const json = JSON.stringify(translations).replaceAll('<', '\\u003c');
  return `<script type="application/json" id="translations">${json}</script>\n`;
}
