/**
 * The forms in which servers refuse a field, each written out from a vendor's or a library's documentation or an issue of
 * its repository. `path` leads to the field.
 */

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

export type Path = readonly (string | number)[];

const dotted = (path: Path) => path.join('.');
const bracketed = (path: Path) =>
  path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i ? `.${part}` : part)).join('');
const last = (path: Path) => String(path.at(-1));
const parent = (path: Path) => path.slice(0, -1);
const error = (message: string, more: object = {}, status = 400): Refusal => ({
  status,
  body: { error: { message, type: 'invalid_request_error', ...more } },
});
const EXTRA = 'Extra inputs are not permitted';

export const FORMS: Readonly<Record<string, (path: Path) => Refusal>> = {
  /** https://platform.openai.com/docs/guides/error-codes; openai/openai-python#2072 */
  'OpenAI, unknown parameter': (path) =>
    error(`Unknown parameter: '${bracketed(path)}'.`, { param: bracketed(path), code: 'unknown_parameter' }),
  'OpenAI, unrecognized argument': (path) =>
    error(`Unrecognized request argument supplied: ${last(path)}`, { param: null }),
  'OpenAI, unsupported parameter': (path) =>
    error(`Unsupported parameter: '${bracketed(path)}' is not supported with this model.`, {
      param: bracketed(path),
      code: 'unsupported_parameter',
    }),
  /** https://docs.pydantic.dev/latest/errors/validation_errors/#extra_forbidden */
  'FastAPI with pydantic 2': (path) => ({
    status: 422,
    body: { detail: [{ type: 'extra_forbidden', loc: ['body', ...path], msg: EXTRA, input: 'x' }] },
  }),
  'FastAPI with pydantic 1': (path) => ({
    status: 422,
    body: { detail: [{ loc: ['body', ...path], msg: 'extra fields not permitted', type: 'value_error.extra' }] },
  }),
  /** continuedev/continue#5231, cline/cline#2912: Mistral's 422 */
  Mistral: (path) => ({
    status: 422,
    body: {
      object: 'error',
      message: { detail: [{ type: 'extra_forbidden', loc: ['body', ...path], msg: EXTRA, input: {} }] },
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
  }),
  /** vllm-project/vllm#9862 */
  'vLLM, Python in a text': (path) => ({
    status: 400,
    body: {
      object: 'error',
      message: `[{'type': 'extra_forbidden', 'loc': ('body', ${path.map((part) => (typeof part === 'number' ? part : `'${part}'`)).join(', ')}), 'msg': '${EXTRA}', 'input': {'model': 'm', 'temperature': 0, 'max_tokens': 100}}]`,
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  }),
  'pydantic, printed': (path) =>
    error(
      `1 validation error for ChatCompletionRequest\n${dotted(path)}\n  ${EXTRA} [type=extra_forbidden, input_value='x', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.10/v/extra_forbidden`,
    ),
  /** https://cloud.google.com/apis/design/errors; google-gemini/generative-ai-python#617 */
  'Google, unknown name': (path) => {
    const at = path.length > 1 ? ` at '${bracketed(parent(path))}'` : '';
    const description = `Invalid JSON payload received. Unknown name "${last(path)}"${at}: Cannot find field.`;
    const violation = { ...(path.length > 1 ? { field: bracketed(parent(path)) } : {}), description };
    return {
      status: 400,
      body: [
        {
          error: {
            code: 400,
            message: description,
            status: 'INVALID_ARGUMENT',
            details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [violation] }],
          },
        },
      ],
    };
  },
  'Google, only its violations': (path) => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'Request contains an invalid argument.',
        status: 'INVALID_ARGUMENT',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field: bracketed(path), description: 'The field is not enabled for this project.' }],
          },
        ],
      },
    },
  }),
  /** https://pkg.go.dev/encoding/json#Decoder.DisallowUnknownFields */
  Go: (path) => ({ status: 400, body: { error: `json: unknown field "${last(path)}"` } }),
  /** https://pkg.go.dev/google.golang.org/protobuf/encoding/protojson */
  protojson: (path) => ({
    status: 400,
    body: { code: 3, message: `proto: (line 1:120): unknown field "${last(path)}"` },
  }),
  /** serde's deny_unknown_fields, as axum reports it */
  serde: (path) => ({
    status: 422,
    body: `Failed to deserialize the JSON body into the target type: ${dotted(parent(path))}: unknown field \`${last(path)}\`, expected one of \`model\`, \`messages\`, \`tools\`, \`stream\`, \`top_p\` at line 1 column 402`,
  }),
  /** FasterXML/jackson-databind: UnrecognizedPropertyException */
  Jackson: (path) => ({
    status: 400,
    body: {
      timestamp: '2025-05-01T10:00:00Z',
      status: 400,
      error: 'Bad Request',
      message: `JSON parse error: Unrecognized field "${last(path)}" (class com.example.ChatRequest), not marked as ignorable (4 known properties: "model", "messages", "tools", "stream"])`,
      path: '/v1/chat/completions',
    },
  }),
  /** python-jsonschema/jsonschema */
  'JSON Schema': (path) =>
    error(`Additional properties are not allowed ('${last(path)}' was unexpected) - '${dotted(parent(path))}'`),
  /** ajv-validator/ajv: error objects */
  ajv: (path) => ({
    status: 400,
    body: {
      errors: [
        {
          instancePath: `/${parent(path).join('/')}`.replace(/\/$/, ''),
          keyword: 'additionalProperties',
          params: { additionalProperty: last(path) },
          message: 'must NOT have additional properties',
        },
      ],
    },
  }),
  /** https://zod.dev: unrecognized_keys */
  zod: (path) => ({
    status: 400,
    body: {
      success: false,
      error: {
        name: 'ZodError',
        issues: [
          {
            code: 'unrecognized_keys',
            keys: [last(path)],
            path: parent(path),
            message: `Unrecognized key(s) in object: '${last(path)}'`,
          },
        ],
      },
    },
  }),
  /** https://learn.microsoft.com/aspnet/core/web-api/handle-errors: ValidationProblemDetails */
  'ASP.NET': (path) => ({
    status: 400,
    body: {
      title: 'One or more validation errors occurred.',
      status: 400,
      errors: { [`$.${bracketed(path)}`]: ['The JSON property could not be mapped to any .NET member.'] },
    },
  }),
  /** https://console.groq.com/docs/errors; zed-industries/zed#35229 */
  Groq: (path) => error(`'${dotted(parent(path)) || 'body'}' : property '${last(path)}' is unsupported`),
  /** Anthropic and Vertex: anthropics/anthropic-sdk-typescript#716 */
  Anthropic: (path) => ({
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error', message: `${dotted(path)}: ${EXTRA}` } },
  }),
  /** aws: ValidationException of InvokeModel */
  Bedrock: (path) => ({
    status: 400,
    body: {
      message: `Malformed input request: #${path.length > 1 ? `/${parent(path).join('/')}` : ''}: extraneous key [${last(path)}] is not permitted, please reformat your input and try again.`,
    },
  }),
  /** BerriAI/litellm: UnsupportedParamsError */
  LiteLLM: (path) =>
    error(
      `litellm.UnsupportedParamsError: bedrock does not support parameters: ['${last(path)}'], for model=some-model. To drop these, set \`litellm.drop_params=True\` or for proxy:\n\n\`litellm_settings:\n drop_params: true\`\n`,
    ),
  'LiteLLM around another': (path) =>
    error(
      `litellm.BadRequestError: OpenAIException - ${JSON.stringify({ error: { message: `Unknown parameter: '${bracketed(path)}'.`, param: bracketed(path) } })}`,
    ),
  'OpenRouter around another': (path) => ({
    status: 400,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: JSON.stringify({ message: `${last(path)} is not supported` }), provider_name: 'Other' },
      },
    },
  }),
  'plain, not supported': (path) => ({ status: 400, body: { message: `${last(path)} is not supported` } }),
  'plain, not a valid field': (path) => ({
    status: 400,
    body: { message: `invalid request: parameter '${last(path)}' is not a valid field` },
  }),
  'Python, keyword': (path) => error(`AsyncEngine.generate() got an unexpected keyword argument '${last(path)}'`),
  'Chinese, unsupported': (path) => ({
    status: 400,
    body: { code: 20015, message: `不支持的参数：${last(path)}`, data: null },
  }),
  'Chinese, invalid': (path) => ({
    status: 400,
    body: { error: { code: '1210', message: `API 调用参数有误，${last(path)} 参数非法，请检查文档。` } },
  }),
};
