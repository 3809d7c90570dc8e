/** The proxy of the editor, to be named when it fails. VS Code itself decides which requests go through it. */

import * as vscode from 'vscode';
import { readUrl } from '../../../core/urls.ts';

/** `host:port`, without user and password. Null where neither the settings nor the environment name one. */
export function editorProxy(): string | null {
  const { https_proxy, HTTPS_PROXY, http_proxy, HTTP_PROXY } = process.env;
  const set = vscode.workspace.getConfiguration('http').get<string>('proxy');
  return readUrl(set || https_proxy || HTTPS_PROXY || http_proxy || HTTP_PROXY || '')?.host || null;
}
