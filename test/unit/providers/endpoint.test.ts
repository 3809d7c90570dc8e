import { describe, expect, test } from 'vitest';
import { ModelError } from '../../../src/core/errors.ts';
import { parseEndpoint } from '../../../src/providers/endpoint.ts';

describe('parseEndpoint', () => {
  test.each([
    ['https://api.example.com/v1', 'https://api.example.com/v1', 'https://api.example.com', false],
    [' https://api.example.com/v1/ ', 'https://api.example.com/v1', 'https://api.example.com', false],
    ['https://api.example.com', 'https://api.example.com', 'https://api.example.com', false],
    ['https://api.example.com/v1/chat/completions', 'https://api.example.com/v1', 'https://api.example.com', false],
    [
      'https://gw.example/openai?api-version=1#x',
      'https://gw.example/openai?api-version=1',
      'https://gw.example',
      false,
    ],
    ['http://localhost:11434/v1', 'http://localhost:11434/v1', 'http://localhost:11434', true],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080', 'http://127.0.0.1:8080', true],
    ['http://127.8.9.10/v1', 'http://127.8.9.10/v1', 'http://127.8.9.10', true],
    ['http://[::1]:1234/v1', 'http://[::1]:1234/v1', 'http://[::1]:1234', true],
    ['http://[::ffff:127.0.0.1]:1234/v1', 'http://127.0.0.1:1234/v1', 'http://127.0.0.1:1234', true],
    ['http://models.localhost/v1', 'http://models.localhost/v1', 'http://models.localhost', true],
  ])('%s', (text, baseUrl, origin, loopback) => {
    expect(parseEndpoint(text)).toEqual({ baseUrl, origin, loopback, plainHttp: false });
  });

  test.each([
    'http://10.0.0.5:11434',
    'http://172.16.0.1:11434',
    'http://172.31.255.254:11434',
    'http://192.168.1.2:8000',
    'http://100.64.0.9:11434',
    'http://[fd12:3456::1]:11434',
    'http://host.docker.internal:11434',
    'http://studio.local:1234',
    'http://ollama:11434',
  ])('%s is of a private network', (origin) => {
    const place = { baseUrl: `${origin}/v1`, origin, loopback: false, plainHttp: true };
    expect(parseEndpoint(`${origin}/v1`)).toEqual(place);
    expect(parseEndpoint(origin.replace('http:', 'https:')).plainHttp).toBe(false);
  });

  test.each([
    ['', /“” is not a URL/],
    ['api.example.com/v1', /“api\.example\.com\/v1” is not a URL/],
    ['ftp://example.com', /ftp:\/\/ cannot be used/],
    ['javascript:alert(1)', /cannot be used/],
    ['http://api.example.com/v1', /Plain http to api\.example\.com would send the key/],
    ['http://localhost.example.com/v1', /Plain http/],
    ['http://127.0.0.1.example.com/v1', /Plain http/],
    ['http://172.32.0.1:8000/v1', /Plain http/],
    ['http://100.128.0.1:8000/v1', /Plain http/],
    ['http://11.0.0.1:8000/v1', /Plain http/],
    ...[
      '169.254.169.254',
      '[::ffff:169.254.169.254]',
      '[64:ff9b::169.254.169.254]',
      '169.254.170.2',
      '2852039166',
      '[fe80::a9fe:a9fe]',
      'metadata.google.internal',
      'metadata',
      '100.100.100.200',
      '[::ffff:100.100.100.200]',
      '168.63.129.16',
      '192.0.0.192',
      '[fd00:ec2::254]',
      '[fd00:0ec2:0::0254]',
      '[fd20:ce::254]',
    ].map((host): [string, RegExp] => [`http://${host}:8000/v1`, /give out the credentials of a machine in a cloud/]),
    // What a gateway makes of it is not this machine.
    ['http://[64:ff9b::127.0.0.1]/v1', /Plain http/],
    ['http://[2001:db8::1]/v1', /Plain http/],
    ['http://0.0.0.0:8000/v1', /Plain http/],
    ['https://user:secret@api.example.com/v1', /api\.example\.com carries a key or a password/],
    ['https://gw.example/v1?key=secret', /gw\.example carries a key or a password/],
    ['https://gw.example/v1?api-version=1&API_KEY=secret', /carries a key/],
    ...[
      'sig',
      'code',
      'auth',
      'api_token',
      'subscription_key',
      'Ocp-Apim-Subscription-Key',
      'x-functions-key',
      'jwt',
      'X-Amz-Signature',
      'apiKey',
      'access_token',
      'sas',
      'pass',
    ].map((name): [string, RegExp] => [`https://gw.example/v1?api-version=1&${name}=secret`, /carries a key/]),
  ])('refuses %s', (text, message) => {
    const refused = thrownBy(() => parseEndpoint(text));
    expect(refused).toBeInstanceOf(ModelError);
    expect(refused).toMatchObject({ kind: 'badRequest', message: expect.stringMatching(message) });
    expect(String(refused)).not.toContain('secret');
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (thrown) {
    return thrown;
  }
  return null;
}
