/** The picker of a server's or of other extensions' tools: the marked ones are offered, a button decides whether one asks. */

import * as vscode from 'vscode';
import { formatCount } from '../../core/figures.ts';
import { asText, type Json, listOf } from '../../core/json.ts';
import type { McpTool } from '../../core/mcp/mcpServers.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import type { Words } from '../../core/words.ts';
import { inEditorLanguage } from '../notices/notify.ts';
import { caret, showPlainly } from '../notices/pickers.ts';
import { costOf } from './extensionTools.ts';
import type { McpDecisions } from './mcpDecisions.ts';

interface ChoosableTool {
  readonly tool: McpTool;
  /** Why it cannot be offered. */
  readonly leftOut: Words | null;
  readonly isOn: boolean;
  /** The heading above it. */
  readonly group?: string;
}

interface Choosing {
  readonly title: string;
  readonly placeholder: string;
  readonly tools: readonly ChoosableTool[];
  readonly decisions: McpDecisions;
  readonly turn: (tool: McpTool, on: boolean) => Promise<void>;
}

interface ToolItem extends vscode.QuickPickItem {
  readonly choice?: ChoosableTool;
}

export function chooseTools({ title, placeholder, tools, decisions, turn }: Choosing): Promise<void> {
  const picker = vscode.window.createQuickPick<ToolItem>();
  picker.title = showInOneLine(title);
  picker.placeholder = placeholder;
  picker.canSelectMany = true;
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  /** Tools whose permission is to change when the person accepts. */
  const turned = new Set<McpTool>();
  const isAlways = (tool: McpTool) => decisions.isAlways(tool) !== turned.has(tool);
  const fill = (isOn: (choice: ChoosableTool) => boolean) => {
    picker.items = tools.flatMap((choice, at): ToolItem[] => [
      ...(choice.group && choice.group !== tools[at - 1]?.group
        ? [{ label: showInOneLine(choice.group), kind: vscode.QuickPickItemKind.Separator }]
        : []),
      showPlainly(toolItem(choice, isAlways(choice.tool))),
    ]);
    picker.selectedItems = picker.items.filter(({ choice }) => choice && isOn(choice));
  };
  const marked = () => new Set(picker.selectedItems.flatMap(({ choice }) => choice ?? []));
  fill(({ isOn }) => isOn);
  picker.onDidTriggerItemButton(({ item: { choice } }) => {
    const before = marked();
    if (choice && !turned.delete(choice.tool)) turned.add(choice.tool);
    fill((each) => before.has(each));
  });
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      picker.onDidAccept(() => {
        const chosen = marked();
        const change = async () => {
          for (const choice of tools) {
            if (chosen.has(choice) !== choice.isOn) await turn(choice.tool, !choice.isOn);
          }
          for (const tool of turned) await decisions.setAlways(tool, !decisions.isAlways(tool));
        };
        change().then(resolve, reject);
        picker.hide();
      });
      picker.onDidHide(() => {
        resolve();
        picker.dispose();
      });
      picker.show();
    });
  return caret.during(ask);
}

function toolItem(choice: ChoosableTool, always: boolean): ToolItem {
  const { tool, leftOut } = choice;
  const asks = always ? vscode.l10n.t('runs without asking') : vscode.l10n.t('asks');
  const cost = leftOut ? '' : `${vscode.l10n.t('{0} tokens', formatCount(costOf(tool)))} · `;
  return {
    choice,
    label: plain(tool.tool),
    description: leftOut ? inEditorLanguage(leftOut) : asks,
    detail: cost + plain([argumentsOf(tool.parameters), tool.description].filter(Boolean).join(' — ')),
    buttons: [
      always
        ? { iconPath: new vscode.ThemeIcon('lock'), tooltip: vscode.l10n.t('Ask before each call') }
        : { iconPath: new vscode.ThemeIcon('unlock'), tooltip: vscode.l10n.t('Allow without asking') },
    ],
  };
}

/** The names of the arguments, for a person who looks through a server's tools. */
function argumentsOf(schema: Json): string {
  const required = listOf(schema.required).map(asText);
  const { properties } = schema;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return names.map((name) => (required.includes(name) ? name : `${name}?`)).join(', ');
}

const LONGEST = 300;

/** For foreign text in a list, where `$(…)` would be an icon. */
export function plain(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('$(', '$ (').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
