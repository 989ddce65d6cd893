import { names } from '../../protocol/headers.ts'

// Parts of the document that describes the interface.

export type Schema = Readonly<Record<string, unknown>>

export const text: Schema = { type: 'string' }
export const whole: Schema = { type: 'integer' }
export const flag: Schema = { type: 'boolean' }
const version: Schema = { type: 'string', pattern: '^[0-9a-f]{24}$' }
export const time: Schema = { type: 'number', description: 'Milliseconds since 1970.' }
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
export const listOf = (items: Schema, maxItems?: number): Schema =>
  maxItems === undefined ? { type: 'array', items } : { type: 'array', items, minItems: 1, maxItems }
export const object = (properties: Schema, ...required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  required,
})

export const query = (name: string, schema: Schema, description: string): Schema => ({
  name,
  in: 'query',
  schema,
  description,
})
export const header = (name: string, schema: Schema, description: string): Schema => ({
  name,
  in: 'header',
  schema,
  description,
})

export const store: Schema = {
  name: 'store',
  in: 'path',
  required: true,
  schema: text,
  description: 'Name of the store.',
}
export const keyInPath: Schema = {
  name: 'key',
  in: 'path',
  required: true,
  schema: text,
  description: 'The key, percent-encoded.',
}
export const keyInQuery: Schema = {
  ...query('key', text, 'The key: also one that a path cannot hold, such as `..`.'),
  required: true,
}
export const namespace: Schema = {
  ...query('namespace', listOf(text), 'The namespace of the key, from the outermost name on.'),
  explode: true,
}
export const consistency = query('consistency', text, 'One of the levels in the capabilities of the store.')
export const timeout = header(
  names.timeout,
  { type: 'number', exclusiveMinimum: 0 },
  'How long the caller waits, in milliseconds.',
)

export const json = (schema: Schema): Schema => ({ 'application/json': { schema } })
export const value = { 'application/octet-stream': {}, 'application/json': {}, 'text/plain': {} }
export const answer = (description: string, content?: Schema, headers: Schema = {}): Schema =>
  content === undefined ? { description, headers } : { description, headers, content }
export const versionHeaders = {
  ETag: { schema: text, description: 'The version in quotes.' },
  [names.version]: { schema: version },
  [names.expiresAt]: { schema: time },
}
export const problem: Schema = {
  description: 'A problem; `code` is that of an error of unikv.',
  content: { 'application/problem+json': { schema: ref('Problem') } },
}
export const operation = (operationId: string, summary: string, more: Schema, responses: Schema): Schema => ({
  operationId,
  summary,
  ...more,
  responses: { ...responses, default: problem },
})

export const schemas: Schema = {
  Problem: object(
    {
      type: text,
      title: text,
      status: whole,
      detail: text,
      code: text,
      retryable: flag,
      version,
      store: text,
    },
    'type',
    'title',
    'status',
    'detail',
    'code',
    'retryable',
  ),
  Increment: object(
    { type: { const: 'increment' }, by: whole, initial: whole, ttlMs: { type: 'number' }, expiresAt: time },
    'type',
  ),
  Touch: object({ type: { const: 'touch' }, ttlMs: { type: ['number', 'null'] }, expiresAt: time }, 'type'),
  Counter: object({ value: whole, version, expiresAt: time }, 'value'),
  Read: object({ key: text, ifNotVersion: version, head: flag }, 'key'),
  Write: object(
    {
      type: { enum: ['set', 'delete', 'touch', 'increment'] },
      key: text,
      value: { description: 'The value in a store of JSON or text.' },
      base64: { ...text, description: 'The value in a store of bytes.' },
      ifVersion: { type: ['string', 'null'] },
      ttlMs: { type: ['number', 'string'] },
      expiresAt: time,
      by: whole,
      initial: whole,
    },
    'type',
    'key',
  ),
  Query: object({
    where: {
      type: 'object',
      description: 'Conditions by paths of fields, as `find` of a KeyValue takes them.',
    },
    orderBy: listOf({ oneOf: [text, object({ desc: text }, 'desc')] }),
    limit: { ...whole, minimum: 1, maximum: 10_000 },
    after: { ...text, description: 'The cursor of the page before.' },
    namespace: listOf(text),
  }),
  Aggregation: object({ where: { type: 'object' }, of: text, namespace: listOf(text) }),
  Totals: object(
    {
      count: whole,
      sum: { type: ['number', 'string'], description: 'A string if it is not finite.' },
      min: { type: ['boolean', 'number', 'string'] },
      max: { type: ['boolean', 'number', 'string'] },
    },
    'count',
    'sum',
  ),
  Found: object({
    value: {},
    base64: text,
    notModified: flag,
    version,
    expiresAt: time,
    error: ref('Problem'),
  }),
  Written: object({
    version,
    number: whole,
    existed: flag,
    expiresAt: time,
    conditionFailed: flag,
    error: ref('Problem'),
  }),
  Item: object(
    { key: text, value: {}, base64: text, version, expiresAt: time, error: ref('Problem') },
    'key',
  ),
}
