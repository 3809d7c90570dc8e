// Prints the milliseconds one `import()` takes in this fresh process. The module loader is warm, as it is in VS Code, and
// `vscode` resolves to a module that has every name and does nothing.

import { registerHooks } from 'node:module';
import { performance } from 'node:perf_hooks';

const [target, warmUp, vscodeStub] = process.argv.slice(2);
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode' ? { url: vscodeStub, format: 'module', shortCircuit: true } : next(specifier, context),
});
await import(warmUp);
await import(vscodeStub);

const started = performance.now();
await import(target);
console.log(performance.now() - started);
