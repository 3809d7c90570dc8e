/** `npm run build`: bundles the extension and the webview into dist/; `--minify` for the package. */

import { buildProduct } from './build/buildProduct.ts';

await buildProduct({ minify: process.argv.includes('--minify') });
