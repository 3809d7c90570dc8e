import { expect, test } from 'vitest';
import { chooseProxy } from '../../../../src/node/web/chooseProxy.ts';

const SET = { proxy: 'http://ada:open-sesame@proxy.corp:3128', noProxy: [], support: 'override' };
const chosen = (url: string, settings: Partial<Parameters<typeof chooseProxy>[1]> = {}, environment = {}) =>
  chooseProxy(url, { ...SET, ...settings }, environment);

test('the settings name it, else the environment, without its password', () => {
  expect(chosen('https://api.example/v1')).toBe('proxy.corp:3128');
  const environment = { HTTP_PROXY: 'http://ada:x@env.corp:8080' };
  expect(chosen('https://api.example/v1', { proxy: '' }, environment)).toBe('env.corp:8080');
  expect(chosen('https://api.example/v1', { proxy: '' })).toBeNull();
  expect(chosen('https://api.example/v1', { proxy: 'proxy.corp:3128' })).toBeNull();
  expect(chosen('https://api.example/v1', { support: 'off' })).toBeNull();
});

test.each([
  ['http://localhost:11434', [], null],
  ['http://127.0.0.1:11434', [], null],
  ['http://[::1]:11434', [], null],
  ['http://127.0.0.2:11434', [], 'proxy.corp:3128'],
  ['https://api.example', ['api.example'], null],
  ['https://api.example', ['EXAMPLE'], null],
  ['https://api.example', [' .example '], null],
  ['https://api.example', ['example:443'], null],
  ['https://api.example', ['example:8443'], 'proxy.corp:3128'],
  ['https://notapi.example', ['api.example'], 'proxy.corp:3128'],
  ['https://api.example', ['other.example', '*'], null],
  ['https://api.example', [''], 'proxy.corp:3128'],
])('%s with %j in http.noProxy', (url, noProxy, proxy) => {
  expect(chosen(url, { noProxy })).toBe(proxy);
});

test('the environment spares hosts only where the setting is empty', () => {
  const environment = { NO_PROXY: 'other.example,api.example' };
  expect(chosen('https://api.example', {}, environment)).toBeNull();
  expect(chosen('https://api.example', { noProxy: ['x.example'] }, environment)).toBe('proxy.corp:3128');
});
