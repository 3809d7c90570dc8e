/**
 * The panel's page. Invariant: nothing loads but the panel's own script, styles and icon font; no inline script, no
 * network, no image from anywhere.
 */

export interface PanelAssets {
  readonly script: string;
  readonly style: string;
  readonly icons: string;
  readonly cspSource: string;
}

/** The component library adopts one empty style element; this is the SHA-256 of the empty string. */
const EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

export function panelHtml({ script, style, icons, cspSource }: PanelAssets, language: string, nonce: string): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource} ${EMPTY_STYLE}`,
    `font-src ${cspSource}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  const attribute = (text: string) => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
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
<script type="module" nonce="${attribute(nonce)}" src="${attribute(script)}"></script>
</body>
</html>
`;
}
