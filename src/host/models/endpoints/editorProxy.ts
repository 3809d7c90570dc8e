/** The proxy of the editor for an address, to be named when it fails. */

import * as vscode from 'vscode';
import { chooseProxy } from '../../../node/web/chooseProxy.ts';

/** `host:port`, without user and password. Null where neither the settings nor the environment name one. */
export function editorProxy(url: string): string | null {
  const http = vscode.workspace.getConfiguration('http');
  const settings = {
    proxy: http.get<string>('proxy', ''),
    noProxy: http.get<string[]>('noProxy', []),
    support: http.get<string>('proxySupport', ''),
  };
  return chooseProxy(url, settings, process.env);
}
