/** Loads the lab when it is first asked for: most windows never open it. */

import type * as vscode from 'vscode';
import type { LabParts, StrategyLab } from './strategyLab.ts';

export class LabOpener implements vscode.Disposable {
  readonly #parts: Omit<LabParts, 'useStrategy'>;
  #lab: StrategyLab | null = null;

  constructor(parts: Omit<LabParts, 'useStrategy'>) {
    this.#parts = parts;
  }

  async open(useStrategy: LabParts['useStrategy']): Promise<void> {
    const { StrategyLab: Lab } = await import('./strategyLab.ts');
    this.#lab ??= new Lab({ ...this.#parts, useStrategy });
    this.#lab.open();
  }

  dispose(): void {
    this.#lab?.dispose();
  }
}
